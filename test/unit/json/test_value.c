/* test_value.c - values, their spelling, and where they stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/value.h"

struct opened {
    struct pingo__json_document document;
    struct pingo__json_element element;
};

/* In texts a ' stands for ". */
static const struct pingo__json_value *open_text(struct opened *o, char *text)
{
    struct pingo__json_fault fault;
    struct pingo_error err;

    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    assert_int_equal(pingo__json_open(&o->document, text, strlen(text), &fault, &err), 0);
    o->element = (struct pingo__json_element){.document = &o->document};
    assert_true(pingo__json_element_open(&o->element, o->document.offset));
    assert_int_equal(o->element.end, strlen(text));
    return o->element.root;
}

static void close_text(struct opened *o)
{
    pingo__json_element_clear(&o->element);
    pingo__json_close(&o->document);
}

static void test_value__reads_every_kind(void **state)
{
    char text[] = "{'n':null,'t':true,'f':false,'i':7,'s':'a\\u00e9\\n','a':[1,2],'o':{'x':[]}}";
    static const enum pingo__json_kind kinds[] = {
        PINGO__JSON_NULL,   PINGO__JSON_BOOLEAN, PINGO__JSON_BOOLEAN, PINGO__JSON_NUMBER,
        PINGO__JSON_STRING, PINGO__JSON_ARRAY,   PINGO__JSON_OBJECT};
    static const char *const keys[] = {"n", "t", "f", "i", "s", "a", "o"};
    struct opened o;
    const struct pingo__json_value *v = pingo__json_first(open_text(&o, text));
    int64_t integer;

    (void)state;
    for (size_t i = 0; i < 7; i++, v = pingo__json_next(v)) {
        assert_int_equal(pingo__json_kind(v), kinds[i]);
        assert_string_equal(pingo__json_key(v), keys[i]);
    }
    assert_null(v);
    assert_true(pingo__json_is_true(pingo__json_find(&o.element, "/t")));
    assert_false(pingo__json_is_true(pingo__json_find(&o.element, "/f")));
    assert_string_equal(pingo__json_text(pingo__json_find(&o.element, "/s")), "a\xc3\xa9\n");
    assert_int_equal(
        pingo__json_integer(&o.element, pingo__json_find(&o.element, "/a/1"), &integer), 1);
    assert_int_equal(integer, 2);
    assert_int_equal(pingo__json_integer(&o.element, pingo__json_find(&o.element, "/s"), &integer),
                     0);
    assert_null(pingo__json_first(pingo__json_find(&o.element, "/o/x")));
    close_text(&o);
}

static void test_value__is_found_along_keys(void **state)
{
    char text[] = "{'a':{'b':{'c':7,'d':'x'}},'ab':1,'l':[{'b':2}],'n':null}";
    struct opened o;
    const struct pingo__json_value *root = open_text(&o, text);
    (void)state;
    assert_int_equal(pingo__json_integer_at(&o.element, root, "a.b.c", -1), 7);
    assert_int_equal(pingo__json_integer_at(&o.element, root, "a.b.d", -1), -1);
    assert_int_equal(pingo__json_integer_at(&o.element, root, "l.b", -1), -1); /* it is an array */
    assert_string_equal(pingo__json_text_at(root, "a.b.d", ""), "x");
    assert_string_equal(pingo__json_text_at(root, "a.b.c", ""), "");
    assert_null(pingo__json_text_at(root, "a.x.d", NULL));
    assert_int_equal(pingo__json_kind(pingo__json_at(root, "n")), PINGO__JSON_NULL);
    assert_null(pingo__json_at(NULL, "a"));
    close_text(&o);
    /* Of an answer that is none, nothing was opened. */
    struct pingo__json_element none = {.root = NULL};
    assert_int_equal(pingo__json_integer_at(&none, NULL, "a.b", -1), -1);
    assert_string_equal(pingo__json_text_at(NULL, "a.b", ""), "");
}

