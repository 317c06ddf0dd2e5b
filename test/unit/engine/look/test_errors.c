/* test_errors.c - the seven requests of the PanDA paper's table 1 are one call each, and say what a count over the
 * attempts says. */
#include "unit/engine/look/failed.h"

/* Attempts that failed and ended in [from, to), and what else is asked. */
static int64_t by_hand(struct box *b, int64_t from, int64_t to, const char *and)
{
    char sql[400];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM attempt WHERE error > 0 AND" DAY_OF "%s",
             (long long)from, (long long)to, and);
    return number(b, sql);
}

static int on_row(void *context, const struct pingo_summary_row *row)
{
    struct got *g = context;
    g->rows++;
    g->failed += row->failed;
    g->ended += row->ended;
    if (g->b)
        g->wrong = g->wrong || row->until_ms - row->from_ms != HALF || row->from_ms <= g->last_ms ||
                   row->failed != by_hand(g->b, row->from_ms, row->until_ms, g->and);
    g->last_ms = row->from_ms;
    return 0;
}

static int on_failure(void *context, const struct pingo_failure *f)
{
    struct got *g = context;
    g->wrong = g->wrong || (g->rows > 0 && f->attempt.ended_ms > g->last_ms) ||
               (f->error == 0) != (f->category == PINGO_FAILURE_NONE);
    g->last_ms = f->attempt.ended_ms;
    g->epoch = f->attempt.epoch;
    g->rows++;
    return 0;
}

static struct got list(struct box *b, struct pingo_failure_query q)
{
    struct got g = {0};
    struct pingo_error err;
    q.version = 1;
    well(pingo_store_failures(b->store, &q, on_failure, &g, &err), &err);
    assert_false(g.wrong);
    return g;
}

static struct got sum(struct box *b, struct pingo_summary_query q, const char *and)
{
    struct got g = {.b = and? b : NULL, .and = and};
    struct pingo_error err;
    q.version = 1;
    well(pingo_store_summary(b->store, &q, on_row, &g, &err), &err);
    assert_false(g.wrong);
    return g;
}

static void test_errors__the_seven_requests(void **state)
{
    struct box *b = box_new();
    int64_t day = fill(b), next = day + DAY, all = by_hand(b, day, next, "");
    UNUSED(state);
    assert_true(all > 100);
    /* 1: a job by its identifier, failed or not */
    struct got g = list(b, (struct pingo_failure_query){.row = 1, .epoch = 1003});
    assert_int_equal(g.rows, 1);
    assert_int_equal(g.epoch, 1003);
    /* 2, 3, 4: errors of a day, of a site, with a code */
    g = list(b, (struct pingo_failure_query){.since_ms = day, .until_ms = next});
    assert_int_equal(g.rows, all);
    g = list(b, (struct pingo_failure_query){.since_ms = day, .until_ms = next, .executor = "e1"});
    assert_int_equal(g.rows, by_hand(b, day, next, " AND executor = 'e1'"));
    g = list(b, (struct pingo_failure_query){
                    .since_ms = day, .until_ms = next, .node = "n2", .error = 33});
    assert_int_equal(g.rows, by_hand(b, day, next, " AND host = 'n2' AND error = 33"));
    assert_true(g.rows > 5);
    /* 5, 6: how many within each half hour of the day, and of a site */
    struct pingo_summary_query q = {.since_ms = day, .until_ms = next, .step = PINGO_SUMMARY_30M};
    g = sum(b, q, "");
    assert_int_equal(g.rows, 48);
    assert_int_equal(g.failed, all);
    q.node = "n2";
    assert_int_equal(sum(b, q, " AND host = 'n2'").failed,
                     by_hand(b, day, next, " AND host = 'n2'"));
    /* 7: jobs with errors within half an hour */
    q = (struct pingo_summary_query){.since_ms = day + 20 * HALF, .until_ms = day + 21 * HALF};
    g = sum(b, q, NULL);
    assert_int_equal(g.rows, 1);
    assert_int_equal(g.failed, by_hand(b, q.since_ms, q.until_ms, ""));
    assert_true(g.ended > g.failed);
    box_close(b);
}

