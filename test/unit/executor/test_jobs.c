/* test_jobs.c - what helps those who write executors: jobs by key and their ends, and how long to wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <pingo/executor.h>

#include "base/mix.h"

static struct pingo_job_key key_of(int64_t n)
{
    return (struct pingo_job_key){n, n % 3 + 1};
}

struct told {
    struct pingo_jobs *jobs;
    int64_t actions[8];
    size_t n, size; /* size: of the last end */
    bool keep;
};

static void on_end(void *context, const struct pingo_job_end *end)
{
    struct told *told = context;
    assert_true(told->n < 8);
    told->actions[told->n++] = end->key.action;
    told->size = end->size;
    if (!told->keep)
        pingo_jobs_remove(told->jobs, end->key);
}

/* Against an array: added and removed by chance, in the order in which they came. */
static void test_jobs__order_and_bytes_stay(void **state)
{
    enum { N = 400 };
    struct pingo_jobs *jobs = pingo_jobs_new(sizeof(int64_t));
    bool there[N + 1] = {false};
    int64_t came[4 * N], *own[N + 1] = {NULL};
    size_t n = 0;
    (void)state;
    for (uint64_t i = 0; i < 3 * N; i++) {
        int64_t a = (int64_t)(pingo__mix(i) % N) + 1;
        if (there[a]) {
            pingo_jobs_remove(jobs, key_of(a));
            assert_null(pingo_jobs_find(jobs, key_of(a)));
            for (size_t k = 0; k < n; k++)
                came[k] = came[k] == a ? 0 : came[k];
        } else {
            own[a] = pingo_jobs_add(jobs, key_of(a));
            assert_int_equal(*own[a], 0);
            *own[a] = came[n++] = a;
            assert_ptr_equal(pingo_jobs_add(jobs, key_of(a)), own[a]);
        }
        there[a] = !there[a];
    }
    size_t at = 0, count = 0;
    for (const int64_t *job = NULL; (job = pingo_jobs_next(jobs, job)); at++, count++) {
        while (came[at] == 0)
            at++;
        assert_int_equal(*job, came[at]);
        assert_ptr_equal(job, own[*job]);
        assert_int_equal(pingo_jobs_key(job).action, *job);
    }
    assert_int_equal(count, pingo_jobs_count(jobs, false));
    pingo_jobs_free(jobs);
    pingo_jobs_free(NULL);
}

static void test_jobs__ends_are_told_until_they_are_taken(void **state)
{
    struct told told = {.jobs = pingo_jobs_new(0), .keep = true};
    const struct pingo_executor_reports reports = {.context = &told, .ended = on_end};
    (void)state;
    for (int64_t i = 1; i <= 4; i++)
        assert_non_null(pingo_jobs_add(told.jobs, key_of(i)));
    pingo_jobs_end(told.jobs, &(struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                                      .key = key_of(9)}); /* nobody's */
    pingo_jobs_end(told.jobs, &(struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                                      .key = key_of(3),
                                                      .exit_code = 1});
    pingo_jobs_end(told.jobs, &(struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                                      .key = key_of(3),
                                                      .exit_code = 2});
    pingo_jobs_end(told.jobs,
                   &(struct pingo_job_end){.size = sizeof(struct pingo_job_end), .key = key_of(1)});
    assert_int_equal(pingo_jobs_count(told.jobs, true), 2);
    assert_int_equal(pingo_jobs_count(told.jobs, false), 2);
    assert_true(pingo_jobs_has_ended(pingo_jobs_find(told.jobs, key_of(1))));
    assert_false(pingo_jobs_has_ended(pingo_jobs_find(told.jobs, key_of(2))));
    pingo_jobs_tell(told.jobs, &reports);
    told.keep = false;
    pingo_jobs_tell(told.jobs, &reports);
    pingo_jobs_tell(told.jobs, &reports);
    assert_int_equal(told.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(told.actions[i], i % 2 ? 3 : 1);
    assert_int_equal(pingo_jobs_count(told.jobs, true), 0);
    /* One without a size is told as that of its job, so that it is seen what is wrong with it. */
    pingo_jobs_end(told.jobs, &(struct pingo_job_end){.key = key_of(2)});
    pingo_jobs_tell(told.jobs, &reports);
    assert_int_equal(told.n, 5);
    assert_int_equal(told.actions[4], 2);
    assert_int_equal(told.size, 0);
    pingo_jobs_free(told.jobs);
}

static void test_jobs__pauses_grow_and_differ(void **state)
{
    struct pingo_backoff backoff = {.first_ms = 100, .most_ms = 1000};
    int64_t expected = 100;
    bool differ = false;
    (void)state;
    for (int i = 0; i < 40; i++) {
        int64_t pause = pingo_backoff_next(&backoff);
        assert_in_range(pause, expected * 3 / 4, expected * 5 / 4);
        differ = differ || pause != expected;
        expected = expected * 2 > 1000 ? 1000 : expected * 2;
    }
    assert_true(differ);
    backoff.next_ms = 0;
    assert_in_range(pingo_backoff_next(&backoff), 75, 125);
}

static void test_jobs__programs_lie_where_they_are_said_to(void **state)
{
    struct pingo_executor_context context = {.version = 2, .helper_dir = "/opt/x"};
    char *path = pingo_executor_context_program(&context, "pingo-runner");
    (void)state;
    assert_string_equal(path, "/opt/x/pingo-runner");
    free(path);
    context.helper_dir = NULL;
    path = pingo_executor_context_program(&context, "pingo-runner");
    assert_true(path[0] == '/' && strcmp(strrchr(path, '/'), "/pingo-runner") == 0);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs__order_and_bytes_stay),
        cmocka_unit_test(test_jobs__ends_are_told_until_they_are_taken),
        cmocka_unit_test(test_jobs__pauses_grow_and_differ),
        cmocka_unit_test(test_jobs__programs_lie_where_they_are_said_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
