/* test_quoting.c - words for a shell, fields of CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/quoting.h"

static void test_quoting__writes_words_and_fields(void **state)
{
    static const struct {
        const char *text, *shell, *shown, *csv;
    } rows[] = {
        {"", "''", "''", ""},
        {"a-b/c.d=1", "a-b/c.d=1", "a-b/c.d=1", "a-b/c.d=1"},
        {"a b", "'a b'", "'a b'", "a b"},
        {"it's", "'it'\\''s'", "'it'\\''s'", "it's"},
        {"a\nb\x1b", "'a\nb\x1b'", "'a\\nb\\x1b'", "\"a\nb\x1b\""},
        {"\xc3\xa4\xff", "'\xc3\xa4\xff'", "'\xc3\xa4\\xff'", "\xc3\xa4\xff"},
        {"\xc2\x9b", "'\xc2\x9b'", "'\\xc2\\x9b'", "\xc2\x9b"},
        {"\xe2\x80\xae", "'\xe2\x80\xae'", "'\\xe2\\x80\\xae'", "\xe2\x80\xae"},
        {"a,\"b\"", "'a,\"b\"'", "'a,\"b\"'", "\"a,\"\"b\"\"\""},
    };
    struct pingo__buffer b = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pingo__quoting_shell(&b, rows[i].text);
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].shell);
        pingo__buffer_reset(&b);
        pingo__quoting_shell_shown(&b, rows[i].text);
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].shown);
        pingo__buffer_reset(&b);
        pingo__quoting_csv(&b, rows[i].text);
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].csv);
        pingo__buffer_reset(&b);
    }
    pingo__buffer_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quoting__writes_words_and_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
