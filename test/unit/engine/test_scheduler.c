/* test_scheduler.c - a scheduler is opened with what it can use, is known to others from its first tick on, says when to
 * tick, and can be paused. */
#include "unit/engine/box.h"

#include <poll.h>

/* ---- open, close ----------------------------------------------------------------------------- */

static void test_scheduler__a_missing_helper_is_an_error(void **state)
{
    struct box *b = box_new();
    struct pingo_scheduler_options options = {.version = 1, .helper_dir = "/nowhere"};
    struct pingo_scheduler *s = NULL;
    struct pingo_error err = {0};

    UNUSED(state);
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), PINGO_EEXECUTOR);
    assert_null(s);
    assert_non_null(strstr(err.message, "\"local\""));
    assert_non_null(strstr(err.message, "/nowhere/pingo-supervisor"));
    box_close(b);
}

/* What succeeds leaves err alone: with the local executor this was not so where nothing had run yet. */
static void test_scheduler__err_is_untouched_by_success(void **state)
{
    struct box *b = box_new();
    char helper[256], *slash;
    struct pingo_scheduler_options options = {.version = 1, .helper_dir = helper};
    struct pingo_scheduler *s = NULL;
    struct pingo_error err = {.code = 4711, .message = "as it was"};
    ssize_t n = readlink("/proc/self/exe", helper, sizeof helper - 16);

    UNUSED(state);
    assert_true(n > 0);
    helper[n] = '\0';
    for (int i = 0; i < 4; i++) { /* BUILD/test/unit/engine/test_scheduler */
        slash = strrchr(helper, '/');
        assert_non_null(slash);
        *slash = '\0';
    }
    strcat(helper, "/libexec");
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), 0);
    assert_int_equal(err.code, 4711);
    assert_string_equal(err.message, "as it was");
    pingo_scheduler_close(s);
    box_close(b);
}

static void test_scheduler__none_and_some_is_a_mistake(void **state)
{
    struct box *b = box_new();
    struct pingo_scheduler_options options = {
        .version = 1, .executors = fake_list, .nexecutors = 1, .no_executors = true};
    const struct pingo_executor_type *twice[] = {&fake_type, &fake_type};
    struct pingo_scheduler *s = NULL;
    struct pingo_error err = {0};

    UNUSED(state);
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "no_executors, but 1 are named");
    options = (struct pingo_scheduler_options){.version = 1, .nexecutors = 2};
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "2 executors, but executors is NULL");
    options.executors = twice;
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "executor \"fake\" is named twice");
    assert_null(s);
    box_close(b);
}

/* Who has nothing to do leaves no trace. */
static void test_scheduler__is_known_from_its_first_tick_on(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 0);
    pingo_scheduler_close(NULL);
    box_reopen(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 0);
    box_tick(b);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 1);
    box_reopen(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 0);
    box_close(b);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static struct waiting {
    int fd;
    int64_t timeout_ms;
    size_t ntrims, nunsettled, nbusy;
} waiting;

static int own_poll_fd(void *executor)
{
    UNUSED(executor);
    return waiting.fd;
}

static int64_t own_timeout_ms(void *executor)
{
    UNUSED(executor);
    return waiting.timeout_ms;
}

static void own_trim(void *executor, const struct pingo_job_key *unsettled, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_non_null(fake_at(executor, unsettled[i]));
    waiting.ntrims++;
    waiting.nunsettled = n;
}

static size_t own_busy(void *executor)
{
    UNUSED(executor);
    return waiting.nbusy;
}

static void open_waiting(struct box *b)
{
    static struct pingo_executor_type type;
    static const struct pingo_executor_type *const list[] = {&type};
    struct pingo_scheduler_options options = {
        .version = 1, .executors = list, .nexecutors = 1, .max_jobs = 2};
    struct pingo_error err;

    type = fake_type;
    type.poll_fd = own_poll_fd;
    type.timeout_ms = own_timeout_ms;
    type.trim = own_trim;
    type.busy = own_busy;
    pingo_scheduler_close(b->s);
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
}

static void test_scheduler__says_when_to_tick(void **state)
{
    struct box *b = box_new();
    int pipes[2];

    UNUSED(state);
    assert_int_equal(pipe(pipes), 0);
    waiting = (struct waiting){.fd = pipes[0], .timeout_ms = -1};
    open_waiting(b);
    struct pollfd fd = {.fd = pingo_scheduler_poll_fd(b->s), .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 0), 0);
    assert_int_equal(write(pipes[1], "x", 1), 1);
    assert_int_equal(poll(&fd, 1, 0), 1); /* its executor has something */
    assert_int_equal(pingo_scheduler_poll_fd(b->s), fd.fd);
    assert_int_equal(pingo_scheduler_timeout_ms(b->s), 100); /* what other handles do */
    waiting.timeout_ms = 7;
    assert_int_equal(pingo_scheduler_timeout_ms(b->s), 7);
    waiting.timeout_ms = 101;
    assert_int_equal(pingo_scheduler_timeout_ms(b->s), 100);
    /* An end may have made others ready. */
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_tick(b);
    assert_int_equal(pingo_scheduler_timeout_ms(b->s), 100);
    box_finish(b, "a1");
    assert_int_equal(pingo_scheduler_timeout_ms(b->s), 0);
    box_tick(b);
    assert_int_equal(pingo_scheduler_timeout_ms(b->s), 100);
    close(pipes[0]);
    close(pipes[1]);
    box_close(b);
}

