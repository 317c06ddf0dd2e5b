/* test_memory.c - how much memory an action is given: a row a case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rules/memory.h"

static void test_memory__the_next_try(void **state)
{
    static const struct {
        struct pingo__rules_memory_death d; /* had, seen, listed, most */
        int64_t next;
    } rows[] = {
        {{1000, 1100, 0, 64000}, 2000},
        {{1000, 1100, 0, 1500}, 1500}, /* all that there is */
        {{1500, 1600, 0, 1500}, 0},
        {{2000, 2100, 0, 1500}, 0},        /* it had more than there is */
        {{1000, 1100, 8000, 64000}, 8000}, /* a list is followed, */
        {{1000, 1100, 8000, 4000}, 4000},
        {{8000, 8100, 8000, 64000}, 16000}, /* and goes on after its last */
        {{8000, 8100, 2000, 64000}, 16000},
        {{1000, 1100, 0, 0}, 0},       /* nobody knows how much there is, */
        {{1000, 1100, 8000, 0}, 8000}, /* but the list does */
        {{8000, 8100, 8000, 0}, 0},
        {{0, 700, 0, 64000}, 1400}, /* it had no limit */
        {{0, 0, 0, 64000}, 0},
        {{INT64_MAX - 1, 0, 0, INT64_MAX}, INT64_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pingo__rules_memory_grown(&rows[i].d), rows[i].next);
}

static void test_memory__the_first_try_and_the_most(void **state)
{
    static const struct {
        int64_t own, remembered, most, first;
    } rows[] = {
        {1000, 0, 64000, 1000},   {1000, 4000, 64000, 4000},
        {1000, 500, 64000, 1000}, {0, 4000, 64000, 4000},
        {1000, 4000, 2000, 2000}, {3000, 4000, 2000, 3000},
        {1000, 4000, 0, 4000},    {0, 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pingo__rules_memory_first(rows[i].own, rows[i].remembered, rows[i].most),
                         rows[i].first);
    assert_int_equal(pingo__rules_memory_most(0, 0), 0);
    assert_int_equal(pingo__rules_memory_most(100, 0), 100);
    assert_int_equal(pingo__rules_memory_most(0, 70), 70);
    assert_int_equal(pingo__rules_memory_most(100, 70), 70);
}

static void test_memory__what_was_needed(void **state)
{
    static const struct {
        int64_t had, seen, needed;
    } rows[] = {{4000, 2100, 4000}, {4000, 1700, 4000}, {4000, 1600, 2000}, {4000, 300, 500},
                {4000, 0, 4000},    {1, 1, 1},          {0, 5, 0},          {3, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pingo__rules_memory_needed(rows[i].had, rows[i].seen), rows[i].needed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__the_next_try),
        cmocka_unit_test(test_memory__the_first_try_and_the_most),
        cmocka_unit_test(test_memory__what_was_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
