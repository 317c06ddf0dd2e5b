/* test_decide.c - the pool against its budget: what it holds, what would go, who let something go, and that nothing can. */
#include "unit/engine/look/pool.h"

#include <pingo/pool.h>

static void set(struct box *b, const char *key, const char *value)
{
    struct pingo_error err;

    well(pingo_store_set(b->store, key, value, &err), &err);
}

/* ---- what it holds --------------------------------------------------------------------------- */

static void test_decide__what_the_pool_holds(void **state)
{
    struct box *b = box_new();
    struct pingo_pool_usage u = {.size = sizeof u};
    struct pingo_hash hash;
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_usage(b->store, &u, &err), &err);
    assert_true(u.budget_bytes == -1 && u.high_bytes == -1 && u.low_bytes == -1);
    assert_int_equal(u.used_bytes + u.content_bytes + (int64_t)u.nstored, 0);
    assert_true(u.file_system_bytes > 0);
    box_submit(b, CHAIN);
    box_finish_all(b); /* two bytes each */
    box_submit(b, W(A(1, "") "," A(8, P(FROM(1)))));
    box_tick(b); /* a8 reads a1 */
    hash = hash_of(b, 1, "a2");
    well(pingo_store_keep(b->store, &hash, NULL, &err), &err);
    set(b, "pool.lowWatermark", "0.5");
    set(b, "pool.budget", "100");
    well(pingo_store_usage(b->store, &u, &err), &err);
    assert_true(u.budget_bytes == 100 && u.high_bytes == 100 && u.low_bytes == 50);
    assert_int_equal(u.used_bytes, 6);
    assert_int_equal(u.stored_bytes, 4);
    assert_int_equal(u.kept_bytes, 2);
    assert_int_equal(u.claimed_bytes, 2);
    assert_int_equal(u.candidate_bytes, 0);
    assert_int_equal(u.leaf_bytes, 2);
    assert_int_equal(u.nstored, 2);
    assert_int_equal(u.nleaves, 1);
    assert_true(u.content_bytes == 6 && u.replicated_bytes == 6);
    box_finish_all(b);
    evict(b, 1, "a1", 5000);
    well(pingo_store_usage(b->store, &u, &err), &err);
    assert_int_equal(u.leaving_bytes, 2);
    assert_int_equal(u.used_bytes, 6); /* with that of a8, and without what goes */
    u.size = 0;
    assert_int_equal(pingo_store_usage(b->store, &u, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "pingo_pool_usage"));
    box_close(b);
}

/* ---- what would go --------------------------------------------------------------------------- */

struct going {
    char names[200];
    size_t n, stop_at;
    int64_t remake_ms;
};

static int on_decided(void *context, const struct pingo_decided *d)
{
    struct going *g = context;

    assert_int_equal(d->size_bytes, 2);
    assert_int_equal(d->compute_ms, 10);
    g->remake_ms += d->remake_ms;
    snprintf(g->names + strlen(g->names), sizeof g->names - strlen(g->names), "%s ", d->name);
    return ++g->n == g->stop_at;
}

