/* test_memory.c - buffers, readers, arenas and maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/buffer.h"
#include "base/map.h"

static void test_buffer__reads_back_what_was_written(void **state)
{
    struct pingo__buffer b;
    struct pingo__buffer_reader r = {0};
    size_t n;

    (void)state;
    pingo__buffer_init(&b);
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

static void test_buffer__can_be_taken_and_used_again(void **state)
{
    struct pingo__buffer b;
    char *taken;

    (void)state;
    pingo__buffer_init(&b);
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
    struct pingo__buffer b;

    (void)state;
    pingo__buffer_init(&b);
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

static void test_array__grows_and_keeps_what_it_had(void **state)
{
    uint32_t *array = NULL;
    size_t capacity = 0;

    (void)state;
    assert_true(pingo__array_room((void **)&array, &capacity, 0, 0, sizeof *array));
    assert_null(array);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(pingo__array_room((void **)&array, &capacity, i, 1, sizeof *array));
        assert_true(capacity > i);
        array[i] = i;
    }
    assert_true(capacity < 1000 + 1000 / 8 + 17);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    assert_true(pingo__array_room((void **)&array, &capacity, 1000, 5000, sizeof *array));
    assert_int_equal(capacity, 6000);
    assert_int_equal(array[999], 999);
    free(array);
}

static void test_array__refuses_what_cannot_be(void **state)
{
    char *array = malloc(16);
    char *before = array;
    size_t capacity = 16;

    (void)state;
    assert_false(pingo__array_room((void **)&array, &capacity, 16, SIZE_MAX - 8, 1));
    assert_false(pingo__array_room((void **)&array, &capacity, 16, SIZE_MAX / 8, 8));
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, 16);
    free(array);
}

static void test_arena__lends_zeroed_memory_apart(void **state)
{
    static const size_t sizes[] = {0, 1, 7, 16, 100, 5000, 3, 2000000, 40, 60000};
    struct pingo__arena a;

    (void)state;
    pingo__arena_init(&a);
    for (int round = 0; round < 3; round++) {
        unsigned char *lent[200];

        for (size_t i = 0; i < 200; i++) {
            size_t size = sizes[i % 10];

            lent[i] = pingo__arena_alloc(&a, size);
            assert_non_null(lent[i]);
            assert_int_equal((uintptr_t)lent[i] % 16, 0);
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

static void test_map__keeps_what_was_put_in(void **state)
{
    enum { N = 20000 };
    static char keys[N][8];
    struct pingo__map m;
    uint32_t existing;

    (void)state;
    pingo__map_init(&m);
    assert_true(pingo__map_get(&m, "x", 1) == PINGO__MAP_NONE);
    assert_true(pingo__map_remove(&m, "x", 1) == PINGO__MAP_NONE);
    for (uint32_t i = 0; i < N; i++) {
        snprintf(keys[i], sizeof keys[i], "k%u", i);
        assert_true(pingo__map_insert(&m, keys[i], strlen(keys[i]), i, &existing));
        assert_true(existing == PINGO__MAP_NONE);
    }
    assert_int_equal(m.count, N);
    /* Every third goes; the others must still be found past the gaps. */
    for (uint32_t i = 0; i < N; i += 3)
        assert_int_equal(pingo__map_remove(&m, keys[i], strlen(keys[i])), i);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t found = pingo__map_get(&m, keys[i], strlen(keys[i]));
        assert_true(found == (i % 3 == 0 ? PINGO__MAP_NONE : i));
    }
    assert_true(pingo__map_insert(&m, keys[1], 2, 77, &existing));
    assert_int_equal(existing, 1);
    assert_int_equal(pingo__map_get(&m, keys[1], 2), 1);
    assert_true(pingo__map_set(&m, keys[1], 2, 78));
    assert_true(pingo__map_set(&m, "new", 3, 79));
    assert_int_equal(pingo__map_get(&m, keys[1], 2), 78);
    assert_int_equal(pingo__map_get(&m, "new", 3), 79);
    pingo__map_clear(&m);
    assert_true(pingo__map_get(&m, "new", 3) == PINGO__MAP_NONE);
}

static void test_map__knows_keys_by_their_bytes(void **state)
{
    struct pingo__map m;

    (void)state;
    pingo__map_init(&m);
    assert_true(pingo__map_reserve(&m, 100));
    assert_true(pingo__map_insert(&m, NULL, 0, 1, NULL));
    assert_true(pingo__map_insert(&m, "\0", 1, 2, NULL));
    assert_true(pingo__map_insert(&m, "\0\0", 2, 3, NULL));
    assert_true(pingo__map_insert(&m, "12345678", 8, 4, NULL));
    assert_true(pingo__map_insert(&m, "123456789", 9, 5, NULL));
    assert_int_equal(pingo__map_get(&m, "", 0), 1);
    assert_int_equal(pingo__map_get(&m, "\0", 1), 2);
    assert_int_equal(pingo__map_get(&m, "\0\0", 2), 3);
    assert_int_equal(pingo__map_get(&m, "12345678", 8), 4);
    assert_int_equal(pingo__map_get(&m, "123456789", 9), 5);
    assert_false(pingo__map_reserve(&m, SIZE_MAX / 8));
    assert_int_equal(pingo__map_remove(&m, NULL, 0), 1);
    pingo__map_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffer__reads_back_what_was_written),
        cmocka_unit_test(test_reader__failure_is_sticky),
        cmocka_unit_test(test_buffer__can_be_taken_and_used_again),
        cmocka_unit_test(test_buffer__refuses_what_cannot_be),
        cmocka_unit_test(test_array__grows_and_keeps_what_it_had),
        cmocka_unit_test(test_array__refuses_what_cannot_be),
        cmocka_unit_test(test_arena__lends_zeroed_memory_apart),
        cmocka_unit_test(test_map__keeps_what_was_put_in),
        cmocka_unit_test(test_map__knows_keys_by_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
