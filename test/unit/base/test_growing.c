/* test_growing.c - structs of another age: nothing behind them is read or written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "base/growing.h"

struct options {
    unsigned version;
    int first;
    int second; /* since version 2 */
    int third;  /* since version 3 */
};
static const struct pingo__growing_options_type type = {
    "options",
    {offsetof(struct options, second), offsetof(struct options, third), sizeof(struct options)}};

static const struct pingo__growing_options_type of_one_version = {
    "options", {offsetof(struct options, second)}};

static void test_growing__takes_what_the_version_has(void **state)
{
    struct options given = {1, 11, 12, 13}, own;
    struct pingo_error err = {0};

    (void)state;
    assert_int_equal(pingo__growing_options_take(&type, &given, &own, &err), 0);
    assert_true(own.first == 11 && own.second == 0 && own.third == 0);
    given.version = 2;
    assert_int_equal(pingo__growing_options_take(&type, &given, &own, &err), 0);
    assert_true(own.first == 11 && own.second == 12 && own.third == 0);
    given.version = 3;
    assert_int_equal(pingo__growing_options_take(&type, &given, &own, &err), 0);
    assert_int_equal(own.third, 13);
    for (given.version = 0; given.version == 0; given.version = 4) {
        assert_int_equal(pingo__growing_options_take(&type, &given, &own, &err), PINGO_EINVAL);
        assert_non_null(strstr(err.message, "options: version is 0, this library knows 1 to 3"));
    }
    assert_int_equal(pingo__growing_options_take(&type, &given, &own, &err), PINGO_EINVAL);
    given.version = 2;
    assert_int_equal(pingo__growing_options_take(&of_one_version, &given, &own, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "struct options: version is 2, this library knows 1");
    memset(&own, 'x', sizeof own);
    assert_int_equal(pingo__growing_options_take(&type, NULL, &own, &err), 0);
    assert_true(own.first == 0 && own.third == 0);
}

struct result {
    size_t size;
    int a, b, c, d;
};

static void test_growing__writes_no_more_than_there_is(void **state)
{
    const struct result own = {.a = 1, .b = 2, .c = 3, .d = 4};
    struct result r;
    struct pingo_error err = {0};

    (void)state;
    for (size_t size = 0; size <= sizeof r; size++) {
        unsigned char *bytes = (unsigned char *)&r;

        memset(&r, 0xa5, sizeof r);
        r.size = size;
        assert_int_equal(pingo__growing_result_check(&r, "result", &err),
                         size < sizeof(size_t) ? PINGO_EINVAL : 0);
        pingo__growing_result_put(&r, &own, sizeof own);
        assert_int_equal(r.size, size);
        for (size_t i = sizeof(size_t); i < sizeof r; i++)
            assert_int_equal(bytes[i], i < size ? ((const unsigned char *)&own)[i] : 0xa5);
    }
    assert_non_null(strstr(err.message, "struct result: its size is not set"));
    assert_int_equal(pingo__growing_result_check(NULL, "result", &err), 0);
    pingo__growing_result_put(NULL, &own, sizeof own);
    /* A program that is newer than the library. */
    memset(&r, 0xa5, sizeof r);
    r.size = sizeof r;
    pingo__growing_result_put(&r, &own, offsetof(struct result, c));
    assert_true(r.a == 1 && r.b == 2 && r.c == 0 && r.d == 0);
}

static void test_growing__takes_what_was_filled_in(void **state)
{
    const struct result given = {.size = offsetof(struct result, c), .a = 1, .b = 2, .c = 3};
    struct result own;

    (void)state;
    pingo__growing_result_take(&given, &own, sizeof own);
    assert_true(own.size == sizeof own && own.a == 1 && own.b == 2 && own.c == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing__takes_what_the_version_has),
        cmocka_unit_test(test_growing__writes_no_more_than_there_is),
        cmocka_unit_test(test_growing__takes_what_was_filled_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
