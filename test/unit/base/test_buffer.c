/* test_buffer.c - growing strings of bytes, and reading them back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

static void test_buffer__reads_back_what_was_written(void **state)
{
    struct pingo__buffer b = {0};
    struct pingo__buffer_reader r = {0};
    size_t n;

    (void)state;
    pingo__buffer_u8(&b, 0xfe);
    pingo__buffer_u32(&b, 0x01020304);
    pingo__buffer_u64(&b, UINT64_C(0xfffefdfcfbfaf9f8));
    pingo__buffer_counted(&b, "abc", 3);
    pingo__buffer_counted(&b, "", 0);
    pingo__buffer_format(&b, "%d-%s", 12, "x");
    pingo__buffer_char(&b, '!');
    assert_false(b.failed);
    assert_memory_equal(b.data + 1, "\x04\x03\x02\x01", 4); /* little-endian */
    r.data = b.data;
    r.length = b.length;
    assert_int_equal(pingo__buffer_read_u8(&r), 0xfe);
    assert_int_equal(pingo__buffer_read_u32(&r), 0x01020304);
    assert_true(pingo__buffer_read_u64(&r) == UINT64_C(0xfffefdfcfbfaf9f8));
    assert_memory_equal(pingo__buffer_read_counted(&r, &n), "abc", 3);
    assert_int_equal(n, 3);
    assert_non_null(pingo__buffer_read_counted(&r, &n));
    assert_int_equal(n, 0);
    assert_memory_equal(pingo__buffer_read_bytes(&r, 5), "12-x!", 5);
    assert_false(r.failed);
    assert_int_equal(r.at, r.length);
    assert_int_equal(pingo__buffer_read_u8(&r), 0);
    assert_true(r.failed);
    pingo__buffer_clear(&b);
}

static void test_buffer__can_be_taken_and_used_again(void **state)
{
    struct pingo__buffer b = {0};
    char *taken;

    (void)state;
    taken = pingo__buffer_take(&b);
    assert_string_equal(taken, "");
    free(taken);
    for (int i = 0; i < 1000; i++)
        pingo__buffer_text(&b, "0123456789");
    assert_int_equal(b.length, 10000);
    assert_int_equal(strlen(pingo__buffer_cstr(&b)), 10000);
    pingo__buffer_reset(&b);
    assert_string_equal(pingo__buffer_cstr(&b), "");
    pingo__buffer_text(&b, "again");
    taken = pingo__buffer_take(&b);
    assert_string_equal(taken, "again");
    assert_null(b.data);
    free(taken);
}

static void test_buffer__refuses_what_cannot_be(void **state)
{
    struct pingo__buffer b = {0};

    (void)state;
    pingo__buffer_text(&b, "kept");
    pingo__buffer_append(&b, "x", SIZE_MAX / 2); /* no such memory: nothing is read */
    assert_true(b.failed);
    assert_int_equal(b.length, 4);
    pingo__buffer_text(&b, "more");
    assert_int_equal(b.length, 4);
    assert_null(pingo__buffer_cstr(&b));
    assert_null(pingo__buffer_take(&b));
    pingo__buffer_reset(&b);
    assert_false(b.failed);
    pingo__buffer_clear(&b);
}

static void test_reader__failure_is_sticky(void **state)
{
    struct pingo__buffer_reader r = {.data = "\x05\x00\x00\x00xy", .length = 6};
    size_t n = 9;

    (void)state;
    assert_null(pingo__buffer_read_counted(&r, &n)); /* five bytes are announced, two are there */
    assert_int_equal(n, 0);
    assert_true(r.failed);
    assert_null(pingo__buffer_read_bytes(&r, 0));
    assert_int_equal(pingo__buffer_read_u32(&r), 0);
    r = (struct pingo__buffer_reader){0};
    assert_non_null(pingo__buffer_read_bytes(&r, 0));
    assert_false(r.failed);
    assert_null(pingo__buffer_read_bytes(&r, SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffer__reads_back_what_was_written),
        cmocka_unit_test(test_buffer__can_be_taken_and_used_again),
        cmocka_unit_test(test_buffer__refuses_what_cannot_be),
        cmocka_unit_test(test_reader__failure_is_sticky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
