/* test_settle.c - what an attempt's directory makes of a job that Slurm says is over, and what stays of it. */
#include "unit/executor/slurm_way.h"

#include "base/child.h"
#include "runner/record/attempt.h"

static int open_dir(void)
{
    int dir = open(fake.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir >= 0);
    return dir;
}

/* As a runner on a node does; *lock: it lives. */
static void start_on_node(int *lock)
{
    char name[PINGO__RUNNER_STARTED_SIZE];
    int dir = open_dir();
    assert_int_equal(pingo__runner_attempt_start(dir, name, lock), 0);
    assert_true(*lock >= 0);
    close(dir);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static enum pingo_runner_state look_at_dir(void)
{
    struct pingo_runner_report report = {.size = sizeof report};
    assert_int_equal(pingo_runner_look(fake.dir, &report, NULL), 0);
    return report.state;
}

/* What Slurm said last of the job. */
static void is_over(enum pingo__executor_slurm_state state)
{
    job()->phase = PINGO__SLURM_ENDED;
    job()->state = state;
    job()->over_ms = pingo__world_monotonic_ms() - 60000;
    strcpy(job()->node, "n1");
}

/* What came of it: settled, and told. */
static void settle(void)
{
    struct pingo_executor_reports reports = {
        .context = &fake, .started = on_started, .ended = on_ended, .named = on_named};
    fake.nends = 0;
    pingo__executor_slurm_settle(fake.s, job());
    pingo_jobs_tell(fake.s->jobs, &reports);
}

/* Nobody has started it, and nobody can any more. */
static void test_settle__what_had_not_started_never_does(void **state)
{
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/slurm.log", fake.dir);
    write_file(path, "prolog: no\x1b[31m\tdisk\nleft\n");
    is_over(PINGO__SLURM_OVER);
    job()->wait_status = 256;
    settle();
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.reason, PINGO_END_NOT_STARTED);
    assert_string_equal(fake.end.node, "n1");
    assert_non_null(strstr(fake.end.message, "left")); /* on one line, and with nothing unseen */
    assert_null(strpbrk(fake.end.message, "\n\x1b"));
    assert_int_equal(look_at_dir(), PINGO_RUNNER_REVOKED);
}

static void test_settle__one_that_slurm_queued_again_may_still_start(void **state)
{
    (void)state;
    is_over(PINGO__SLURM_NODE_FAIL);
    job()->requeued = true;
    settle();
    assert_int_equal(fake.nends, 0);
    assert_int_equal(job()->phase, PINGO__SLURM_SUBMITTED);
    assert_int_equal(look_at_dir(), PINGO_RUNNER_ARMED);
    is_over(PINGO__SLURM_NODE_FAIL); /* but not for ever */
    settle();
    assert_int_equal(fake.nends, 1);
}

/* Its file system may be back in a moment, with what it has made. */
static void test_settle__what_is_out_of_sight_is_waited_for(void **state)
{
    char attempts[96], away[96];
    (void)state;
    snprintf(attempts, sizeof attempts, "%s/attempts", fake.pool);
    snprintf(away, sizeof away, "%s/away", fake.pool);
    is_over(PINGO__SLURM_OVER);
    assert_int_equal(rename(attempts, away), 0);
    settle();
    assert_int_equal(fake.nends, 0);
    assert_int_equal(rename(away, attempts), 0);
    settle();
    assert_int_equal(fake.nends, 1);
}

static void test_settle__the_outcome_is_the_truth(void **state)
{
    struct pingo_job_end end = {
        .size = sizeof end, .key = key, .reason = PINGO_END_EXITED, .exit_code = 3};
    int lock, dir = open_dir();
    (void)state;
    start_on_node(&lock);
    assert_int_equal(pingo__runner_outcome_write(dir, &end), 0);
    close(lock);
    close(dir);
    is_over(PINGO__SLURM_TIMEOUT);
    settle();
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.reason, PINGO_END_EXITED);
    assert_int_equal(fake.end.exit_code, 3);
}

