/* test_error.c - messages are one line of UTF-8, whatever goes into them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

static void test_error__lists_every_code_once(void **state)
{
    (void)state;
    for (int code = 0; code >= -27; code--) {
        assert_string_not_equal(pingo_error_name(code), "PINGO_E?");
        assert_string_not_equal(pingo_error_text(code), "unknown error");
        for (int other = code + 1; other <= 0; other++)
            assert_string_not_equal(pingo_error_name(code), pingo_error_name(other));
    }
    assert_string_equal(pingo_error_name(PINGO_EBUSY), "PINGO_EBUSY");
    assert_string_equal(pingo_error_name(-28), "PINGO_E?");
    assert_string_equal(pingo_error_text(1), "unknown error");
}

static void test_error__fills_in_and_returns_the_code(void **state)
{
    struct pingo_error err;

    (void)state;
    assert_int_equal(pingo__fail(&err, PINGO_EINVAL, "%s %d", "number", 7), PINGO_EINVAL);
    assert_int_equal(err.code, PINGO_EINVAL);
    assert_string_equal(err.message, "number 7");
    assert_int_equal(pingo__fail(NULL, PINGO_EIO, "nowhere"), PINGO_EIO);
    assert_int_equal(pingo__fail_memory(&err), PINGO_ENOMEM);
    pingo__error_prefix(&err, "file %d", 3);
    assert_string_equal(err.message, "file 3: out of memory");
    pingo__error_prefix(NULL, "nothing");
}

static void test_error__messages_are_one_line_of_utf8(void **state)
{
    struct pingo_error err;

    (void)state;
    pingo__fail(&err, PINGO_EIO, "%s", "a\nb\x01\x7f\xff\xc3\xa9\xc3");
    assert_string_equal(err.message, "a b???\xc3\xa9?");
}

static void test_error__long_messages_are_cut_at_a_character(void **state)
{
    char text[3000];
    struct pingo_error err;

    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        memset(text, 'a', shift);
        for (size_t i = shift; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "\xe2\x82\xac", 4);
        pingo__fail(&err, PINGO_EIO, "%s", text);
        assert_true(strlen(err.message) >= sizeof err.message - 4);
        assert_true(pingo__text_is_utf8(err.message, strlen(err.message)));
        pingo__error_prefix(&err, "%s", text);
        assert_true(pingo__text_is_utf8(err.message, strlen(err.message)));
    }
}

static void test_error__a_long_path_does_not_hide_the_reason(void **state)
{
    char path[4000];
    struct pingo_error err;

    (void)state;
    memset(path, 'd', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    pingo__fail_os(&err, EACCES, "open", path);
    assert_memory_equal(err.message, "/ddd", 4);
    assert_non_null(strstr(err.message, "dd...dd"));
    assert_string_equal(err.message + strlen(err.message) - 25, ": open: Permission denied");
    pingo__error_prefix(&err, "%s", path);
    assert_non_null(strstr(err.message, "Permission denied"));
}

static void test_error__tells_what_the_system_refused(void **state)
{
    struct pingo_error err;

    (void)state;
    assert_int_equal(pingo__fail_os(&err, EACCES, "open", "/a/b"), PINGO_EIO);
    assert_string_equal(err.message, "/a/b: open: Permission denied");
    assert_int_equal(pingo__fail_os(&err, ENOSPC, "write", "/a"), PINGO_ENOSPACE);
    assert_int_equal(pingo__fail_os(&err, EDQUOT, "write", "/a"), PINGO_ENOSPACE);
    assert_int_equal(pingo__fail_os(&err, ENOMEM, "open", "/a"), PINGO_ENOMEM);
}

static void test_error__what_is_not_there_is_no_trouble_of_a_disk(void **state)
{
    static const int absent[] = {ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG},
                     other[] = {EIO, ESTALE, ENOTCONN, EACCES, EMFILE, ENOMEM};
    (void)state;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_true(pingo__error_is_absent(absent[i]));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_false(pingo__error_is_absent(other[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error__lists_every_code_once),
        cmocka_unit_test(test_error__fills_in_and_returns_the_code),
        cmocka_unit_test(test_error__messages_are_one_line_of_utf8),
        cmocka_unit_test(test_error__long_messages_are_cut_at_a_character),
        cmocka_unit_test(test_error__a_long_path_does_not_hide_the_reason),
        cmocka_unit_test(test_error__tells_what_the_system_refused),
        cmocka_unit_test(test_error__what_is_not_there_is_no_trouble_of_a_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
