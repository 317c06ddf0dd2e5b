/* test_copy.c - a job that outlives the call of start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "executor/context.h"

static void test_copy__a_job_outlives_the_call(void **state)
{
    struct pingo__arena arena = {0};
    struct pingo_hash content = {{7}};
    char word[] = "echo", name[] = "in", target[] = "/t", place[] = "webhdfs://h/p";
    const struct pingo_counter licences[] = {{.name = name, .n = 3}};
    const char *argv[] = {word, NULL}, *env[] = {NULL}, *places[] = {place, NULL};
    struct pingo_job_link links[] = {{.name = name, .content = &content},
                                     {.name = name, .target = target}};
    const struct pingo_job job = {.key = {1, 2},
                                  .argv = argv,
                                  .env = env,
                                  .links = links,
                                  .nlinks = 2,
                                  .places = places,
                                  .licences = licences,
                                  .nlicences = 1,
                                  .name = name};
    struct pingo_job copy;
    (void)state;
    assert_int_equal(pingo__executor_copy(&arena, &job, &copy, NULL), 0);
    memset(word, 'x', 4);
    memset(name, 'x', 2);
    memset(target, 'x', 2);
    memset(place, 'x', 4);
    memset(&content, 0, sizeof content);
    assert_string_equal(copy.argv[0], "echo");
    assert_null(copy.argv[1]);
    assert_null(copy.env[0]);
    assert_null(copy.readable);
    assert_string_equal(copy.links[0].name, "in");
    assert_null(copy.links[0].target);
    assert_int_equal(copy.links[0].content->bytes[0], 7);
    assert_string_equal(copy.links[1].target, "/t");
    assert_string_equal(copy.places[0], "webhdfs://h/p");
    assert_null(copy.places[1]);
    assert_string_equal(copy.licences[0].name, "in");
    assert_int_equal(copy.licences[0].n, 3);
    assert_string_equal(copy.name, "in");
    pingo__arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy__a_job_outlives_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
