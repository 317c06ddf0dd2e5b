/* test_workers.c - chores are done on other threads, come back once, and one lane never waits for the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "manager/workers.h"

struct chore {
    struct pingo__manager_chore chore;
    pthread_t done_by;
    atomic_bool *may_end; /* NULL: at once */
    int *ndone;
    int says;
};

static void run(struct pingo__manager_chore *chore)
{
    struct chore *x = (struct chore *)chore;
    x->done_by = pthread_self();
    while (x->may_end && !atomic_load(x->may_end))
        sched_yield();
}

static int done(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct chore *x = (struct chore *)chore;
    (void)err;
    ++*x->ndone;
    return x->says;
}

static void give(struct pingo__manager_workers *w, struct chore *x, int lane)
{
    x->chore = (struct pingo__manager_chore){lane, run, done, NULL};
    pingo__manager_workers_give(w, &x->chore);
}

static void test_workers__each_comes_back_once(void **state)
{
    struct pingo__manager_workers *w;
    struct chore x[300] = {{.says = 0}};
    int n = 0;
    (void)state;
    assert_int_equal(pingo__manager_workers_open(&w, NULL), 0);
    for (size_t i = 0; i < 300; i++) {
        x[i].ndone = &n;
        give(w, &x[i], (int)i % PINGO__LANES);
    }
    for (int tries = 0; n < 300 && tries < 1000; tries++) {
        pingo__manager_workers_wait(w, 100);
        for (int lane = 0; lane < PINGO__LANES; lane++)
            assert_int_equal(pingo__manager_workers_collect(w, lane, NULL), 0);
    }
    assert_int_equal(n, 300);
    for (size_t i = 0; i < 300; i++)
        assert_false(pthread_equal(x[i].done_by, pthread_self()));
    pingo__manager_workers_close(w);
}

/* Whatever is deleted, and for however long: what is read goes on. */
static void test_workers__lanes_do_not_wait_for_each_other(void **state)
{
    struct pingo__manager_workers *w;
    struct chore slow[20] = {{.says = 0}}, quick = {.says = 0};
    atomic_bool may_end = false;
    int nslow = 0, nquick = 0;
    (void)state;
    assert_int_equal(pingo__manager_workers_open(&w, NULL), 0);
    for (size_t i = 0; i < 20; i++) {
        slow[i].may_end = &may_end;
        slow[i].ndone = &nslow;
        give(w, &slow[i], PINGO__DELETING);
    }
    quick.ndone = &nquick;
    give(w, &quick, PINGO__READING);
    assert_int_equal(pingo__manager_workers_finish(w, PINGO__READING, NULL), 0);
    assert_int_equal(nquick, 1);
    assert_int_equal(nslow, 0);
    atomic_store(&may_end, true);
    pingo__manager_workers_close(w); /* waits */
    assert_int_equal(nslow, 20);
}

/* Who collects one lane takes nothing of the other, nor that there is something. */
static void test_workers__what_another_lane_has_done_keeps_the_descriptor_readable(void **state)
{
    struct pingo__manager_workers *w;
    struct chore x = {.says = 0};
    int n = 0;
    (void)state;
    assert_int_equal(pingo__manager_workers_open(&w, NULL), 0);
    struct pollfd fd = {.fd = pingo__manager_workers_fd(w), .events = POLLIN};
    x.ndone = &n;
    give(w, &x, PINGO__READING);
    assert_int_equal(poll(&fd, 1, 10000), 1);
    assert_int_equal(pingo__manager_workers_collect(w, PINGO__DELETING, NULL), 0);
    assert_int_equal(poll(&fd, 1, 1000), 1);
    assert_int_equal(pingo__manager_workers_collect(w, PINGO__READING, NULL), 0);
    assert_int_equal(n, 1);
    assert_int_equal(poll(&fd, 1, 0), 0); /* and then it rests */
    pingo__manager_workers_close(w);
}

static void test_workers__the_first_error_is_told_and_all_are_asked(void **state)
{
    struct pingo__manager_workers *w;
    struct chore x[3] = {{.says = 0}, {.says = PINGO_EIO}, {.says = PINGO_ENOMEM}};
    int n = 0;
    (void)state;
    assert_int_equal(pingo__manager_workers_open(&w, NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        x[i].ndone = &n;
        give(w, &x[i], PINGO__READING);
        if (i == 0)
            assert_int_equal(pingo__manager_workers_finish(w, PINGO__READING, NULL), 0);
    }
    int rc = pingo__manager_workers_finish(w, PINGO__READING, NULL);
    assert_true(rc == PINGO_EIO || rc == PINGO_ENOMEM);
    assert_int_equal(n, 3);
    pingo__manager_workers_close(w);
    pingo__manager_workers_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers__each_comes_back_once),
        cmocka_unit_test(test_workers__lanes_do_not_wait_for_each_other),
        cmocka_unit_test(test_workers__what_another_lane_has_done_keeps_the_descriptor_readable),
        cmocka_unit_test(test_workers__the_first_error_is_told_and_all_are_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
