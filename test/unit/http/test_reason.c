/* test_reason.c - what a status of HTTP means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http/server/reason.h"

static void test_reason__what_a_status_means(void **state)
{
    (void)state;
    assert_string_equal(pingo__http_reason(404), "Not Found");
    assert_string_equal(pingo__http_reason(507), "Insufficient Storage");
    assert_string_equal(pingo__http_reason(0), "Unknown");
    assert_string_equal(pingo__http_reason(-1), "Unknown");
    assert_string_equal(pingo__http_reason(999), "Unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reason__what_a_status_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
