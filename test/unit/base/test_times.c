/* test_times.c - times of RFC 3339. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/times.h"

static void test_times__reads_rfc_3339(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"1970-01-01T00:00:00Z", 0},
                {"2026-11-20T12:00:00Z", INT64_C(1795176000000)},
                {"2026-11-20t12:00:00.1234z", INT64_C(1795176000123)},
                {"2026-11-20T13:30:00+01:30", INT64_C(1795176000000)},
                {"2026-11-20T10:30:00-01:30", INT64_C(1795176000000)},
                {"2024-02-29T00:00:00Z", INT64_C(1709164800000)},
                {"2026-06-30T23:59:60Z", INT64_C(1782864000000)}};
    static const char *const bad[] = {"",
                                      "2026-11-20",
                                      "2026-11-20 12:00:00Z",
                                      "2026-11-20T12:00:00",
                                      "2026-11-20T12:00:00.Z",
                                      "2026-11-20T12:00:00Zz",
                                      "2026-11-20T24:00:00Z",
                                      "2026-13-20T12:00:00Z",
                                      "2026-02-29T12:00:00Z",
                                      "2026-00-01T12:00:00Z",
                                      "2026-1-20T12:00:00Z",
                                      "2026-11-2/T12:00:00Z",
                                      "2026-11-20T12:00:00+0130",
                                      "1969-12-31T23:59:59Z"};
    int64_t ms;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(pingo__times_parse(good[i].text, false, &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (pingo__times_parse(bad[i], false, &ms))
            fail_msg("\"%s\" gives %lld", bad[i], (long long)ms);
    assert_true(pingo__times_parse("2026-11-20", true, &ms));
    assert_int_equal(ms, INT64_C(1795132800000));
    assert_false(pingo__times_parse("2026-11-20T", true, &ms));
}

static void test_times__prints_what_it_reads(void **state)
{
    char text[PINGO__TIMES_SIZE];
    int64_t ms;
    (void)state;
    for (int64_t t = 7; t < INT64_C(253402300800000); t = t * 3 + 86399977) {
        assert_true(pingo__times_parse(pingo__times_print(text, t), false, &ms));
        assert_int_equal(ms, t);
    }
    assert_string_equal(pingo__times_print(text, INT64_MAX), "9999-12-31T23:59:59.999Z");
    assert_string_equal(pingo__times_print_seconds(text, 1999), "1970-01-01T00:00:01Z");
}

static void test_times__prints_those_of_http(void **state)
{
    char text[PINGO__TIMES_SIZE];
    (void)state;
    assert_string_equal(pingo__times_print_http(text, 0), "Thu, 01 Jan 1970 00:00:00 GMT");
    assert_string_equal(pingo__times_print_http(text, INT64_C(784111777999)),
                        "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_string_equal(pingo__times_print_http(text, INT64_C(951782400000)),
                        "Tue, 29 Feb 2000 00:00:00 GMT");
    assert_string_equal(pingo__times_print_http(text, INT64_C(1798761599000)),
                        "Thu, 31 Dec 2026 23:59:59 GMT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times__reads_rfc_3339),
        cmocka_unit_test(test_times__prints_what_it_reads),
        cmocka_unit_test(test_times__prints_those_of_http),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
