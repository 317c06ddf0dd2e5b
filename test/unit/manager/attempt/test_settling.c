/* test_settling.c - what an end does to files: published once, given up, taken for what it is; and what is left afterwards. */
#include "unit/engine/box.h"

#include "base/error.h"
#include "manager/attempt/callback.h"

struct end {
    struct pingo__arena arena;
    struct pingo__manager_settling s;
};

/* a1 is handed out, and its command has ended well; nobody has heard of it. */
static struct box *ended(const char *more)
{
    struct box *b = box_new();
    struct pingo__buffer text = {0};

    pingo__buffer_format(&text,
                         "{'name':'w','actions':[{'id':1,'name':'a1','type':'command-line',"
                         "'command':['x']%s}]}",
                         more);
    box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "content");
    return b;
}

static void prepare(struct box *b, struct end *e)
{
    struct pingo_error err;

    *e = (struct end){.s = {.end = b->fake.jobs[0].end, .checked = true}};
    e->s.c = &b->s->context;
    e->s.arena = &e->arena;
    well(pingo__manager_callback_prepare(&e->s, &err), &err);
}

static void finish(struct end *e)
{
    struct pingo_error err;

    well(pingo__manager_callback_finish(&e->s, &err), &err);
    pingo__arena_clear(&e->arena);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void test_settling__a_success_is_published_before_its_transaction(void **state)
{
    struct box *b = ended("");
    struct end e;

    UNUSED(state);
    prepare(b, &e);
    assert_true(e.s.current);
    assert_non_null(e.s.object);
    assert_int_equal(e.s.failure.category, 0);
    char path[300];
    snprintf(path, sizeof path, "%s/%s", b->store->pool_dir, e.s.object);
    assert_true(is_there(path));
    assert_false(is_there(b->fake.jobs[0].staged));
    /* The transaction failed, or its process died: the next one finds it published. */
    struct end again;
    prepare(b, &again);
    assert_string_equal(again.s.object, e.s.object);
    assert_int_equal(again.s.end.reason, PINGO_END_EXITED);
    again.s.outcome = PINGO__SETTLED_FAILED; /* given up at last: nothing of it stays */
    finish(&again);
    assert_false(is_there(path));
    pingo__arena_clear(&e.arena);
    box_close(b);
}

static void test_settling__an_output_that_is_gone_is_lost(void **state)
{
    struct box *b = ended("");
    struct end e;

    UNUSED(state);
    assert_int_equal(unlink(b->fake.jobs[0].staged), 0);
    prepare(b, &e);
    assert_int_equal(e.s.end.reason, PINGO_END_LOST);
    assert_null(e.s.object);
    assert_true(e.s.failure.category != 0);
    e.s.outcome = PINGO__SETTLED_AGAIN;
    finish(&e);
    box_close(b);
}

static int refusal;

static int refuse_to_move(void *pool, const char *from, const char *to, struct pingo_error *err)
{
    UNUSED(pool);
    UNUSED(from);
    UNUSED(to);
    return pingo__fail(err, refusal, "no such name is possible there");
}

/* A pool that has no place for such an output never will: it is the action's failure, and no error of the scheduler. */
static void test_settling__an_output_that_the_pool_refuses_is_bad(void **state)
{
    static const int codes[] = {PINGO_EINPUT, PINGO_EINVAL, PINGO_ELIMIT};

    UNUSED(state);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct box *b = ended("");
        const struct pingo__pool_backend *real = b->store->pool.backend;
        struct pingo__pool_backend kind = *real;
        struct end e;

        refusal = codes[i];
        kind.move = refuse_to_move;
        b->store->pool.backend = &kind;
        prepare(b, &e);
        assert_int_equal(e.s.end.reason, PINGO_END_BAD_OUTPUT);
        assert_string_equal(e.s.end.message, "no such name is possible there");
        assert_true(e.s.failure.category != 0);
        b->store->pool.backend = real;
        e.s.outcome = PINGO__SETTLED_FAILED;
        finish(&e);
        assert_false(is_there(b->fake.jobs[0].staged));
        box_close(b);
    }
}

/* One whose content is not what was said is no success, where nobody has looked. */
static void test_settling__an_output_that_is_another_is_bad(void **state)
{
    struct box *b = ended("");
    struct end e;
    struct pingo_error err;

    UNUSED(state);
    b->fake.jobs[0].end.content.bytes[0] ^= 1;
    e = (struct end){.s = {.c = &b->s->context, .arena = &e.arena, .end = b->fake.jobs[0].end}};
    well(pingo__manager_callback_prepare(&e.s, &err), &err);
    assert_int_equal(e.s.end.reason, PINGO_END_BAD_OUTPUT);
    assert_null(e.s.object);
    e.s.outcome = PINGO__SETTLED_FAILED;
    finish(&e);
    assert_false(is_there(b->fake.jobs[0].staged));
    box_close(b);
}

