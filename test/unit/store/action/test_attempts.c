/* test_attempts.c - attempts from the hand-over to the end: who has them, and what is told of them. */
#include "unit/store/rows.h"

#include "store/action/actions.h"
#include "store/action/summary.h"

#define KEY(a, e) ((struct pingo_job_key){a, e})

/* a1 and a2 are RUNNING or on their way to it, in the hands of the box's scheduler; a3 waits. */
static struct box *handed(void)
{
    struct box *b = box_new();

    box_submit(b, FAN);
    box_tick(b);
    return rows_begin(b);
}

static int64_t owner_of(struct box *b)
{
    return b->s->context.owner;
}

static struct pingo__store_attempt_row find(struct box *b, struct pingo_job_key key)
{
    struct pingo__store_attempt_row row;
    struct pingo_error err;

    well(pingo__store_attempt_find(&b->store->db, key, &row, &err), &err);
    return row;
}

static size_t n_open(struct box *b, int64_t owner, bool unwanted)
{
    struct pingo__arena arena = {0};
    struct pingo__store_attempt_list list = {.arena = &arena};
    struct pingo_error err;

    well(pingo__store_attempt_list_open(&b->store->db, owner, unwanted, &list, &err), &err);
    pingo__arena_clear(&arena);
    return list.n;
}

static void test_attempts__are_open_until_they_end(void **state)
{
    struct box *b = handed();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    int64_t oldest = 0;
    bool is_now = false;

    UNUSED(state);
    assert_int_equal(find(b, KEY(1, 1)).key.action, 1);
    assert_int_equal(find(b, KEY(1, 1)).state, PINGO__ATTEMPT_HANDED);
    assert_int_equal(find(b, KEY(1, 2)).key.action, 0);
    assert_int_equal(find(b, KEY(3, 1)).key.action, 0);
    rows_run(b, "UPDATE attempt SET handed_ms = 500 WHERE action = 2");
    well(pingo__store_attempt_oldest(db, &oldest, &err), &err);
    assert_int_equal(oldest, 500);
    rows_run(b, "UPDATE attempt SET state = 1, started_ms = NULL WHERE action = 1");
    well(pingo__store_attempt_started(db, KEY(1, 1), 600, &is_now, &err), &err);
    assert_true(is_now);
    well(pingo__store_attempt_started(db, KEY(1, 1), 700, &is_now, &err), &err);
    assert_false(is_now); /* it has started before */
    assert_int_equal(find(b, KEY(1, 1)).started_ms, 600);
    rows_close(b);
}

static void test_attempts__change_hands_once(void **state)
{
    struct box *b = handed();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_attempt_take(db, KEY(1, 1), owner_of(b), 90, &err), &err);
    assert_true(pingo__store_db_has_changed(db));
    assert_int_equal(find(b, KEY(1, 1)).owner, 90);
    well(pingo__store_attempt_take(db, KEY(1, 1), owner_of(b), 91, &err), &err);
    assert_false(pingo__store_db_has_changed(db));
    assert_int_equal(n_open(b, 90, false), 1);
    assert_int_equal(n_open(b, owner_of(b), false), 1);
    assert_int_equal(n_open(b, 90, true), 0);
    well(pingo__store_attempt_unwant(db, 1, &err), &err);
    assert_int_equal(n_open(b, 90, true), 1);
    assert_int_equal(n_open(b, owner_of(b), true), 0);
    rows_close(b);
}

static int64_t owner_of_action(struct box *b)
{
    return box_int(b, "SELECT coalesce(owner, 0) FROM action WHERE id = 1");
}

