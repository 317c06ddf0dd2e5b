/* test_reader.c - a document read member by member: what is found, and the place of the first fault. */
#include "json/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "{\"list\": [{\"a/b\": \"x\", \"n\": 7},\n {\"n\": -1}],\n \"name\": \"w\"}";

static void test_reader__finds_members(void **state)
{
    struct pingo__json_reader r;
    struct pingo_error err = {0};
    (void)state;
    assert_int_equal(pingo__json_reader_open(&r, text, strlen(text), "a thing", &err), 0);
    const struct pingo__json_value *list =
        pingo__json_reader_open_member(&r, "list", PINGO__JSON_ARRAY);
    const struct pingo__json_value *first = pingo__json_first(list);
    assert_string_equal(pingo__json_reader_text(&r, first, "a/b", true), "x");
    assert_null(pingo__json_reader_text(&r, first, "c", false));
    assert_int_equal(pingo__json_reader_integer(&r, pingo__json_at(first, "n")), 7);
    assert_string_equal(
        pingo__json_text(pingo__json_reader_open_member(&r, "name", PINGO__JSON_STRING)), "w");
    assert_int_equal(r.rc, 0);
    pingo__json_reader_clear(&r);
}

/* The first fault stays, and nothing is found behind it. */
static void test_reader__keeps_the_first_fault(void **state)
{
    struct pingo__json_reader r;
    struct pingo_error err = {0};
    (void)state;
    assert_int_equal(pingo__json_reader_open(&r, text, strlen(text), "a thing", &err), 0);
    const struct pingo__json_value *list =
        pingo__json_reader_open_member(&r, "list", PINGO__JSON_ARRAY);
    const struct pingo__json_value *first = pingo__json_first(list);
    assert_false(pingo__json_reader_expect(&r, pingo__json_first(first), PINGO__JSON_NUMBER));
    assert_int_equal(r.rc, PINGO_EINVAL);
    assert_string_equal(err.message,
                        "line 1, column 19: /list/0/a~1b: expected a number, found a string");
    assert_null(pingo__json_reader_text(&r, first, "a/b", true));
    assert_null(pingo__json_reader_open_member(&r, "name", PINGO__JSON_STRING));
    pingo__json_reader_integer(&r, pingo__json_next(first));
    assert_non_null(strstr(err.message, "/list/0/a~1b"));
    pingo__json_reader_clear(&r);
}

static const struct {
    const char *text, *said;
} faults[] = {
    {"", "line 1, column 1: the text is empty: a thing is an object"},
    {" \n ", "line 2, column 2: the text is empty: a thing is an object"},
    {"[1]", "line 1, column 1: a thing is an object"},
    {"{\"list\": [1 2]}", "line 1, column 13: /list/0: expected ',' or ']' after an element"},
    {"{\"lis\": []}", "line 1, column 1: a thing has \"list\", an array"},
    {"{\n\"list\": 5}", "line 2, column 9: /list: expected an array, found a number"},
    {"{\"list\": [{}]}", "line 1, column 11: /list/0: expected \"n\" here, a number"},
    {"{\"list\": [{\"n\": 1.5}]}",
     "line 1, column 17: /list/0/n: expected an integer from 0 to 2^53-1"},
};

static void test_reader__tells_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct pingo__json_reader r;
        struct pingo_error err = {0};
        pingo__json_reader_open(&r, faults[i].text, strlen(faults[i].text), "a thing", &err);
        const struct pingo__json_value *list =
            pingo__json_reader_open_member(&r, "list", PINGO__JSON_ARRAY);
        const struct pingo__json_value *n =
            pingo__json_reader_member(&r, pingo__json_first(list), "n", PINGO__JSON_NUMBER, true);
        if (n)
            pingo__json_reader_integer(&r, n);
        assert_int_equal(r.rc, PINGO_EINVAL);
        if (strncmp(err.message, faults[i].said, strlen(faults[i].said)) != 0)
            fail_msg("%s: \"%s\"", faults[i].text, err.message);
        pingo__json_reader_clear(&r);
    }
}

static void test_reader__knows_the_nearest_key(void **state)
{
    static const char *const known[] = {"size", "time", NULL};
    struct pingo__json_reader r;
    struct pingo_error err = {0};
    (void)state;
    assert_int_equal(pingo__json_reader_open(&r, text, strlen(text), "a thing", &err), 0);
    pingo__json_reader_check_key(&r, 1, "/a", "time", known);
    pingo__json_reader_check_key(&r, 1, "/a", "x-time", known);
    assert_int_equal(r.rc, 0);
    pingo__json_reader_check_key(&r, 1, "/a", "tme", known);
    assert_string_equal(err.message,
                        "line 1, column 2: /a: unknown key \"tme\": did you mean \"time\"?; "
                        "a key that starts with \"x-\" is free");
    pingo__json_reader_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reader__finds_members),
        cmocka_unit_test(test_reader__keeps_the_first_fault),
        cmocka_unit_test(test_reader__tells_the_place),
        cmocka_unit_test(test_reader__knows_the_nearest_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
