/* test_sandbox.c - what a confined process may do, by the kernel's own word: each case enters in a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "base/tree.h"

static char root[64], inside[80], outside[80], file[96], log_file[96];

static int set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/pingo-sandbox-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    snprintf(inside, sizeof inside, "%s/inside", root);
    snprintf(outside, sizeof outside, "%s/outside", root);
    snprintf(file, sizeof file, "%s/file", outside);
    snprintf(log_file, sizeof log_file, "%s/log", outside);
    int fd = mkdir(inside, 0755) || mkdir(outside, 0755) ? -1 : creat(file, 0644);
    return fd < 0 || close(fd) || close(creat(log_file, 0644));
}

static int tear_down(void **state)
{
    (void)state;
    return pingo__tree_remove(AT_FDCWD, root);
}

static void test_sandbox__rights_are_those_of_the_kernel(void **state)
{
    (void)state;
    assert_int_equal(pingo__sandbox_rights(PINGO__SANDBOX_WRITE, 0), 0);
    assert_int_equal(pingo__sandbox_rights(PINGO__SANDBOX_WRITE, 1), (1 << 13) - 1);
    assert_int_equal(pingo__sandbox_rights(PINGO__SANDBOX_WRITE, 2), (1 << 14) - 1);
    assert_int_equal(pingo__sandbox_rights(PINGO__SANDBOX_WRITE, 3), (1 << 15) - 1);
    assert_int_equal(pingo__sandbox_rights(PINGO__SANDBOX_WRITE, 99), (1 << 15) - 1);
    assert_int_equal(pingo__sandbox_rights(PINGO__SANDBOX_READ, 1), 1 | 4 | 8);
    assert_int_equal(pingo__sandbox_rights(PINGO__SANDBOX_READ, 99), 1 | 4 | 8);
    assert_int_equal(pingo__sandbox_rights(PINGO__SANDBOX_LOG, 2), 2 | 4);
    assert_int_equal(pingo__sandbox_rights(PINGO__SANDBOX_LOG, 3), 2 | 4 | 1 << 14);
}

static void test_sandbox__nothing_where_there_is_no_landlock(void **state)
{
    struct pingo__sandbox sandbox = {.abi = 0};
    (void)state;
    assert_int_equal(pingo__sandbox_begin(&sandbox), -EOPNOTSUPP);
    assert_false(pingo__sandbox_is_fresh(&sandbox));
    pingo__sandbox_clear(&sandbox);
}

static void test_sandbox__a_ruleset_for_each_abi(void **state)
{
    int abi = pingo__sandbox_abi();
    (void)state;
    for (int i = 1; i <= abi; i++) {
        struct pingo__sandbox sandbox = {.abi = i};
        int ruleset = pingo__sandbox_begin(&sandbox);
        assert_true(ruleset >= 0);
        assert_int_equal(pingo__sandbox_allow(&sandbox, ruleset, "/tmp", PINGO__SANDBOX_WRITE), 0);
        assert_int_equal(
            pingo__sandbox_allow(&sandbox, ruleset, "/etc/passwd", PINGO__SANDBOX_READ), 0);
        assert_int_equal(
            pingo__sandbox_allow(&sandbox, ruleset, "/nowhere/at/all", PINGO__SANDBOX_READ),
            -ENOENT);
        close(ruleset);
        pingo__sandbox_clear(&sandbox);
    }
}

/* The system's places stay open for the next ruleset; /bin and its like are none where /usr says it all. */
static void test_sandbox__places_are_kept_open(void **state)
{
    struct pingo__sandbox sandbox = {.abi = 1};
    (void)state;
    if (pingo__sandbox_abi() < 1)
        skip();
    assert_false(pingo__sandbox_is_fresh(&sandbox));
    close(pingo__sandbox_begin(&sandbox));
    assert_true(pingo__sandbox_is_fresh(&sandbox));
    assert_in_range(sandbox.nplaces, 1, PINGO__SANDBOX_PLACES_MAX);
    for (size_t i = 0; i < sandbox.nplaces; i++) {
        char link[64], path[512] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", sandbox.places[i].fd);
        assert_true(readlink(link, path, sizeof path - 1) > 0);
        assert_int_not_equal(strncmp(path, "/usr/", 5), 0);
        assert_int_equal(fcntl(sandbox.places[i].fd, F_GETFD), FD_CLOEXEC);
    }
    int first = sandbox.places[0].fd;
    close(pingo__sandbox_begin(&sandbox));
    assert_int_equal(sandbox.places[0].fd, first);
    sandbox.opened_ms -= 10000; /* long since: what was mounted in the meantime counts */
    assert_false(pingo__sandbox_is_fresh(&sandbox));
    close(pingo__sandbox_begin(&sandbox));
    assert_true(pingo__sandbox_is_fresh(&sandbox));
    pingo__sandbox_clear(&sandbox);
    assert_false(pingo__sandbox_is_fresh(&sandbox));
    assert_int_equal(fcntl(first, F_GETFD), -1); /* nothing is left open */
}

