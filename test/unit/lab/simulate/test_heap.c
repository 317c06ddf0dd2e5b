/* test_heap.c - a heap of pointers gives the least one, whatever came and went in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/simulate/heap.h"

enum { MOST = 500 };

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void test_heap__gives_the_least_first(void **state)
{
    static uint32_t numbers[MOST];
    bool in[MOST] = {false};
    struct pingo__lab_heap h = {.compare = by_number};
    uint32_t random = 1;
    size_t n = 0;
    (void)state;
    for (uint32_t i = 0; i < MOST; i++)
        numbers[i] = i;
    for (int round = 0; round < 20000; round++) {
        random = random * 1664525 + 1013904223;
        uint32_t i = (random >> 8) % MOST;
        bool fills = round / 2000 % 2 == 0; /* now it grows, now it shrinks to nothing */
        if ((random >> 28) % 4 != 0 ? fills : !fills) {
            if (in[i])
                continue;
            assert_true(pingo__lab_heap_push(&h, &numbers[i]));
            in[i] = true;
            n++;
        } else {
            uint32_t least = 0;
            while (least < MOST && !in[least])
                least++;
            void *expected = least < MOST ? &numbers[least] : NULL;
            assert_ptr_equal(pingo__lab_heap_first(&h), expected);
            assert_ptr_equal(pingo__lab_heap_pop(&h), expected);
            if (expected) {
                in[least] = false;
                n--;
            }
        }
        assert_int_equal(h.n, n);
    }
    pingo__lab_heap_clear(&h);
}

static void test_heap__is_empty_and_usable_after_clear(void **state)
{
    static uint32_t one = 1, two = 2;
    struct pingo__lab_heap h = {.compare = by_number};
    (void)state;
    assert_null(pingo__lab_heap_first(&h));
    assert_null(pingo__lab_heap_pop(&h));
    assert_true(pingo__lab_heap_push(&h, &two));
    pingo__lab_heap_clear(&h);
    assert_null(pingo__lab_heap_first(&h));
    assert_true(pingo__lab_heap_push(&h, &two) && pingo__lab_heap_push(&h, &one));
    assert_ptr_equal(pingo__lab_heap_pop(&h), &one);
    pingo__lab_heap_clear(&h);
    pingo__lab_heap_clear(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heap__gives_the_least_first),
        cmocka_unit_test(test_heap__is_empty_and_usable_after_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
