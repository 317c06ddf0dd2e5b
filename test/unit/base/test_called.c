/* test_called.c - what a result is called where it is put. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/error.h>

#include "base/called.h"

/* "dir/", and behind it the name of action 7. */
static void check(const char *name, const char *output, const char *wanted)
{
    struct pingo__buffer b = {0};
    const char *suffixes = pingo__called_suffixes(output);
    pingo__buffer_text(&b, "dir/");
    pingo__called_put(&b, 4, name, pingo__called_stem(name, suffixes));
    pingo__called_put(&b, 4, suffixes, strlen(suffixes));
    pingo__called_end(&b, 4, 7);
    char *got = pingo__buffer_take(&b);
    assert_non_null(got);
    assert_string_equal(got + 4, wanted);
    free(got);
}

static void test_called__by_its_action_with_the_suffixes_of_the_output(void **state)
{
    (void)state;
    check("words", "output", "words");
    check("words", "x.txt", "words.txt");
    check("words.txt", "x.txt", "words.txt");
    check("call.vcf", "x.vcf.gz", "call.vcf.gz");
    check("call.gz", "x.vcf.gz", "call.vcf.gz");
    check("words", "..x.tar.gz", "words.tar.gz");
    check("words", "x.", "words");
}

static void test_called__is_one_part_of_a_path(void **state)
{
    char longer[302];
    (void)state;
    check("../a/b", "output", "_._a_b");
    check("", "output", "_");
    check("a\nb\xc2\x9b"
          "c\xe2\x80\xae",
          "output", "a_b_c_");
    check("a\xff", "output", "a\xff"); /* no text, and harmless */
    for (size_t i = 0; i < sizeof longer - 2; i += 2)
        memcpy(longer + i, "\xc3\xa9", 2);
    longer[sizeof longer - 2] = '\0';
    char wanted[200];
    memcpy(wanted, longer, 180);
    strcpy(wanted + 180, "-7");
    check(longer, "output", wanted); /* not cut within a character */
    check(longer, "x.t", wanted);
}

struct called {
    char *names[5];
    char made[5][16];
};

/* NAME-I */
static int give_id(void *context, size_t i)
{
    struct called *c = context;
    snprintf(c->made[i], sizeof c->made[i], "%s-%zu", c->names[i], i);
    c->names[i] = c->made[i];
    return 0;
}

static void test_called__apart_where_names_repeat(void **state)
{
    static char x[] = "x", y[] = "y", other[] = "x-2";
    static const char *const wanted[] = {"x-0", "y", "x-2", "x-2-3", "y"};
    struct called c = {.names = {x, y, x, other, y}};
    size_t clash[2] = {9, 9};
    (void)state;
    assert_int_equal(pingo__called_apart(c.names, 4, give_id, &c, clash), 0);
    for (int i = 0; i < 4; i++)
        assert_string_equal(c.names[i], wanted[i]);
    assert_int_equal(pingo__called_apart(c.names, 4, NULL, NULL, clash), 0);
    assert_int_equal(pingo__called_apart(c.names, 5, NULL, NULL, clash), PINGO_EAMBIGUOUS);
    assert_int_equal(clash[0], 1);
    assert_int_equal(clash[1], 4);
    assert_int_equal(pingo__called_apart(c.names, 0, give_id, &c, clash), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_called__by_its_action_with_the_suffixes_of_the_output),
        cmocka_unit_test(test_called__is_one_part_of_a_path),
        cmocka_unit_test(test_called__apart_where_names_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