/* Can this path be opened so?  What a file's permissions forbid a test as root would not see. */
static bool can(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0644);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool can_make(const char *dir)
{
    char path[128];
    snprintf(path, sizeof path, "%s/made", dir);
    return can(path, O_WRONLY | O_CREAT | O_EXCL);
}

/* The number of the first that is not so; 0: all are. */
static int first_wrong(const bool *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!rows[i])
            return (int)i + 1;
    return 0;
}

static int look_confined(void)
{
    const bool rows[] = {
        can("/usr", O_RDONLY | O_DIRECTORY),
        can("/etc/passwd", O_RDONLY),
        !can("/etc/passwd", O_WRONLY),
        can("/dev/null", O_RDWR),
        can_make(inside),
        !can_make(outside),
        can(file, O_RDONLY),
        !can(file, O_WRONLY),
        can(log_file, O_RDWR),
        !can(outside, O_RDONLY | O_DIRECTORY),
        unlink(log_file) != 0,
        !can(root, O_RDONLY | O_DIRECTORY),
    };
    return first_wrong(rows, sizeof rows / sizeof *rows);
}

/* In a child that has entered; its exit status: what look says, or 100: it could not enter. */
static void expect_in_child(int ruleset, const char *writable, int (*look)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        int rc = writable ? pingo__sandbox_enter_read_only(writable) : pingo__sandbox_enter(ruleset);
        _exit(rc ? 100 : look());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_sandbox__what_is_allowed_and_nothing_else(void **state)
{
    struct pingo__sandbox sandbox = {.abi = pingo__sandbox_abi()};
    (void)state;
    if (pingo__sandbox_abi() < 1)
        skip();
    int ruleset = pingo__sandbox_begin(&sandbox), pipes[2];
    assert_int_equal(pingo__sandbox_allow(&sandbox, ruleset, inside, PINGO__SANDBOX_WRITE), 0);
    assert_int_equal(pingo__sandbox_allow(&sandbox, ruleset, file, PINGO__SANDBOX_READ), 0);
    int fd = open(log_file, O_RDWR | O_CLOEXEC);
    assert_int_equal(pingo__sandbox_allow_open(&sandbox, ruleset, fd, PINGO__SANDBOX_LOG), 0);
    close(fd);
    /* A pipe needs no rule; what is closed can have none. */
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    assert_int_equal(pingo__sandbox_allow_open(&sandbox, ruleset, pipes[1], PINGO__SANDBOX_LOG), 0);
    close(pipes[0]);
    close(pipes[1]);
    assert_int_equal(pingo__sandbox_allow_open(&sandbox, ruleset, -1, PINGO__SANDBOX_READ), -EBADF);
    expect_in_child(ruleset, NULL, look_confined);
    close(ruleset);
    pingo__sandbox_clear(&sandbox);
    assert_true(can_make(outside)); /* the child alone is confined */
}

static int look_read_only(void)
{
    const bool rows[] = {
        can(file, O_RDONLY),      can(outside, O_RDONLY | O_DIRECTORY),
        can_make(inside),         !can(file, O_WRONLY),
        !can(log_file, O_WRONLY), unlink(file) != 0,
        !can_make(outside),       can("/dev/null", O_WRONLY),
        system("exec true") == 0,
    };
    return first_wrong(rows, sizeof rows / sizeof *rows);
}

static void test_sandbox__read_only_but_for_one_directory(void **state)
{
    (void)state;
    if (pingo__sandbox_abi() < 1)
        skip();
    expect_in_child(-1, inside, look_read_only);
}

static void test_sandbox__who_has_no_ruleset_does_not_enter(void **state)
{
    int status;
    (void)state;
    if (pingo__sandbox_abi() < 1)
        skip();
    pid_t pid = fork();
    if (pid == 0)
        _exit(pingo__sandbox_enter(-1));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sandbox__rights_are_those_of_the_kernel),
        cmocka_unit_test(test_sandbox__nothing_where_there_is_no_landlock),
        cmocka_unit_test(test_sandbox__a_ruleset_for_each_abi),
        cmocka_unit_test(test_sandbox__places_are_kept_open),
        cmocka_unit_test_setup_teardown(test_sandbox__what_is_allowed_and_nothing_else, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_sandbox__read_only_but_for_one_directory, set_up,
                                        tear_down),
        cmocka_unit_test(test_sandbox__who_has_no_ruleset_does_not_enter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
