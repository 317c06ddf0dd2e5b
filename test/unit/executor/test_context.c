/* test_context.c - what executors make of what they are given: texts of their own, and the words of a check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "executor/context.h"
#include "executor/registry.h"

static void test_context__texts_are_ones_own(void **state)
{
    static const struct pingo_executor_setting rows[] = {
        {"queue", PINGO_SETTING_TEXT, 0, 0, "all", "h"},
        {"url", PINGO_SETTING_TEXT, 0, 0, NULL, "h"},
        {"user", PINGO_SETTING_TEXT, 0, 0, "me", "h"},
    };
    char set[] = "http://a", *texts[] = {NULL, set, (char[]){""}};
    struct pingo__executor_values values = {rows, 3, texts};
    const struct pingo_executor_context context = {.version = 2, .settings = &values};
    struct pingo__arena arena = {0};
    struct pingo__executor_reading r = {.context = &context, .arena = &arena};
    (void)state;
    char *queue = pingo__executor_context_read(&r, "queue");
    char *url = pingo__executor_context_read(&r, "url");
    set[0] = 'x';
    assert_string_equal(queue, "all"); /* the default */
    assert_string_equal(url, "http://a");
    assert_null(pingo__executor_context_read(&r, "user")); /* nothing in it: it is not set */
    assert_null(pingo__executor_context_read(&r, "no such setting"));
    assert_null(pingo__executor_context_copy(&r, NULL));
    assert_null(pingo__executor_context_copy(&r, ""));
    assert_false(r.failed); /* that there is none is no failure */
    r.failed = true;        /* one before had no memory: that is kept */
    pingo__executor_context_copy(&r, "x");
    assert_true(r.failed);
    pingo__arena_clear(&arena);
}

struct found {
    enum pingo_check_result result;
    char what[16], message[2000];
};

static void on_found(void *context, enum pingo_check_result result, const char *what,
                     const char *message)
{
    struct found *found = context;
    found->result = result;
    strncpy(found->what, what, sizeof found->what - 1);
    strncpy(found->message, message, sizeof found->message - 1);
}

static void test_context__what_a_check_finds_is_told(void **state)
{
    struct found found = {0};
    const struct pingo_check_options options = {.version = 1, .found = on_found, .context = &found};
    char longest[1500];
    (void)state;
    pingo__executor_tell(&options, PINGO_CHECK_WRONG, "pool", "%s is %d%% full", "/p", 99);
    assert_int_equal(found.result, PINGO_CHECK_WRONG);
    assert_string_equal(found.what, "pool");
    assert_string_equal(found.message, "/p is 99% full");
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    pingo__executor_tell(&options, PINGO_CHECK_NOTE, "clock", "%s", longest);
    assert_int_equal(strlen(found.message), 999); /* cut, and ended */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_context__texts_are_ones_own),
        cmocka_unit_test(test_context__what_a_check_finds_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
