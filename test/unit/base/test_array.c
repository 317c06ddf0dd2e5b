/* test_array.c - arrays that grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void test_array__grows_and_keeps_what_it_had(void **state)
{
    uint32_t *array = NULL;
    size_t capacity = 0;

    (void)state;
    assert_true(PINGO__ARRAY_ROOM(array, capacity, 0, 0));
    assert_null(array);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(PINGO__ARRAY_ROOM(array, capacity, i, 1));
        assert_true(capacity > i);
        array[i] = i;
    }
    assert_true(capacity < 1000 + 1000 / 8 + 17);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    assert_true(PINGO__ARRAY_ROOM(array, capacity, 1000, 5000));
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

static void test_array__sorts_by_number(void **state)
{
    uint32_t n[] = {7, UINT32_MAX, 0, 7, 1};
    static const uint32_t sorted[] = {0, 1, 7, 7, UINT32_MAX};
    (void)state;
    qsort(n, 5, sizeof *n, pingo__array_by_number);
    assert_memory_equal(n, sorted, sizeof n);
}

/* Structs may begin with it. */
static void test_array__sorts_by_id_and_by_text(void **state)
{
    struct {
        int64_t id;
        int64_t more;
    } ids[] = {{7, 1}, {INT64_MIN, 2}, {INT64_MAX, 3}, {-1, 4}};
    const char *texts[] = {"b", "", "ab", "a"};
    static const int64_t order[] = {2, 4, 1, 3};
    static const char *const sorted[] = {"", "a", "ab", "b"};
    (void)state;
    qsort(ids, 4, sizeof *ids, pingo__array_by_id);
    qsort(texts, 4, sizeof *texts, pingo__array_by_text);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ids[i].more, order[i]);
        assert_string_equal(texts[i], sorted[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array__grows_and_keeps_what_it_had),
        cmocka_unit_test(test_array__refuses_what_cannot_be),
        cmocka_unit_test(test_array__sorts_by_number),
        cmocka_unit_test(test_array__sorts_by_id_and_by_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
