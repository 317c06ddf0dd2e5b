/* test_lru.c - what was used longest ago goes first; to be mentioned and skipped is no use. */
#include "unit/decision/one.h"

static void test_lru__lets_the_oldest_go_first(void **state)
{
    (void)state;
    struct one o = one_open("lru", "", "a<:C b<:C c<:C d<:C e<:C");
    one_submit(&o, "a:S b:R c:J");
    one_submit(&o, "a:S b:S c d:R e:C!");
    for (const char *name = "abcde"; *name; name++)
        one_set(&o, *name, 10, 10);
    one_present(&o, "edcba");
    assert_string_equal(one_choose(&o, 20), "ab");
    assert_true(o.scores[0] == -3 && o.scores[1] == -2);
    assert_string_equal(one_reason(&o, 'a'), "last used 2 submissions ago");
    assert_string_equal(one_reason(&o, 'b'), "last used 1 submission ago");
    assert_string_equal(one_reason(&o, 'c'), "last used 0 submissions ago"); /* nobody knows how */
    assert_true(one_score(&o, 'd') == -1);
    assert_true(one_score(&o, 'e') == -1);
    one_close(&o);
}

/* Ages count submissions, so that each that comes makes all the others older. */
static void test_lru__ages_with_each_submission(void **state)
{
    (void)state;
    struct one o = one_open("lru", "", "a<:C b<:C");
    one_present(&o, "ab");
    for (int age = 1; age < 20; age++) {
        assert_true(one_score(&o, 'a') == -age);
        assert_true(one_score(&o, 'b') == -1);
        one_submit(&o, "a:S b:R");
    }
    one_submit(&o, "a:R");
    assert_true(one_score(&o, 'a') == -1);
    assert_true(one_score(&o, 'b') == -2);
    one_close(&o);
}

/* One that nobody ever used is older than all that is used, and is not said to have been. */
static void test_lru__knows_what_was_never_used(void **state)
{
    (void)state;
    struct one o = one_open("lru", "", "a<:C b<:S");
    one_submit(&o, "b:S");
    one_set(&o, 'a', 10, 10);
    one_set(&o, 'b', 10, 10);
    one_present(&o, "ab");
    assert_string_equal(one_choose(&o, 20), "ba");
    assert_true(o.scores[0] == -3 && o.scores[1] == -2);
    assert_string_equal(one_reason(&o, 'b'), "used by no known submission");
    assert_string_equal(one_reason(&o, 'a'), "last used 1 submission ago");
    one_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lru__lets_the_oldest_go_first),
        cmocka_unit_test(test_lru__ages_with_each_submission),
        cmocka_unit_test(test_lru__knows_what_was_never_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
