/* test_shortfall.c - who holds the pool's space: the largest first, and what becomes of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "manager/decision/shortfall.h"

#define GIB (INT64_C(1) << 30)

static void test_shortfall__the_largest_holder_is_named_first(void **state)
{
    struct pingo__store_usage usage = {.failed_bytes = 3 * GIB};
    struct pingo__store_held held = {.kept_bytes = GIB};
    char text[PINGO__HOLDERS_SIZE], small[12];
    (void)state;
    pingo__manager_shortfall_holders(&usage, &held, text, sizeof text);
    assert_non_null(strstr(text, "failed attempts 3.0 GiB"));
    assert_non_null(strstr(text, "kept 1.0 GiB"));
    assert_true(strstr(text, "failed") < strstr(text, "kept"));
    assert_null(strstr(text, "leaves")); /* they hold nothing */
    pingo__manager_shortfall_holders(&usage, &held, small, sizeof small);
    assert_in_range(strlen(small), 1, sizeof small - 1);
    usage.failed_bytes = held.kept_bytes = 0;
    pingo__manager_shortfall_holders(&usage, &held, text, sizeof text);
    assert_string_equal(text, "it is empty");
    usage.bytes[PINGO_DATASET_DELETING] = GIB;
    pingo__manager_shortfall_holders(&usage, &held, text, sizeof text);
    assert_string_equal(text, "it is on its way out");
}

static void test_shortfall__the_first_mark_that_is_passed_is_named(void **state)
{
    static const struct {
        int64_t leaves;
        const char *says;
    } rows[] = {{12, "2.0 GiB over its budget of 10.0 GiB: leaves"},
                {9, "1.0 GiB over its high mark of 8.0 GiB (budget 10.0 GiB): leaves"},
                {7, "1.0 GiB over its low mark of 6.0 GiB (budget 10.0 GiB): leaves"}};
    const int64_t marks[] = {10 * GIB, 8 * GIB, 6 * GIB};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__store_usage usage = {.failed_bytes = 0};
        struct pingo__store_held held = {.kept_bytes = 0};
        char text[512];
        usage.bytes[PINGO_DATASET_LEAF] = rows[i].leaves * GIB;
        pingo__manager_shortfall_text(&usage, &held, marks, text, sizeof text);
        assert_non_null(strstr(text, rows[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortfall__the_largest_holder_is_named_first),
        cmocka_unit_test(test_shortfall__the_first_mark_that_is_passed_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
