/* test_dtr.c - what it costs to make a dataset again, with what is missing around it, by its bytes and its age. */
#include "unit/decision/one.h"

/* a; b of a; c of b; d of c: 1, 10, 100 and 1000 ms. */
static struct one chain_of(const char *parameters)
{
    struct one o = one_open("dtr", parameters, "a<:C b<a:C c<b:C d<c:C*");
    one_set(&o, 'a', 2, 1);
    one_set(&o, 'b', 4, 10);
    one_set(&o, 'c', 8, 100);
    one_set(&o, 'd', 16, 1000);
    return o;
}

static void test_dtr__counts_what_is_missing_around_it(void **state)
{
    (void)state;
    static const struct {
        const char *present, *parameters;
        char name;
        double score;
        const char *reason;
    } rows[] = {
        {"abcd", "", 'b', 10 / 4.0,
         "10 ms lean on it, it holds 4 bytes, last used 0 submissions ago"},
        {"bcd", "", 'b', 11 / 4.0, "11 ms lean on it, it holds 4 bytes, last used 0 submissions ago"},
        {"b", "", 'b', 1111 / 4.0,
         "1111 ms lean on it, it holds 4 bytes, last used 0 submissions ago"},
        {"b", "reach=1", 'b', 111 / 4.0,
         "111 ms lean on it, it holds 4 bytes, last used 0 submissions ago"},
        {"abd", "", 'b', 110 / 4.0,
         "110 ms lean on it, it holds 4 bytes, last used 0 submissions ago"},
        {"d", "", 'd', 1111 / 16.0,
         "1111 ms lean on it, it holds 16 bytes, last used 0 submissions ago"},
        {"bd", "", 'd', 1100 / 16.0,
         "1100 ms lean on it, it holds 16 bytes, last used 0 submissions ago"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct one o = chain_of(rows[i].parameters);
        one_present(&o, rows[i].present);
        assert_true(one_score(&o, rows[i].name) == rows[i].score);
        assert_string_equal(one_reason(&o, rows[i].name), rows[i].reason);
        one_close(&o);
    }
}

/* Each that goes makes its neighbours dearer. */
static void test_dtr__weighs_again_what_is_left(void **state)
{
    (void)state;
    struct one o = chain_of("");
    one_present(&o, "abcd");
    assert_string_equal(one_choose(&o, 30), "abcd");
    assert_true(o.scores[0] == 0.5 && o.scores[1] == 11 / 4.0 && o.scores[2] == 111 / 8.0 &&
                o.scores[3] == 1111 / 16.0);
    one_close(&o);
}

static void test_dtr__falls_with_age(void **state)
{
    (void)state;
    struct one o = chain_of("");
    one_submit(&o, "a:S b:S c:R");
    one_submit(&o, "a:S b:S c:S d:R");
    one_present(&o, "abcd");
    assert_true(one_score(&o, 'b') == 10 / (4.0 * 3));
    assert_true(one_score(&o, 'c') == 100 / (8.0 * 2));
    assert_true(one_score(&o, 'd') == 1000 / 16.0);
    assert_string_equal(one_reason(&o, 'b'),
                        "10 ms lean on it, it holds 4 bytes, last used 2 submissions ago");
    one_close(&o);
}

/* What is not known counts as nothing, an empty dataset as a byte, and one that nobody used is not said to have been. */
static void test_dtr__bears_what_is_not_known(void **state)
{
    (void)state;
    struct one o = one_open("dtr", "", "a<:C b<a:S");
    one_set(&o, 'a', 0, INT64_MAX);
    one_set(&o, 'b', -1, INT64_MAX);
    one_present(&o, "b");
    assert_true(one_score(&o, 'b') == 18446744073709551615.0 / 2);
    assert_string_equal(one_reason(&o, 'b'),
                        "18446744073709551614 ms lean on it, it holds 0 bytes, "
                        "used by no known submission");
    one_submit(&o, "a:S b:S c<b:C");
    one_set(&o, 'c', 1, INT64_MAX);
    assert_true(one_score(&o, 'b') == 18446744073709551615.0 / 3); /* no more than there are numbers */
    one_set(&o, 'c', 1, -1);
    one_set(&o, 'a', 0, -1);
    one_set(&o, 'b', -1, -1);
    assert_true(one_score(&o, 'b') == 0);
    one_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dtr__counts_what_is_missing_around_it),
        cmocka_unit_test(test_dtr__weighs_again_what_is_left),
        cmocka_unit_test(test_dtr__falls_with_age),
        cmocka_unit_test(test_dtr__bears_what_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
