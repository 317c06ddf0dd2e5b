/* test_shape.c - a whole submission: states, what took longest, what reuse saved; also of 100,000
 * actions, in as many steps of SQLite's as there are actions, times a few. */
#include "unit/engine/look/flow.h"
#include "unit/share.h"

static void test_shape__states_are_those_of_the_actions(void **state)
{
    struct box *b = box_new();
    struct pingo_states *s = NULL;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FLOW);
    box_tick(b);
    box_report(b, "map_1", PINGO_END_EXITED, 7, "1");
    box_tick(b);
    well(pingo_store_states(b->store, 1, true, &s, &err), &err);
    assert_int_equal(s->n, 5);
    assert_int_equal(s->states[0], PINGO_ACTION_FAILED);
    assert_int_equal(s->states[2], PINGO_ACTION_CANCELLED); /* plot */
    assert_int_equal(s->states[3], PINGO_ACTION_CANCELLED); /* merge */
    assert_int_equal(s->depths[0], 0);
    assert_int_equal(s->depths[2], 2);
    assert_int_equal(s->depths[3], 1);
    free(s);
    box_finish_all(b);
    box_submit(b, W(N(5, "alone7", "")));
    well(pingo_store_states(b->store, 2, false, &s, &err), &err);
    assert_int_equal(s->states[0], PINGO_STATE_PLANNED + PINGO_PLAN_REUSE);
    assert_null(s->depths);
    free(s);
    assert_int_equal(pingo_store_states(b->store, 9, false, &s, &err), PINGO_ENOTFOUND);
    assert_null(s);
    box_close(b);
}

struct chain {
    char ids[64];
    int64_t ms;
};

static int on_critical(void *context, const struct pingo_critical *c)
{
    struct chain *chain = context;

    snprintf(chain->ids + strlen(chain->ids), 16, "%lld ", (long long)c->id);
    chain->ms += c->wall_ms;
    return 0;
}

static void test_shape__what_took_longest_and_what_was_saved(void **state)
{
    struct box *b = box_new();
    struct pingo_cost cost = {.size = sizeof cost};
    struct chain chain = {.ms = 0};
    char *text = NULL, *json = json_of(FLOW);
    size_t length = 0;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FLOW);
    well(pingo_store_critical_path(b->store, 1, on_critical, &chain, &err), &err);
    assert_string_equal(chain.ids, ""); /* nothing ran */
    box_finish_all(b);
    box_int(b, "UPDATE attempt SET wall_ms = 500 WHERE action = (SELECT a.id FROM action a WHERE "
               "a.position = 1) RETURNING 1");
    well(pingo_store_critical_path(b->store, 1, on_critical, &chain, &err), &err);
    assert_string_equal(chain.ids, "2 3 4 ");
    assert_int_equal(chain.ms, 520);
    well(pingo_store_cost(b->store, 1, &cost, &err), &err);
    assert_int_equal(cost.ran, 5);
    assert_int_equal(cost.wall_ms, 540);
    assert_int_equal(cost.critical_ms, 520);
    assert_int_equal(cost.span_ms, 1000); /* as the box reports it */
    assert_int_equal(cost.saved, 0);
    box_submit(b, FLOW);
    well(pingo_store_cost(b->store, 2, &cost, &err), &err);
    assert_int_equal(cost.ran, 0);
    assert_int_equal(cost.span_ms, -1);
    assert_int_equal(cost.saved, 5);
    assert_int_equal(cost.saved_ms, 50);
    assert_true(cost.saved_bytes > 0);
    well(pingo_store_text(b->store, 1, &text, &length, &err), &err);
    assert_int_equal(length, strlen(json));
    assert_string_equal(text, json);
    free(text);
    free(json);
    assert_int_equal(pingo_store_text(b->store, 9, &text, &length, &err), PINGO_ENOTFOUND);
    box_close(b);
}

static void test_shape__where_its_paths_start(void **state)
{
    struct box *b = box_new();
    char *dir = NULL, *json = json_of(W(N(5, "alone7", "")));
    struct pingo_submission none = {.size = sizeof none};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FLOW);
    well(pingo_store_base_dir(b->store, 1, &dir, &err), &err);
    assert_string_equal(dir, b->root);
    free(dir);
    well(pingo_store_submit(b->store, &(struct pingo_document){json, strlen(json), NULL}, NULL,
                            &none, &err),
         &err);
    free(json);
    well(pingo_store_base_dir(b->store, none.workflow, &dir, &err), &err);
    assert_null(dir);
    dir = b->root;
    assert_int_equal(pingo_store_base_dir(b->store, 9, &dir, &err), PINGO_ENOTFOUND);
    assert_null(dir);
    box_close(b);
}

