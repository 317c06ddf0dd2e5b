/* test_outside.c - files outside the pool: what is replaced, and what stays. */
#include "unit/manager/dataset/outside_files.h"

static void appears(const char *path)
{
    outside_write(path, "somebody's");
}

static void changes(const char *path)
{
    unlink(path);
    outside_write(path, "changed");
}

static void vanishes(const char *path)
{
    unlink(path);
}

static void test_outside__nothing_of_others_is_replaced(void **state)
{
    struct box *b = box_new();
    char dir[96], path[128], to[64] = "";

    UNUSED(state);
    snprintf(dir, sizeof dir, "%s/there", b->root);
    snprintf(path, sizeof path, "%s/link", dir);
    assert_int_equal(mkdir(dir, 0755), 0);
    well(pingo__engine_scheduler_register(b->s, NULL), &(struct pingo_error){0});
    assert_int_equal(outside_put(b, path, "/first", appears, false), PINGO_EEXISTS);
    outside_holds(path, "somebody's");
    assert_int_equal(outside_put(b, path, "/first", NULL, false), PINGO_EEXISTS);
    assert_int_equal(outside_entries(dir), 1); /* and nothing lies beside it */
    assert_int_equal(outside_put(b, path, "/first", NULL, true), 0);
    assert_int_equal(outside_put(b, path, "/second", NULL, false), 0); /* the first was ours */
    assert_int_equal(outside_put(b, path, "/third", changes, false), PINGO_EEXISTS);
    outside_holds(path, "changed");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(outside_put(b, path, "/third", NULL, false), 0);
    assert_int_equal(outside_put(b, path, "/fourth", vanishes, false), 0);
    assert_true(readlink(path, to, sizeof to - 1) > 0);
    assert_string_equal(to, "/fourth");
    assert_int_equal(outside_entries(dir), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM writing"), 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outside__nothing_of_others_is_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
