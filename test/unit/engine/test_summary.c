/* test_summary.c - the seven requests of the PanDA paper's table 1 are one call each, and say what a count over the
 * attempts says. */
#include "unit/engine/box.h"

#include <sys/file.h>
#include <sys/wait.h>

#include "store/decision/evictions.h"
#include "store/action/summary.h"
#include "store/action/totals.h"

#define DAY INT64_C(86400000)
#define HALF INT64_C(1800000)
#define DAY_OF " ended_ms >= %lld AND ended_ms < %lld"

static int64_t number(struct box *b, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int64_t n = -1;
    assert_int_equal(sqlite3_prepare_v2(b->store->db.sqlite, sql, -1, &stmt, NULL), SQLITE_OK);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        n = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return n;
}

/* Attempts that failed and ended in [from, to), and what else is asked. */
static int64_t by_hand(struct box *b, int64_t from, int64_t to, const char *and)
{
    char sql[400];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM attempt WHERE error > 0 AND" DAY_OF "%s",
             (long long)from, (long long)to, and);
    return number(b, sql);
}

struct got {
    struct box *b;
    const char *and;
    int64_t rows, failed, ended, last_ms, epoch;
    bool wrong;
};

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

/* 400 attempts, one each nine minutes, the last one now; a third of them did not fail. */
static int64_t fill(struct box *b)
{
    static const char sql[] =
        "INSERT INTO error(id, digest, category, reason, text) VALUES(32, randomblob(32), 1, 0,"
        " 'one'), (33, randomblob(32), 5, 0, 'two');"
        "WITH RECURSIVE i(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < 399)"
        " INSERT INTO attempt(action, epoch, executor, host, owner, state, reason, exit_code,"
        " handed_ms, started_ms, ended_ms, wall_ms, user_ms, system_ms, error)"
        " SELECT 1, 1000 + i, iif(i %% 2, 'e1', 'e2'), 'n' || (i %% 5), 1, 3, 0, iif(i %% 3, 1, 0),"
        " t - 900, t - 500, t, 500, 3, 4, iif(i %% 3, 31 + i %% 3, 0)"
        " FROM (SELECT i, %lld - i * 540000 AS t FROM i);";
    struct pingo_fsck_options options = {.version = 1, .repair = true};
    struct pingo_error err;
    char text[sizeof sql + 40];
    bool clean = false;
    int64_t now = b->store->db.world->now_ns(b->store->db.world->context) / 1000000;
    box_submit(b, W(A(1, "")));
    snprintf(text, sizeof text, sql, (long long)now);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(sqlite3_exec(b->store->db.sqlite, text, NULL, NULL, NULL), SQLITE_OK);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    well(pingo_store_fsck(b->store, &options, &clean, &err), &err);
    well(pingo_store_fsck(b->store, &options, &clean, &err), &err);
    assert_true(clean);
    return now / DAY * DAY - DAY;
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

static void test_summary__the_seven_requests(void **state)
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

static void test_summary__by_each_value_all_are_there(void **state)
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

static void test_summary__a_list_goes_on_where_it_ended(void **state)
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
    struct pingo_summary_query s = {.version = 1, .since_ms = -1};
    assert_int_equal(pingo_store_summary(b->store, &s, on_row, NULL, &err), PINGO_EINVAL);
    box_close(b);
}

static int count_steps(void *context)
{
    ++*(int64_t *)context;
    return 0;
}

/* Each page costs what it has: those before it are not read again. */
static void test_summary__a_late_page_is_no_dearer(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_attempt_list list = {.arena = &arena};
    struct pingo_error err;
    int64_t steps = 0;
    UNUSED(state);
    fill(b);
    struct pingo__store_failed_query q = {.until_ms = INT64_MAX, .at = {1, 0, 0}, .limit = 9};
    sqlite3_progress_handler(b->store->db.sqlite, 1, count_steps, &steps);
    well(pingo__store_attempt_list_failed(&b->store->db, &q, &list, &err), &err);
    sqlite3_progress_handler(b->store->db.sqlite, 0, NULL, NULL);
    assert_int_equal(list.n, 0);
    assert_true(steps > 0 && steps < 200);
    box_close(b);
}

