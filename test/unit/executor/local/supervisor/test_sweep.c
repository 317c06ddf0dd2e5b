/* test_sweep.c - what a supervisor does about an earlier one whose processes were killed all at once: whom it kills, what it
 * records, what it removes, and what it leaves alone. */
#include "unit/executor/local/supervisor/made.h"

#include <sys/wait.h>

#include "unit/unread.h"

/* A process that works here, with this HOME (NULL: another) and without a terminal. */
static pid_t start_in(const char *dir, const char *home)
{
    char variable[256];
    snprintf(variable, sizeof variable, "HOME=%s", home ? home : "/nowhere");
    char *argv[] = {(char[]){"sleep"}, (char[]){"300"}, NULL}, *env[] = {variable, NULL};
    int ends[2];
    char byte;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (setsid() >= 0 && chdir(dir) == 0)
            execve("/bin/sleep", argv, env);
        _exit(127);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* it is sleep by now */
    close(ends[0]);
    return pid;
}

static void end_it(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* The note of an earlier supervisor of this boot. */
static void note(int64_t action, size_t slot)
{
    char name[128];
    const struct pingo_job_key key = {action, 1};
    snprintf(name, sizeof name, "running.%s.00000000000001.1.there", s.boot);
    int fd = openat(s.dir, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(pingo__executor_running_write(fd, slot, key), 0);
    close(fd);
}

static void sweep(void)
{
    const char *what;
    int rc = pingo__executor_sweep(&s, &what);
    if (rc != 0)
        fail_msg("%s: %s", what, strerror(-rc));
}

/* Of action 1. */
static void make_attempt(int epoch, char work[160])
{
    snprintf(work, 160, "%s/attempts/1.%d", box.pool, epoch);
    assert_int_equal(mkdir(work, 0755), 0);
    strcat(work, "/work");
    assert_int_equal(mkdir(work, 0755), 0);
}

static void test_sweep__kills_what_ran_and_says_that_it_is_lost(void **state)
{
    char work[160], other[160], name[128];
    struct pingo_job_end end;
    (void)state;
    make_attempt(1, work);
    make_attempt(12, other);
    pid_t by_home = start_in("/", work), by_place = start_in(work, NULL);
    pid_t person = start_in(other, NULL), neighbour = start_in("/", other);
    note(1, 3); /* the slots before it are empty */
    sweep();
    assert_true(is_gone(by_home));
    assert_true(is_gone(by_place));
    assert_false(is_gone(person)); /* of 1.12 there is no note */
    assert_false(is_gone(neighbour));
    assert_int_equal(ends_of(1, &end), 1);
    assert_int_equal(end.reason, PINGO_END_LOST);
    assert_string_equal(end.node, "there"); /* where that one was */
    snprintf(name, sizeof name, "running.%s.00000000000001.1.there", s.boot);
    assert_false(is_in_store(name));
    assert_true(is_in_store(s.running_name));
    sweep(); /* once */
    assert_int_equal(ends_of(1, NULL), 1);
    end_it(by_home);
    end_it(by_place);
    end_it(person);
    end_it(neighbour);
}

/* Its worker had recorded its end, and died before it could clear the note. */
static void test_sweep__what_has_ended_is_not_lost(void **state)
{
    char work[160];
    (void)state;
    make_attempt(1, work);
    assert_true(pingo__executor_ledger_record(&s, (struct pingo_job_key){1, 1}, PINGO_END_KILLED,
                                              "killed"));
    pid_t person = start_in(work, NULL);
    note(1, 0);
    sweep();
    assert_int_equal(ends_of(1, NULL), 1);
    assert_false(is_gone(person));
    end_it(person);
}

/* After another boot no process is left, and keys may have been given out again. */
static void test_sweep__files_of_another_boot_are_void(void **state)
{
    static const char *const names[] = {
        "journal.00000000-0000-0000-0000-000000000000.00000000000001.1.000001",
        "running.00000000-0000-0000-0000-000000000000.00000000000001.1"};
    static const char *const foreign[] = {"running", "journalx",
                                          "notes.00000000-0000-0000-0000-000000000000.1"};
    const struct pingo_job_key key = {1, 1};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int fd = openat(s.dir, names[i], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        assert_int_equal(pingo__executor_running_write(fd, 0, key), 0);
        close(fd);
    }
    for (size_t i = 0; i < 3; i++)
        close(openat(s.dir, foreign[i], O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    sweep();
    assert_false(is_in_store(names[0]) || is_in_store(names[1]));
    assert_int_equal(ends_of(1, NULL), 0);
    for (size_t i = 0; i < 3; i++)
        assert_true(is_in_store(foreign[i]));
    assert_true(is_in_store(s.journal_name));
}

/* Nothing is taken for done that is not: then the supervisor does not open its door. */
static void test_sweep__what_cannot_be_read_or_recorded(void **state)
{
    char name[128], work[160];
    const char *what;
    (void)state;
    make_attempt(1, work);
    snprintf(name, sizeof name, "running.%s.00000000000002.1", s.boot);
    assert_int_equal(symlinkat("elsewhere", s.dir, name), 0);
    assert_int_equal(pingo__executor_sweep(&s, &what), -ELOOP);
    assert_non_null(strstr(what, "cannot be read"));
    assert_int_equal(unlinkat(s.dir, name, 0), 0);
    note(1, 0);
    is_away = true;
    assert_int_equal(pingo__executor_sweep(&s, &what), -EIO);
    is_away = false;
    assert_non_null(strstr(what, "cannot be read"));
    is_proc_away = true;
    assert_int_equal(pingo__executor_sweep(&s, &what), -EIO);
    is_proc_away = false;
    assert_non_null(strstr(what, "cannot be ended"));
    snprintf(name, sizeof name, "journal.%s.00000000000002.1.000001", s.boot);
    assert_int_equal(symlinkat("elsewhere", s.dir, name), 0); /* it may say that it has ended */
    assert_int_equal(pingo__executor_sweep(&s, &what), -EIO);
    assert_non_null(strstr(what, "cannot be read"));
    assert_int_equal(unlinkat(s.dir, name, 0), 0);
    snprintf(name, sizeof name, "journal.%s.00000000000001.1.there.000000", s.boot);
    assert_int_equal(mkdirat(s.dir, name, 0700), 0);
    assert_int_equal(pingo__executor_sweep(&s, &what), -EIO);
    assert_int_equal(unlinkat(s.dir, name, AT_REMOVEDIR), 0);
    sweep(); /* the note was kept */
    assert_int_equal(ends_of(1, NULL), 1);
}

/* Of a scheduler's marks those that are empty go; whatever else lies there is somebody's. */
static void test_sweep__marks_of_what_was_given_up(void **state)
{
    static const char *const kept[] = {"7.1x", "keep", ".ready.mine", ".ready.12", "x.1"};
    char path[200];
    struct stat st;
    (void)state;
    make_file(attempt_of(1), "");
    make_file(attempt_of(2), "mine");
    assert_int_equal(mkdir(attempt_of(3), 0755), 0);
    assert_int_equal(symlink("nowhere", attempt_of(4)), 0);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        snprintf(path, sizeof path, "%s/attempts/%s", box.pool, kept[i]);
        make_file(path, "");
    }
    sweep();
    assert_int_equal(lstat(attempt_of(1), &st), -1);
    for (int64_t i = 2; i <= 4; i++)
        assert_int_equal(lstat(attempt_of(i), &st), 0);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        snprintf(path, sizeof path, "%s/attempts/%s", box.pool, kept[i]);
        assert_int_equal(access(path, F_OK), 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_sweep__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(kills_what_ran_and_says_that_it_is_lost),
        TEST(what_has_ended_is_not_lost),
        TEST(files_of_another_boot_are_void),
        TEST(what_cannot_be_read_or_recorded),
        TEST(marks_of_what_was_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
