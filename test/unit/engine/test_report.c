/* test_report.c - what the pool and its decisions came to. */
#include "unit/engine/look/pool.h"

#include "base/error.h"
#include "engine/look/report_steps.h"

/* ---- what an eviction leaves ------------------------------------------------------------------ */

static void test_evicted__is_known_for_ever_and_compared_when_made_again(void **state)
{
    struct box *b = box_new();
    struct names names = {.n = 0};
    struct pingo_dataset_query all = {.version = 1, .all = true, .reverse = true};
    struct pingo_hash hash;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, )));
    box_finish_all(b);
    hash = hash_of(b, 1, "a1");
    evict(b, 1, "a1", 5000);
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    well(pingo_store_dataset(b->store, &hash, add_name, &names, &err), &err);
    assert_int_equal(names.last.size_bytes, 2);
    assert_int_equal(names.last.compute_ms, 10);
    assert_int_equal(names.last.made_ms, 2000);
    assert_int_not_equal(names.last.content.bytes[0] | names.last.content.bytes[1], 0);
    assert_false(names.last.was_different);
    box_submit(b, W(A(1, )));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "other");
    b->log[0] = '\0';
    box_tick(b);
    assert_non_null(strstr(b->log, "made again with other content"));
    well(pingo_store_dataset(b->store, &hash, add_name, &names, &err), &err);
    assert_true(names.last.was_different);
    assert_int_equal(names.last.generation, 2);
    assert_int_equal(names.last.size_bytes, 5);
    /* The evicted generation is still there to be told. */
    names.text[0] = '\0';
    names.n = 0;
    well(pingo_store_datasets(b->store, &all, add_name, &names, &err), &err);
    assert_string_equal(names.text, "a1 a1");
    box_close(b);
}

/* ---- the report ----------------------------------------------------------------------------------- */

static void test_report__of_an_empty_store(void **state)
{
    struct box *b = box_new();
    struct pingo_report_options bad = {.version = 2};
    struct pingo_report *r = report(b, 0, 0, 0);
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(r->nsteps, 0);
    assert_int_equal(r->from_ms, r->until_ms);
    assert_int_equal(r->history->nsubmissions, 0);
    assert_int_equal(r->nalgorithms + r->nvaluable + r->nregretted + r->nevictions, 0);
    assert_int_equal(r->usage->used_bytes, 0);
    pingo_report_free(r);
    assert_int_equal(pingo_store_report(b->store, &bad, &r, &err), PINGO_EINVAL);
    assert_null(r);
    pingo_report_free(NULL);
    box_close(b);
}

static void test_report__adds_up(void **state)
{
    struct box *b = box_new();
    struct pingo_report *r;
    struct pingo_hash hash;
    int64_t spent = 0, saved = 0, lost = 0, evicted = 0;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    box_submit(b, CHAIN); /* a3 reused: saves 10 of its own, and 20 above it */
    box_submit(b, W(A(1, ) "," A(2, P(FROM(1))) "," A(4, P(FROM(2))))); /* a2 reused: 20 */
    box_finish_all(b);
    box_run(b, "UPDATE workflow SET submitted_ms = 1000 * id");
    evict(b, 1, "a2", 4000);
    box_tick(b);
    hash = hash_of(b, 1, "a2");
    regret(b, &hash, 7, 5000);
    evict(b, 1, "a1", 6000);
    r = report(b, 0, 0, 0);
    assert_int_equal(r->history->nsubmissions, 3);
    assert_int_equal(r->history->ncomputed, 4);
    assert_int_equal(r->history->spent_ms, 40);
    assert_int_equal(r->history->saved_ms, 50);
    assert_int_equal(r->lost_ms, 7);
    assert_int_equal(r->nevictions, 2);
    assert_int_equal(r->evicted_bytes, 4);
    assert_int_equal(r->nalgorithms, 1);
    assert_string_equal(r->algorithms[0].name, "lru");
    assert_int_equal(r->algorithms[0].nevictions, 2);
    assert_int_equal(r->algorithms[0].nregretted, 1);
    assert_int_equal(r->algorithms[0].lost_ms, 7);
    assert_int_equal(r->nvaluable, 2);
    assert_string_equal(r->valuable[0].name, "a3");
    assert_int_equal(r->valuable[0].value_ms, 30);
    assert_int_equal(r->valuable[0].state, PINGO_DATASET_LEAF);
    assert_string_equal(r->valuable[1].name, "a2");
    assert_int_equal(r->valuable[1].value_ms, 20);
    assert_int_equal(r->valuable[1].lost_ms, 7);
    assert_int_equal(r->valuable[1].state, PINGO_DATASET_DELETED);
    assert_int_equal(r->nregretted, 1);
    assert_string_equal(r->regretted[0].name, "a2");
    assert_int_equal(r->regretted[0].nregretted, 1);
    assert_int_equal(r->regretted[0].value_ms, 20);
    /* Now: a1 on its way out, a2 gone, two leaves. */
    assert_int_equal(r->usage->leaf_bytes, 4);
    assert_int_equal(r->usage->leaving_bytes, 2);
    assert_int_equal(r->usage->used_bytes, 4);
    assert_int_equal(r->bytes[PINGO_DATASET_LEAF], 4);
    assert_int_equal(r->ndatasets[PINGO_DATASET_STORED_TO_DELETE], 1);
    assert_in_range(r->nsteps, 1, PINGO__STEPS_MAX);
    for (size_t i = 0; i < r->nsteps; i++) {
        spent += r->steps[i].spent_ms;
        saved += r->steps[i].saved_ms;
        lost += r->steps[i].lost_ms;
        evicted += r->steps[i].evicted_bytes;
        assert_int_equal(r->steps[i].from_ms, r->steps[0].from_ms + (int64_t)i * r->step_ms);
    }
    assert_int_equal(spent, 40);
    assert_int_equal(saved, 50);
    assert_int_equal(lost, 7);
    assert_int_equal(evicted, 4);
    assert_int_equal(r->steps[0].held_bytes, 8);             /* all were made at 2000 */
    assert_int_equal(r->steps[r->nsteps - 1].held_bytes, 8); /* and a2 went just now */
    assert_true(r->from_ms == 1000 && r->until_ms > 6000);
    pingo_report_free(r);
    box_close(b);
}

