/* test_wfformat_value.c - numbers of a document: by their digits, rounded, and refused where they are out of range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lab/traces/wfformat_value.h"

static const struct {
    const char *spelling;
    int shift;
    int64_t max, number; /* -1: refused */
} numbers[] = {
    {"0", 3, 9, 0},
    {"-0.0e7", 0, 9, 0},
    {"-1", 0, 9, -1},
    {"-1e-400", 0, 9, -1},
    {"9", 0, 9, 9},
    {"10", 0, 9, -1},
    {"9.49999999999999999999999", 0, 9, 9},
    {"9.5", 0, 9, -1},
    {"0.0005", 3, 9, 1},
    {"0.00049999", 3, 9, 0},
    {"1.0005", 3, 9999, 1001},
    {"12345678901234567890123e-20", 0, 999, 123},
    {"0.000000000000000000000001e24", 0, 9, 1},
    {"1e15", 0, INT64_C(9007199254740991), INT64_C(1000000000000000)},
    {"9007199254740991", 0, INT64_C(9007199254740991), INT64_C(9007199254740991)},
    {"9007199254740992", 0, INT64_C(9007199254740991), -1},
    {"9007199254740.991", 3, INT64_C(9007199254740991), INT64_C(9007199254740991)},
    {"1e999999999999", 0, 9, -1},
    {"0e999999999999", 0, 9, 0},
    {"1e-999999999999", 0, 9, 0},
    {"1E+1", 0, 99, 10},
};

static void test_wfformat_value__is_read_by_its_digits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t number = -2;
        bool ok = pingo__lab_wf_decimal(numbers[i].spelling, strlen(numbers[i].spelling),
                                        numbers[i].shift, numbers[i].max, &number);

        if (ok != (numbers[i].number >= 0) || (ok && number != numbers[i].number))
            fail_msg("%s: %d, %lld", numbers[i].spelling, ok, (long long)number);
    }
}

static const struct {
    const char *text;
    int shift;
    int64_t number;
    const char *message; /* where it is refused */
} members[] = {
    {"12", 0, 12, NULL},
    {"1.2345", 3, 1235, NULL},
    {"9007199254740991", 0, INT64_C(9007199254740991), NULL},
    {"9007199254740992", 0, -1, "/n/n: expected a number from 0 to 9007199254740991"},
    {"9007199254741", 3, -1, "/n/n: expected a number from 0 to 9007199254740"},
    {"-1", 0, -1, "/n/n: expected a number from 0 to 9007199254740991"},
    {"\"1\"", 0, -1, "/n/n: expected a number, found a string"},
    {"null", 0, -1, "/n/n: expected a number, found null"},
};

static void test_wfformat_value__reads_a_number_of_a_document(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct pingo__json_reader r;
        struct pingo_error err = {0};
        char text[64];
        snprintf(text, sizeof text, "{\"n\":{\"n\":%s}}", members[i].text);
        assert_int_equal(pingo__json_reader_open(&r, text, strlen(text), "a document", &err), 0);
        const struct pingo__json_value *object =
            pingo__json_reader_open_member(&r, "n", PINGO__JSON_OBJECT);
        const struct pingo__json_value *v = pingo__json_at(object, "n");
        assert_non_null(v);
        assert_int_equal(pingo__lab_wf_number(&r, v, members[i].shift), members[i].number);
        assert_int_equal(r.rc, members[i].message ? PINGO_EINVAL : 0);
        if (members[i].message) /* which ends with it */
            assert_string_equal(strstr(err.message, "/n"), members[i].message);
        pingo__json_reader_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wfformat_value__is_read_by_its_digits),
        cmocka_unit_test(test_wfformat_value__reads_a_number_of_a_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
