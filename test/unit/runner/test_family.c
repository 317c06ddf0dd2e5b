/* test_family.c - all descendants of a process, however they moved away: family.c. */
#include "unit/runner/attempts.h"

#include <sys/prctl.h>

#include "runner/runner.h"

static struct pingo__runner_family family;

/* How many are found, once there are so many. */
static size_t await_family(size_t wanted, const pid_t *spared, size_t nspared)
{
    for (int i = 0; i < 2000; i++) {
        assert_true(pingo__runner_family_find(&family, spared, nspared));
        if (family.n == wanted)
            break;
        nap();
    }
    return family.n;
}

static bool has(pid_t pid)
{
    for (size_t i = 0; i < family.n; i++)
        if (family.pids[i] == pid)
            return true;
    return false;
}

static pid_t sleeper(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        execlp("sleep", "sleep", "600", (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void end_all(void)
{
    while (waitpid(-1, NULL, WNOHANG) == 0) {
        assert_true(pingo__runner_family_find(&family, NULL, 0));
        pingo__runner_family_kill(&family);
        nap();
    }
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
    assert_int_equal(await_family(0, NULL, 0), 0);
}

static void test_family__nobody_escapes(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) { /* a session of its own, and whose parent is gone */
        if (setsid() < 0)
            _exit(1);
        sleeper();
        _exit(sleeper() < 0);
    }
    assert_int_equal(reap(child), 0);
    pid_t other = sleeper();
    assert_int_equal(await_family(3, NULL, 0), 3);
    assert_true(has(other));
    assert_false(has(getpid()));
    end_all();
}

static void test_family__who_is_spared_keeps_his_own(void **state)
{
    (void)state;
    pid_t spared = fork();
    if (spared == 0) {
        sleeper();
        waitpid(-1, NULL, 0);
        _exit(0);
    }
    pid_t other = sleeper();
    assert_int_equal(await_family(3, NULL, 0), 3);
    assert_int_equal(await_family(1, &spared, 1), 1);
    assert_true(has(other));
    end_all();
}

static void test_family__memory(void **state)
{
    enum { BYTES = 32 << 20 };
    int ends[2];
    char byte;
    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = fork();
    if (child == 0) {
        char *memory = malloc(BYTES);
        memset(memory, 1, BYTES);
        ssize_t ignored = write(ends[1], memory + BYTES / 2, 1);
        pause();
        _exit((int)ignored);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(await_family(1, NULL, 0), 1);
    assert_true(pingo__runner_family_resident(&family) >= BYTES);
    int64_t exact = pingo__runner_family_proportional(&family);
    assert_true(exact < 0 || exact >= BYTES);
    assert_true(exact <= pingo__runner_family_resident(&family) + (1 << 20));
    kill(child, SIGKILL);
    assert_int_equal(reap(child), 128 + SIGKILL);
    assert_int_equal(pingo__runner_family_resident(&family), 0); /* of who is gone */
    assert_int_equal(pingo__runner_family_proportional(&family), -1);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_family__nobody_escapes),
        cmocka_unit_test(test_family__who_is_spared_keeps_his_own),
        cmocka_unit_test(test_family__memory),
    };
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pingo__runner_family_clear(&family);
    return failed;
}
