/* test_arena.c - memory that is freed at once. */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void test_arena__lends_zeroed_memory_apart(void **state)
{
    static const size_t sizes[] = {0, 1, 7, 16, 100, 5000, 3, 2000000, 40, 60000};
    struct pingo__arena a = {0};

    (void)state;
    for (int round = 0; round < 3; round++) {
        unsigned char *lent[200];

        for (size_t i = 0; i < 200; i++) {
            size_t size = sizes[i % 10];

            lent[i] = pingo__arena_alloc(&a, size);
            assert_non_null(lent[i]);
            assert_int_equal((uintptr_t)lent[i] % alignof(max_align_t), 0);
            for (size_t k = 0; k < size; k += 97)
                assert_int_equal(lent[i][k], 0);
            memset(lent[i], (int)(i + 1), size);
        }
        for (size_t i = 0; i < 200; i++)
            for (size_t k = 0; k < sizes[i % 10]; k += 89)
                assert_int_equal(lent[i][k], (i + 1) % 256);
        pingo__arena_reset(&a);
    }
    assert_string_equal(pingo__arena_text(&a, "abcdef", 3), "abc");
    assert_string_equal(pingo__arena_text(&a, NULL, 0), "");
    assert_null(pingo__arena_array(&a, SIZE_MAX / 2, 4));
    assert_null(pingo__arena_alloc(&a, SIZE_MAX));
    assert_null(pingo__arena_text(&a, "", SIZE_MAX));
    pingo__arena_clear(&a);
    pingo__arena_reset(&a);
    assert_null(a.blocks);
}

/* Bytes come from where texts do, and are zeroed as all else is, where texts were before, too. */
static void test_arena__bytes_are_zeroed(void **state)
{
    struct pingo__arena a = {0};
    char text[600];
    (void)state;
    memset(text, 'x', sizeof text);
    for (int round = 0; round < 2; round++) {
        const unsigned char *bytes = pingo__arena_array(&a, sizeof text, sizeof *bytes);
        assert_non_null(bytes);
        for (size_t i = 0; i < sizeof text; i++)
            assert_int_equal(bytes[i], 0);
        for (int i = 0; i < 6; i++)
            assert_non_null(pingo__arena_text(&a, text, sizeof text));
        pingo__arena_reset(&a);
    }
    pingo__arena_clear(&a);
}

/* A large text that comes first is the only block, whatever was in its memory. */
static void test_arena__a_large_text_is_a_block_of_its_own(void **state)
{
    static char text[3000];
    (void)state;
    memset(text, 'x', sizeof text);
    char *dirty = malloc(sizeof text + 17);
    assert_non_null(dirty);
    memset(dirty, 'x', sizeof text + 17);
    free(dirty);
    struct pingo__arena a = {0};
    assert_memory_equal(pingo__arena_text(&a, text, sizeof text), text, sizeof text);
    pingo__arena_clear(&a);
    assert_null(a.blocks);
}

/* Of a block of 4096 bytes: texts take no more than their bytes, whatever stands between them. */
static void test_arena__loses_nothing_between_texts_and_arrays(void **state)
{
    struct pingo__arena a = {0};
    const char *texts[126];
    uint64_t *arrays[126];
    (void)state;
    for (size_t i = 0; i < 126; i++) {
        char text[8];
        snprintf(text, sizeof text, "t%05zu", i);
        assert_non_null(texts[i] = pingo__arena_text(&a, text, 6));
        assert_non_null(arrays[i] = pingo__arena_array(&a, 3, sizeof **arrays));
        assert_int_equal((uintptr_t)arrays[i] % 8, 0);
        for (size_t k = 0; k < 3; k++)
            arrays[i][k] = i;
    }
    assert_int_equal(a.size, 4096);
    assert_int_equal(a.used, 126 * 24);
    assert_int_equal(a.top, 4096 - 126 * 7);
    for (size_t i = 0; i < 126; i++) {
        assert_int_equal(strtoul(texts[i] + 1, NULL, 10), i);
        assert_int_equal(arrays[i][2], i);
    }
    assert_non_null(pingo__arena_array(&a, 30, sizeof **arrays));
    assert_int_equal(a.size, 8192);
    pingo__arena_reset(&a);
    assert_int_equal(a.top, 8192);
    pingo__arena_clear(&a);
}

static void test_arena__formats(void **state)
{
    struct pingo__arena a = {0};
    (void)state;
    assert_string_equal(pingo__arena_format(&a, "%s-%d", "a", 7), "a-7");
    assert_string_equal(pingo__arena_format(&a, "%s", ""), "");
    assert_int_equal(strlen(pingo__arena_format(&a, "%9000d", 1)), 9000);
    pingo__arena_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena__lends_zeroed_memory_apart),
        cmocka_unit_test(test_arena__bytes_are_zeroed),
        cmocka_unit_test(test_arena__a_large_text_is_a_block_of_its_own),
        cmocka_unit_test(test_arena__loses_nothing_between_texts_and_arrays),
        cmocka_unit_test(test_arena__formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
