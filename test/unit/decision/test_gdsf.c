/* test_gdsf.c - uses times cost by size, above what the last eviction was worth when the dataset was used or made last. */
#include "unit/decision/one.h"

/* b of a, and c alone. */
static struct one open_with(const char *parameters)
{
    struct one o = one_open("gdsf", parameters, "a<:C b<a:C c<:C");
    one_set(&o, 'a', 2, 100);
    one_set(&o, 'b', 4, 20);
    one_set(&o, 'c', 10, 30);
    return o;
}

static void test_gdsf__counts_uses_and_cost_by_size(void **state)
{
    (void)state;
    struct one o = open_with("");
    one_submit(&o, "a:S b:R");
    one_submit(&o, "a:S b:J c");
    one_present(&o, "abc");
    assert_true(one_score(&o, 'a') == 1 * 100 / 2.0);
    assert_true(one_score(&o, 'b') == 3 * 20 / 4.0);
    assert_true(one_score(&o, 'c') == 2 * 30 / 10.0);
    assert_string_equal(one_reason(&o, 'b'), "used 3 times, 20 ms to make again, holds 4 bytes");
    assert_string_equal(one_choose(&o, 16), "cba");
    one_missing(&o, 'a', false);
    assert_true(one_score(&o, 'b') == 3 * 120 / 4.0); /* a has to be made again, too */
    assert_string_equal(one_reason(&o, 'b'), "used 3 times, 120 ms to make again, holds 4 bytes");
    one_close(&o);
}

static void test_gdsf__costs_may_be_its_own_alone(void **state)
{
    (void)state;
    struct one o = open_with("cost=local");
    one_present(&o, "b");
    assert_true(one_score(&o, 'b') == 20 / 4.0);
    assert_string_equal(one_reason(&o, 'b'), "used 1 time, 20 ms to make again, holds 4 bytes");
    one_close(&o);
}

/* What is used or comes after an eviction is worth as much more as what was evicted. */
static void test_gdsf__ages_by_what_was_evicted(void **state)
{
    (void)state;
    struct one o = open_with("");
    one_present(&o, "abc");
    one_missing(&o, 'c', true); /* 3 */
    assert_true(one_score(&o, 'b') == 5);
    one_submit(&o, "a:S b:R");
    assert_true(one_score(&o, 'b') == 3 + 2 * 5);
    assert_true(one_score(&o, 'a') == 50); /* it was not used */
    one_present(&o, "c");
    assert_true(one_score(&o, 'c') == 3 + 3);
    assert_string_equal(one_reason(&o, 'c'), "used 1 time, 30 ms to make again, holds 10 bytes, 3 "
                                             "more for what was evicted before");
    one_missing(&o, 'a', false); /* nobody evicted it: nothing ages */
    one_present(&o, "a");
    assert_true(one_score(&o, 'a') == 3 + 50);
    one_missing(&o, 'a', true);
    one_present(&o, "a");
    assert_true(one_score(&o, 'a') == 53 + 50);
    one_missing(&o, 'c', true); /* it was worth less than the last: time does not go back */
    one_present(&o, "c");
    assert_true(one_score(&o, 'c') == 53 + 3);
    one_close(&o);
}

/* It says that it remembers, and one that is opened anew does not. */
static void test_gdsf__begins_without_a_past(void **state)
{
    (void)state;
    const struct pingo_decision_algorithm *a = pingo_decision_find("gdsf");
    struct one o = open_with("");
    assert_true(a->remembers_evictions);
    one_present(&o, "abc");
    one_missing(&o, 'a', true);
    one_submit(&o, "a:R");
    one_present(&o, "a");
    assert_true(one_score(&o, 'a') == 50 + 2 * 50);
    pingo_decider_free(o.d);
    assert_int_equal(pingo_decider_new(a, NULL, o.h, &o.d, NULL), 0);
    one_present(&o, "a");
    assert_true(one_score(&o, 'a') == 2 * 50);
    one_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gdsf__counts_uses_and_cost_by_size),
        cmocka_unit_test(test_gdsf__costs_may_be_its_own_alone),
        cmocka_unit_test(test_gdsf__ages_by_what_was_evicted),
        cmocka_unit_test(test_gdsf__begins_without_a_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