/* ---- a tick ---------------------------------------------------------------------------------- */

static void test_scheduler__a_tick_tells_what_it_did(void **state)
{
    struct box *b = box_new();
    struct pingo_tick_result r = {.size = 0};
    struct pingo_error err;

    UNUSED(state);
    waiting = (struct waiting){.fd = -1, .timeout_ms = -1};
    open_waiting(b);
    assert_int_equal(pingo_scheduler_tick(b->s, &r, &err), PINGO_EINVAL); /* no size */
    assert_non_null(strstr(err.message, "pingo_tick_result"));
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 0);
    r = box_tick(b);
    assert_true(r.idle);
    assert_int_equal(r.decision_us, -1);
    assert_int_equal(waiting.ntrims, 1);
    assert_int_equal(waiting.nunsettled, 0);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, "")));
    r = box_tick(b);
    assert_int_equal(r.started, 2); /* as many as it may have in hand */
    assert_int_equal(r.active, 2);
    assert_int_equal(r.running, 0);
    assert_false(r.idle);
    b->fake.tells_started = true;
    r = box_tick(b);
    assert_int_equal(r.running, 2);
    assert_true(r.idle);
    waiting.nbusy = 3; /* who leaves now has somebody begin that anew */
    r = box_tick(b);
    assert_int_equal(r.bringing, 3);
    assert_true(r.idle); /* that is no work of the scheduler's */
    waiting.nbusy = 0;
    waiting.ntrims = 0;
    b->s->recovered_at = 0; /* that was a second ago */
    box_tick(b);
    assert_int_equal(waiting.ntrims, 1);
    assert_int_equal(waiting.nunsettled, 2);
    box_report(b, b->fake.jobs[0].name, PINGO_END_EXITED, 0, "");
    r = box_tick(b);
    assert_int_equal(r.settled, 1);
    assert_int_equal(r.started, 1);
    well(pingo_scheduler_tick(b->s, NULL, &err), &err);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_close(b);
}

static void test_scheduler__drains_what_is_to_go(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    size_t deleted = 7;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    box_finish_all(b);
    well(pingo_scheduler_drain(b->s, &deleted, &err), &err);
    assert_int_equal(deleted, 0);
    for (int id = 1; id <= 2; id++) {
        struct pingo_hash hash = box_hash(b, 1, id);
        well(pingo_store_remove(b->store, &hash, &err), &err);
    }
    well(pingo_scheduler_drain(b->s, &deleted, &err), &err);
    assert_int_equal(deleted, 2);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_DELETED);
    well(pingo_scheduler_drain(b->s, NULL, &err), &err);
    box_clean(b);
    box_close(b);
}

static void test_scheduler__pauses_and_goes_on(void **state)
{
    static const int64_t first = 1;
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_submit(b, W(A(2, "")));
    box_tick(b);
    well(pingo_scheduler_pause(b->s, &err), &err);
    assert_true(b->fake.jobs[0].revoked && b->fake.jobs[1].revoked);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    assert_int_equal(box_tick(b).started, 0);
    assert_int_equal(box_int(b, "SELECT scope FROM owner"), PINGO__OWNER_NOBODY);
    well(pingo_scheduler_resume(b->s, &err), &err);
    assert_int_equal(box_tick(b).started, 2);
    assert_int_equal(box_int(b, "SELECT scope FROM owner"), PINGO__OWNER_ALL);
    b->fake.cannot_revoke = true; /* they run */
    well(pingo_scheduler_interrupt(b->s, &first, 1, &err), &err);
    box_tick(b);
    assert_true(fake_job(&b->fake, "a1")->killed);
    assert_false(fake_job(&b->fake, "a2")->killed);
    box_report(b, "a1", PINGO_END_KILLED, 0, "");
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY); /* no try of its was lost */
    assert_int_equal(box_state(b, 2, 2), PINGO_ACTION_SUBMITTED);
    well(pingo_scheduler_resume(b->s, &err), &err);
    well(pingo_scheduler_scope(b->s, &first, 1, &err), &err);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT scope FROM owner"), PINGO__OWNER_LISTED);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scheduler__a_missing_helper_is_an_error),
        cmocka_unit_test(test_scheduler__err_is_untouched_by_success),
        cmocka_unit_test(test_scheduler__none_and_some_is_a_mistake),
        cmocka_unit_test(test_scheduler__is_known_from_its_first_tick_on),
        cmocka_unit_test(test_scheduler__says_when_to_tick),
        cmocka_unit_test(test_scheduler__a_tick_tells_what_it_did),
        cmocka_unit_test(test_scheduler__drains_what_is_to_go),
        cmocka_unit_test(test_scheduler__pauses_and_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