/* An attempt that was given up is taken over without its action, which another has by now, or nobody. */
static void test_attempts__change_hands_without_what_is_tried_anew(void **state)
{
    struct box *b = handed();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_attempt_take(db, KEY(1, 1), owner_of(b), 90, &err), &err);
    assert_int_equal(owner_of_action(b), 90);
    rows_run(b, "UPDATE action SET epoch = 2, owner = 80 WHERE id = 1");
    well(pingo__store_attempt_take(db, KEY(1, 1), 90, 91, &err), &err);
    assert_true(pingo__store_db_has_changed(db));
    assert_int_equal(find(b, KEY(1, 1)).owner, 91);
    assert_int_equal(owner_of_action(b), 80);
    rows_run(b, "UPDATE action SET epoch = 1, state = 7, ended_ms = 1, owner = NULL WHERE id = 1");
    well(pingo__store_attempt_take(db, KEY(1, 1), 91, 92, &err), &err);
    assert_true(pingo__store_db_has_changed(db));
    assert_int_equal(find(b, KEY(1, 1)).owner, 92);
    assert_int_equal(owner_of_action(b), 0);
    rows_close(b);
}

/* A status is of what exited, a signal of what it ended, and times are of what ran. */
static void test_attempts__how_they_ended(void **state)
{
    static const struct {
        enum pingo_end_reason reason;
        int64_t started_ms, exit_code, signal, wall_ms; /* the last three as they are kept */
    } rows[] = {
        {PINGO_END_EXITED, 600, 3, -1, 50},   {PINGO_END_NO_OUTPUT, 600, 3, -1, 50},
        {PINGO_END_SIGNALED, 600, -1, 9, 50}, {PINGO_END_TIME_LIMIT, 600, -1, -1, 50},
        {PINGO_END_LOST, 0, -1, -1, -1},      {PINGO_END_NOT_STARTED, 600, -1, -1, -1},
    };

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = handed();
        const struct pingo_job_end end = {.size = sizeof end,
                                          .key = {1, 1},
                                          .reason = rows[i].reason,
                                          .exit_code = 3,
                                          .signal = 9,
                                          .started_ms = rows[i].started_ms,
                                          .ended_ms = 700,
                                          .wall_ms = 50};
        const struct pingo__rules_failure failure = {.signal = -1};
        struct pingo__store_ended ended = {.end = &end, .failure = &failure, .workflow = 1, .id = 1};
        struct pingo_error err;
        int64_t is = 0;
        ended.executor = "fake";
        rows_run(b, "UPDATE action SET state = 2 WHERE id = 1"); /* it ends first */
        well(pingo__store_attempt_end(&b->store->db, &ended, &err), &err);
        assert_int_equal(find(b, KEY(1, 1)).state, PINGO__ATTEMPT_ENDED);
        well(pingo__db_number(&b->store->db, &err, &is,
                              "SELECT coalesce(exit_code, -1) = ?1 AND coalesce(signal, -1) = ?2"
                              " AND coalesce(wall_ms, -1) = ?3 FROM attempt WHERE action = 1",
                              INT(rows[i].exit_code), INT(rows[i].signal), INT(rows[i].wall_ms)),
             &err);
        if (!is)
            fail_msg("%d", (int)rows[i].reason);
        rows_close(b);
    }
}

