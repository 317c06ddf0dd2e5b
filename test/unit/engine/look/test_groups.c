/* test_groups.c - the actions of a submission, folded by type and by names without their digits. */
#include "unit/engine/look/flow.h"

static void test_groups__groups_fold_names_without_their_digits(void **state)
{
    struct box *b = box_new();
    struct groups *all;

    UNUSED(state);
    box_submit(b, FLOW);
    all = groups_of(b, 1);
    assert_int_equal(all->n, 4);
    assert_string_equal(all->of[0].name, "map_#");
    assert_int_equal(all->of[0].g.actions, 2);
    assert_int_equal(all->of[0].g.ready, 2);
    assert_int_equal(all->of[0].g.depth, 0);
    assert_int_equal(all->of[0].g.nparents, 0);
    assert_string_equal(all->of[1].name, "plot");
    assert_int_equal(all->of[1].g.depth, 2);
    assert_int_equal(all->of[1].g.nparents, 1);
    assert_int_equal(all->of[1].parents[0], 2);
    assert_string_equal(all->of[2].name, "merge");
    assert_int_equal(all->of[2].g.waiting, 1);
    assert_int_equal(all->of[2].parents[0], 0);
    assert_string_equal(all->of[3].name, "alone7");
    box_tick(b);
    box_report(b, "map_1", PINGO_END_EXITED, 0, "1");
    box_tick(b);
    all = groups_of(b, 1);
    assert_int_equal(all->of[0].g.finished, 1);
    assert_int_equal(all->of[0].g.running, 1);
    assert_int_equal(all->of[0].g.wall_ms, 10);
    box_finish_all(b);
    /* Again: what is wanted is reused, the rest skipped. */
    box_submit(b, FLOW);
    all = groups_of(b, 2);
    assert_int_equal(all->of[0].g.skipped, 2);
    assert_int_equal(all->of[1].g.reused, 1);
    assert_int_equal(all->of[3].g.reused, 1);
    box_close(b);
}

/* More names than a page has room for. */
static void test_groups__too_many_groups_are_one_of_each_type(void **state)
{
    struct box *b = box_new();
    char *text = malloc(700 * 128), *p = text;
    struct groups *all;

    UNUSED(state);
    assert_non_null(text);
    p += sprintf(p, "{'name':'w','actions':[");
    for (int i = 0; i < 700; i++)
        p += sprintf(p, "%s{'id':%d,'name':'%c%c','type':'command-line','command':['x%d']}",
                     i ? "," : "", i, 'a' + i % 26, 'A' + i / 26, i);
    strcpy(p, "]}");
    box_submit(b, text);
    free(text);
    all = groups_of(b, 1);
    assert_int_equal(all->n, 501);
    assert_string_equal(all->of[500].name, "*");
    assert_int_equal(all->of[500].g.actions, 200);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups__groups_fold_names_without_their_digits),
        cmocka_unit_test(test_groups__too_many_groups_are_one_of_each_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
