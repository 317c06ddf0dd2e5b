/* test_thread.c - threads of our own, and that all of them are begun so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/program.h"
#include "base/thread.h"

static volatile sig_atomic_t elsewhere; /* handled on another thread than the test's */
static pthread_t ours;

static void on_signal(int number)
{
    (void)number;
    elsewhere = elsewhere + !pthread_equal(pthread_self(), ours);
}

/* As a program may do that has its signals handled by this thread. */
static void handle(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    ours = pthread_self();
    elsewhere = 0;
    sigemptyset(&action.sa_mask);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
}

/* On the thread: to itself, and so to no other one where it does not keep them from it. */
static void raise_one(void)
{
    pthread_kill(pthread_self(), SIGUSR1);
}

static void *run_thread(void *context)
{
    raise_one();
    return context;
}

static void test_thread__has_no_signal(void **state)
{
    pthread_t thread;
    void *back = NULL;
    sigset_t mask;
    (void)state;
    handle();
    assert_int_equal(pingo__thread_start(&thread, run_thread, &thread), 0);
    assert_int_equal(pthread_join(thread, &back), 0);
    assert_ptr_equal(back, &thread);
    assert_int_equal(elsewhere, 0);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    assert_false(sigismember(&mask, SIGUSR1)); /* here all is as before */
}

static int run_part(void *context, size_t i, struct pingo_error *err)
{
    (void)context;
    (void)i;
    (void)err;
    raise_one();
    return 0;
}

static void test_thread__nor_has_one_that_works_with_others(void **state)
{
    struct pingo__parallel p = {.n = 8, .threads = 4, .run = run_part};
    (void)state;
    handle();
    assert_int_equal(pingo__parallel_run(&p, NULL), 0);
    assert_int_equal(elsewhere, 0);
}

static bool stop(void *context)
{
    (void)context;
    raise_one();
    return true;
}

/* Landlock holds it: a handler would run there and could write no file. */
static void test_thread__nor_has_one_that_runs_a_program(void **state)
{
    const char *const argv[] = {"sleep", "1000", NULL}, *const env[] = {NULL};
    const struct pingo__program sleeper = {.path = "/bin/sleep",
                                           .argv = argv,
                                           .env = env,
                                           .timeout_ms = 60000,
                                           .max_bytes = 10,
                                           .stop = stop};
    struct pingo__program_end end;
    (void)state;
    handle();
    assert_int_equal(pingo__program_run(&sleeper, &end), 0);
    assert_int_equal(end.reason, PINGO__PROGRAM_STOPPED);
    assert_int_equal(elsewhere, 0);
    pingo__buffer_clear(&end.out);
    pingo__buffer_clear(&end.errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thread__has_no_signal),
        cmocka_unit_test(test_thread__nor_has_one_that_works_with_others),
        cmocka_unit_test(test_thread__nor_has_one_that_runs_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
