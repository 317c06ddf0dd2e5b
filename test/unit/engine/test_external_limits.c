/* test_external_limits.c - time limits of external jobs that another process had started, for who only ticks. */
#include "unit/engine/box.h"

#include <signal.h>
#include <sys/wait.h>

#define E(id, more)                                                                                \
    "{'id':" #id ",'name':'a" #id "','type':'external','description':'work " #id "'" more "}"

static struct box *external_new(void)
{
    struct box *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->external = true;
    box_open(b);
    return b;
}

static void end(struct box *b, struct pingo_job_key key, enum pingo_end_reason reason, int code)
{
    struct pingo_job_end e = {
        .size = sizeof e, .key = key, .reason = reason, .exit_code = code, .wall_ms = 5};
    struct pingo_error err;

    well(pingo_external_end(b->s, &e, &err), &err);
}

/* The first process takes two jobs, starts one, and dies without a word. */
static void take_and_die(struct box *b)
{
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        const struct pingo_external_job *job = NULL;
        struct pingo_tick_result r = {.size = sizeof r};

        box_open_store(b);
        box_open_scheduler(b);
        if (pingo_scheduler_tick(b->s, &r, NULL) || pingo_external_next(b->s, &job, NULL) || !job ||
            pingo_external_start(b->s, job->key, NULL))
            _exit(1);
        if (pingo_external_next(b->s, &job, NULL) == 0 && job)
            kill(getpid(), SIGKILL);
        _exit(2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

/* Also where nobody asks what was adopted, and only ticks. */
static void test_external_limits__of_what_nobody_asked_for(void **state)
{
    struct box *b = external_new();
    enum pingo_kill_reason reason = 0;
    struct pingo_job_key key;

    UNUSED(state);
    box_submit(b, W(E(1, ",'resources':{'timeLimitSeconds':1}") "," E(
                      2, ",'resources':{'timeLimitSeconds':1}")));
    box_leave(b);
    take_and_die(b);
    box_open_store(b);
    box_open_scheduler(b);
    for (int i = 0; i < 100 && reason != PINGO_KILL_TIME_LIMIT; i++) {
        box_tick(b);
        usleep(50000);
        pingo_external_next_kill_why(b->s, &key, &reason);
    }
    assert_int_equal(reason, PINGO_KILL_TIME_LIMIT);
    end(b, key, PINGO_END_KILLED, 0);
    box_tick(b);
    assert_int_equal(
        box_int(b, "SELECT count(*) FROM action WHERE message LIKE '%time limit of 1 s%'"), 1);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_external_limits__of_what_nobody_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
