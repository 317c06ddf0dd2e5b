/* test_units.c - sizes and durations, as people read and write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static void test_units__reads_sizes(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"0", 0},
                {"4096", 4096},
                {"7B", 7},
                {"7 b", 7},
                {"1K", 1024},
                {"1k", 1024},
                {"1KiB", 1024},
                {"1kB", 1000},
                {"1KB", 1000},
                {"10G", INT64_C(10) << 30},
                {"10 GiB", INT64_C(10) << 30},
                {"10GB", INT64_C(10000000000)},
                {"1.5GB", 1500000000},
                {"1.5G", INT64_C(3) << 29},
                {"0.001K", 1},
                {"1.9999kB", 1999},
                {"2T", INT64_C(1) << 41},
                {"3PiB", INT64_C(3) << 50},
                {"9223372036854775807", INT64_MAX},
                {"8191P", INT64_C(8191) << 50}};
    static const char *const bad[] = {"",
                                      " ",
                                      "K",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1  K",
                                      "1.",
                                      "1.K",
                                      ".5K",
                                      "1.5",
                                      "1.5B",
                                      "1Q",
                                      "1Ki",
                                      "1KiBB",
                                      "1i",
                                      "1BB",
                                      "1K ",
                                      "1,5K",
                                      "8192P",
                                      "9223372036854775808",
                                      "99999999999999999999",
                                      "0x10",
                                      "1e3"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t bytes = -1;

        if (!pingo__units_parse_size(good[i].text, &bytes) || bytes != good[i].bytes)
            fail_msg("%s gives %lld", good[i].text, (long long)bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t bytes = -1;

        if (pingo__units_parse_size(bad[i], &bytes))
            fail_msg("\"%s\" gives %lld", bad[i], (long long)bytes);
    }
}

static void test_units__prints_what_people_read(void **state)
{
    static const struct {
        int64_t number;
        const char *size, *duration;
    } rows[] = {
        {-1, "-", "-"},
        {0, "0 B", "0 ms"},
        {999, "999 B", "999 ms"},
        {1023, "1023 B", "1.0 s"},
        {1536, "1.5 KiB", "1.5 s"},
        {59949, "58.5 KiB", "59.9 s"},
        {59950, "58.5 KiB", "1 min 00 s"},
        {102348, "99.9 KiB", "1 min 42 s"},
        {102349, "100 KiB", "1 min 42 s"},
        {7384000, "7.0 MiB", "2 h 03 min"},
        {1048523, "1.0 MiB", "17 min 29 s"},
        {INT64_C(10) << 30, "10.0 GiB", "124 d 06 h"},
        {INT64_MAX, "8.0 EiB", "106751991167 d 07 h"},
    };
    char text[PINGO__UNITS_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(pingo__units_print_size(text, rows[i].number), rows[i].size);
        assert_string_equal(pingo__units_print_duration(text, rows[i].number), rows[i].duration);
    }
}

static void test_units__reads_durations(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"250ms", 250},    {"0s", 0},
                {"90s", 90000},    {"15m", 900000},
                {"7d", 604800000}, {"1000000000w", INT64_C(604800000) * 1000000000}};
    static const char *const bad[] = {"", "s", "1", "-1s", "1.5s", "1 s", "1sec", "1000000001s"};
    int64_t ms;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(pingo__units_parse_duration(good[i].text, &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (pingo__units_parse_duration(bad[i], &ms))
            fail_msg("\"%s\" gives %lld", bad[i], (long long)ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units__reads_sizes),
        cmocka_unit_test(test_units__prints_what_people_read),
        cmocka_unit_test(test_units__reads_durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
