/* test_ends.c - what ends do: retries, back-off, failures and what descends from them, promoted
 * joiners, late and repeated ends, kills, interrupts, recovery, inputs that vanish, deletion. */
#include "unit/engine/box.h"

#include <time.h>

#include "manager/attempt/callback.h"
#include "store/transition.h"

#define CHAIN W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))))

static void test_ends__a_retry_is_a_higher_epoch(void **state)
{
    struct box *b = box_new();
    struct pingo_job_key first;

    UNUSED(state);
    box_submit(b, W(A(1, ",'retries':2") "," A(2, P(FROM(1)))));
    box_tick(b);
    first = fake_job(&b->fake, "a1")->key;
    box_fail(b, "a1");
    assert_int_equal(fake_job(&b->fake, "a1")->key.epoch, first.epoch + 1);
    box_fail(b, "a1");
    box_fail(b, "a1");
    assert_int_equal(b->fake.n, 3);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_CANCELLED);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_DELETED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state = 3 AND exit_code = 1"),
                     3);
    box_clean(b);
    box_close(b);
}

static void test_ends__independent_branches_go_on(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1))) "," A(
                      4, P(FROM(2) "," FROM(3))) "," A(5, P(FROM(3)))));
    box_tick(b);
    box_finish(b, "a1");
    box_fail(b, "a2");
    assert_int_equal(box_state(b, 1, 4), PINGO_ACTION_CANCELLED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_RUNNING);
    box_finish_all(b);
    assert_int_equal(box_state(b, 1, 5), PINGO_ACTION_FINISHED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim"), 0);
    box_clean(b);
    box_close(b);
}

/* Its wait is over. */
static void be_patient(struct box *b)
{
    struct pingo_error err;

    assert_true(box_changed(&b->store->db, &err, "UPDATE action SET not_before_ms = 0", NONE) >= 0);
}

static int64_t delay_of(struct box *b, int64_t before_ms)
{
    int64_t at = box_int(b, "SELECT not_before_ms FROM action");

    return at ? at - before_ms : 0;
}

static int64_t now_of(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* What is nobody's fault counts no retry, but not for ever, and not without a pause; so does a kill that nobody
 * asked for. */
static void lost_attempts(enum pingo_end_reason reason, const char *message)
{
    bool is = false;
    struct box *b = box_new();
    struct pingo_error err;
    int n = 0;

    well(pingo_store_set(b->store, "executor.maxStarts", "4", &err), &err);
    box_submit(b, W(A(1, "")));
    for (box_tick(b); box_state(b, 1, 1) == PINGO_ACTION_SUBMITTED; n++) {
        int64_t before = now_of();

        box_report(b, "a1", reason, 0, "");
        box_tick(b);
        if (n == 0)
            continue; /* the first time at once */
        if (box_state(b, 1, 1) == PINGO_ACTION_READY) {
            assert_true(delay_of(b, before) >= 100 << (n - 1));
            assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message LIKE '%lost%'"),
                             1);
        }
        be_patient(b);
        box_tick(b);
    }
    assert_int_equal(n, 4);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message LIKE '%maxStarts%'"), 1);
    well(pingo__db_exists(&b->store->db, &err, &is, "SELECT 1 FROM action WHERE message LIKE ?", TEXT(message)), &err);
    assert_true(is);
    box_clean(b);
    box_close(b);
}

static void test_ends__lost_attempts_are_tried_again(void **state)
{
    UNUSED(state);
    lost_attempts(PINGO_END_LOST, "its attempt was lost 4 times%");
    lost_attempts(PINGO_END_KILLED, "%not by Pingo%");
    lost_attempts((enum pingo_end_reason)55,
                  "%executor \"fake\" told an end that cannot be: reason 55%");
}

