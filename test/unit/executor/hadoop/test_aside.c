/* test_aside.c - what is done beside the thread: so much at once, told when it is done, and outliving its job. */
#include "unit/executor/hadoop/before.h"

#include <stdatomic.h>

#include "base/error.h"

static atomic_int cleared;
static atomic_bool may_end;

static int wait_here(struct pingo__executor_hadoop *of, struct pingo__executor_hadoop_aside *a,
                     struct pingo_error *err)
{
    (void)a;
    while (!may_end && !of->is_leaving)
        poll(NULL, 0, 1);
    return of->is_leaving ? PINGO_EINTERRUPTED : pingo__fail(err, PINGO_EIO, "as it is told");
}

static void clear(struct pingo__executor_hadoop_aside *a)
{
    (void)a;
    cleared++;
}

static job_of *with_aside(int64_t action)
{
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(action));
    struct pingo__executor_hadoop_aside *a = calloc(1, sizeof *a);
    assert_true(job && a);
    a->run = wait_here;
    a->clear = clear;
    WELL(pingo__executor_hadoop_aside_start(&h, job, a, err));
    return job;
}

static void test_aside__so_many_are_done_at_once(void **state)
{
    (void)state;
    cleared = 0;
    may_end = false;
    job_of *job = with_aside(1), *other = pingo_jobs_add(h.jobs, ATTEMPT(2));
    assert_false(pingo__executor_hadoop_aside_has_room(&h, other, wait_here, 1));
    assert_true(other->waits_aside);
    assert_false(pingo__executor_hadoop_aside_is_over(&h, job) ||
                 pingo__executor_hadoop_aside_is_over(&h, other));
    assert_true(pingo__executor_hadoop_aside_has_room(&h, other, wait_here, 2));
    assert_false(other->waits_aside);
    assert_false(pingo__executor_hadoop_box_await(h.box, PINGO__HADOOP_ORDERED, NULL, 0));
    may_end = true;
    assert_true(pingo__executor_hadoop_box_await(h.box, PINGO__HADOOP_ORDERED, NULL, 60000));
    assert_true(job->aside->is_done);
    other->waits_aside = true;
    other->waits_most = 1;
    assert_true(pingo__executor_hadoop_aside_is_over(&h, job) &&
                pingo__executor_hadoop_aside_is_over(&h, other));
    assert_true(pingo__executor_hadoop_aside_has_room(&h, other, wait_here, 1));
    struct pingo__executor_hadoop_aside *a = pingo__executor_hadoop_aside_take(&h, job, NULL);
    assert_null(job->aside);
    assert_int_equal(a->rc, PINGO_EIO);
    assert_string_equal(a->why.message, "as it is told");
    pingo__executor_hadoop_aside_free(a);
    assert_int_equal(cleared, 1);
    pingo__executor_hadoop_take_orders(&h);
    assert_false(pingo__executor_hadoop_box_await(h.box, PINGO__HADOOP_ORDERED, NULL, 0));
}

static void test_aside__outlives_its_job(void **state)
{
    (void)state;
    cleared = 0;
    may_end = false;
    job_of *job = with_aside(3);
    pingo__executor_hadoop_aside_drop(job);
    pingo__executor_hadoop_asides_free(&h, false);
    assert_int_equal(cleared, 0);
    with_aside(4);
    h.is_leaving = true;
    pingo__executor_hadoop_asides_free(&h, true);
    assert_int_equal(cleared, 2);
    assert_null(h.asides);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_aside__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(so_many_are_done_at_once),
        TEST(outlives_its_job),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