static void test_attempts__what_is_told_of_them_is_kept(void **state)
{
    struct box *b = handed();
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo__store_attempt_row row;
    struct pingo__store_attempt_told_list list = {.arena = &arena};
    struct pingo__store_bytes bytes;
    struct pingo_job_end end = {.size = sizeof end,
                                .key = {1, 1},
                                .reason = PINGO_END_EXITED,
                                .exit_code = 3,
                                .message = "said"},
                         told;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_attempt_told(db, KEY(1, 1), &told, &err), &err);
    assert_int_equal(told.key.action, 0);
    well(pingo__store_attempt_set_told(db, &end, &err), &err);
    well(pingo__store_attempt_told(db, KEY(1, 1), &told, &err), &err);
    assert_int_equal(told.key.action, 1);
    assert_int_equal(told.exit_code, 3);
    assert_string_equal(told.message, "said");
    well(pingo__store_attempt_touched(db, KEY(1, 1), &arena, &bytes, &err), &err);
    assert_int_equal(bytes.n, 0);
    well(pingo__store_attempt_set_touched(db, KEY(1, 1), "abc", 3, &err), &err);
    well(pingo__store_attempt_touched(db, KEY(1, 1), &arena, &bytes, &err), &err);
    assert_int_equal(bytes.n, 3);
    assert_memory_equal(bytes.bytes, "abc", 3);
    well(pingo__store_attempt_set_job(db, KEY(1, 1), "job 7", &err), &err);
    well(pingo__store_attempt_set_progress(db, KEY(1, 1), "{\"maps\":1}", &err), &err);
    well(pingo__store_attempt_last(db, 1, &arena, &row, &err), &err);
    assert_int_equal(row.nstarted, 0);
    assert_string_equal(row.executor, "fake");
    well(pingo__store_attempt_list_of(
             db, &(struct pingo__store_attempt_range){.workflow = 1, .position = -1, .limit = 9},
             &list, &err),
         &err);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.rows[0].told.attempt.job, "job 7");
    assert_string_equal(list.rows[0].told.attempt.progress, "{\"maps\":1}");
    well(pingo__store_attempt_last(db, 3, &arena, &row, &err), &err);
    assert_int_equal(row.key.action, 0);
    pingo__arena_clear(&arena);
    rows_close(b);
}

/* One that was given up before it started leaves nothing. */
static void test_attempts__without_a_trace(void **state)
{
    struct box *b = handed();
    struct pingo_error err;

    UNUSED(state);
    /* As long as its action is in its hands it stays. */
    rows_run(b, "UPDATE action SET state = 4 WHERE id = 1");
    assert_int_equal(pingo__store_attempt_delete(&b->store->db, KEY(1, 1), &err), PINGO_ESTORE);
    rows_run(b, "UPDATE action SET state = 2 WHERE id = 1");
    well(pingo__store_attempt_delete(&b->store->db, KEY(1, 1), &err), &err);
    assert_int_equal(find(b, KEY(1, 1)).key.action, 0);
    rows_close(b);
}

static void test_attempts__scratch_directories_are_counted(void **state)
{
    struct box *b = handed();
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo__store_key_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_attempt_set_scratch(db, KEY(1, 1), 70, &err), &err); /* it has not ended */
    well(pingo__store_attempt_list_scratch(db, false, 9, &list, &err), &err);
    assert_int_equal(list.n, 0);
    rows_run(b, "UPDATE action SET state = 2 WHERE id < 3");
    rows_run(b, "UPDATE attempt SET state = 3");
    well(pingo__store_attempt_set_scratch(db, KEY(1, 1), 0, &err), &err);
    well(pingo__store_attempt_set_scratch(db, KEY(2, 1), 50, &err), &err);
    well(pingo__store_attempt_list_scratch(db, true, 9, &list, &err), &err);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.rows[0].action, 1);
    well(pingo__store_attempt_list_scratch(db, false, 9, &list, &err), &err);
    assert_int_equal(list.n, 2);
    well(pingo__store_attempt_list_scratch(db, false, 1, &list, &err), &err);
    assert_int_equal(list.n, 1);
    well(pingo__store_attempt_set_scratch(db, KEY(2, 1), -1, &err), &err);
    well(pingo__store_attempt_list_scratch(db, false, 9, &list, &err), &err);
    assert_int_equal(list.n, 1);
    assert_int_equal(find(b, KEY(2, 1)).scratch_bytes, -1);
    pingo__arena_clear(&arena);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attempts__are_open_until_they_end),
        cmocka_unit_test(test_attempts__change_hands_once),
        cmocka_unit_test(test_attempts__change_hands_without_what_is_tried_anew),
        cmocka_unit_test(test_attempts__how_they_ended),
        cmocka_unit_test(test_attempts__what_is_told_of_them_is_kept),
        cmocka_unit_test(test_attempts__without_a_trace),
        cmocka_unit_test(test_attempts__scratch_directories_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
