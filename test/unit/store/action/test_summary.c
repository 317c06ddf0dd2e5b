/* test_summary.c - each end is in both sums once; failures that are alike are one kind, with its newest examples; what failed
 * before a success was retried. */
#include "unit/store/action/ends.h"

#define DAY PINGO__SUMMARY_DAY_MS
static int64_t now_ms(void)
{
    return (int64_t)time(NULL) * 1000;
}
static const struct ends_kind well_done = {0, 0, NULL}, broken = {1, 2, "no such file"},
                              other = {1, 3, "no such file"};

static void test_summary__alike_is_one_kind(void **state)
{
    struct box *b = rows_new(FAN);
    int64_t now = now_ms();

    UNUSED(state);
    assert_int_equal(ends_add(b, (struct pingo_job_key){1, 1}, well_done, now), 0);
    int64_t first = ends_add(b, (struct pingo_job_key){1, 2}, broken, now);
    assert_true(first >= PINGO__FAILURE_FIRST);
    for (int64_t epoch = 3; epoch <= 5; epoch++)
        assert_int_equal(ends_add(b, (struct pingo_job_key){1, epoch}, broken, now - epoch), first);
    assert_int_equal(ends_add(b, (struct pingo_job_key){2, 1}, other, now), first + 1);
    assert_int_equal(
        box_int_of(b, "SELECT n FROM error WHERE text = 'no such file' AND exit_code = 2"), 4);
    assert_int_equal(box_int_of(b, "SELECT last_ms - first_ms FROM error WHERE exit_code = 2"), 5);
    /* Of each action its newest try: who looks at one sees what the others printed. */
#define EXAMPLES(text) "SELECT examples = '" text "' FROM error WHERE exit_code = 2"
    assert_int_equal(box_int_of(b, EXAMPLES("1.1.5")), 1);
    for (int64_t row = 2; row <= 4; row++)
        ends_add(b, (struct pingo_job_key){row, 7}, broken, now);
    assert_int_equal(box_int_of(b, EXAMPLES("1.4.7 1.3.7 1.2.7")), 1);
    ends_add(b, (struct pingo_job_key){3, 8}, broken, now);
    assert_int_equal(box_int_of(b, EXAMPLES("1.3.8 1.4.7 1.2.7")), 1);
    rows_close(b);
}

/* Whoever makes up messages without end fills no table. */
static void test_summary__kinds_are_bounded(void **state)
{
    struct box *b = rows_new(FAN);
    char sql[200];

    UNUSED(state);
    snprintf(
        sql, sizeof sql,
        "INSERT INTO error(id, digest, category, reason, text) VALUES(%d, zeroblob(32), 1, 1, 'x')",
        PINGO__FAILURE_FIRST + PINGO__FAILURE_KINDS - 1);
    rows_run(b, sql);
    assert_int_equal(ends_add(b, (struct pingo_job_key){1, 1}, broken, now_ms()), 1);
    assert_int_equal(ends_add(b, (struct pingo_job_key){1, 2}, other, now_ms()), 1);
    assert_int_equal(box_int_of(b, "SELECT n FROM error WHERE id = 1"), 2);
    rows_close(b);
}

static void test_summary__ends_are_in_both_sums_once(void **state)
{
    struct box *b = rows_new(FAN);
    int64_t now = now_ms();

    UNUSED(state);
    for (int64_t i = 0; i < 40; i++) /* more than are kept in hand */
        ends_add(b, (struct pingo_job_key){1, 1}, well_done, now - i * PINGO__SUMMARY_STEP_MS);
    ends_save(b);
    assert_int_equal(box_int_of(b, "SELECT sum(n) FROM summary_30m"), 40);
    assert_int_equal(box_int_of(b, "SELECT count(*) FROM summary_30m"), 40);
    assert_int_equal(box_int_of(b, "SELECT sum(n) FROM summary_day"), 40);
    assert_int_equal(box_int_of(b, "SELECT sum(wall_ms) FROM summary_day"), 4000);
    assert_int_equal(box_int_of(b, "SELECT sum(cpu_ms) FROM summary_day"), 1200); /* -1: unknown */
    assert_int_equal(box_int_of(b, "SELECT sum(wait_ms) FROM summary_day"), 2000);
    ends_save(b);
    assert_int_equal(box_int_of(b, "SELECT sum(n) FROM summary_day"), 40);
    rows_close(b);
}

