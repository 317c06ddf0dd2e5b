/* test_job.c - jobs as bytes, and hostile bytes as jobs: with the target of the fuzzer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fuzz/errand_target.h"

static void test_job__jobs_read_back(void **state)
{
    static const char *const argv[] = {"a", "", NULL}, *const env[] = {"X=1", NULL};
    static const char *const readable[] = {"/r", "/s", NULL};
    const struct pingo_hash content = {{7}};
    const struct pingo_job_link links[] = {
        {.name = "n", .target = "/t"},
        {.name = "d/o", .target = "/o", .copy = true},
        {.name = "p", .target = "/p", .copy = true, .content = &content}};
    const struct pingo_job job = {.key = {1, 2},
                                  .argv = argv,
                                  .env = env,
                                  .links = links,
                                  .nlinks = 3,
                                  .confine = true,
                                  .readable = readable,
                                  .attempt_dir = "/a",
                                  .staged_path = "/s",
                                  .output = "o",
                                  .cpus = 3,
                                  .memory_bytes = 4,
                                  .time_limit_ms = 5};
    struct pingo__buffer b = {0};
    struct pingo__runner_job back;
    (void)state;
    pingo__runner_put_job(&b, &job);
    struct pingo__buffer_reader whole = {b.data, b.length, 0, false};
    assert_int_equal(pingo__runner_get_job(&whole, &back), 0);
    assert_string_equal(back.argv[0], "a");
    assert_string_equal(back.argv[1], "");
    assert_null(back.argv[2]);
    assert_string_equal(back.env[0], "X=1");
    assert_string_equal(back.links[0].target, "/t");
    assert_false(back.links[0].copy);
    assert_true(back.links[1].copy);
    assert_null(back.links[1].content);
    assert_memory_equal(back.links[2].content, &content, sizeof content);
    assert_true(back.confine);
    assert_string_equal(back.readable[1], "/s");
    assert_null(back.readable[2]);
    assert_string_equal(back.output, "o");
    assert_int_equal(back.cpus, 3);
    pingo__runner_job_clear(&back);
    /* Cut anywhere, it is refused. */
    for (size_t n = 0; n < b.length; n++) {
        char *cut = malloc(n ? n : 1); /* of exactly that size, for the sanitizer */
        assert_non_null(cut);
        memcpy(cut, b.data, n);
        struct pingo__buffer_reader reader = {cut, n, 0, false};
        assert_int_equal(pingo__runner_get_job(&reader, &back), PINGO_ECORRUPT);
        pingo__runner_job_clear(&back);
        free(cut);
    }
    pingo__buffer_clear(&b);
}

/* Each bit and each length, with a checksum that fits, so that what follows is looked at too. */
static void test_job__hostile_bytes_are_refused(void **state)
{
    static const char *const argv[] = {"sh", "-c", "true", NULL}, *const env[] = {"X=1", NULL};
    const struct pingo_job_link links[] = {{.name = "n", .target = "/t", .copy = true}};
    const struct pingo_job job = {.key = {1, 2},
                                  .argv = argv,
                                  .env = env,
                                  .links = links,
                                  .nlinks = 1,
                                  .attempt_dir = "/a",
                                  .staged_path = "/s",
                                  .cpus = 1};
    size_t n, read = 0;
    uint8_t *bytes = fuzz_errand_of(&job, &n);
    (void)state;
    assert_int_equal(fuzz_errand(bytes, n), 0);
    for (size_t length = 0; length < n; length++)
        assert_int_not_equal(fuzz_errand(bytes, length), 0);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        read += fuzz_errand(bytes, n) == 0;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(read > n); /* texts and numbers may be anything */
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job__jobs_read_back),
        cmocka_unit_test(test_job__hostile_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