static void test_ends__a_start_that_fails_backs_off(void **state)
{
    struct box *b = box_new();
    int64_t before;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    b->fake.start_error = PINGO_EEXECUTOR;
    box_tick(b);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT tries FROM action"), 0);
    assert_int_equal(box_int(b, "SELECT refusals FROM action"), 1);
    assert_true(box_int(b, "SELECT not_before_ms > 0 FROM action") == 1);
    assert_non_null(strstr(b->log, "does not start"));
    assert_int_equal(box_tick(b).started, 0); /* it is too early */
    /* A batch system that is down is waited for as long as it takes, and the action tells why. */
    for (int i = 2; i <= 40; i++) {
        before = now_of();
        be_patient(b);
        box_tick(b);
        box_tick(b);
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
        assert_int_equal(box_int(b, "SELECT refusals FROM action"), i);
    }
    assert_in_range(delay_of(b, before), 102400, 110000);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message LIKE"
                                " 'could not be started (40 times)%it does not start%'"),
                     1);
    b->fake.start_error = 0;
    be_patient(b);
    b->fake.tells_started = true;
    box_tick(b);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_RUNNING);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message IS NOT NULL"), 0);
    box_finish(b, "a1");
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* Ticks until an action is in this state: it is asked again after a pause. */
static void wait_for_state(struct box *b, int64_t id, int state)
{
    for (int i = 0; box_state(b, 1, id) != state; i++) {
        assert_true(i < 3000);
        usleep(10000);
        box_tick(b);
    }
}

static void test_ends__who_is_away_is_waited_for(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(1)))));
    box_tick(b);
    b->fake.is_away = true;
    box_report(b, "a1", PINGO_END_EXITED, 0, "one");
    for (int i = 0; i < 5; i++)
        box_tick(b); /* nothing fails */
    assert_non_null(strstr(b->log, "executor \"fake\": the controller does not answer"));
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    /* Neither is anything given up that it cannot be asked about. */
    well(pingo_store_kill(b->store, 1, "2", NULL, &err), &err);
    well(pingo_scheduler_pause(b->s, &err), &err);
    box_tick(b);
    assert_false(fake_job(&b->fake, "a2")->killed);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 2);
    /* Nor by those who come after us. */
    box_reopen(b);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 2);
    b->fake.is_away = false;
    wait_for_state(b, 1, PINGO_ACTION_FINISHED);
    assert_null(fake_job(&b->fake, "a2")); /* it was revoked */
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 1);
    box_tick(b);
    box_finish(b, "a3");
    assert_int_equal(box_int(b, "SELECT sum(tries) + sum(refusals) FROM action"), 0);
    box_clean(b);
    box_close(b);
}

/* An engine's limits tell in its words, the action's in ours. */
static void test_ends__limits_are_told_apart(void **state)
{
    struct pingo_error err;
    bool is = false;
    static const struct {
        enum pingo_end_reason reason;
        const char *says, *message;
    } rows[] = {{PINGO_END_TIME_LIMIT, "", "took longer than its time limit of 60 s"},
                {PINGO_END_TIME_LIMIT, "longer than the partition allows",
                 "longer than the partition allows"},
                {PINGO_END_MEMORY_LIMIT, "", "used more than its memory limit of 100 MB"},
                {PINGO_END_MEMORY_LIMIT, "over the 2 GB of its node", "over the 2 GB of its node"}};

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = box_new();
        struct job *j;

        box_submit(b, W(A(1, ",'resources':{'memoryMB':100,'timeLimitSeconds':60}")));
        box_tick(b);
        j = fake_job(&b->fake, "a1");
        box_report(b, "a1", rows[i].reason, 0, "");
        snprintf(j->end.message, sizeof j->end.message, "%s", rows[i].says);
        box_tick(b);
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
        assert_int_equal(box_int(b, "SELECT reason FROM attempt"), rows[i].reason);
        well(pingo__db_exists(&b->store->db, &err, &is, "SELECT 1 FROM action WHERE message = ?",
                                       TEXT(rows[i].message)), &err);
    assert_true(is);
        box_close(b);
    }
}

