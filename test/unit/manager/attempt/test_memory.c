/* test_memory.c - an action that dies of memory is tried again with more, and what it needed is remembered. */
#include "unit/engine/box.h"

#define MEMORY(resources) W(A(1, ",'resources':{" resources "}"))
#define MIB INT64_C(1048576)

/* Its newest job dies of memory; what the next is given, 0: there is none. */
static int64_t die(struct box *b, const char *name, int64_t seen_mb)
{
    struct job *j = fake_job(&b->fake, name);

    assert_non_null(j);
    box_report(b, name, PINGO_END_MEMORY_LIMIT, 0, "");
    j->end.max_rss_bytes = seen_mb * MIB;
    box_tick(b);
    box_tick(b);
    j = fake_job(&b->fake, name);
    assert_true(!j || j->grew);
    return j ? j->memory_mb : 0;
}

static void test_memory__grows_up_to_the_most(void **state)
{
    static const struct {
        const char *resources;
        int64_t largest_mb, seen_mb, given[4]; /* by try; 0: it fails then */
        const char *advice;
    } rows[] = {
        {"'memoryMB':100", 350, 120, {100, 200, 350}, "350 MB, and executor \"fake\" has no more"},
        {"'memoryMB':100,'maxMemoryMB':150", 350, 120, {100, 150}, "raise resources.maxMemoryMB"},
        {"'memoryMB':100,'maxMemoryMB':400", 0, 120, {100, 200, 400}, "raise resources.max"},
        {"'memoryMB':100", 0, 120, {100}, "set resources.maxMemoryMB"},
        {"'memoryMB':100,'grow':false", 350, 120, {100}, NULL},
        {"'memoryMB':[100,300]", 700, 120, {100, 300, 600, 700}, "700 MB, and executor"},
        {"'cpus':1", 350, 150, {0, 300, 350}, "350 MB, and executor"},
        {"'cpus':1", 350, 0, {0}, "set resources.memoryMB"},
    };

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = box_new();
        struct pingo_error err;
        char text[300];
        bool is = false;

        b->fake.memory_most = rows[i].largest_mb * MIB;
        snprintf(text, sizeof text, MEMORY("%s"), rows[i].resources);
        box_submit(b, text);
        box_tick(b);
        assert_int_equal(fake_job(&b->fake, "a1")->memory_mb, rows[i].given[0]);
        assert_false(fake_job(&b->fake, "a1")->grew);
        for (size_t k = 1; k < 4 && rows[i].given[k]; k++) {
            assert_int_equal(die(b, "a1", rows[i].seen_mb), rows[i].given[k]);
            assert_int_equal(
                box_int(b, "SELECT memory_mb FROM attempt ORDER BY epoch DESC LIMIT 1"),
                rows[i].given[k]);
        }
        assert_int_equal(die(b, "a1", rows[i].seen_mb), 0);
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
        well(
            pingo__db_exists(&b->store->db, &err, &is,
                             "SELECT 1 FROM action WHERE (instr(message, ?1) > 0) = (?1 <> 'needs')"
                             " AND (?1 <> 'needs' OR instr(message, 'needs') = 0)",
                             TEXT(rows[i].advice ? rows[i].advice : "needs")),
            &err);
        assert_true(is);
        box_clean(b);
        box_close(b);
    }
}

/* Tries because memory grew use up no retry, and those that are left are used at the most. */
static void test_memory__retries_are_the_users(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.memory_most = 400 * MIB;
    box_submit(b, W(A(1, ",'retries':2,'resources':{'memoryMB':100}")));
    box_tick(b);
    assert_int_equal(die(b, "a1", 0), 200);
    box_fail(b, "a1");
    box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->memory_mb, 200); /* what it grew to stays */
    assert_int_equal(die(b, "a1", 0), 400);
    assert_int_equal(box_int(b, "SELECT retries FROM action"), 1);
    assert_int_equal(die(b, "a1", 0), 400);
    assert_int_equal(box_int(b, "SELECT retries FROM action"), 0);
    assert_int_equal(die(b, "a1", 0), 0);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    box_clean(b);
    box_close(b);
}