/* An attempt of the first action ends. */
static int64_t retried_after(struct box *b, int64_t epoch, int exit_code)
{
    struct pingo_error err;
    struct pingo_job_end end = {.key = {.action = 1, .epoch = epoch},
                                .reason = PINGO_END_EXITED,
                                .exit_code = exit_code,
                                .started_ms = 5,
                                .ended_ms = 9,
                                .wall_ms = 4};
    struct pingo__rules_ended ended = {.reason = PINGO_END_EXITED,
                                       .exit_code = exit_code,
                                       .is_success = exit_code == 0,
                                       .message = "",
                                       .log = ""};
    struct pingo__rules_failure failure;
    struct pingo__store_ended e = {
        .end = &end, .failure = &failure, .workflow = 1, .id = 1, .executor = "e", .handed_ms = 1};
    pingo__rules_failure_of(&ended, &failure);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_attempt_end(&b->store->db, &e, &err), &err);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    return number(b, "SELECT sum(retried) FROM summary_day WHERE executor = 'e'");
}

/* An attempt that nobody waited for may be heard of when a later one has long succeeded. */
static void test_summary__ends_are_counted_in_any_order(void **state)
{
    struct box *b = box_new();
    UNUSED(state);
    box_submit(b, W(A(1, "")));
    assert_int_equal(
        sqlite3_exec(b->store->db.sqlite,
                     "INSERT INTO attempt(action, epoch, executor, owner, state, handed_ms)"
                     " VALUES(1, 1, 'e', 1, 2, 1), (1, 2, 'e', 1, 2, 1), (1, 3, 'e', 1, 2, 1),"
                     " (1, 4, 'e', 1, 2, 1), (1, 5, 'e', 1, 2, 1)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(retried_after(b, 3, 0), 0);
    assert_int_equal(retried_after(b, 1, 1), 1);
    assert_int_equal(retried_after(b, 4, 1), 1);
    assert_int_equal(retried_after(b, 2, 0), 1);
    assert_int_equal(retried_after(b, 5, 0), 2);
    box_close(b);
}

static int on_total(void *context, const struct pingo_total *t)
{
    struct got *g = context;
    g->rows++;
    g->ended += t->ended;
    g->failed += t->category ? t->ended : 0;
    g->last_ms += t->wall_ms;
    return 0;
}

/* As a count over all attempts; the virtual machine's steps that it took. */
static int64_t totals_are_right(struct box *b)
{
    struct got g = {0};
    struct pingo_error err;
    int64_t steps = 0;
    sqlite3_progress_handler(b->store->db.sqlite, 1, count_steps, &steps);
    well(pingo_store_totals(b->store, on_total, &g, &err), &err);
    sqlite3_progress_handler(b->store->db.sqlite, 0, NULL, NULL);
    assert_int_equal(g.ended, number(b, "SELECT count(*) FROM attempt WHERE state = 3"));
    assert_int_equal(g.failed, number(b, "SELECT count(*) FROM attempt WHERE error > 0"));
    assert_int_equal(g.last_ms, number(b, "SELECT sum(wall_ms) FROM attempt WHERE state = 3"));
    assert_true(g.rows <= 8);
    return steps;
}

/* Totals are the same before days are summed and after it, whenever an end is heard of, and cost no more with more days. */
static void test_summary__totals_cost_no_more_with_more_days(void **state)
{
    struct box *b = box_new();
    struct pingo_fsck_options repair = {.version = 1, .repair = true};
    struct pingo_error err;
    bool clean = false;
    UNUSED(state);
    int64_t day = fill(b) / DAY + 2;
    int64_t all = totals_are_right(b);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_totals_fold(&b->store->db, day, &err), &err);
    well(pingo__store_totals_fold(&b->store->db, day, &err), &err);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    int64_t folded = totals_are_right(b);
    if (folded >= 700 || folded > all / 2)
        fail_msg("%d steps, %d before", (int)folded, (int)all);
    assert_int_equal(sqlite3_exec(b->store->db.sqlite,
                                  "INSERT INTO attempt(action, epoch, executor, owner, state,"
                                  " handed_ms) VALUES(1, 1, 'e', 1, 2, 1), (1, 2, 'e', 1, 2, 1)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    retried_after(b, 1, 1); /* it ended in 1970 */
    totals_are_right(b);
    well(pingo_store_fsck(b->store, NULL, &clean, &err), &err);
    assert_true(clean);
    assert_int_equal(sqlite3_exec(b->store->db.sqlite,
                                  "UPDATE summary_total SET wall_ms = 1 WHERE"
                                  " category > 0",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    well(pingo_store_fsck(b->store, NULL, &clean, &err), &err);
    assert_false(clean);
    well(pingo_store_fsck(b->store, &repair, &clean, &err), &err);
    totals_are_right(b);
    box_close(b);
}

static int on_evicted(void *context, const struct pingo_eviction_total *t)
{
    struct pingo_eviction_total *all = context;
    all->nevictions += t->nevictions;
    all->evicted_bytes += t->evicted_bytes;
    all->nregretted += t->nregretted;
    all->regret_ms += t->regret_ms;
    return 0;
}

static void test_summary__evictions_are_totalled_with_what_was_regretted(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    struct pingo_eviction_total all = {0};
    struct pingo_load load = {.size = sizeof load};
    UNUSED(state);
    box_submit(b, W(A(1, "")));
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(
        sqlite3_exec(b->store->db.sqlite, "PRAGMA defer_foreign_keys = 1", NULL, NULL, NULL),
        SQLITE_OK);
    for (int i = 0; i < 3; i++) {
        struct pingo__store_eviction_row row = {
            .dataset = 1, .algorithm = i ? "two" : "one", .size_bytes = 10 + i, .reason = ""};
        row.hash.bytes[0] = (unsigned char)i;
        well(pingo__store_eviction_insert(&b->store->db, &row, &err), &err);
    }
    struct pingo_hash hash = {{2}};
    for (int i = 0; i < 2; i++) /* the second finds nothing open */
        well(pingo__store_eviction_regret(&b->store->db, &hash, 700, 5, &err), &err);
    well(pingo_store_eviction_totals(b->store, on_evicted, &all, &err), &err);
    assert_int_equal(all.nevictions, 3);
    assert_int_equal(all.evicted_bytes, 33);
    assert_int_equal(all.nregretted, 1);
    assert_int_equal(all.regret_ms, 700);
    pingo__store_db_rollback(&b->store->db);
    well(pingo_store_load(b->store, &load, &err), &err);
    assert_int_equal(load.nworkflows, 1);
    assert_int_equal(load.ready, 1);
    box_close(b);
}

static int on_executor(void *context, const struct pingo_executor_load *load)
{
    char *said = context;
    snprintf(said + strlen(said), 80, "%s %d %d;", load->executor, (int)load->armed,
             (int)load->running);
    return 0;
}

static void test_summary__what_executors_have_in_hand(void **state)
{
    static const struct {
        const char *change, *said;
    } rows[] = {
        {NULL, ""},
        {"INSERT INTO attempt(action, epoch, executor, state, handed_ms) VALUES(1, 91, 'x', 1, 5),"
         "(1, 92, 'local', 2, 5), (2, 91, 'x', 2, 5), (2, 92, 'x', 2, 5), (2, 93, 'y', 3, 5)",
         "local 0 1;x 1 2;"},
        {"UPDATE attempt SET state = 3", ""},
    };
    struct box *b = box_new();
    struct pingo_error err;
    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char said[400] = "";
        if (rows[i].change)
            assert_int_equal(sqlite3_exec(b->store->db.sqlite, rows[i].change, NULL, NULL, NULL),
                             SQLITE_OK);
        well(pingo_store_executor_loads(b->store, on_executor, said, &err), &err);
        assert_string_equal(said, rows[i].said);
    }
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

/* Another process has the lock for a while. */
static void test_summary__who_waits_for_the_lock_knows_how_long(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    char byte;
    int ready[2];
    UNUSED(state);
    int64_t before = pingo_store_waited_us(b->store);
    box_submit(b, W(A(1, "")));
    assert_int_equal(pingo_store_waited_us(b->store), before); /* nobody else had it */
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(b->store->db.lock_path, O_RDWR | O_CLOEXEC);
        bool has = fd >= 0 && flock(fd, LOCK_EX) == 0 && write(ready[1], "x", 1) == 1;
        usleep(50000);
        _exit(has ? 0 : 1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
    int64_t waited_us = pingo_store_waited_us(b->store) - before;
    assert_true(waited_us > 10000 && waited_us < 30000000);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ready[0]);
    box_close(b);
}

static void test_summary__a_tick_tells_how_long_its_decision_took(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    assert_int_equal(box_tick(b).decision_us, -1);
    well(pingo_store_set(b->store, "pool.budget", "1", &err), &err);
    assert_true(box_tick(b).decision_us >= 0);
    int n = 0;
    while (n < 10 && box_tick(b).decision_us >= 0) /* until nothing changes any more */
        n++;
    assert_true(n < 10);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary__the_seven_requests),
        cmocka_unit_test(test_summary__by_each_value_all_are_there),
        cmocka_unit_test(test_summary__a_list_goes_on_where_it_ended),
        cmocka_unit_test(test_summary__a_late_page_is_no_dearer),
        cmocka_unit_test(test_summary__ends_are_counted_in_any_order),
        cmocka_unit_test(test_summary__totals_cost_no_more_with_more_days),
        cmocka_unit_test(test_summary__evictions_are_totalled_with_what_was_regretted),
        cmocka_unit_test(test_summary__what_executors_have_in_hand),
        cmocka_unit_test(test_summary__who_waits_for_the_lock_knows_how_long),
        cmocka_unit_test(test_summary__a_tick_tells_how_long_its_decision_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
