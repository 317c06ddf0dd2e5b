/* test_parallel.c - threads that share a list of work: parallel.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/parallel.h"

#define N 1000

struct work {
    struct pingo__parallel p;
    atomic_uint times[N];
    pthread_t caller;
    atomic_bool elsewhere; /* something ran on another thread */
    size_t fails;          /* at this one; N: at none */
    size_t stops;          /* the caller wants no more once so many are done */
    size_t told, done;
    bool waits; /* until it is told to stop */
};

static int run(void *context, size_t i, struct pingo_error *err)
{
    struct work *w = context;
    if (!pthread_equal(pthread_self(), w->caller))
        w->elsewhere = true;
    atomic_fetch_add(&w->times[i], 1);
    while (w->waits && !pingo__parallel_stops(&w->p))
        usleep(1000);
    if (w->waits)
        return PINGO_EINTERRUPTED;
    return i == w->fails ? pingo__fail(err, PINGO_EIO, "number %zu", i) : 0;
}

static int tell(void *context, size_t done)
{
    struct work *w = context;
    assert_true(pthread_equal(pthread_self(), w->caller));
    w->told++;
    w->done = done;
    return done >= w->stops;
}

static int go(struct work *w, size_t n, size_t threads, struct pingo_error *err)
{
    w->caller = pthread_self();
    w->p =
        (struct pingo__parallel){.n = n, .threads = threads, .run = run, .tell = tell, .context = w};
    return pingo__parallel_run(&w->p, err);
}

static void test_parallel__each_once(void **state)
{
    static const size_t threads[] = {0, 1, 4, 100000};
    (void)state;
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        struct work w = {.fails = N, .stops = N + 1};
        assert_int_equal(go(&w, N, threads[k], NULL), 0);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(w.times[i], 1);
        assert_int_equal(w.done, N); /* the last one says so */
        if (threads[k])
            assert_int_equal(w.elsewhere, threads[k] > 1);
    }
    struct work none = {.stops = 1};
    assert_int_equal(go(&none, 0, 0, NULL), 0);
    assert_int_equal(none.told, 1);
}

static void test_parallel__an_error_stops_the_rest(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 4; threads += 3) {
        struct work w = {.fails = 5, .stops = N + 1};
        struct pingo_error err = {0};
        assert_int_equal(go(&w, N, threads, &err), PINGO_EIO);
        assert_int_equal(err.code, PINGO_EIO);
        assert_string_equal(err.message, "number 5");
        assert_int_equal(w.told, 0);
        if (threads == 1)
            assert_int_equal(w.times[6], 0);
    }
}

static void test_parallel__who_asks_can_stop_it(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 4; threads += 3) {
        struct work w = {.fails = N, .stops = 0, .waits = true};
        assert_int_equal(go(&w, N, threads, NULL), PINGO_EINTERRUPTED);
        assert_int_equal(w.told, 1);
        assert_int_equal(w.times[threads], 0); /* nobody began another one */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallel__each_once),
        cmocka_unit_test(test_parallel__an_error_stops_the_rest),
        cmocka_unit_test(test_parallel__who_asks_can_stop_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
