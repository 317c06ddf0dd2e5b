/* test_text.c - decisions and reasons in words: each has its own, and what is none has no word that is another's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <pingo/plan.h>

/* Those that there are stand one after the other; further on there is none. */
enum { FIRST = -3, LAST = 40 };

static const char *decision(int i)
{
    return pingo_plan_decision_name((enum pingo_plan_decision)i);
}

static const char *reason(int i)
{
    return pingo_plan_reason_text((enum pingo_plan_reason)i);
}

static int count_words(const char *(*word)(int))
{
    int n = 0;
    for (int i = FIRST; i < LAST; i++) {
        assert_non_null(word(i));
        assert_true(*word(i));
        n += strcmp(word(i), "?") != 0;
        for (int k = FIRST; k < i; k++)
            if (strcmp(word(i), "?") != 0)
                assert_string_not_equal(word(i), word(k));
    }
    return n;
}

static void test_text__each_has_words_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(count_words(decision), 4);
    assert_int_equal(count_words(reason), 10);
}

/* Scripts read these: they never change. */
static void test_text__decisions_are_pinned(void **state)
{
    (void)state;
    assert_string_equal(pingo_plan_decision_name(PINGO_PLAN_SKIP), "skip");
    assert_string_equal(pingo_plan_decision_name(PINGO_PLAN_REUSE), "reuse");
    assert_string_equal(pingo_plan_decision_name(PINGO_PLAN_JOIN), "join");
    assert_string_equal(pingo_plan_decision_name(PINGO_PLAN_COMPUTE), "compute");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__each_has_words_of_its_own),
        cmocka_unit_test(test_text__decisions_are_pinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
