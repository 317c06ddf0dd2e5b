/* test_orders.c - what may end a job early: orders.c. */
#include "unit/runner/ground.h"

#include "base/world.h"

static void test_orders__the_master_is_not_asked_at_each_step(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    int64_t begun = pingo__world_monotonic_ms();
    for (int i = 0; i < 2000; i++)
        assert_false(pingo__runner_orders_stop(&g->orders));
    int64_t took = pingo__world_monotonic_ms() - begun;
    assert_true(g->asked >= 1);
    assert_true(g->asked <= took / 20 + 1);
    ground_free(g);
}

static void test_orders__what_was_said_stays(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    g->order = PINGO_END_KILLED;
    assert_true(pingo__runner_orders_stop(&g->orders));
    g->order = PINGO_END_EXITED;
    g->orders.looked_ms = 0;
    assert_true(pingo__runner_orders_stop(&g->orders));
    assert_int_equal(g->orders.why, PINGO_END_KILLED);
    assert_int_equal(g->asked, 1);
    ground_free(g);
}

static void test_orders__a_deadline(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    g->orders.deadline_ms = pingo__world_monotonic_ms() + 3600000;
    assert_false(pingo__runner_orders_stop(&g->orders));
    g->orders.looked_ms = 0;
    g->orders.deadline_ms = pingo__world_monotonic_ms();
    assert_true(pingo__runner_orders_stop(&g->orders));
    assert_int_equal(g->orders.why, PINGO_END_TIME_LIMIT);
    g->orders = (struct pingo__runner_orders){.master = &g->master, .deadline_ms = 1};
    g->order = PINGO_END_LOST; /* counts for more than the clock */
    assert_true(pingo__runner_orders_stop(&g->orders));
    assert_int_equal(g->orders.why, PINGO_END_LOST);
    ground_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders__the_master_is_not_asked_at_each_step),
        cmocka_unit_test(test_orders__what_was_said_stays),
        cmocka_unit_test(test_orders__a_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