static void test_value__integers_are_spelled_as_such(void **state)
{
    static const struct {
        const char *spelling;
        int is_integer;
        int64_t value; /* nearly, where it is none */
    } rows[] = {
        {"0", 1, 0},      {"9007199254740991", 1, INT64_C(9007199254740991)},
        {"1.0", 0, 1},    {"-0", 0, 0},
        {"1e3", 0, 1000}, {"-1", 0, -1},
        {"1.5", 0, -1},   {"9007199254740992", 0, -1},
        {"1e300", 0, -1}, {"9007199254740993", 0, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct opened o;
        char text[64];
        const struct pingo__json_value *v;
        int64_t integer = -7;
        size_t n;

        snprintf(text, sizeof text, "[ [0.5], %s ]", rows[i].spelling);
        open_text(&o, text);
        v = pingo__json_find(&o.element, "/1");
        assert_int_equal(pingo__json_integer(&o.element, v, &integer), rows[i].is_integer);
        assert_true(rows[i].is_integer ? integer == rows[i].value
                                       : pingo__json_nearly_integer(v) == rows[i].value);
        assert_memory_equal(pingo__json_spelling(&o.element, v, &n), rows[i].spelling,
                            strlen(rows[i].spelling));
        assert_int_equal(n, strlen(rows[i].spelling));
        close_text(&o);
    }
}

static void test_value__knows_where_it_stands(void **state)
{
    char text[] = "{'a' : [10, 'b:', {'c':true, '': {}}], 'd\\\\':[[[]],{}], '/~': null,'e':\t-1}";
    static const struct {
        const char *pointer;
        uint32_t key, value;
    } rows[] = {
        {"", 0, 0},
        {"/a", 1, 7},
        {"/a/0", 0, 8},
        {"/a/1", 0, 12},
        {"/a/2", 0, 18},
        {"/a/2/c", 19, 23},
        {"/a/2/", 29, 33},
        {"/d\\", 39, 45},
        {"/d\\/0/0", 0, 47},
        {"/d\\/1", 0, 51},
        {"/~1~0", 56, 62},
        {"/e", 67, 72},
        /* What leads nowhere stops on the way. */
        {"/x", 0, 0},
        {"/a/9", 1, 7},
        {"/a/0/x", 0, 8},
    };
    struct opened o;

    (void)state;
    open_text(&o, text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo__json_spot spot;
        const struct pingo__json_value *v = pingo__json_find(&o.element, rows[i].pointer);

        assert_true(pingo__json_spot(&o.element, v, &spot));
        assert_int_equal(spot.key, rows[i].key);
        assert_int_equal(spot.value, rows[i].value);
    }
    close_text(&o);
}

static void test_value__goes_from_element_to_element(void **state)
{
    char text[] = "{'l':[ 1 ,[2,']'],{'a':[]}\n,'x'],'e':[ ]}";
    static const size_t offsets[] = {7, 10, 18, 28};
    struct opened o;
    size_t n = 0;

    (void)state;
    open_text(&o, text);
    for (size_t at = pingo__json_next_element(&o.document, 6); at != 0;
         at = pingo__json_next_element(&o.document, o.element.end)) {
        assert_int_equal(at, offsets[n++]);
        assert_true(pingo__json_element_open(&o.element, at));
    }
    assert_int_equal(n, 4);
    assert_int_equal(pingo__json_next_element(&o.document, 38), 0);
    close_text(&o);
}

static void test_value__finds_many_in_linear_time(void **state)
{
    enum { N = 100000 };
    char *text = malloc(N * 24), *at = text, pointer[40];
    struct opened o;
    struct pingo__json_spot spot;

    (void)state;
    assert_non_null(text);
    at = stpcpy(at, "[[");
    for (int i = 0; i < N; i++)
        at += sprintf(at, "%s%d", i == 0 ? "" : ",", i % 10);
    at = stpcpy(at, "],{");
    for (int i = 0; i < N; i++)
        at += sprintf(at, "%s'k%d':%d", i == 0 ? "" : ",", i, i % 10);
    stpcpy(at, "}]");
    open_text(&o, text);
    /* Quadratic, this would take minutes. */
    for (int i = 0; i < N; i++) {
        snprintf(pointer, sizeof pointer, "/0/%d", i);
        assert_true(pingo__json_spot(&o.element, pingo__json_find(&o.element, pointer), &spot));
        assert_int_equal(text[spot.value], '0' + i % 10);
        snprintf(pointer, sizeof pointer, "/1/k%d", i);
        assert_true(pingo__json_spot(&o.element, pingo__json_find(&o.element, pointer), &spot));
        assert_int_equal(text[spot.value], '0' + i % 10);
    }
    /* And back. */
    assert_true(pingo__json_spot(&o.element, pingo__json_find(&o.element, "/0/3"), &spot));
    assert_int_equal(text[spot.value], '3');
    assert_true(pingo__json_spot(&o.element, pingo__json_find(&o.element, "/1/k4"), &spot));
    assert_int_equal(text[spot.value], '4');
    close_text(&o);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value__reads_every_kind),
        cmocka_unit_test(test_value__is_found_along_keys),
        cmocka_unit_test(test_value__integers_are_spelled_as_such),
        cmocka_unit_test(test_value__knows_where_it_stands),
        cmocka_unit_test(test_value__goes_from_element_to_element),
        cmocka_unit_test(test_value__finds_many_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
