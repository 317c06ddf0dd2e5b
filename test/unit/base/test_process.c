/* test_process.c - starting processes, and what the system says of them: process.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

static void test_process__pipes_keep_clear_of_low_numbers(void **state)
{
    int ends[2];
    char byte;
    (void)state;
    assert_int_equal(pingo__process_pipe(ends, 40), 0);
    assert_true(ends[0] >= 40 && ends[1] >= 40);
    assert_int_equal(read(ends[0], &byte, 1), -1); /* and does not wait */
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(fcntl(ends[0], F_GETFD) & fcntl(ends[1], F_GETFD), FD_CLOEXEC);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(pingo__process_pipe(ends, 1 << 30), -EINVAL);
    assert_int_equal(ends[0], -1);
    assert_int_equal(ends[1], -1);
}

static pid_t start(const char *script, int out, bool is_apart)
{
    const char *const argv[] = {"sh", "-c", script, NULL}, *const env[] = {"A=b", NULL};
    const struct pingo__process_start what = {.path = "/bin/sh",
                                              .argv = argv,
                                              .env = env,
                                              .fds = {PINGO__PROCESS_NULL, out, PINGO__PROCESS_SAME},
                                              .nfds = 3,
                                              .in_group = is_apart,
                                              .at_root = is_apart};
    pid_t pid;
    assert_int_equal(pingo__process_start(&what, &pid), 0);
    return pid;
}

static void read_all(int fd, char *text, size_t size)
{
    struct pollfd polled = {fd, POLLIN, 0};
    size_t n = 0;
    for (ssize_t got = 1; got > 0; n += got > 0 ? (size_t)got : 0) {
        assert_int_equal(poll(&polled, 1, 20000), 1);
        got = read(fd, text + n, size - 1 - n);
    }
    text[n] = '\0';
}

static void test_process__starts_with_nothing_of_ours(void **state)
{
    char text[256];
    sigset_t term;
    int ends[2];
    (void)state;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    assert_int_equal(sigprocmask(SIG_BLOCK, &term, NULL), 0);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pingo__process_pipe(ends, 10), 0);
    pid_t pid = start("pwd; echo $A; wc -c; grep -E '^Sig(Blk|Ign)' /proc/self/status | cut -f2",
                      ends[1], true);
    close(ends[1]);
    read_all(ends[0], text, sizeof text);
    close(ends[0]);
    static const char wanted[] = "/\nb\n0\n0000000000000000\n";
    assert_memory_equal(text, wanted, sizeof wanted - 1);
    /* The C library leaves two of its own ignored. */
    assert_int_equal(strtoull(text + sizeof wanted - 1, NULL, 16) & (1u << (SIGPIPE - 1)), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(sigprocmask(SIG_UNBLOCK, &term, NULL), 0);
}

static void test_process__what_cannot_be_started(void **state)
{
    const char *const argv[] = {"x", NULL}, *const env[] = {NULL};
    const struct pingo__process_start what = {.path = "/there/is/none", .argv = argv, .env = env};
    pid_t pid;
    (void)state;
    assert_int_equal(pingo__process_start(&what, &pid), -ENOENT);
}

static void test_process__is_stopped(void **state)
{
    struct pingo__process_state seen;
    siginfo_t info;
    pid_t pid = start("kill -STOP $$; exec sleep 60", PINGO__PROCESS_NULL, true);
    (void)state;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED), 0);
    assert_true(pingo__process_is_stopped(pid));
    assert_true(pingo__process_look(pid, &seen));
    assert_int_equal(seen.letter, 'T');
    assert_int_equal(seen.parent, getpid());
    assert_int_equal(getpgid(pid), pid);
    kill(pid, SIGCONT);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WCONTINUED), 0);
    assert_false(pingo__process_is_stopped(pid));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(pingo__process_look(pid, &seen));
    assert_false(pingo__process_is_stopped(pid));
}

/* As /proc has it for all that is in the same. */
static void test_process__the_namespace_is_that_of_the_numbers(void **state)
{
    char link[64] = "", ours[64];
    (void)state;
    assert_true(readlink("/proc/self/ns/pid", link, sizeof link - 1) > 0);
    snprintf(ours, sizeof ours, "pid:[%llu]", pingo__process_namespace());
    assert_string_equal(link, ours);
    assert_true(pingo__process_is_in_proc());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process__pipes_keep_clear_of_low_numbers),
        cmocka_unit_test(test_process__starts_with_nothing_of_ours),
        cmocka_unit_test(test_process__what_cannot_be_started),
        cmocka_unit_test(test_process__is_stopped),
        cmocka_unit_test(test_process__the_namespace_is_that_of_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
