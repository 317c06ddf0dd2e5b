/* test_supervisor.c - a supervisor's life: the lock, the door, and what it says where it cannot open it. */
#include "unit/executor/local/supervisor/made.h"

#include <sys/resource.h>

struct life {
    pid_t pid;
    int status; /* where it says "ok" or why not */
};

static struct life begin_life(const char *store, const char *pool)
{
    const char *argv[] = {"pingo-supervisor", "--supervisor", store, pool, NULL};
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct life life = {start_another(argv, ends[1]), ends[0]};
    close(ends[1]);
    return life;
}

/* All that it says. */
static void read_status(const struct life *life, char said[512])
{
    size_t at = 0;
    for (ssize_t n; (n = read(life->status, said + at, 511 - at)) > 0;)
        at += (size_t)n;
    said[at] = '\0';
    close(life->status);
}

static void expect_ok(const struct life *life)
{
    char said[512];
    read_status(life, said);
    assert_string_equal(said, "ok\n");
}

static void expect_refusal(const char *store, const char *words)
{
    char said[512];
    struct life life = begin_life(store, box.pool);
    read_status(&life, said);
    assert_int_equal(exit_status(life.pid), 1);
    if (strstr(said, words) != said)
        fail_msg("%s", said);
    assert_int_equal(strchr(said, '\n') - said, strlen(said) - 1);
    assert_false(is_in_store(PINGO__PLACE_SOCKET));
}

static void end_life(const struct life *life)
{
    assert_int_equal(kill(life->pid, SIGTERM), 0);
    assert_int_equal(exit_status(life->pid), 0);
    assert_false(is_in_store(PINGO__PLACE_SOCKET));
}

static void test_supervisor__opens_its_door(void **state)
{
    (void)state;
    int fd = openat(s.dir, PINGO__PLACE_SOCKET, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    close(fd); /* what an earlier one left */
    struct life life = begin_life(box.store, box.pool);
    expect_ok(&life);
    fd = pingo__executor_place_connect(s.dir);
    assert_true(fd >= 0);
    close(fd);
    assert_false(box_is_unlocked(&box));
    end_life(&life);
    assert_true(box_is_unlocked(&box));
}

/* Who comes second leaves the store to the first, and that is well. */
static void test_supervisor__one_a_store(void **state)
{
    struct life first = begin_life(box.store, box.pool);
    (void)state;
    expect_ok(&first);
    struct life second = begin_life(box.store, box.pool);
    expect_ok(&second);
    assert_int_equal(exit_status(second.pid), 0);
    int fd = pingo__executor_place_connect(s.dir);
    assert_true(fd >= 0);
    close(fd);
    end_life(&first);
}

/* The lock is held where nobody answers: workers of one that is dead kill what they run.  Until then nothing is swept. */
static void test_supervisor__waits_for_the_workers_of_another(void **state)
{
    char tombstone[160];
    int lock = openat(s.dir, PINGO__PLACE_LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    (void)state;
    assert_int_equal(flock(lock, LOCK_EX), 0);
    snprintf(tombstone, sizeof tombstone, "%s", attempt_of(1));
    make_file(tombstone, "");
    struct life life = begin_life(box.store, box.pool);
    struct pollfd polled = {life.status, POLLIN, 0};
    assert_int_equal(poll(&polled, 1, 60), 0);
    assert_int_equal(access(tombstone, F_OK), 0);
    assert_false(is_in_store(PINGO__PLACE_SOCKET));
    close(lock);
    expect_ok(&life);
    assert_int_equal(access(tombstone, F_OK), -1);
    end_life(&life);
}

/* As workers have it. */
static void hold_lock(pid_t *workers, size_t n)
{
    const char *const argv[] = {"sleep", "300", NULL};
    int lock = openat(s.dir, PINGO__PLACE_LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const struct pingo__process_start start = {.path = "/bin/sleep",
                                               .argv = argv,
                                               .env = (const char *const *)environ,
                                               .fds = {PINGO__PROCESS_NULL, PINGO__PROCESS_NULL,
                                                       PINGO__PROCESS_NULL, PINGO__PROCESS_NULL,
                                                       lock},
                                               .nfds = 5};
    assert_int_equal(flock(lock, LOCK_EX), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pingo__process_start(&start, &workers[i]), 0);
    close(lock);
}

static void end_worker(pid_t worker)
{
    assert_int_equal(kill(worker, SIGKILL), 0);
    assert_int_equal(waitpid(worker, NULL, 0), worker);
}

/* The process that it names in a line of its own. */
static pid_t read_note(const struct life *life)
{
    static const char words[] = PINGO__PLACE_NOTE "nothing starts before process ";
    char said[512];
    size_t at = 0;
    while (at < sizeof said - 1 && read(life->status, said + at, 1) == 1 && said[at] != '\n')
        at++;
    said[at] = '\0';
    if (strstr(said, words) != said)
        fail_msg("%s", said);
    return (pid_t)strtol(said + strlen(words), NULL, 10);
}

/* However long they take; one that is stopped would take for ever. */
static void test_supervisor__says_for_whom_it_waits(void **state)
{
    pid_t workers[2];
    (void)state;
    hold_lock(workers, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kill(workers[i], SIGSTOP), 0);
        assert_int_equal(waitpid(workers[i], NULL, WUNTRACED), workers[i]);
    }
    struct life life = begin_life(box.store, box.pool);
    int first = read_note(&life) == workers[1];
    for (int i = 0; i < 2; i++)
        assert_int_equal(waitpid(workers[i], NULL, WCONTINUED), workers[i]);
    end_worker(workers[first]);
    assert_int_equal(read_note(&life), workers[!first]);
    end_worker(workers[!first]);
    expect_ok(&life);
    end_life(&life);
}

/* Who started it is gone: another one will be started by who needs it. */
static void test_supervisor__waits_for_somebody(void **state)
{
    (void)state;
    pid_t worker;
    hold_lock(&worker, 1);
    struct life life = begin_life(box.store, box.pool);
    close(life.status);
    assert_int_equal(waitpid(life.pid, NULL, 0), life.pid);
    assert_false(is_in_store(PINGO__PLACE_SOCKET));
    end_worker(worker);
}

static void test_supervisor__says_why_not(void **state)
{
    char path[160], away[160], name[128];
    struct rlimit files, few;
    (void)state;
    expect_refusal("/nowhere/store", "the executor's directory cannot be opened: ");
    snprintf(path, sizeof path, "%s/attempts", box.pool);
    snprintf(away, sizeof away, "%s/away", box.root);
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(symlink(away, path), 0); /* it would be swept */
    make_file(attempt_of(1), "");
    expect_refusal(box.store, "the pool's attempts is a link or a file; ");
    assert_int_equal(access(attempt_of(1), F_OK), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rename(away, path), 0);
    snprintf(name, sizeof name, "running.%s.00000000000002.1", s.boot);
    assert_int_equal(symlinkat("elsewhere", s.dir, name), 0);
    expect_refusal(box.store, "what an earlier supervisor left cannot be read: ");
    assert_int_equal(unlinkat(s.dir, name, 0), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    few = (struct rlimit){30, files.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    expect_refusal(box.store, "");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_supervisor__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(opens_its_door),
        TEST(one_a_store),
        TEST(waits_for_the_workers_of_another),
        TEST(says_for_whom_it_waits),
        TEST(waits_for_somebody),
        TEST(says_why_not),
    };
    be_another(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
