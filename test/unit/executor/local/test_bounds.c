/* test_bounds.c - hard limits and the nice value: of which of two processes they are stricter, and as bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/resource.h>

#include "executor/local/wire.h"

static void test_bounds__stricter_bounds_have_a_name(void **state)
{
    struct pingo__executor_bounds ours, theirs, got;
    struct pingo__buffer b = {0};
    (void)state;
    pingo__executor_bounds_read(&ours);
    theirs = ours;
    assert_null(pingo__executor_bounds_stricter(&ours, &theirs));
    theirs.hard[RLIMIT_FSIZE] = 1;
    theirs.nice = ours.nice + 1;
    assert_null(pingo__executor_bounds_stricter(&ours, &theirs)); /* theirs are */
    assert_string_equal(pingo__executor_bounds_stricter(&theirs, &ours), "ulimit -f");
    theirs.hard[RLIMIT_FSIZE] = ours.hard[RLIMIT_FSIZE];
    assert_string_equal(pingo__executor_bounds_stricter(&theirs, &ours), "nice");
    pingo__executor_bounds_put(&b, &theirs);
    assert_true(pingo__executor_bounds_get(
        &(struct pingo__buffer_reader){b.data, b.length, 0, false}, &got));
    assert_memory_equal(&got, &theirs, sizeof got);
    assert_false(pingo__executor_bounds_get(
        &(struct pingo__buffer_reader){b.data, b.length - 1, 0, false}, &got));
    pingo__buffer_clear(&b);
}

/* Whichever limit it is, a person is told how a shell calls it; without a limit is the least strict. */
static void test_bounds__each_limit_has_a_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < PINGO__BOUNDS_LIMITS; i++) {
        struct pingo__executor_bounds ours = {.nice = 0}, theirs = {.nice = 0};
        ours.hard[i] = 1000;
        theirs.hard[i] = RLIM_INFINITY;
        const char *name = pingo__executor_bounds_stricter(&ours, &theirs);
        assert_non_null(name);
        assert_memory_equal(name, "ulimit -", 8);
        assert_null(pingo__executor_bounds_stricter(&theirs, &ours));
        for (size_t k = 0; k < i; k++) {
            struct pingo__executor_bounds other = theirs;
            other.hard[i] = ours.hard[i];
            other.hard[k] = 0;
            theirs.hard[k] = 1; /* the first of several is told */
            assert_string_not_equal(pingo__executor_bounds_stricter(&other, &theirs), name);
            theirs.hard[k] = 0;
        }
    }
}

static void test_bounds__they_are_those_of_this_process(void **state)
{
    struct pingo__executor_bounds b;
    struct rlimit limit;
    (void)state;
    pingo__executor_bounds_read(&b);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(b.hard[RLIMIT_NOFILE], limit.rlim_max);
    limit.rlim_max--;
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    struct pingo__executor_bounds now;
    pingo__executor_bounds_read(&now);
    assert_string_equal(pingo__executor_bounds_stricter(&now, &b), "ulimit -n");
    int nice_value = getpriority(PRIO_PROCESS, 0);
    assert_int_equal(b.nice, nice_value > 0 ? nice_value : 0);
    assert_int_equal(setpriority(PRIO_PROCESS, 0, 19), 0);
    pingo__executor_bounds_read(&now);
    assert_int_equal(now.nice, 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds__stricter_bounds_have_a_name),
        cmocka_unit_test(test_bounds__each_limit_has_a_name),
        cmocka_unit_test(test_bounds__they_are_those_of_this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