static void test_ends__an_interrupt_counts_nothing(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    box_tick(b);
    b->fake.cannot_revoke = true; /* both have started */
    well(pingo_scheduler_interrupt(b->s, NULL, 0, &err), &err);
    assert_true(fake_job(&b->fake, "a1")->killed);
    box_report(b, "a1", PINGO_END_KILLED, 0, "");
    box_report(b, "a2", PINGO_END_EXITED, 0, "two"); /* it had just finished */
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT tries + retries FROM action WHERE position = 0"), 0);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_FINISHED);
    b->fake.cannot_revoke = false;
    box_reopen(b);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_ends__a_pause_takes_back_what_has_not_started(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    int64_t epoch;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    box_tick(b);
    epoch = fake_job(&b->fake, "a1")->key.epoch;
    well(pingo_scheduler_pause(b->s, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 0); /* it never was */
    assert_int_equal(box_tick(b).started, 0);
    assert_int_equal(box_tick(b).active, 0);
    assert_int_equal(pingo_scheduler_run(b->s, NULL, 0, NULL, &err),
                     PINGO_ESTATE); /* it would wait for ever */
    well(pingo_scheduler_resume(b->s, &err), &err);
    assert_int_equal(box_tick(b).started, 2);
    assert_int_equal(fake_job(&b->fake, "a1")->key.epoch, epoch + 1); /* never the same twice */
    well(pingo_scheduler_interrupt(b->s, NULL, 0, &err), &err);
    assert_int_equal(box_tick(b).active, 0);
    box_reopen(b);
    box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->key.epoch, epoch + 2);
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

/* ---- who joined ------------------------------------------------------------------------- */

static void test_ends__the_oldest_live_joiner_is_promoted(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_submit(b, W(A(1, ",'retries':1") "," A(2, P(FROM(1)))));
    box_submit(b, W(A(1, "") "," A(3, P(FROM(1)))));
    box_fail(b, "a1");
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    assert_int_equal(box_state(b, 2, 1),
                     PINGO_ACTION_SUBMITTED); /* with its own row, and its own retry */
    assert_int_equal(box_state(b, 3, 1), PINGO_ACTION_WAITING);
    assert_int_equal(box_int(b, "SELECT joined FROM action WHERE workflow = 3 AND position = 0"),
                     box_int(b, "SELECT id FROM action WHERE workflow = 2 AND position = 0"));
    assert_int_equal(box_int(b, "SELECT retries FROM action WHERE workflow = 2 AND position = 0"),
                     1);
    box_clean(b);
    box_fail(b, "a1");
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* A promoted joiner has parents again, though they were skipped when it joined. */
static void test_ends__a_promoted_joiner_plans_its_parents(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_tick(b);
    box_finish(b, "a1");
    box_finish(b, "a2");
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))) "," A(4, P(FROM(3)))));
    assert_int_equal(box_state(b, 2, 2), 0);
    box_report(b, "a3", PINGO_END_EXITED, 1, "");
    /* Its input is gone as well: that is found when the reader is planned again, or when it starts. */
    assert_int_equal(pingo_store_resolve_dataset(b->store, "1", "a2", &hash, &err), 0);
    box_tick(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    assert_int_equal(box_state(b, 2, 3), PINGO_ACTION_SUBMITTED);
    assert_int_equal(pingo_store_remove(b->store, &hash, &err), PINGO_ECLAIMED);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* ---- late and repeated ------------------------------------------------------------------------ */

static struct pingo_job_end end_of(struct job *j, enum pingo_end_reason reason)
{
    return (struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                  .key = j->key,
                                  .reason = reason,
                                  .ended_ms = 2000,
                                  .exit_code = 1};
}

/* Applies an end as a callback does; gives its outcome. */
static int apply(struct box *b, const struct pingo_job_end *end)
{
    struct pingo__arena arena;
    struct pingo__manager_settling s = {.end = *end};
    struct pingo_error err;
    int outcome;

    pingo__arena_init(&arena);
    well(pingo__manager_callback_prepare(&b->s->context, &s, &arena, &err), &err);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_db_end(&b->store->db, pingo__manager_callback_apply(&b->s->context, &s, &err),
                             &err),
         &err);
    well(pingo__manager_callback_finish(&b->s->context, &s, &err), &err);
    outcome = (int)s.outcome;
    pingo__arena_clear(&arena);
    return outcome;
}

static void test_ends__an_end_is_applied_once(void **state)
{
    struct box *b = box_new();
    struct pingo_job_end end = {.size = sizeof end};

    UNUSED(state);
    box_submit(b, W(A(1, ",'retries':5")));
    box_tick(b);
    end = end_of(fake_job(&b->fake, "a1"), PINGO_END_EXITED);
    assert_int_equal(apply(b, &end), PINGO__SETTLED_AGAIN);
    assert_int_equal(apply(b, &end), PINGO__SETTLED_OLD);
    assert_int_equal(box_int(b, "SELECT retries FROM action"), 4);
    end.key.action = 99;
    assert_int_equal(apply(b, &end), PINGO__SETTLED_OLD);
    end.key = (struct pingo_job_key){1, 99};
    assert_int_equal(apply(b, &end), PINGO__SETTLED_OLD);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    box_clean(b);
    box_close(b);
}