/* What the last try had is learnt, not what an earlier one grew to. */
static void test_memory__a_list_goes_on(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.memory_most = 800 * MIB;
    box_submit(b, W(A(1, ",'retries':1,'resources':{'memoryMB':[100,150,400]}")));
    box_tick(b);
    assert_int_equal(die(b, "a1", 0), 150);
    box_fail(b, "a1");
    box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->memory_mb, 400);
    box_finish(b, "a1");
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT max(mb) FROM memory"), 400);
    box_clean(b);
    box_close(b);
}

/* Another process goes on between the death and the next try; and others are overtaken. */
static void test_memory__outlives_its_scheduler(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.memory_most = 400 * MIB;
    box_submit(b, MEMORY("'memoryMB':100"));
    box_tick(b);
    box_report(b, "a1", PINGO_END_MEMORY_LIMIT, 0, "");
    box_reopen(b); /* it takes the end over */
    for (int i = 0; i < 3; i++)
        box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->memory_mb, 200);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 2);
    box_finish(b, "a1");
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

#define SALTED(salt, more)                                                                         \
    W("{'id':1,'name':'a1','type':'command-line','command':['prog','go'," more                     \
      "'-x'],'salt':'" salt "','resources':{'memoryMB':100}}")

/* By its hash without salt from its growth on; by its program once one has ended well. */
static void test_memory__is_remembered(void **state)
{
    struct box *b = box_new();
    struct job *j;

    UNUSED(state);
    b->fake.memory_most = 1000 * MIB;
    box_submit(b, SALTED("one", ""));
    box_tick(b);
    assert_int_equal(die(b, "a1", 0), 200);
    assert_int_equal(die(b, "a1", 0), 400);
    box_submit(b, SALTED("two", ""));
    box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->memory_mb, 400);
    assert_false(fake_job(&b->fake, "a1")->grew);
    box_submit(b, SALTED("one", "'--other',"));
    box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->memory_mb, 100); /* none of the program has ended */
    box_finish(b, "a1");
    for (int i = 0; i < 2; i++)
        box_finish(b, "a1");
    box_submit(b, SALTED("one", "'--third',"));
    box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->memory_mb, 400);
    j = fake_job(&b->fake, "a1");
    box_report(b, "a1", PINGO_END_EXITED, 0, "x"); /* it needed much less: so do others */
    j->end.max_rss_bytes = 150 * MIB;
    box_tick(b);
    box_submit(b, SALTED("one", "'--fourth',"));
    box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->memory_mb, 200);
    box_finish(b, "a1");
    b->fake.memory_most = 150 * MIB; /* a smaller machine */
    box_submit(b, SALTED("three", ""));
    box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->memory_mb, 150);
    box_finish(b, "a1");
    box_clean(b);
    box_close(b);
}

/* What grew goes before the others of its submission. */
static void test_memory__grown_ones_are_claimed_first(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    struct pingo_scheduler_options options = {
        .version = 1, .executors = fake_list, .nexecutors = 1, .max_jobs = 1};

    UNUSED(state);
    pingo_scheduler_close(b->s);
    fake_now = &b->fake;
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
    b->fake.memory_most = 1000 * MIB;
    box_submit(b,
               W(A(1, ",'resources':{'memoryMB':9}") "," A(2, ",'resources':{'memoryMB':9}") "," A(
                   3, ",'resources':{'memoryMB':9}") "," A(4, ",'resources':{'memoryMB':9}")));
    box_tick(b);
    char first[32];
    snprintf(first, sizeof first, "%s", b->fake.jobs[0].name);
    assert_int_equal(b->fake.n, 1);
    assert_int_equal(die(b, first, 0), 18);
    assert_int_equal(b->fake.n, 2);
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__grows_up_to_the_most),
        cmocka_unit_test(test_memory__retries_are_the_users),
        cmocka_unit_test(test_memory__a_list_goes_on),
        cmocka_unit_test(test_memory__outlives_its_scheduler),
        cmocka_unit_test(test_memory__is_remembered),
        cmocka_unit_test(test_memory__grown_ones_are_claimed_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
