/* test_largest_first.c - the largest goes first, by the sizes that are known when the decision is made. */
#include "unit/decision/one.h"

static void test_largest_first__goes_by_size_alone(void **state)
{
    (void)state;
    struct one o = one_open("largest-first", NULL, "a<:C b<:C c<:C d<:C");
    one_submit(&o, "c:R");
    one_set(&o, 'a', 5, 1000000);
    one_set(&o, 'b', 7, 1);
    one_set(&o, 'c', 7, 1000000);
    one_set(&o, 'd', -1, 1000000); /* not known: as one that holds nothing */
    one_present(&o, "dcba");
    assert_string_equal(one_choose(&o, UINT64_MAX), "bcad"); /* of equals, the one used longest ago */
    assert_true(o.scores[0] == -7 && o.scores[2] == -5 && o.scores[3] == 0);
    assert_string_equal(one_choose(&o, 1), "b");
    assert_string_equal(one_choose(&o, 8), "bc");
    assert_string_equal(one_reason(&o, 'b'), "holds 7 bytes");
    assert_string_equal(one_reason(&o, 'd'), "holds 0 bytes");
    one_close(&o);
}

static void test_largest_first__sees_sizes_that_change(void **state)
{
    (void)state;
    struct one o = one_open("largest-first", NULL, "a<:C b<:C");
    one_set(&o, 'a', 1, 1);
    one_set(&o, 'b', 2, 1);
    one_present(&o, "ab");
    assert_string_equal(one_choose(&o, 1), "b");
    one_set(&o, 'a', INT64_MAX, 1);
    assert_string_equal(one_choose(&o, 1), "a");
    assert_true(o.scores[0] == -9223372036854775808.0);
    assert_string_equal(one_reason(&o, 'a'), "holds 9223372036854775807 bytes");
    one_missing(&o, 'a', true);
    assert_string_equal(one_choose(&o, 1), "b");
    one_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest_first__goes_by_size_alone),
        cmocka_unit_test(test_largest_first__sees_sizes_that_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