/* A success that comes after a kill touches its own attempt alone, and leaves no file. */
static void test_ends__a_late_success_changes_nothing(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    size_t killed = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "late");
    well(pingo_store_kill(b->store, 1, NULL, &killed, &err), &err);
    assert_int_equal(killed, 1);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_int(b, "SELECT state FROM attempt"), 3);
    assert_int_not_equal(access(b->fake.jobs[0].staged, F_OK), 0);
    box_clean(b);
    box_close(b);
}

/* Published by rename, then the process dies before the commit; meanwhile it is killed: nothing is left. */
static void test_ends__published_but_not_committed_and_killed(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena;
    struct pingo__manager_settling s;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "one");
    pingo__arena_init(&arena);
    s = (struct pingo__manager_settling){.end = b->fake.jobs[0].end};
    well(pingo__manager_callback_prepare(&b->s->context, &s, &arena, &err), &err);
    assert_non_null(s.object);
    box_clean(b); /* its attempt is open: the file is on its way */
    pingo__arena_clear(&arena);
    well(pingo_store_kill(b->store, 1, NULL, NULL, &err), &err);
    box_reopen(b);
    box_tick(b);
    box_clean(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 0);
    box_close(b);
}

/* The same, and not killed: whoever comes next publishes it, and it does not run again. */
static void test_ends__published_but_not_committed(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena;
    struct pingo__manager_settling s;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "one");
    pingo__arena_init(&arena);
    s = (struct pingo__manager_settling){.end = b->fake.jobs[0].end};
    well(pingo__manager_callback_prepare(&b->s->context, &s, &arena, &err), &err);
    pingo__arena_clear(&arena);
    box_reopen(b);
    assert_int_equal(box_tick(b).settled, 1);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    assert_int_equal(b->fake.n, 1);
    box_clean(b);
    box_close(b);
}

/* ---- recovery ------------------------------------------------------------------------------------ */

static void test_ends__what_the_dead_left_is_adopted_or_lost(void **state)
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
static void test_ends__a_tick_that_was_cut_short(void **state)
{
    struct box *b = box_new();
    struct pingo__store_action_change c = {.id = 1,
                                           .workflow = 1,
                                           .from = PINGO_ACTION_READY,
                                           .to = PINGO_ACTION_PROCESSING,
                                           .to_epoch = 1};
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

/* ---- kill --------------------------------------------------------------------------------------------- */

static void test_ends__a_kill_between_claim_and_start(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_tick(b);
    well(pingo_store_kill(b->store, 1, NULL, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_CANCELLED);
    box_tick(b);
    assert_true(b->fake.jobs[0].revoked); /* it had not started: no trace is left */
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 0);
    assert_int_equal(pingo_store_kill(b->store, 1, NULL, NULL, &err), PINGO_ESTATE);
    assert_int_equal(pingo_store_kill(b->store, 9, NULL, NULL, &err), PINGO_ENOTFOUND);
    box_clean(b);
    box_close(b);
}

static void test_ends__a_kill_spares_what_is_needed(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};

    UNUSED(state);
    b->fake.cannot_revoke = true;
    box_submit(b, CHAIN);
    box_tick(b);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(4, P(FROM(2)))));
    assert_int_equal(pingo_store_kill(b->store, 1, "a2", NULL, &err), PINGO_ESTATE);
    well(pingo_store_kill(b->store, 1, NULL, NULL, &err), &err);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_KILLED);
    assert_int_equal(box_state(b, 1, 1),
                     PINGO_ACTION_SUBMITTED); /* a2 needs it, and workflow 2 needs a2 */
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_WAITING);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_CANCELLED);
    box_clean(b);
    /* The last who needs it goes: so does all of it. */
    well(pingo_store_kill(b->store, 2, NULL, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state < 6"), 0);
    box_tick(b);
    assert_true(b->fake.jobs[0].killed);
    box_report(b, "a1", PINGO_END_KILLED, 0, "");
    box_tick(b);
    box_clean(b);
    box_close(b);
}

/* ---- what vanishes, what is deleted --------------------------------------------------------------------- */

static void lose(struct box *b, const char *link)
{
    UNUSED(b);
    assert_int_equal(unlink(link), 0);
}

static void test_ends__a_lost_input_is_made_again(void **state)
{
    struct box *b = box_new();
    char path[256];

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1)))));
    box_tick(b);
    box_finish(b, "a1");
    snprintf(path, sizeof path, "%s", fake_job(&b->fake, "a2")->links[0]);
    lose(b, path);
    box_report(b, "a2", PINGO_END_EXITED, 1, "");
    box_report(b, "a3", PINGO_END_EXITED, 0, "made of nothing");
    box_tick(b);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_WAITING);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_WAITING); /* not believed */
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    box_clean(b);
    box_finish(b, "a1");
    assert_string_not_equal(fake_job(&b->fake, "a2")->links[0], path);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_ends__a_second_loss_fails(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_tick(b);
    for (int i = 0; i < 2; i++) {
        box_finish(b, "a1");
        lose(b, fake_job(&b->fake, "a2")->links[0]);
        box_fail(b, "a2");
    }
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_FAILED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    box_clean(b);
    box_close(b);
}

