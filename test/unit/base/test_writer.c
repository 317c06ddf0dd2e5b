/* test_writer.c - JSON text, element by element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <pingo/error.h>

#include "base/writer.h"

static void test_writer__escapes_what_must_be(void **state)
{
    struct pingo__buffer b = {0};

    (void)state;
    pingo__writer_quote(&b, "a\"b\\c/\b\f\n\r\t\x01\x1f\x7f\xc3\xa9");
    assert_string_equal(pingo__buffer_cstr(&b),
                        "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xc3\xa9\"");
    pingo__buffer_clear(&b);
}

static int take(void *context, const char *bytes, size_t n)
{
    pingo__buffer_append(context, bytes, n);
    return 0;
}

static void write_all(struct pingo__writer *w)
{
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "a", "x");
    pingo__writer_text(w, "b", NULL);
    pingo__writer_int(w, "c", INT64_MIN);
    pingo__writer_open(w, "d", PINGO__WRITER_ARRAY);
    pingo__writer_flag(w, NULL, true);
    pingo__writer_real(w, NULL, 0.1, -1);
    pingo__writer_real(w, NULL, 2, 3);
    pingo__writer_close(w);
    pingo__writer_open(w, "e", PINGO__WRITER_LINES);
    pingo__writer_raw(w, NULL, "1");
    pingo__writer_raw(w, NULL, "2");
    pingo__writer_close(w);
    pingo__writer_open(w, "f", PINGO__WRITER_LINES);
    pingo__writer_close(w);
    pingo__writer_close(w);
}

static void test_writer__writes_a_document(void **state)
{
    static const char document[] = "{\"a\":\"x\",\"b\":null,\"c\":-9223372036854775808,"
                                   "\"d\":[true,0.1,2.000],\"e\":[\n1,\n2\n],\"f\":[]}\n";
    struct pingo__buffer taken = {0};
    struct pingo__writer kept = {0}, handed = {.take = take, .context = &taken};
    (void)state;
    write_all(&kept);
    assert_string_equal(pingo__buffer_cstr(&kept.out), document);
    pingo__writer_clear(&kept);
    write_all(&handed);
    assert_int_equal(pingo__writer_flush(&handed), 0);
    assert_string_equal(pingo__buffer_cstr(&taken), document);
    pingo__writer_clear(&handed);
    pingo__buffer_clear(&taken);
}

static int refuse(void *context, const char *bytes, size_t n)
{
    (void)context;
    (void)bytes;
    return n > 0;
}

/* Whether it was noticed at the end or on the way. */
static void test_writer__tells_who_takes_nothing_from_no_memory(void **state)
{
    (void)state;
    for (int n = 1; n <= 10000; n += 9999) {
        struct pingo__writer w = {.take = refuse};
        pingo__writer_open(&w, NULL, PINGO__WRITER_ARRAY);
        for (int i = 0; i < n; i++)
            pingo__writer_int(&w, NULL, 123456789);
        pingo__writer_close(&w);
        assert_int_equal(pingo__writer_flush(&w), PINGO_EIO);
        assert_int_equal(pingo__writer_flush(&w), PINGO_EIO);
        pingo__writer_clear(&w);
    }
}

static void test_writer__has_no_number_that_is_none(void **state)
{
    struct pingo__writer w = {0};
    (void)state;
    pingo__writer_real(&w, NULL, 0.0 / 0.0, -1);
    pingo__writer_quote(&w.out, "\xff");
    assert_string_equal(pingo__buffer_cstr(&w.out), "null\"\xef\xbf\xbd\"");
    pingo__writer_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer__escapes_what_must_be),
        cmocka_unit_test(test_writer__writes_a_document),
        cmocka_unit_test(test_writer__tells_who_takes_nothing_from_no_memory),
        cmocka_unit_test(test_writer__has_no_number_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