/* What ended long ago is in the days alone, and half hours go with time. */
static void test_summary__half_hours_are_kept_for_ninety_days(void **state)
{
    struct box *b = rows_new(FAN);
    int64_t now = now_ms();

    UNUSED(state);
    ends_add(b, (struct pingo_job_key){1, 1}, well_done, now - 91 * DAY);
    ends_add(b, (struct pingo_job_key){2, 1}, well_done, now - 80 * DAY);
    ends_save(b);
    assert_int_equal(box_int_of(b, "SELECT sum(n) FROM summary_30m"), 1);
    assert_int_equal(box_int_of(b, "SELECT sum(n) FROM summary_day"), 2);
    rows_run(b, "UPDATE summary_30m SET step = step - 20 * 48");
    b->store->db.sums_step = 0; /* another half hour has begun */
    ends_add(b, (struct pingo_job_key){2, 2}, well_done, now);
    ends_save(b);
    assert_int_equal(box_int_of(b, "SELECT count(*) FROM summary_30m"), 1); /* the new one */
    rows_close(b);
}

/* What is rolled back was never summed. */
static void test_summary__what_is_dropped_is_in_no_sum(void **state)
{
    struct box *b = rows_new(FAN);

    UNUSED(state);
    ends_add(b, (struct pingo_job_key){1, 1}, well_done, now_ms());
    pingo__store_summary_drop(&b->store->db);
    ends_save(b);
    assert_int_equal(box_int_of(b, "SELECT count(*) FROM summary_day"), 0);
    rows_close(b);
}

/* In whichever order the ends of two tries are told. */
static void test_summary__what_failed_before_a_success_was_retried(void **state)
{
    UNUSED(state);
    for (int late = 0; late < 2; late++) {
        struct box *b = box_new();
        int64_t ended = now_ms();

        box_submit(b, FAN);
        rows_begin(b);
        for (int i = 0; i < 2; i++) {
            int64_t epoch = (late ? 1 - i : i) + 1; /* the first fails, the second does not */
            int64_t error = ends_add(b, (struct pingo_job_key){1, epoch},
                                     epoch == 1 ? broken : well_done, ended);
            char sql[300];
            snprintf(
                sql, sizeof sql,
                "INSERT INTO attempt(action, epoch, executor, owner, state, handed_ms, ended_ms,"
                " wall_ms, error, host) VALUES(1, %d, 'fake', 1, 3, %lld, %lld, 100, %lld, 'n1')",
                (int)epoch, (long long)ended - 150, (long long)ended, (long long)error);
            rows_run(b, sql);
        }
        ends_save(b);
        assert_int_equal(box_int_of(b, "SELECT sum(n) FROM summary_day"), 2);
        assert_int_equal(box_int_of(b, "SELECT sum(retried) FROM summary_day"), 1);
        assert_int_equal(box_int_of(b, "SELECT sum(retried_ms) FROM summary_30m"), 100);
        rows_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary__alike_is_one_kind),
        cmocka_unit_test(test_summary__kinds_are_bounded),
        cmocka_unit_test(test_summary__ends_are_in_both_sums_once),
        cmocka_unit_test(test_summary__half_hours_are_kept_for_ninety_days),
        cmocka_unit_test(test_summary__what_is_dropped_is_in_no_sum),
        cmocka_unit_test(test_summary__what_failed_before_a_success_was_retried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