/* A dataset that is held while it is on its way out stays, byte for byte. */
static void test_ends__what_is_held_is_not_removed(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash;
    struct pingo_error err;
    char *path = NULL;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    assert_int_equal(pingo_store_resolve_dataset(b->store, "1", "a1", &hash, &err), 0);
    well(pingo_store_remove(b->store, &hash, &err), &err);
    b->s->datasets.held_until_ms = INT64_MAX; /* nothing leaves the queue */
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_PROCESSING);
    /* The deletor has it in hand, and before it goes on somebody takes hold of it. */
    b->s->datasets.held_until_ms = 0;
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(box_changed(&b->store->db, &err,
                                   "INSERT INTO hold(dataset, owner) VALUES(1, ?)",
                                   INT(b->s->context.owner)),
                     1);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    path = malloc(512);
    assert_non_null(path);
    {
        sqlite3_stmt *stmt = NULL;

        assert_int_equal(
            pingo__db_query(&b->store->db, &err, &stmt, "SELECT path FROM object", NONE), 0);
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
        snprintf(path, 512, "%s/pool/%s", b->dir, (const char *)sqlite3_column_text(stmt, 0));
        sqlite3_reset(stmt);
    }
    for (int i = 0; i < 3; i++)
        box_tick(b);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED_TO_DELETE);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(box_changed(&b->store->db, &err, "DELETE FROM hold", NONE), 1);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    box_tick(b);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    box_clean(b);
    free(path);
    box_close(b);
}

/* An attempt that was given up stays so: the file that says it outlives the store's sweeping. */
static void test_ends__a_tombstone_is_not_swept(void **state)
{
    struct box *b = box_new();
    char path[160], old[160];
    int fd;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    snprintf(path, sizeof path, "%s/pool/attempts/77.3", b->dir);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    close(fd);
    snprintf(old, sizeof old, "%s/pool/attempts/78.3", b->dir);
    assert_int_equal(mkdir(old, 0700), 0);
    box_tick(b);
    box_reopen(b); /* the next scheduler takes over, and sweeps */
    box_tick(b);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_not_equal(access(old, F_OK), 0); /* a directory that nobody knows goes */
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends__a_retry_is_a_higher_epoch),
        cmocka_unit_test(test_ends__independent_branches_go_on),
        cmocka_unit_test(test_ends__lost_attempts_are_tried_again),
        cmocka_unit_test(test_ends__a_start_that_fails_backs_off),
        cmocka_unit_test(test_ends__who_is_away_is_waited_for),
        cmocka_unit_test(test_ends__limits_are_told_apart),
        cmocka_unit_test(test_ends__an_interrupt_counts_nothing),
        cmocka_unit_test(test_ends__a_pause_takes_back_what_has_not_started),
        cmocka_unit_test(test_ends__the_oldest_live_joiner_is_promoted),
        cmocka_unit_test(test_ends__a_promoted_joiner_plans_its_parents),
        cmocka_unit_test(test_ends__an_end_is_applied_once),
        cmocka_unit_test(test_ends__a_late_success_changes_nothing),
        cmocka_unit_test(test_ends__published_but_not_committed_and_killed),
        cmocka_unit_test(test_ends__published_but_not_committed),
        cmocka_unit_test(test_ends__what_the_dead_left_is_adopted_or_lost),
        cmocka_unit_test(test_ends__a_tick_that_was_cut_short),
        cmocka_unit_test(test_ends__a_kill_between_claim_and_start),
        cmocka_unit_test(test_ends__a_kill_spares_what_is_needed),
        cmocka_unit_test(test_ends__a_lost_input_is_made_again),
        cmocka_unit_test(test_ends__a_second_loss_fails),
        cmocka_unit_test(test_ends__what_is_held_is_not_removed),
        cmocka_unit_test(test_ends__a_tombstone_is_not_swept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
