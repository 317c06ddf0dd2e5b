/* test_totals.c - numbers for monitoring: sums of days that are over, of evictions, and what there is to do. */
#include "unit/store/action/ends.h"

#include "store/action/totals.h"
#include "store/decision/evictions.h"

/* Ends of an executor and category; ended 0: none. */
static struct pingo_total total(struct box *b, const char *executor, int64_t category)
{
    struct pingo__arena arena = {0};
    struct pingo__store_total_list list = {.arena = &arena};
    struct pingo_total found = {.ended = 0};
    struct pingo_error err;

    well(pingo__store_totals(&b->store->db, &list, &err), &err);
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(list.rows[i].executor, executor) == 0 && list.rows[i].category == category)
            found = list.rows[i];
    found.executor = executor;
    pingo__arena_clear(&arena);
    return found;
}

/* Ends of two days, successes of two executors and a failure of category 3. */
static struct box *two_days(void)
{
    struct box *b = rows_new(NULL);

    rows_run(b,
             "INSERT INTO summary_day VALUES(10, 0, 'x', '', 'u', 4, 40, 4, 1, 0, 0),"
             " (10, 3, 'x', '', 'u', 1, 5, 1, 1, 0, 0), (11, 0, 'x', 'n', 'u', 2, 20, 2, 1, 0, 0),"
             " (11, 0, 'y', '', 'u', 7, 70, 7, 1, 0, 0)");
    return b;
}

static void test_totals__are_the_same_before_and_after_a_fold(void **state)
{
    struct box *b = two_days();
    struct pingo_error err;

    UNUSED(state);
    for (int64_t day = 9; day <= 13; day++) {
        well(pingo__store_totals_fold(&b->store->db, day, &err), &err);
        well(pingo__store_totals_fold(&b->store->db, day, &err), &err); /* once a day is enough */
        assert_int_equal(total(b, "x", 0).ended, 6);
        assert_int_equal(total(b, "x", 0).wall_ms, 60);
        assert_int_equal(total(b, "x", 0).cpu_ms, 6);
        assert_int_equal(total(b, "x", 3).ended, 1);
        assert_int_equal(total(b, "y", 0).ended, 7);
    }
    well(pingo__store_totals_fold(&b->store->db, 5, &err), &err); /* a clock that went back */
    assert_int_equal(total(b, "x", 0).ended, 6);
    rows_close(b);
}

static void test_totals__what_is_told_late_counts_once(void **state)
{
    struct box *b = two_days();
    struct pingo__store_sum late = {
        .step = 11, .executor = "x", .n = 1, .wall_ms = 100, .cpu_ms = 10};
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_totals_fold(&b->store->db, 11, &err), &err);
    /* Of a day that is not summed yet its row tells. */
    well(pingo__store_totals_add_late(&b->store->db, &late, &err), &err);
    assert_int_equal(total(b, "x", 0).ended, 6);
    late.step = 10;
    well(pingo__store_totals_add_late(&b->store->db, &late, &err), &err);
    assert_int_equal(total(b, "x", 0).ended, 7);
    assert_int_equal(total(b, "x", 0).wall_ms, 160);
    late.error = 3; /* a failure */
    well(pingo__store_totals_add_late(&b->store->db, &late, &err), &err);
    assert_int_equal(total(b, "x", 3).ended, 2);
    rows_close(b);
}

static int64_t told_ms;

static int64_t told_ns(void *context)
{
    UNUSED(context);
    return told_ms * 1000000;
}

/* Days were summed before their time: what ends in them counts none the less. */
static void test_totals__a_clock_that_goes_back_loses_no_end(void **state)
{
    struct box *b = rows_new(FAN);
    struct pingo__world world = *pingo__world_real();
    const int64_t days[] = {20003, 20000, 20001, 20003, 20004};

    UNUSED(state);
    world.now_ns = told_ns;
    b->store->db.world = &world;
    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        told_ms = days[i] * PINGO__SUMMARY_DAY_MS + 1000;
        ends_add(b, (struct pingo_job_key){1, 1}, (struct ends_kind){0, 0, NULL}, told_ms);
        ends_save(b);
        assert_int_equal(total(b, "fake", 0).ended, i + 1);
    }
    b->store->db.world = pingo__world_real();
    rows_close(b);
}

