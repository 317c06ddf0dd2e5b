/* test_most_commonly_used.c - what was mentioned least often among the last submitted actions goes first. */
#include "unit/decision/one.h"

static void test_most_commonly_used__counts_mentions(void **state)
{
    (void)state;
    struct one o = one_open("most-commonly-used", "", "a<:C b<:C c<:C");
    one_submit(&o, "a:S b:R");
    one_submit(&o, "a:S");
    for (const char *name = "abc"; *name; name++)
        one_set(&o, *name, 10, 10);
    one_present(&o, "abc");
    assert_string_equal(one_choose(&o, 30), "cba"); /* skipped or not */
    assert_true(o.scores[0] == 1 && o.scores[1] == 2 && o.scores[2] == 3);
    assert_string_equal(one_reason(&o, 'a'), "mentioned 3 times in the last 3 submissions");
    one_submit(&o, "c c c c"); /* each mention counts */
    assert_string_equal(one_choose(&o, 30), "bac");
    assert_true(o.scores[2] == 5);
    one_close(&o);
}

/* Whole submissions, of which the newest is always there. */
static void test_most_commonly_used__forgets_what_is_not_in_the_window(void **state)
{
    (void)state;
    struct one o = one_open("most-commonly-used", "window=3", "a<:C b<:C");
    one_present(&o, "ab");
    static const struct {
        const char *text;
        double a, b;
        const char *reason; /* of a */
    } rows[] = {
        {"a", 2, 1, "mentioned 2 times in the last 2 submissions"},
        {"b", 1, 1, "mentioned 1 time in the last 2 submissions"},
        {"b", 1, 2, "mentioned 1 time in the last 3 submissions"},
        {"b", 0, 3, "mentioned 0 times in the last 3 submissions"},
        {"a a a b", 3, 1, "mentioned 3 times in the last 1 submission"},
        {"a a", 2, 0, "mentioned 2 times in the last 1 submission"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        one_submit(&o, rows[i].text);
        assert_true(one_score(&o, 'a') == rows[i].a);
        assert_true(one_score(&o, 'b') == rows[i].b);
        assert_string_equal(one_reason(&o, 'a'), rows[i].reason);
    }
    one_close(&o);
}

static void test_most_commonly_used__takes_any_window(void **state)
{
    (void)state;
    const struct pingo_decision_algorithm *a = pingo_decision_find("most-commonly-used");
    struct one o = one_open(a->name, "window=9007199254740992", "a<:C");
    struct pingo_error err = {0};
    double value;
    for (int i = 0; i < 100; i++)
        one_submit(&o, "a");
    one_present(&o, "a");
    assert_true(one_score(&o, 'a') == 101);
    assert_int_equal(pingo_decision_values(a, "window=0", &value, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "most-commonly-used: window is an integer from 1 to "
                                     "9007199254740992, not \"0\"");
    assert_int_equal(pingo_decision_values(a, NULL, &value, &err), 0);
    assert_true(value == 1000);
    one_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_most_commonly_used__counts_mentions),
        cmocka_unit_test(test_most_commonly_used__forgets_what_is_not_in_the_window),
        cmocka_unit_test(test_most_commonly_used__takes_any_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
