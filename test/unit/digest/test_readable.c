/* test_readable.c - values as text for people: words as a shell reads them, and long texts cut around a place, never within a
 * character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "digest/readable.h"

static void shows(enum pingo_field_kind kind, const char *const *values, size_t n, const char *shown)
{
    struct pingo_field field = {.key = "k", .kind = kind, .values = values, .nvalues = n};
    struct pingo__buffer b = {0};
    pingo__digest_readable_field(&b, &field);
    assert_string_equal(pingo__buffer_cstr(&b), shown);
    pingo__buffer_clear(&b);
}

#define ALL(...)                                                                                   \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static void test_readable__fields(void **state)
{
    (void)state;
    shows(PINGO_FIELD_TEXT, ALL("it's plain"), "it's plain"); /* one text is no word */
    shows(PINGO_FIELD_FLAG, ALL("true"), "true");
    shows(PINGO_FIELD_TEXTS, NULL, 0, "");
    shows(PINGO_FIELD_TEXTS, ALL("sort", "-k", "a b", ""), "sort -k 'a b' ''");
    shows(PINGO_FIELD_PAIRS, NULL, 0, "");
    shows(PINGO_FIELD_PAIRS, ALL("A", "1", "B", "x y"), "A=1 B='x y'");
    shows(PINGO_FIELD_PAIRS, ALL("A", ""), "A=''");
}

/* No control character goes to a terminal, and no line ends where none should. */
static void test_readable__control_characters_are_shown(void **state)
{
    static const char *const hostile[] = {"a\nb\x1b[31m\x7f"};
    static const enum pingo_field_kind kinds[] = {PINGO_FIELD_TEXT, PINGO_FIELD_TEXTS};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pingo_field field = {.key = "k", .kind = kinds[i], .values = hostile, .nvalues = 1};
        struct pingo__buffer b = {0};
        pingo__digest_readable_field(&b, &field);
        for (size_t k = 0; k < b.length; k++)
            assert_true((unsigned char)b.data[k] >= ' ' && b.data[k] != 127);
        assert_non_null(strstr(pingo__buffer_cstr(&b), "[31m"));
        pingo__buffer_clear(&b);
    }
}

/* Of a text of characters of so many bytes: whole ones, the place among them, and dots where something is left out. */
static void cut_well(const char *text, size_t at)
{
    struct pingo__buffer b = {0};
    size_t length = strlen(text);
    pingo__buffer_text(&b, text);
    pingo__digest_readable_shorten(&b, at);
    const char *cut = pingo__buffer_cstr(&b);
    assert_non_null(cut);
    assert_true(pingo__text_is_utf8(cut, b.length));
    if (length <= 160 || (length <= 166 && b.length == length)) {
        assert_string_equal(cut, text);
    } else {
        bool before = strncmp(cut, "...", 3) == 0;
        bool after = b.length > 3 && strcmp(cut + b.length - 3, "...") == 0;
        size_t n = b.length - 3 * (size_t)before - 3 * (size_t)after;
        assert_in_range(n, 160, 166);
        const char *found = text;
        if (before)
            found = after ? NULL : text + length - n;
        for (size_t i = 0; before && after && i + n <= length; i++) {
            size_t most = at > 40 ? at - 40 : 0; /* what comes before it is shown, too, or nearly */
            if (i <= most && i + 4 > most && strncmp(text + i, cut + 3, n) == 0)
                found = text + i;
        }
        assert_non_null(found);
        assert_memory_equal(found, cut + 3 * before, n);
        size_t place = at < length ? at : length - 1;
        assert_in_range(place, (size_t)(found - text), (size_t)(found - text) + n - 1);
    }
    pingo__buffer_clear(&b);
}

static void test_readable__long_texts_are_cut_around_the_place(void **state)
{
    static const char *const characters[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    static const size_t lengths[] = {0, 1, 159, 160, 161, 170, 250, 500};
    (void)state;
    for (size_t c = 0; c < 4; c++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            char text[600] = "";
            for (size_t shift = 0; shift < 2; shift++) {
                strcpy(text, shift ? "x" : "");
                while (strlen(text) + strlen(characters[c]) <= lengths[l])
                    strcat(text, characters[c]);
                for (size_t at = 0; at <= strlen(text); at += at > 90 && at < 400 ? 13 : 1)
                    cut_well(text, at);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readable__fields),
        cmocka_unit_test(test_readable__control_characters_are_shown),
        cmocka_unit_test(test_readable__long_texts_are_cut_around_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
