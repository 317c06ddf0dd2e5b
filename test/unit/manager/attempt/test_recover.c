/* test_recover.c - what the dead left is adopted or lost; a tick that was cut short. */
#include "unit/engine/box.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "store/transition.h"

static void test_recover__what_the_dead_left_is_adopted_or_lost(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    box_tick(b);
    box_reopen(b);
    assert_int_equal(box_tick(b).recovered, 2);
    assert_true(b->fake.jobs[0].adopted);
    assert_int_equal(b->fake.n, 2);
    box_finish(b, "a1");
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    b->fake.knows_nothing = true; /* the machine was started anew */
    fake_job(&b->fake, "a2")->revoked = true;
    box_reopen(b);
    box_tick(b);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT reason FROM attempt WHERE action = 2 AND epoch = 1"),
                     PINGO_END_LOST);
    b->fake.knows_nothing = false;
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 1);
    box_clean(b);
    box_close(b);
}

/* What an error left claimed and not handed out is READY again at the next tick of the same scheduler. */
static void test_recover__a_tick_that_was_cut_short(void **state)
{
    struct box *b = box_new();
    struct pingo__store_action_row row = {
        .id = 1, .workflow = 1, .state = PINGO_ACTION_READY, .user = 1, .cpus = 1};
    struct pingo__store_action_change c = {
        .row = &row, .to = PINGO_ACTION_PROCESSING, .is_new_epoch = true};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    assert_int_equal(pingo__engine_scheduler_register(b->s, &err), 0);
    c.owner = b->s->context.owner;
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(pingo__store_action_change(&b->store->db, &c, NULL, &err), 0);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    b->s->actions.must_adopt = true; /* as the error left it */
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    assert_int_equal(b->fake.jobs[0].key.epoch, 2);
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

/* ---- the stopped -------------------------------------------------------------------------------- */

/* A clock that the test sets. */
static int64_t elapsed_ms;

static int64_t told_ns(void *context)
{
    UNUSED(context);
    return elapsed_ms * 1000000;
}

/* Whoever reads what a test says does not wait for it. */
static pid_t start_sleeper(void)
{
    char *argv[] = {(char[]){"sleep"}, (char[]){"3600"}, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclosefrom_np(&actions, 1);
    assert_int_equal(posix_spawnp(&pid, "sleep", &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/* It is so when this returns. */
static void send(pid_t pid, int signal)
{
    int status, how = signal == SIGKILL ? 0 : signal == SIGSTOP ? WUNTRACED : WCONTINUED;

    assert_int_equal(kill(pid, signal), 0);
    assert_int_equal(waitpid(pid, &status, how), pid);
}

static size_t recover_at(struct box *b, int64_t ms)
{
    struct pingo_error err;
    size_t recovered = 0;

    elapsed_ms = ms;
    well(pingo__manager_actions_recover(&b->s->actions, &recovered, &err), &err);
    return recovered;
}

static void test_recover__who_is_stopped_for_long_is_relieved(void **state)
{
    struct box *b = box_new();
    struct pingo_scheduler *first = b->s;
    struct pingo__world world = *pingo__world_real();
    pid_t pid = start_sleeper();
    struct pingo_error err;
    char sql[80];

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    box_tick(b);
    snprintf(sql, sizeof sql, "UPDATE owner SET pid = %ld", (long)pid); /* as if it were another */
    box_run(b, sql);
    box_open_scheduler(b);
    well(pingo__engine_scheduler_register(b->s, NULL), &err);
    world.monotonic_ns = told_ns;
    b->s->context.world = &world;
    assert_int_equal(recover_at(b, 1000), 0);
    assert_int_equal(recover_at(b, 90000), 0); /* it runs */
    send(pid, SIGSTOP);
    assert_int_equal(recover_at(b, 100000), 0);
    assert_int_equal(recover_at(b, 104999), 0);
    send(pid, SIGCONT); /* it goes on in time, */
    assert_int_equal(recover_at(b, 105000), 0);
    send(pid, SIGSTOP); /* and is stopped anew */
    assert_int_equal(recover_at(b, 106000), 0);
    assert_int_equal(recover_at(b, 110999), 0);
    b->fake.knows_nothing = true; /* what the executor has not may be started by it yet */
    assert_int_equal(recover_at(b, 111000), 0);
    b->fake.knows_nothing = false;
    for (int i = 0; i < 2; i++) {
        b->fake.jobs[1].revoked = i == 0;
        assert_int_equal(recover_at(b, 111000), 1);
        assert_non_null(strstr(b->log, "is stopped: 1 of"));
    }
    assert_int_equal(box_int(b,
                             "SELECT count(*) FROM attempt t JOIN action a ON a.id = t.action"
                             " AND a.owner = t.owner WHERE t.owner = (SELECT max(id) FROM owner)"),
                     2);
    assert_int_equal(recover_at(b, 200000), 0); /* it has nothing more */
    send(pid, SIGKILL);
    b->s->context.world = pingo__world_real();
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    pingo_scheduler_close(first);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recover__what_the_dead_left_is_adopted_or_lost),
        cmocka_unit_test(test_recover__a_tick_that_was_cut_short),
        cmocka_unit_test(test_recover__who_is_stopped_for_long_is_relieved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
