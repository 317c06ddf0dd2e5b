/* test_map.c - from byte strings to numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

static void test_map__keeps_what_was_put_in(void **state)
{
    enum { N = 20000 };
    static char keys[N][8];
    struct pingo__map m = {0};
    uint32_t existing;

    (void)state;
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
    struct pingo__map m = {0};

    (void)state;
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

/* Few keys are a list, more are hashed: what holds of one holds of the other, and between them. */
static void test_map__finds_each_key_at_every_size(void **state)
{
    enum { N = 40 };
    static char keys[N][8];
    struct pingo__arena arena = {0};
    uint32_t existing;

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        snprintf(keys[i], sizeof keys[i], "k%u", i);
    for (uint32_t n = 0; n <= N; n++) {
        struct pingo__map m = {.arena = &arena};
        for (uint32_t i = 0; i < n; i++)
            assert_true(pingo__map_insert(&m, keys[i], strlen(keys[i]), i, NULL));
        for (uint32_t i = 0; i < n; i++) {
            assert_true(pingo__map_insert(&m, keys[i], strlen(keys[i]), 99, &existing));
            assert_int_equal(existing, i);
        }
        assert_int_equal(m.count, n);
        for (uint32_t i = 0; i < n; i += 2)
            assert_int_equal(pingo__map_remove(&m, keys[i], strlen(keys[i])), i);
        for (uint32_t i = 0; i < N; i++)
            assert_true(pingo__map_get(&m, keys[i], strlen(keys[i])) ==
                        (i < n && i % 2 ? i : PINGO__MAP_NONE));
        if (n % 2)
            pingo__map_clear(&m); /* which need not be, and leaves the arena's memory alone */
    }
    pingo__arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map__keeps_what_was_put_in),
        cmocka_unit_test(test_map__knows_keys_by_their_bytes),
        cmocka_unit_test(test_map__finds_each_key_at_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