/* An epilog may take long, and a node that is stuck in it days; but what Slurm has ended waits for what it says of that. */
static void test_settle__while_slurm_tidies_up(void **state)
{
    static const struct {
        struct pingo_job_end end;
        bool waits;
    } rows[] = {
        {{.reason = PINGO_END_SIGNALED, .signal = 9}, true},
        {{.reason = PINGO_END_KILLED}, true},
        {{.reason = PINGO_END_EXITED, .exit_code = 143}, true},
        {{.reason = PINGO_END_EXITED, .exit_code = 3}, false},
    };
    int lock, dir = open_dir();
    (void)state;
    job()->phase = PINGO__SLURM_SUBMITTED;
    job()->id = 7;
    saw(PINGO__SLURM_LIST, key, 7, "COMPLETING");
    collect();
    assert_int_equal(fake.nends, 0); /* it has left nothing yet */
    start_on_node(&lock);
    close(lock);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_job_end end = rows[i].end;
        end.size = sizeof end;
        end.key = key;
        assert_int_equal(pingo__runner_outcome_write(dir, &end), 0);
        saw(PINGO__SLURM_LIST, key, 7, "COMPLETING");
        collect();
        assert_int_equal(fake.nends, !rows[i].waits);
    }
    close(dir);
    assert_int_equal(fake.end.exit_code, 3);
}

/* It has started and says nothing: it is lost when it cannot live, its file system had time to show what another machine
 * wrote, and a list has confirmed that Slurm does not have it. */
static void test_settle__a_start_without_an_end_is_lost_last_of_all(void **state)
{
    int lock;
    (void)state;
    start_on_node(&lock);
    is_over(PINGO__SLURM_NODE_FAIL);
    job()->confirmed = true;
    settle();
    assert_int_equal(fake.nends, 0);
    close(lock);
    job()->over_ms = pingo__world_monotonic_ms();
    settle();
    assert_int_equal(fake.nends, 0);
    is_over(PINGO__SLURM_NODE_FAIL);
    job()->confirmed = fake.s->list_wanted = false;
    settle();
    assert_int_equal(fake.nends, 0);
    assert_true(fake.s->list_wanted);
    assert_true(job()->look_at_ms > pingo__world_monotonic_ms() - 60000);
    job()->confirmed = true;
    settle();
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.reason, PINGO_END_LOST);
}

/* What Slurm queued again would find the gate closed, and might be held for ever. */
static void test_settle__one_that_slurm_queued_again_goes_with_its_attempt(void **state)
{
    int lock;
    (void)state;
    start_on_node(&lock);
    close(lock);
    is_over(PINGO__SLURM_NODE_FAIL);
    job()->id = 7;
    job()->requeued = true;
    settle();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 0); /* nobody knows yet */
    job()->confirmed = true;
    settle();
    assert_int_equal(fake.end.reason, PINGO_END_LOST);
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1);
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].id, 7);
    answer(PINGO__SLURM_CANCEL, PINGO__SLURM_DONE, 0);
    collect();
}

static void test_settle__a_refusal_closes_the_gate(void **state)
{
    struct pingo_executor_reports reports = {
        .context = &fake, .started = on_started, .ended = on_ended, .named = on_named};
    int lock;
    (void)state;
    assert_int_equal(start(other, 1), 0);
    start_on_node(&lock); /* the other, all the same */
    pingo__executor_slurm_refuse(fake.s, job(), "no such partition");
    pingo__executor_slurm_refuse(fake.s, pingo_jobs_find(fake.s->jobs, other), "no such partition");
    pingo_jobs_tell(fake.s->jobs, &reports);
    assert_int_equal(fake.nends, 1); /* the other's directory will tell */
    assert_int_equal(fake.end.key.action, key.action);
    assert_int_equal(fake.end.reason, PINGO_END_NOT_STARTED);
    assert_string_equal(fake.end.message, "no such partition");
    assert_int_equal(look_at_dir(), PINGO_RUNNER_STARTED);
    close(lock);
}