static void test_decide__tells_what_would_go_and_lets_it_be(void **state)
{
    struct box *b = box_new();
    struct going g = {.n = 0};
    struct pingo_pool_usage u = {.size = sizeof u};
    struct pingo_decide_options o = {.version = 1,
                                     .algorithm = "lru",
                                     .free_bytes = 3,
                                     .usage = &u,
                                     .decided = on_decided,
                                     .context = &g};
    struct pingo_decide_summary s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    int64_t before = pingo__store_db_changes(&b->store->db);
    well(pingo_store_decide(b->store, &o, &s, &err), &err);
    assert_int_equal(s.free_bytes, 3);
    assert_int_equal(s.freed_bytes, 4);
    assert_int_equal(s.nvictims, 2);
    assert_int_equal(s.shortfall_bytes, 0);
    assert_int_equal(s.remake_ms, 20);
    assert_string_equal(s.algorithm, "lru");
    assert_string_equal(g.names, "a1 a2 ");
    assert_true(u.used_bytes == 6 && u.candidate_bytes == 4);
    o.free_bytes = 9; /* leaves stay */
    o.decided = NULL;
    well(pingo_store_decide(b->store, &o, &s, &err), &err);
    assert_int_equal(s.freed_bytes, 4);
    assert_int_equal(s.shortfall_bytes, 5);
    well(pingo_store_decide(b->store, NULL, &s, &err), &err); /* nothing bounds the pool */
    assert_true(s.nvictims == 0 && s.free_bytes == 0 && *s.algorithm);
    set(b, "pool.lowWatermark", "0.5");
    set(b, "pool.budget", "8");
    well(pingo_store_decide(b->store, NULL, &s, &err), &err); /* below the high mark */
    assert_int_equal(s.nvictims, 0);
    set(b, "pool.budget", "5");
    set(b, "decision.algorithm", "largest-first");
    well(pingo_store_decide(b->store, NULL, &s, &err), &err); /* down to 2 */
    assert_int_equal(s.free_bytes, 4);
    assert_int_equal(s.nvictims, 2);
    assert_string_equal(s.algorithm, "largest-first");
    assert_int_equal(box_int(b, "SELECT count(*) FROM eviction"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state IN (4, 5)"), 3);
    assert_true(pingo__store_db_changes(&b->store->db) - before <= 8); /* those of the settings */
    box_close(b);
}

static void test_decide__what_cannot_be_asked(void **state)
{
    struct box *b = box_new();
    struct going g = {.stop_at = 1};
    struct pingo_decide_options o = {.version = 1, .free_bytes = -2};
    struct pingo_pool_usage none = {.size = 0};
    struct pingo_decide_summary s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    assert_int_equal(pingo_store_decide(b->store, &o, &s, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "free_bytes is -2: a size, or -1");
    o = (struct pingo_decide_options){.version = 1, .free_bytes = 1, .usage = &none};
    assert_int_equal(pingo_store_decide(b->store, &o, &s, &err), PINGO_EINVAL);
    o.usage = NULL;
    o.algorithm = "no-such";
    assert_true(pingo_store_decide(b->store, &o, &s, &err) < 0);
    assert_non_null(strstr(err.message, "no-such"));
    o.algorithm = "lru";
    o.decided = on_decided;
    o.context = &g;
    o.free_bytes = 4;
    assert_int_equal(pingo_store_decide(b->store, &o, &s, &err), PINGO_EINTERRUPTED);
    assert_int_equal(g.n, 1);
    s.size = 0;
    assert_int_equal(pingo_store_decide(b->store, NULL, &s, &err), PINGO_EINVAL);
    well(pingo_store_decide(b->store, NULL, NULL, &err), &err);
    box_close(b);
}

/* ---- in a tick ------------------------------------------------------------------------------- */

/* They are read again when they have changed, whoever did that. */
static void test_decide__settings_are_read_when_they_change(void **state)
{
    struct box *b = box_new();
    struct pingo_store *other = NULL;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__engine_scheduler_read_settings(b->s, &err), &err);
    assert_int_equal(b->s->budget.budget_bytes, -1);
    const char *algorithm = b->s->algorithm;
    well(pingo__engine_scheduler_read_settings(b->s, &err), &err);
    assert_ptr_equal(b->s->algorithm, algorithm); /* nothing was read */
    set(b, "pool.budget", "7");
    set(b, "executor", "fake");
    well(pingo__engine_scheduler_read_settings(b->s, &err), &err);
    assert_int_equal(b->s->budget.budget_bytes, 7);
    assert_string_equal(b->s->actions.preferred, "fake");
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    well(pingo_store_set(other, "decision.algorithm", "gdsf", &err), &err);
    well(pingo_store_set(other, "pool.failedDays", "2", &err), &err);
    well(pingo_store_set(other, "executor", NULL, &err), &err);
    pingo_store_close(other);
    well(pingo__engine_scheduler_read_settings(b->s, &err), &err);
    assert_string_equal(b->s->budget.algorithm, "gdsf");
    assert_int_equal(b->s->context.failed_ms, 2 * 24 * 60 * 60 * 1000);
    assert_null(b->s->actions.preferred);
    box_close(b);
}

static void test_decide__where_nothing_can_go_the_disk_stays_full(void **state)
{
    struct box *b = box_new();
    struct pingo_tick_result r;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, ",'keep':true") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    box_submit(b, W(A(3, "")));
    box_tick(b);
    r = box_disk_full(b, "a3", 0);
    for (int i = 0; i < 3;
         i++) { /* it may lack something else than bytes: others that ran made room */
        assert_false(r.stuck_for_space);
        box_try_again(b);
        r = box_disk_full(b, "a3", 0);
    }
    assert_int_equal(r.evicted, 0);
    assert_true(r.stuck_for_space);
    assert_non_null(strstr(r.space_message, "/pool: the file system is full"));
    assert_non_null(
        strstr(r.space_message,
               ", and nothing in the pool may go: leaves 2 B (pingo release lets go of them), kept"
               " 2 B (pingo release lets go of it); make room on it, or let something go: pingo"
               " release, rm or kill"));
    assert_int_equal(box_state(b, 2, 3), PINGO_ACTION_READY);
    well(pingo_store_release_workflow(b->store, 1, NULL, &err), &err);
    box_try_again(b);
    r = box_disk_full(b, "a3", 0);
    assert_false(r.stuck_for_space);
    assert_int_equal(r.evicted, 1);
    box_try_again(b);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* ---- what went ------------------------------------------------------------------------------- */

static int on_planned(void *context, const struct pingo_planned *p)
{
    if (p->id == 1)
        snprintf(context, 128, "%s", p->reason_text);
    return 0;
}

static int on_why(void *context, const struct pingo_why *why)
{
    snprintf(context, 128, "%s", why->reason_text);
    return 0;
}

static void plan(struct box *b, const char *text, void *reason)
{
    struct pingo_submit_options options = {
        .version = 1, .base_dir = b->root, .planned = on_planned, .context = reason};
    char *json = json_of(text);
    struct pingo_error err;

    well(pingo_store_plan(b->store, &(struct pingo_document){json, strlen(json), NULL}, &options,
                          NULL, &err),
         &err);
    free(json);
}

static void test_decide__the_plan_says_who_let_it_go(void **state)
{
    static const char *const again = W(A(1, "") "," A(8, P(FROM(1))));
    struct box *b = box_new();
    char said[128];
    struct pingo_error err;
    struct pingo_hash hash;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    set(b, "pool.budget", "0");
    set(b, "decision.algorithm", "largest-first");
    box_tick(b);
    set(b, "pool.budget", NULL);
    assert_int_equal(box_int(b, "UPDATE eviction SET evicted_ms = 1000 RETURNING 1"), 1);
    plan(b, again, said);
    assert_string_equal(said, "evicted 1970-01-01 by largest-first");
    box_submit(b, again);
    box_finish_all(b);
    well(pingo_store_why(b->store, &(struct pingo_action_name){2, "1"}, on_why, said, &err), &err);
    assert_string_equal(said, "evicted 1970-01-01 by largest-first");
    /* Later a person removes it: no algorithm is to blame. */
    hash = hash_of(b, 2, "1");
    well(pingo_store_remove(b->store, &hash, &err), &err);
    box_tick(b);
    plan(b, W(A(1, "") "," A(9, P(FROM(1)))), said);
    assert_string_equal(said, "was deleted");
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decide__what_the_pool_holds),
        cmocka_unit_test(test_decide__tells_what_would_go_and_lets_it_be),
        cmocka_unit_test(test_decide__what_cannot_be_asked),
        cmocka_unit_test(test_decide__settings_are_read_when_they_change),
        cmocka_unit_test(test_decide__where_nothing_can_go_the_disk_stays_full),
        cmocka_unit_test(test_decide__the_plan_says_who_let_it_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
