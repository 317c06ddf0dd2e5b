/* test_program.c - running a short program to its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/process.h"
#include "base/program.h"

static int run(const char *script, struct pingo__program_end *end)
{
    const char *const argv[] = {"sh", "-c", script, NULL}, *const env[] = {"A=b", NULL};
    const struct pingo__program program = {
        .path = "/bin/sh", .argv = argv, .env = env, .timeout_ms = 20000, .max_bytes = 1000};
    return pingo__program_run(&program, end);
}

static void clear(struct pingo__program_end *end)
{
    pingo__buffer_clear(&end->out);
    pingo__buffer_clear(&end->errors);
}

static void test_program__keeps_what_it_says(void **state)
{
    struct pingo__program_end end;
    (void)state;
    assert_int_equal(run("echo $A; echo c >&2; pwd; cat; exit 7", &end), 0);
    assert_int_equal(end.reason, PINGO__PROGRAM_EXITED);
    assert_int_equal(end.number, 7);
    assert_string_equal(pingo__buffer_cstr(&end.out), "b\n/\n");
    assert_string_equal(pingo__buffer_cstr(&end.errors), "c\n");
    clear(&end);
}

static void test_program__is_bounded(void **state)
{
    struct pingo__program_end end;
    (void)state;
    assert_int_equal(run("while :; do echo 123456789; done", &end), 0);
    assert_int_equal(end.reason, PINGO__PROGRAM_TOO_MUCH);
    clear(&end);
    assert_int_equal(run("kill -9 $$", &end), 0);
    assert_int_equal(end.reason, PINGO__PROGRAM_SIGNALED);
    assert_int_equal(end.number, 9);
    clear(&end);
    const char *const argv[] = {"sleep", "1000", NULL}, *const env[] = {NULL};
    const struct pingo__program sleeper = {
        .path = "/bin/sleep", .argv = argv, .env = env, .timeout_ms = 1, .max_bytes = 1000};
    assert_int_equal(pingo__program_run(&sleeper, &end), 0);
    assert_int_equal(end.reason, PINGO__PROGRAM_TIME_LIMIT);
    clear(&end);
}

static void test_program__leaves_nothing_that_runs(void **state)
{
    struct pingo__program_end end;
    struct pingo__process_state process;
    (void)state;
    assert_int_equal(run("sleep 1000 & echo $!", &end), 0);
    assert_int_equal(end.reason, PINGO__PROGRAM_EXITED);
    pid_t left = (pid_t)atoi(pingo__buffer_cstr(&end.out));
    bool runs = true;
    for (int i = 0; i < 1000 && runs; i++) { /* or nobody has waited for it yet */
        runs = pingo__process_look(left, &process) && process.letter != 'Z';
        usleep(runs ? 10000 : 0);
    }
    assert_false(runs);
    clear(&end);
}

static void test_program__that_is_not_there(void **state)
{
    struct pingo__program_end end;
    const char *const argv[] = {"x", NULL}, *const env[] = {NULL};
    const struct pingo__program program = {
        .path = "/no/such/program", .argv = argv, .env = env, .timeout_ms = 1000, .max_bytes = 10};
    (void)state;
    for (int i = 0; i < 200; i++) { /* it is over before, while and after its starter looks */
        assert_int_equal(pingo__program_run(&program, &end), -ENOENT);
        clear(&end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program__keeps_what_it_says),
        cmocka_unit_test(test_program__is_bounded),
        cmocka_unit_test(test_program__leaves_nothing_that_runs),
        cmocka_unit_test(test_program__that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