static void test_errors__by_each_value_all_are_there(void **state)
{
    struct box *b = box_new();
    int64_t all;
    UNUSED(state);
    fill(b);
    all = by_hand(b, 0, INT64_MAX, "");
    for (enum pingo_summary_by by = 0; by <= PINGO_SUMMARY_BY_NAME; by++)
        for (enum pingo_summary_step step = 0; step <= PINGO_SUMMARY_DAY; step++) {
            struct pingo_summary_query q = {.by = by, .step = step};
            assert_int_equal(sum(b, q, NULL).failed, all);
            q.limit = 1; /* the rest is one row */
            struct got g = sum(b, q, NULL);
            assert_int_equal(g.failed, all);
            if (step == PINGO_SUMMARY_ALL)
                assert_true(g.rows <= 2);
            q.error = 33;
            assert_int_equal(sum(b, q, NULL).failed, by_hand(b, 0, INT64_MAX, " AND error = 33"));
        }
    box_close(b);
}

static void test_errors__a_list_goes_on_where_it_ended(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    char next[PINGO_CURSOR_SIZE] = "", after[PINGO_CURSOR_SIZE];
    int64_t rows = 0;
    UNUSED(state);
    fill(b);
    do {
        struct got g = {0};
        memcpy(after, next, sizeof after);
        struct pingo_failure_query q = {.version = 1, .limit = 30, .after = after, .next = next};
        well(pingo_store_failures(b->store, &q, on_failure, &g, &err), &err);
        assert_true(g.rows > 0 && !g.wrong);
        rows += g.rows;
    } while (*next);
    assert_int_equal(rows, by_hand(b, 0, INT64_MAX, ""));
    struct pingo_failure_query q = {.version = 1, .after = "e.1.1.1.1"};
    assert_int_equal(pingo_store_failures(b->store, &q, on_failure, NULL, &err), PINGO_EINVAL);
    q = (struct pingo_failure_query){.version = 1, .row = 1, .epoch = 7};
    assert_int_equal(pingo_store_failures(b->store, &q, on_failure, NULL, &err), PINGO_ENOTFOUND);
    q = (struct pingo_failure_query){.version = 1, .error = 9999};
    assert_int_equal(pingo_store_failures(b->store, &q, on_failure, NULL, &err), PINGO_ENOTFOUND);
    struct pingo_summary_query none = {.version = 1, .error = 9999};
    assert_int_equal(pingo_store_summary(b->store, &none, on_row, NULL, &err), PINGO_ENOTFOUND);
    assert_memory_equal(err.message, "there is no error 9999; the last is ", 36);
    q = (struct pingo_failure_query){.version = 1, .error = 33, .user = "nobody"};
    well(pingo_store_failures(b->store, &q, on_failure, NULL, &err), &err);
    struct pingo_summary_query s = {.version = 1, .since_ms = -1};
    assert_int_equal(pingo_store_summary(b->store, &s, on_row, NULL, &err), PINGO_EINVAL);
    box_close(b);
}

/* Each page costs what it has: those before it are not read again. */
static void test_errors__a_late_page_is_no_dearer(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_attempt_told_list list = {.arena = &arena};
    struct pingo_error err;
    int64_t steps = 0;
    UNUSED(state);
    fill(b);
    struct pingo__store_failed_query q = {.at = {1, 0, 0}, .limit = 9};
    sqlite3_progress_handler(b->store->db.sqlite, 1, count_steps, &steps);
    well(pingo__store_attempt_list_failed(&b->store->db, &q, &list, &err), &err);
    sqlite3_progress_handler(b->store->db.sqlite, 0, NULL, NULL);
    assert_int_equal(list.n, 0);
    assert_true(steps > 0 && steps < 200);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors__the_seven_requests),
        cmocka_unit_test(test_errors__by_each_value_all_are_there),
        cmocka_unit_test(test_errors__a_list_goes_on_where_it_ended),
        cmocka_unit_test(test_errors__a_late_page_is_no_dearer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