static struct pingo_eviction_total evicted(struct box *b)
{
    struct pingo__arena arena = {0};
    struct pingo__store_eviction_total_list list = {.arena = &arena};
    struct pingo_eviction_total found = {.nevictions = 0};
    struct pingo_error err;

    well(pingo__store_totals_evictions(&b->store->db, &list, &err), &err);
    assert_true(list.n < 2);
    if (list.n)
        found = list.rows[0];
    found.algorithm = NULL;
    pingo__arena_clear(&arena);
    return found;
}

static void test_totals__evictions_and_what_was_regretted(void **state)
{
    struct pingo_hash hash = {{1}}, nobody = {{9}};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FAN);
    box_finish_all(b);
    rows_begin(b);
    assert_int_equal(evicted(b).nevictions, 0);
    well(pingo__store_totals_evicted(&b->store->db, "lru", 100, &err), &err);
    well(pingo__store_totals_evicted(&b->store->db, "lru", 11, &err), &err);
    assert_int_equal(evicted(b).nevictions, 2);
    assert_int_equal(evicted(b).evicted_bytes, 111);
    rows_run(
        b, "INSERT INTO eviction(dataset, hash, evicted_ms, workflow, algorithm, score, size_bytes,"
           " remake_ms, reason) VALUES(1, CAST(x'01' || zeroblob(31) AS BLOB), 1, 1, 'lru', 0, "
           "100, 1, '')");
    well(pingo__store_eviction_regret(&b->store->db, &nobody, 7, 5, &err), &err);
    assert_int_equal(evicted(b).nregretted, 0);
    well(pingo__store_eviction_regret(&b->store->db, &hash, 7, 5, &err), &err);
    assert_int_equal(evicted(b).nregretted, 1);
    assert_int_equal(evicted(b).regret_ms, 7);
    well(pingo__store_eviction_regret(&b->store->db, &hash, 7, 6, &err), &err); /* it has ended */
    assert_int_equal(evicted(b).nregretted, 1);
    rows_close(b);
}

static void test_totals__what_there_is_to_do(void **state)
{
    struct box *b = box_new();
    struct pingo_load load;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_load(&b->store->db, &load, &err), &err);
    assert_int_equal(load.nworkflows, 0);
    box_submit(b, FAN);
    box_submit(b, W(A(7, "")));
    well(pingo__store_load(&b->store->db, &load, &err), &err);
    assert_int_equal(load.nworkflows, 2);
    assert_int_equal(load.ready, 3);
    assert_int_equal(load.waiting, 1);
    assert_int_equal(load.slots, 0);
    well(pingo_store_pause_workflow(b->store, 2, NULL, &err), &err);
    box_tick(b);
    well(pingo__store_load(&b->store->db, &load, &err), &err);
    assert_int_equal(load.npaused, 1);
    assert_int_equal(load.ready, 1);
    assert_int_equal(load.submitted + load.running, 2);
    assert_int_equal(load.slots, 2);
    well(pingo_store_resume_workflow(b->store, 2, NULL, &err), &err);
    box_finish_all(b);
    well(pingo__store_load(&b->store->db, &load, &err), &err);
    assert_int_equal(load.nworkflows, 0);
    assert_int_equal(load.slots, 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals__are_the_same_before_and_after_a_fold),
        cmocka_unit_test(test_totals__what_is_told_late_counts_once),
        cmocka_unit_test(test_totals__a_clock_that_goes_back_loses_no_end),
        cmocka_unit_test(test_totals__evictions_and_what_was_regretted),
        cmocka_unit_test(test_totals__what_there_is_to_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
