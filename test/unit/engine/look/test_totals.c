/* test_totals.c - numbers for monitoring are what a count over all rows says, and cost no more with more days. */
#include "unit/engine/look/failed.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "store/decision/evictions.h"
#include "store/action/summary.h"
#include "store/action/totals.h"

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
static void test_totals__ends_are_counted_in_any_order(void **state)
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
static void test_totals__totals_cost_no_more_with_more_days(void **state)
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

static void test_totals__evictions_are_totalled_with_what_was_regretted(void **state)
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
            .dataset = 1,
            .told = {.algorithm = i ? "two" : "one", .size_bytes = 10 + i, .reason = ""}};
        row.told.hash.bytes[0] = (unsigned char)i;
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

static void test_totals__what_executors_have_in_hand(void **state)
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

/* Whoever waits for a store's lock has one of the other kind on its file. */
static bool is_waited_for(int fd)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    return fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

/* Another process has the lock, and for a while when somebody waits for it. */
static void test_totals__who_waits_for_the_lock_knows_how_long(void **state)
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
        while (!is_waited_for(fd))
            usleep(1000);
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

static void test_totals__a_tick_tells_how_long_its_decision_took(void **state)
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
        cmocka_unit_test(test_totals__ends_are_counted_in_any_order),
        cmocka_unit_test(test_totals__totals_cost_no_more_with_more_days),
        cmocka_unit_test(test_totals__evictions_are_totalled_with_what_was_regretted),
        cmocka_unit_test(test_totals__what_executors_have_in_hand),
        cmocka_unit_test(test_totals__who_waits_for_the_lock_knows_how_long),
        cmocka_unit_test(test_totals__a_tick_tells_how_long_its_decision_took),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
