/* test_attempt.c - the directory of an attempt that runs elsewhere: who may start it, and what it says. */
#include "unit/runner/attempts.h"

#include <stdbool.h>

#include "runner/record/attempt.h"
#include "unit/unread.h"

/* How often the system is asked to write to the disk.  The library's own calls end here. */
static int nfsync, nsyncfs, refuse;

int fsync(int fd)
{
    nfsync++;
    return fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

int syncfs(int fd)
{
    nsyncfs++;
    errno = refuse;
    return refuse || fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

/* What the gate says to a runner in this process, which keeps its lock until stop. */
static int started = -1;

static bool start(const struct pool *p)
{
    char name[PINGO__RUNNER_STARTED_SIZE];
    int dir = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), lock;
    assert_true(dir >= 0);
    assert_int_equal(pingo__runner_attempt_start(dir, name, &lock), 0);
    close(dir);
    if (lock >= 0 && started >= 0)
        close(started);
    started = lock >= 0 ? lock : started;
    return lock >= 0;
}

static void stop(void)
{
    close(started);
    started = -1;
}

static void leave(const struct pool *p, enum pingo_end_reason reason)
{
    struct pingo_job_end end = {.size = sizeof end, .reason = reason, .message = "so it ended"};
    int dir = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(pingo__runner_attempt_key(p->dir, &end.key));
    assert_int_equal(pingo__runner_outcome_reserve(dir), 0);
    assert_int_equal(pingo__runner_outcome_write(dir, &end), 0);
    close(dir);
}

static void test_attempt__of_those_who_want_it_one_gets_it(void **state)
{
    struct pool p;
    char host[64] = "";
    (void)state;
    pool_open(&p);
    name_attempt(&p, 1);
    assert_int_equal(look(&p).state, PINGO_RUNNER_NONE);
    assert_int_equal(arm(&p, 1, "true"), 0);
    assert_int_equal(look(&p).state, PINGO_RUNNER_ARMED);
    assert_int_equal(arm(&p, 1, "true"), PINGO_EEXISTS);
    assert_true(start(&p));
    assert_false(start(&p));
    assert_false(give_up(&p));
    struct pingo_runner_report report = look(&p);
    gethostname(host, sizeof host - 1);
    assert_int_equal(report.state, PINGO_RUNNER_STARTED);
    assert_string_equal(report.node, host);
    assert_int_equal(report.pid, getpid());
    assert_true(report.held);
    stop();
    assert_false(look(&p).held);
    leave(&p, PINGO_END_TIME_LIMIT);
    report = look(&p);
    assert_int_equal(report.state, PINGO_RUNNER_ENDED);
    assert_int_equal(report.end.reason, PINGO_END_TIME_LIMIT);
    assert_int_equal(report.end.key.action, 1);
    assert_string_equal(report.end.message, "so it ended");
    assert_string_equal(report.end.node, host);
    pingo_runner_forget(p.dir);
    assert_int_equal(look(&p).state, PINGO_RUNNER_NONE);
    assert_int_equal(access(p.dir, F_OK), -1);
    pool_close(&p);
}

static void test_attempt__what_was_given_up_never_starts(void **state)
{
    struct pool p;
    char part[160];
    (void)state;
    pool_open(&p);
    assert_int_equal(arm(&p, 1, "true"), 0);
    assert_true(give_up(&p));
    assert_false(start(&p));
    assert_true(give_up(&p));
    assert_int_equal(look(&p).state, PINGO_RUNNER_REVOKED);
    name_attempt(&p, 2); /* before anything was armed */
    assert_true(give_up(&p));
    assert_int_equal(arm(&p, 2, "true"), PINGO_EEXISTS);
    assert_false(start(&p));
    name_attempt(&p, 3); /* whoever armed it died over it */
    assert_int_equal(mkdir(p.dir, 0755), 0);
    snprintf(part, sizeof part, "%s/job.part", p.dir);
    close(open(part, O_WRONLY | O_CREAT, 0644));
    assert_int_equal(look(&p).state, PINGO_RUNNER_NONE);
    assert_true(give_up(&p));
    assert_int_equal(arm(&p, 4, "true"), 0); /* it was armed after somebody had looked */
    snprintf(part, sizeof part, "%s/revoked", p.dir);
    close(open(part, O_WRONLY | O_CREAT, 0644));
    assert_false(start(&p));
    pingo_runner_forget(p.dir);
    assert_int_equal(access(p.dir, F_OK), -1);
    pool_close(&p);
}

/* What could not be read is not what is not there. */
static void test_attempt__of_a_directory_that_cannot_be_read(void **state)
{
    struct pool p;
    struct pingo_runner_report report = {.size = sizeof report};
    bool revoked = true;
    (void)state;
    pool_open(&p);
    assert_int_equal(arm(&p, 1, "true"), 0);
    assert_true(start(&p));
    is_away = true;
    int rc = pingo_runner_revoke(p.dir, &revoked, NULL);
    int looked = pingo_runner_look(p.dir, &report, NULL);
    is_away = false;
    assert_int_equal(rc, PINGO_EIO);
    assert_false(revoked);
    assert_int_equal(looked, PINGO_EIO);
    assert_int_equal(look(&p).state, PINGO_RUNNER_STARTED);
    stop();
    pool_close(&p);
}

/* Runners and who gives up at the same moment, again and again. */
static void test_attempt__a_race_has_one_winner(void **state)
{
    struct pool p;
    (void)state;
    pool_open(&p);
    int wins[2] = {0};
    for (int round = 1; round <= 60; round++) {
        pid_t pids[3];
        int won = 0;
        assert_int_equal(arm(&p, round, "true"), 0);
        for (int i = 0; i < 3; i++)
            if ((pids[i] = fork()) == 0)
                _exit(i == round % 3 ? give_up(&p) : start(&p));
        for (int i = 0; i < 3; i++) {
            int mine = reap(pids[i]);
            won += mine;
            wins[i == round % 3] += mine;
        }
        assert_int_equal(won, 1);
        assert_int_equal(look(&p).state == PINGO_RUNNER_REVOKED,
                         !(look(&p).state == PINGO_RUNNER_STARTED));
    }
    assert_int_equal(wins[0] + wins[1], 60);
    pool_close(&p);
}

static void test_attempt__a_job_that_cannot_be_is_refused(void **state)
{
    static const char *const none[] = {NULL}, *const argv[] = {"true", NULL};
    const struct pingo_runner_options options = {.version = 1};
    struct pingo_job job = {.key = {1, 1}, .cpus = 1, .argv = argv};
    struct pool p;
    (void)state;
    pool_open(&p);
    name_attempt(&p, 1);
    job.attempt_dir = p.dir;
    job.staged_path = p.staged;
    job.argv = none;
    assert_int_equal(pingo_runner_arm(&job, &options, NULL), PINGO_EINVAL);
    job.argv = argv;
    job.cpus = 0;
    assert_int_equal(pingo_runner_arm(&job, &options, NULL), PINGO_EINVAL);
    job.cpus = 1;
    job.key.epoch = 2;
    assert_int_equal(pingo_runner_arm(&job, &options, NULL), PINGO_EINVAL);
    job.key.epoch = 1;
    assert_int_equal(pingo_runner_arm(&job, &(struct pingo_runner_options){.version = 9}, NULL),
                     PINGO_EINVAL);
    assert_int_equal(access(p.dir, F_OK), -1);
    nfsync = 0;
    assert_int_equal(pingo_runner_arm(&job, &options, NULL), 0);
    assert_int_equal(nfsync, 2); /* the file, and its name */
    pool_close(&p);
}

/* However many are armed at once, the disk is waited for once. */
static void test_attempt__many_are_synced_by_one_call(void **state)
{
    struct pool p;
    struct pingo_error err = {0};
    (void)state;
    pool_open(&p);
    nfsync = nsyncfs = 0;
    for (int i = 1; i <= 20; i++)
        assert_int_equal(arm(&p, i, "true"), 0);
    assert_int_equal(nfsync + nsyncfs, 0);
    assert_int_equal(pingo_runner_sync(p.dir, &err), 0);
    assert_int_equal(nsyncfs, 1);
    assert_int_equal(nfsync, 0);
    refuse = ENOSPC;
    assert_int_equal(pingo_runner_sync(p.dir, &err), PINGO_ENOSPACE);
    refuse = 0;
    name_attempt(&p, 99);
    assert_int_equal(pingo_runner_sync(p.dir, &err), PINGO_EIO);
    assert_non_null(strstr(err.message, p.dir));
    pool_close(&p);
}

/* A runner that was killed leaves what it had begun, and that is swept too. */
static void test_attempt__what_a_killed_runner_had_begun_is_removed(void **state)
{
    struct pool p;
    (void)state;
    pool_open(&p);
    assert_int_equal(arm(&p, 1, "true"), 0);
    assert_true(start(&p));
    int dir = open(p.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(pingo__runner_outcome_reserve(dir), 0);
    close(dir);
    stop();
    assert_int_equal(look(&p).state, PINGO_RUNNER_STARTED);
    assert_false(look(&p).held);
    pingo_runner_forget(p.dir);
    assert_int_equal(access(p.dir, F_OK), -1);
    pool_close(&p);
}

static void test_attempt__an_outcome_that_does_not_read_back_is_lost(void **state)
{
    struct pool p;
    char path[160];
    (void)state;
    pool_open(&p);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(arm(&p, i, "true"), 0);
        assert_true(start(&p));
        leave(&p, PINGO_END_EXITED);
        snprintf(path, sizeof path, "%s/outcome", p.dir);
        int fd = open(path, O_WRONLY);
        if (i == 1)
            assert_int_equal(ftruncate(fd, 255), 0);
        else if (i == 2)
            assert_int_equal(pwrite(fd, "x", 1, 100), 1);
        close(fd);
        assert_int_equal(look(&p).state, PINGO_RUNNER_ENDED);
        assert_int_equal(look(&p).end.reason, i == 3 ? PINGO_END_EXITED : PINGO_END_LOST);
        assert_int_equal(look(&p).end.key.action, i);
    }
    char other[160]; /* of another attempt */
    name_attempt(&p, 4);
    assert_int_equal(mkdir(p.dir, 0755), 0);
    snprintf(other, sizeof other, "%s/outcome", p.dir);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(look(&p).end.reason, PINGO_END_LOST);
    pool_close(&p);
}

static void test_attempt__names(void **state)
{
    static const char *const wrong[] = {
        "/p/attempts/1",       "/p/attempts/1.",  "/p/attempts/1.2.3",
        "/p/attempts/-1.2",    "/p/attempts/0.1",

        "/p/attempts/1.2x",    "/p/attempts/",    "",
        "/p/attempts/1.2.copy"};
    struct pingo_job_key key;
    (void)state;
    assert_true(pingo__runner_attempt_key("/p/attempts/12.3", &key));
    assert_int_equal(key.action, 12);
    assert_int_equal(key.epoch, 3);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(pingo__runner_attempt_key(wrong[i], &key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attempt__of_those_who_want_it_one_gets_it),
        cmocka_unit_test(test_attempt__what_was_given_up_never_starts),
        cmocka_unit_test(test_attempt__of_a_directory_that_cannot_be_read),
        cmocka_unit_test(test_attempt__a_race_has_one_winner),
        cmocka_unit_test(test_attempt__a_job_that_cannot_be_is_refused),
        cmocka_unit_test(test_attempt__many_are_synced_by_one_call),
        cmocka_unit_test(test_attempt__what_a_killed_runner_had_begun_is_removed),
        cmocka_unit_test(test_attempt__an_outcome_that_does_not_read_back_is_lost),
        cmocka_unit_test(test_attempt__names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