/* How many steps of SQLite a report takes of so many evictions. */
static int64_t steps_to_report(struct box *b, size_t nevictions)
{
    int64_t before = box_steps(b);
    struct pingo_report *r = report(b, 0, 0, 0);

    assert_int_equal(r->nevictions, nevictions);
    pingo_report_free(r);
    return box_steps(b) - before;
}

/* Nobody asks for the name of each. */
static void test_report__reads_no_more_of_an_eviction_than_its_row(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    evict(b, 1, "a2", 4000);
    box_tick(b);
    int64_t few = steps_to_report(b, 1);
    box_run(b, "WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 1000)"
               " INSERT INTO eviction(dataset, hash, evicted_ms, workflow, algorithm, score,"
               " size_bytes, remake_ms, reason) SELECT e.dataset, e.hash, e.evicted_ms,"
               " e.workflow, e.algorithm, e.score, e.size_bytes, e.remake_ms, e.reason"
               " FROM i CROSS JOIN (SELECT * FROM eviction) e");
    assert_true(steps_to_report(b, 1001) <= few + 30 * 1000);
    box_close(b);
}

static void test_report__of_a_period(void **state)
{
    struct box *b = box_new();
    struct pingo_report *r;
    struct pingo_hash hash;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    box_submit(b, CHAIN);
    box_run(b, "UPDATE workflow SET submitted_ms = 1000 * id");
    evict(b, 1, "a1", 4000);
    box_tick(b);
    box_run(b, "UPDATE dataset SET deleted_ms = 4500 WHERE deleted_ms IS NOT NULL");
    hash = hash_of(b, 1, "a1");
    regret(b, &hash, 7, 6000);
    r = report(b, 1500, 5000, 1);
    assert_int_equal(r->from_ms, 1500);
    assert_int_equal(r->until_ms, 5000);
    assert_int_equal(r->history->nsubmissions, 1);
    assert_int_equal(r->history->spent_ms, 0);
    assert_int_equal(r->history->saved_ms, 30);
    assert_int_equal(r->nevictions, 1);
    assert_int_equal(r->lost_ms, 0);
    assert_int_equal(r->nregretted, 0);
    assert_int_equal(r->nvaluable, 1);
    assert_int_equal(r->step_ms, 20);
    assert_int_equal(r->steps[0].from_ms, 1500);
    assert_int_equal(r->steps[0].held_bytes, 0);
    assert_int_equal(r->steps[24].held_bytes, 0);
    assert_int_equal(r->steps[25].held_bytes, 6); /* made at 2000 */
    assert_int_equal(r->steps[149].held_bytes, 6);
    assert_int_equal(r->steps[150].held_bytes, 4); /* deleted at 4500 */
    assert_int_equal(r->nsteps, 175);
    assert_int_equal(r->steps[174].held_bytes, 4);
    pingo_report_free(r);
    /* What was there before counts. */
    r = report(b, 5000, 7000, 1);
    assert_int_equal(r->steps[0].held_bytes, 4);
    assert_int_equal(r->history->nsubmissions, 0);
    assert_int_equal(r->nevictions, 0);
    assert_int_equal(r->lost_ms, 7);
    assert_int_equal(r->algorithms[0].nevictions, 0);
    assert_int_equal(r->algorithms[0].nregretted, 1);
    pingo_report_free(r);
    r = report(b, INT64_MAX - 1, INT64_MAX, 1);
    assert_int_equal(r->nsteps, 0);
    pingo_report_free(r);
    /* A generation of which nobody noted when it was deleted is left out. */
    box_run(b, "UPDATE dataset SET deleted_ms = NULL");
    r = report(b, 2000, 7000, 1);
    assert_int_equal(r->steps[0].held_bytes, 4);
    pingo_report_free(r);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evicted__is_known_for_ever_and_compared_when_made_again),
        cmocka_unit_test(test_report__of_an_empty_store),
        cmocka_unit_test(test_report__adds_up),
        cmocka_unit_test(test_report__reads_no_more_of_an_eviction_than_its_row),
        cmocka_unit_test(test_report__of_a_period),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