/* An original that is not any more what was hashed: nothing is published. */
static void test_settling__a_changed_original_is_refused(void **state)
{
    struct box *b = box_new();
    struct end e;
    char path[100];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/data", b->root);
    box_large(path, 10);
    box_submit(b, W(A(1, ",'inputs':[{'name':'d','path':'data'}]")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "content");
    assert_int_equal(unlink(path), 0);
    box_large(path, 11);
    prepare(b, &e);
    assert_non_null(e.s.refused);
    assert_non_null(strstr(e.s.refused, path));
    assert_null(e.s.object);
    e.s.outcome = PINGO__SETTLED_FAILED;
    finish(&e);
    box_close(b);
}

static void keep_stamp(struct box *b, uint64_t stamp, size_t size)
{
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_attempt_set_touched(&b->store->db, b->fake.jobs[0].key, &stamp, size, &err),
         &err);
    well(pingo__store_db_end(&b->store->db, 0, &err), &err);
}

/* An original that is the same again, but another number is kept with the attempt: nothing is published.  Where less is
 * kept than a number for each, nothing is known. */
static void test_settling__an_original_that_was_touched(void **state)
{
    struct box *b = box_new();
    struct end e;
    char path[100];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/data", b->root);
    box_large(path, 10);
    box_submit(b, W(A(1, ",'inputs':[{'name':'d','path':'data'}]")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "content");
    keep_stamp(b, 77, sizeof(uint64_t));
    prepare(b, &e);
    assert_null(e.s.refused);
    assert_string_equal(e.s.unstable, path);
    assert_null(e.s.object);
    pingo__arena_clear(&e.arena);
    keep_stamp(b, 77, 4);
    prepare(b, &e);
    assert_null(e.s.unstable);
    assert_non_null(e.s.object);
    finish(&e);
    box_close(b);
}

static void test_settling__an_output_path_of_the_users(void **state)
{
    struct box *b = ended(",'outputPath':'mine','isManaged':false");
    struct end e;
    char path[100];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/mine", b->root);
    prepare(b, &e);
    assert_string_equal(e.s.object, path);
    assert_true(is_there(path));
    assert_true(e.s.current);
    e.s.outcome = PINGO__SETTLED_PUBLISHED;
    finish(&e);
    assert_true(is_there(path));
    assert_false(is_there(b->fake.jobs[0].staged)); /* it was copied from there */
    box_close(b);
}

/* What somebody else put there is his: the action fails, and says so. */
static void test_settling__what_lies_at_an_output_path_stays(void **state)
{
    struct box *b = ended(",'outputPath':'mine','isManaged':false");
    struct end e;
    char path[100], said[8] = "";

    UNUSED(state);
    snprintf(path, sizeof path, "%s/mine", b->root);
    box_large(path, 3);
    prepare(b, &e);
    assert_non_null(e.s.refused);
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(said, 1, 7, file), 3);
    fclose(file);
    assert_string_equal(said, "xxx");
    e.s.outcome = PINGO__SETTLED_FAILED;
    finish(&e);
    assert_true(is_there(path));
    box_close(b);
}

/* The end of an attempt that the action has gone on without publishes nothing. */
static void test_settling__an_old_epoch_publishes_nothing(void **state)
{
    struct box *b = ended("");
    struct end e;

    UNUSED(state);
    box_run(b, "UPDATE action SET epoch = epoch + 1");
    prepare(b, &e);
    assert_false(e.s.current);
    assert_null(e.s.object);
    assert_true(is_there(b->fake.jobs[0].staged));
    e.s.outcome = PINGO__SETTLED_OLD; /* whoever applied it first cleans up */
    finish(&e);
    assert_true(is_there(b->fake.jobs[0].staged));
    e.s.outcome = PINGO__SETTLED_DROPPED;
    finish(&e);
    assert_false(is_there(b->fake.jobs[0].staged));
    box_close(b);
}

/* What a command said last is what its failure is known by. */
static void test_settling__a_failure_is_known_by_its_log(void **state)
{
    struct box *b = box_new();
    struct end e;
    char path[400];

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    assert_true(mkdir(b->fake.jobs[0].dir, 0700) == 0 || errno == EEXIST);
    snprintf(path, sizeof path, "%s/stderr", b->fake.jobs[0].dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("reading\nbwa: cannot open index\n", file);
    fclose(file);
    box_report(b, "a1", PINGO_END_EXITED, 3, "");
    prepare(b, &e);
    assert_int_equal(e.s.failure.exit_code, 3);
    assert_string_equal(e.s.failure.text, "bwa: cannot open index");
    e.s.outcome = PINGO__SETTLED_FAILED;
    finish(&e);
    assert_true(is_there(path)); /* for people */
    e.s.outcome = PINGO__SETTLED_AGAIN;
    finish(&e);
    assert_false(is_there(path));
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settling__a_success_is_published_before_its_transaction),
        cmocka_unit_test(test_settling__an_output_that_is_gone_is_lost),
        cmocka_unit_test(test_settling__an_output_that_the_pool_refuses_is_bad),
        cmocka_unit_test(test_settling__an_output_that_is_another_is_bad),
        cmocka_unit_test(test_settling__a_changed_original_is_refused),
        cmocka_unit_test(test_settling__an_original_that_was_touched),
        cmocka_unit_test(test_settling__an_output_path_of_the_users),
        cmocka_unit_test(test_settling__what_lies_at_an_output_path_stays),
        cmocka_unit_test(test_settling__an_old_epoch_publishes_nothing),
        cmocka_unit_test(test_settling__a_failure_is_known_by_its_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
