/* test_neighbours.c - the actions around one, in layers, and the chain that took longest. */
#include "unit/engine/look/flow.h"

static void test_neighbours__neighbours_are_near(void **state)
{
    struct box *b = box_new();
    struct near *all;
    struct pingo_neighbour_query q = {.version = 1, .workflow = 1, .action = "nobody"};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FLOW);
    all = near(b, 1, "merge", 1);
    assert_int_equal(all->n, 4);
    assert_int_equal(all->layers, 3);
    assert_int_equal(all->ids[2], 3);
    all = near(b, 1, "1", 1);
    assert_int_equal(all->n, 2);
    all = near(b, 1, "1", 0); /* two */
    assert_int_equal(all->n, 4);
    all = near(b, 1, "alone7", 5);
    assert_int_equal(all->n, 1);
    assert_int_equal(pingo_store_neighbours(b->store, &q, on_neighbour, all, &err), PINGO_ENOTFOUND);
    q.action = NULL;
    assert_int_equal(pingo_store_neighbours(b->store, &q, on_neighbour, all, &err), PINGO_EINVAL);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours__neighbours_are_near),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
