/* test_lines.c - line and column of every byte of a text, however its lines lie to the pieces in which they are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "json/document.h"

enum { LENGTH = 3 * 4096 + 17 };

/* A string of JSON's with white space about it, whose line ends lie where said. */
static void every_byte_has_its_place(const char *text)
{
    struct pingo__json_document d;
    struct pingo__json_fault fault;
    struct pingo_error err;
    size_t line = 1, column = 1, l = 0, c = 0;
    assert_int_equal(pingo__json_open(&d, text, LENGTH, &fault, &err), 0);
    /* The first that is asked for may be any. */
    assert_true(pingo__json_position(&d, LENGTH / 2, &l, &c));
    for (size_t i = 0; i <= LENGTH; i++) {
        assert_true(pingo__json_position(&d, i, &l, &c));
        assert_int_equal(l, line);
        assert_int_equal(c, column);
        column = i < LENGTH && text[i] == '\n' ? 1 : column + 1;
        line += i < LENGTH && text[i] == '\n';
    }
    assert_true(pingo__json_position(&d, SIZE_MAX, &l, &c)); /* behind the end: its end */
    assert_int_equal(l, line);
    assert_int_equal(c, column - 1);
    pingo__json_close(&d);
}

static void test_lines__every_byte_has_its_place(void **state)
{
    static char text[LENGTH];
    unsigned seed = 1;
    (void)state;
    memset(text, ' ', sizeof text); /* one line */
    text[LENGTH / 3] = '1';
    every_byte_has_its_place(text);
    memset(text, '\n', sizeof text); /* nothing but ends of lines */
    text[LENGTH / 3] = '1';
    every_byte_has_its_place(text);
    for (size_t piece = 4096; piece < LENGTH; piece += 4096) /* just at the pieces */
        for (size_t at = piece - 2; at <= piece + 1; at++) {
            memset(text, ' ', sizeof text);
            text[at] = '\n';
            text[0] = '1';
            every_byte_has_its_place(text);
        }
    for (int round = 0; round < 20; round++) { /* anywhere; a CR ends none */
        memset(text, ' ', sizeof text);
        for (int i = 0; i < 1 << round % 12; i++) {
            seed = seed * 1103515245 + 12345;
            text[(seed >> 8) % LENGTH] = (seed >> 24) % 4 ? '\n' : '\r';
        }
        text[LENGTH / 3] = '1';
        every_byte_has_its_place(text);
    }
}

static void test_lines__an_empty_rest(void **state)
{
    struct pingo__json_document d;
    struct pingo__json_fault fault;
    struct pingo_error err;
    size_t line, column;
    (void)state;
    assert_int_equal(pingo__json_open(&d, "1", 1, &fault, &err), 0);
    assert_true(pingo__json_position(&d, 0, &line, &column));
    assert_int_equal(column, 1);
    assert_true(pingo__json_position(&d, 1, &line, &column));
    assert_int_equal(line, 1);
    assert_int_equal(column, 2);
    pingo__json_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines__every_byte_has_its_place),
                                       cmocka_unit_test(test_lines__an_empty_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