/* What waited for an equal action of its workflow waited as long as that took; but it did not cost that again. */
static void test_shape__a_way_leads_through_what_is_joined(void **state)
{
    struct box *b = box_new();
    struct pingo_cost cost = {.size = sizeof cost};
    struct chain chain = {.ms = 0};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") ",{'id':2,'name':'a2','type':'command-line','command':['x1']}," A(
                      3, P(FROM(2)))));
    box_finish_all(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE joined IS NOT NULL"), 1);
    well(pingo_store_critical_path(b->store, 1, on_critical, &chain, &err), &err);
    assert_string_equal(chain.ids, "2 3 ");
    assert_int_equal(chain.ms, 20);
    well(pingo_store_cost(b->store, 1, &cost, &err), &err);
    assert_int_equal(cost.ran, 2);
    assert_int_equal(cost.wall_ms, 20);
    assert_int_equal(cost.critical_ms, 20);
    box_close(b);
}

/* ---- 100,000 actions ---------------------------------------------------------------------- */

/* What it costs is told in steps an action, so where each step is slow there are fewer. */
enum { LARGE = SHARE(100000, 10000), WIDE = 1000, MIDDLE = LARGE / 2 };

/* Layers of 1,000, each action with two parents in the layer above; all of it under one that is last. */
static char *large(void)
{
    char *text = malloc((size_t)LARGE * 160), *p = text;

    assert_non_null(text);
    p += sprintf(p, "{\"name\":\"large\",\"actions\":[");
    for (int i = 0; i < LARGE; i++) {
        p += sprintf(p,
                     "%s{\"id\":%d,\"name\":\"step%d_%d\",\"type\":\"command-line\",\"command\":"
                     "[\"x%d\"]",
                     i ? "," : "", i, i / WIDE % 10, i, i);
        if (i >= WIDE)
            p += sprintf(p, ",\"parentActions\":[{\"id\":%d,\"as\":\"p\"},{\"id\":%d,\"as\":\"q\"}]",
                         i - WIDE, (i / WIDE - 1) * WIDE + (i + 1) % WIDE);
        p += sprintf(p, "}");
    }
    strcpy(p, "]}");
    return text;
}

static int count_step(void *context)
{
    ++*(int64_t *)context;
    return 0;
}

/* Hundreds of steps since it was asked last. */
static int64_t steps;
static int64_t stepped(void)
{
    int64_t n = steps;
    steps = 0;
    return n * 100;
}

static void test_shape__100_000_actions(void **state)
{
    struct box *b = box_new();
    char *text = large();
    struct pingo_submit_options options = {.version = 1};
    struct pingo_submission submitted = {.size = sizeof submitted};
    struct pingo_states *s = NULL;
    struct pingo_cost cost = {.size = sizeof cost};
    struct groups *all;
    struct near *few;
    char middle[16], above[16], failed[96];
    struct pingo_error err;

    UNUSED(state);
    snprintf(middle, sizeof middle, "%d", MIDDLE);
    snprintf(above, sizeof above, "%d", MIDDLE - WIDE / 2);
    b->store->db.on_event = NULL; /* they are more than the box counts */
    well(pingo_store_submit(b->store, &(struct pingo_document){text, strlen(text), NULL}, &options,
                            &submitted, &err),
         &err);
    free(text);
    snprintf(failed, sizeof failed,
             "UPDATE action SET state = 7, ended_ms = 1 WHERE position = %d RETURNING 1",
             MIDDLE + WIDE / 2);
    box_int(b, failed);
    sqlite3_progress_handler(b->store->db.sqlite, 100, count_step, &steps);
    stepped();
    well(pingo_store_states(b->store, 1, false, &s, &err), &err);
    assert_true(stepped() < 12 * LARGE);
    assert_int_equal(s->n, LARGE);
    assert_int_equal(s->states[0], PINGO_ACTION_READY);
    assert_int_equal(s->states[MIDDLE + WIDE / 2], PINGO_ACTION_FAILED);
    assert_int_equal(s->states[LARGE - 1], PINGO_ACTION_WAITING);
    free(s);
    well(pingo_store_states(b->store, 1, true, &s, &err), &err);
    assert_true(stepped() < 50 * LARGE);
    assert_int_equal(s->depths[LARGE - 1], LARGE / WIDE - 1);
    free(s);
    all = groups_of(b, 1);
    assert_true(stepped() < 60 * LARGE);
    assert_int_equal(all->n, 1); /* step#_# */
    assert_int_equal(all->of[0].g.actions, LARGE);
    few = near(b, 1, middle, 100);
    assert_true(stepped() < 40 * LARGE);
    assert_int_equal(few->n, 200);
    /* What has failed comes first among those that are as far. */
    few = near(b, 1, above, 1);
    assert_int_equal(few->n, 5);
    assert_int_equal(few->failed, 1);
    stepped();
    well(pingo_store_cost(b->store, 1, &cost, &err), &err);
    assert_true(stepped() < 90 * LARGE);
    assert_int_equal(cost.ran, 0);
    sqlite3_progress_handler(b->store->db.sqlite, 0, NULL, NULL);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape__states_are_those_of_the_actions),
        cmocka_unit_test(test_shape__what_took_longest_and_what_was_saved),
        cmocka_unit_test(test_shape__where_its_paths_start),
        cmocka_unit_test(test_shape__a_way_leads_through_what_is_joined),
        cmocka_unit_test(test_shape__100_000_actions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
