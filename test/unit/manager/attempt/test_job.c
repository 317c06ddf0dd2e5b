/* test_job.c - what an executor is asked to run comes from the description and the rows: paths, links, resources of the try,
 * what may be read. */
#include "unit/engine/box.h"

#include "manager/attempt/job.h"

struct asked {
    struct pingo__arena arena;
    struct pingo__manager_prepared p;
};

/* The job of the newest row of an action, as it would be handed out now. */
static int prepare(struct box *b, int64_t row, struct asked *a, struct pingo_error *err)
{
    struct pingo__store_action_row action;

    *a = (struct asked){.arena = {0}};
    well(pingo__store_action_get(&b->store->db, row, &a->arena, &action, err), err);
    action.epoch = action.epoch ? action.epoch : 1;
    return pingo__manager_prepare(&b->s->context, &action, &a->arena, &a->p, err);
}

static void clear(struct asked *a)
{
    pingo__manager_prepared_clear(&a->p);
    pingo__arena_clear(&a->arena);
}

static void test_job__has_what_its_definition_says(void **state)
{
    struct box *b = box_new();
    struct asked a;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)) ",'resources':{'cpus':3,'memoryMB':7,"
                                                 "'timeLimitSeconds':5},'env':{'K':'v'}")));
    box_tick(b);
    box_finish(b, "a1");
    well(prepare(b, 2, &a, &err), &err);
    const struct pingo_job *job = &a.p.job;
    assert_string_equal(job->name, "a2");
    assert_string_equal(job->user, "tester");
    assert_int_equal(job->workflow, 1);
    assert_int_equal(job->id, 2);
    assert_int_equal(job->attempt, 1);
    assert_int_equal(job->cpus, 3);
    assert_int_equal(job->memory_bytes, 7 << 20);
    assert_int_equal(job->time_limit_ms, 5000);
    assert_string_equal(job->argv[0], "x2");
    bool has_env = false;
    for (const char *const *e = job->env; *e; e++)
        has_env = has_env || strcmp(*e, "K=v") == 0;
    assert_true(has_env);
    assert_int_equal(job->nlinks, 1);
    assert_string_equal(job->links[0].name, "p1");
    assert_int_equal(access(job->links[0].target, R_OK), 0);
    assert_false(job->links[0].copy);
    assert_true(strncmp(job->attempt_dir, b->root, strlen(b->root)) == 0);
    assert_true(strncmp(job->staged_path, b->root, strlen(b->root)) == 0);
    clear(&a);
    box_close(b);
}

/* Numbers that are a list go by the try; what fails counts. */
static void test_job__resources_are_those_of_the_try(void **state)
{
    struct box *b = box_new();
    struct asked a;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, ",'retries':3,'resources':{'memoryMB':[10,20],'gpus':1}")));
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            box_run(b, "UPDATE action SET retries = retries - 1"); /* one is used up */
        if (i == 2)
            box_run(b, "UPDATE action SET growths = 4"); /* beyond the list's end the last holds */
        well(prepare(b, 1, &a, &err), &err);
        assert_int_equal(a.p.job.memory_bytes >> 20, i ? 20 : 10);
        assert_int_equal(a.p.job.gpus, 1);
        bool told = false;
        for (const char *const *e = a.p.job.env; *e; e++)
            told = told || strcmp(*e, "PINGO_GPUS=1") == 0;
        assert_true(told);
        clear(&a);
    }
    box_close(b);
}

/* An original is copied, and what is copied must be what was hashed; a tool is no link, and may be read in the sandbox. */
static void test_job__originals_and_tools(void **state)
{
    struct box *b = box_new();
    struct asked a;
    struct pingo_error err;
    char path[100];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/data", b->root);
    box_large(path, 10);
    box_submit(b, W(A(1, ",'inputs':[{'name':'d','path':'data'}],'tools':['sh'],'sandbox':true")));
    well(prepare(b, 1, &a, &err), &err);
    assert_int_equal(a.p.job.nlinks, 1);
    assert_string_equal(a.p.job.links[0].name, "d");
    assert_string_equal(a.p.job.links[0].target, path);
    assert_true(a.p.job.links[0].copy);
    assert_non_null(a.p.job.links[0].content);
    assert_true(a.p.job.confine);
    assert_non_null(a.p.job.readable[0]);
    assert_non_null(strstr(a.p.job.readable[0], "sh"));
    assert_null(a.p.job.readable[1]);
    clear(&a);
    box_close(b);
}

static void test_job__what_is_missing_is_told(void **state)
{
    struct box *b = box_new();
    struct asked a;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    assert_int_equal(prepare(b, 2, &a, &err), PINGO_ENOTFOUND); /* a1 has made nothing yet */
    assert_non_null(strstr(err.message, "action 2: an input is not there"));
    clear(&a);
    assert_int_equal(sqlite3_exec(b->store->db.sqlite, "PRAGMA foreign_keys=0", NULL, NULL, NULL),
                     SQLITE_OK);
    box_run(b, "DELETE FROM definition");
    assert_int_equal(prepare(b, 1, &a, &err), PINGO_ECORRUPT);
    assert_non_null(strstr(err.message, "its description is not in the store"));
    clear(&a);
    box_run(b, "PRAGMA ignore_check_constraints=1; UPDATE node SET type = 'a type of others'");
    assert_int_equal(prepare(b, 1, &a, &err), PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "a type of others"));
    clear(&a);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job__has_what_its_definition_says),
        cmocka_unit_test(test_job__resources_are_those_of_the_try),
        cmocka_unit_test(test_job__originals_and_tools),
        cmocka_unit_test(test_job__what_is_missing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