/* Of an array each log goes to its attempt, and the list with the last of them. */
static void test_settle__what_is_dropped_leaves_its_log(void **state)
{
    struct pingo__executor_slurm_bundle *b;
    const struct pingo_job_key keys[] = {key, other};
    char dirs[2][96], text[64], list[160];
    (void)state;
    memcpy(dirs[0], fake.dir, sizeof dirs[0]);
    assert_int_equal(start(other, 1), 0);
    memcpy(dirs[1], fake.dir, sizeof dirs[1]);
    assert_int_equal(pingo__executor_slurm_bundle_make(fake.s, keys, 2, &b), 0);
    pingo__executor_slurm_bind(job(), b, 0);
    pingo__executor_slurm_bind(job(), b, 0);
    pingo__executor_slurm_bind(pingo_jobs_find(fake.s->jobs, other), b, 1);
    assert_int_equal(b->users, 2);
    for (int i = 0; i < 2; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d.log", i);
        char *path = pingo__executor_bundle_path(fake.pool, b->name, name);
        write_file(path, i ? "" : "said\n");
        free(path);
    }
    snprintf(list, sizeof list, "%s/attempts/.bundles/%s", fake.pool, b->name);
    pingo__executor_slurm_drop(fake.s, key);
    assert_int_equal(access(list, F_OK), 0);
    assert_int_equal(b->users, 1);
    strcat(dirs[0], "/slurm.log");
    assert_true(pingo__file_read(AT_FDCWD, dirs[0], text, sizeof text) > 0);
    assert_string_equal(text, "said\n");
    pingo__executor_slurm_drop(fake.s, other);
    assert_int_equal(access(list, F_OK), -1);
    assert_int_equal(b->users, 0);
    strcat(dirs[1], "/slurm.log");
    assert_int_equal(access(dirs[1], F_OK), -1); /* nothing stood in it */
    assert_null(pingo_jobs_next(fake.s->jobs, NULL));
    pingo__executor_slurm_drop(fake.s, other); /* nothing is left to drop */
}

/* Slurm's word comes behind all that a prolog has said. */
static void test_settle__memory_is_told_behind_noise(void **state)
{
    char path[160], started[160];
    (void)state;
    snprintf(path, sizeof path, "%s/slurm.log", fake.dir);
    FILE *log = fopen(path, "w");
    assert_non_null(log);
    for (int i = 0; i < 100; i++)
        fprintf(log, "prolog: module %d is loaded, and more of the kind\n", i);
    fputs("slurmstepd-n1: error: Exceeded job memory limit\n", log);
    fclose(log);
    snprintf(path, sizeof path, "%s/job", fake.dir);
    snprintf(started, sizeof started, "%s/started.n1.7", fake.dir);
    assert_int_equal(rename(path, started), 0);
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    saw(PINGO__SLURM_LOOK, key, 7, "FAILED");
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    step();
    job()->confirmed = true;
    job()->over_ms -= 60000;
    job()->look_at_ms = 0;
    step();
    assert_int_equal(fake.nends, 0); /* it is told when it is known how much it could have */
    assert_int_equal(fake.asked[PINGO__SLURM_NODES], 1);
    assert_int_equal(fake.asked[PINGO__SLURM_PARTITIONS], 1);
    answer(PINGO__SLURM_NODES, PINGO__SLURM_DONE, 0);
    answer(PINGO__SLURM_PARTITIONS, PINGO__SLURM_DONE, 0);
    job()->look_at_ms = 0;
    step();
    job()->look_at_ms = 0;
    step();
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.reason, PINGO_END_MEMORY_LIMIT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_settle__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_had_not_started_never_does),
        TEST(one_that_slurm_queued_again_may_still_start),
        TEST(what_is_out_of_sight_is_waited_for),
        TEST(the_outcome_is_the_truth),
        TEST(while_slurm_tidies_up),
        TEST(a_start_without_an_end_is_lost_last_of_all),
        TEST(one_that_slurm_queued_again_goes_with_its_attempt),
        TEST(a_refusal_closes_the_gate),
        TEST(what_is_dropped_leaves_its_log),
        TEST(memory_is_told_behind_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
