/* test_job.c - memory that a type renders a job into: copies, which live as long as the job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <pingo/action_type.h>

#include "base/arena.h"

static void test_job__gives_memory_of_its_own(void **state)
{
    struct pingo__arena arena = {0};
    struct pingo_job job = {.arena = &arena};
    char text[] = "some\0more";
    (void)state;
    char *copy = pingo_job_text(&job, text, 9), *part = pingo_job_text(&job, text, 2);
    memset(text, 'x', sizeof text);
    assert_memory_equal(copy, "some\0more", 10); /* with a NUL behind it */
    assert_string_equal(part, "so");
    int64_t *numbers = pingo_job_memory(&job, 3 * sizeof *numbers);
    assert_int_equal((uintptr_t)numbers % sizeof *numbers, 0);
    for (int i = 0; i < 3; i++)
        numbers[i] = i;
    assert_string_equal(part, "so");
    pingo__arena_clear(&arena);
}

static void test_job__without_memory_there_is_none(void **state)
{
    struct pingo_job job = {.arena = NULL};
    (void)state;
    assert_null(pingo_job_text(&job, "text", 4));
    assert_null(pingo_job_memory(&job, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job__gives_memory_of_its_own),
        cmocka_unit_test(test_job__without_memory_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
