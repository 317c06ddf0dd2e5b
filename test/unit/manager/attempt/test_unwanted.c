/* test_unwanted.c - interrupts, pauses, and what was given up before it began. */
#include "unit/engine/box.h"

#define CHAIN W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))))

static void test_unwanted__an_interrupt_counts_nothing(void **state)
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

static void test_unwanted__a_pause_takes_back_what_has_not_started(void **state)
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

/* Of one workflow, which another process may have paused: what is handed out for others goes on. */
static void test_unwanted__a_paused_workflow_is_taken_back(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_submit(b, W(A(2, "")));
    box_tick(b);
    well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
    box_tick(b);
    assert_true(b->fake.jobs[0].revoked);
    assert_false(b->fake.jobs[1].revoked);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    well(pingo_store_resume_workflow(b->store, 1, NULL, &err), &err);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_unwanted__a_kill_between_claim_and_start(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_tick(b);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_CANCELLED);
    box_tick(b);
    assert_true(b->fake.jobs[0].revoked); /* it had not started: no trace is left */
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 0);
    assert_int_equal(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err),
                     PINGO_ESTATE);
    assert_int_equal(pingo_store_kill(b->store, &(struct pingo_action_name){9, NULL}, NULL, &err),
                     PINGO_ENOTFOUND);
    box_clean(b);
    box_close(b);
}

/* Nothing was known of it while there was time; who leaves asks once more, or the next would call it lost. */
static void test_unwanted__is_known_when_a_scheduler_leaves(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_tick(b);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    b->fake.is_away = true;
    box_tick(b);
    assert_false(b->fake.jobs[0].revoked);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 1);
    b->fake.is_away = false;
    box_reopen(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 0);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    box_clean(b);
    box_close(b);
}

/* An attempt that was given up stays so: the file that says it outlives the store's sweeping. */
static void test_unwanted__a_tombstone_is_not_swept(void **state)
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
        cmocka_unit_test(test_unwanted__an_interrupt_counts_nothing),
        cmocka_unit_test(test_unwanted__a_pause_takes_back_what_has_not_started),
        cmocka_unit_test(test_unwanted__a_paused_workflow_is_taken_back),
        cmocka_unit_test(test_unwanted__a_kill_between_claim_and_start),
        cmocka_unit_test(test_unwanted__is_known_when_a_scheduler_leaves),
        cmocka_unit_test(test_unwanted__a_tombstone_is_not_swept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
