/* test_answers.c - what Slurm's answers do to jobs in hand: replies that are lost, ids that are given away, jobs that
 * are forgotten; against a way to Slurm that says what a test wants. */
#include "unit/executor/slurm_way.h"

static void test_answers__accepted_and_over(void **state)
{
    struct pingo_runner_report report = {.size = sizeof report};
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    assert_int_equal(job()->id, 7);
    assert_string_equal(fake.name, "7");
    step();
    assert_int_equal(fake.last[PINGO__SLURM_LOOK].id, 7); /* few are asked for one by one */
    assert_int_equal(fake.asked[PINGO__SLURM_LIST], 0);
    saw(PINGO__SLURM_LOOK, key, 7, "FAILED");
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(fake.nends, 1); /* nobody has started it, and now nobody can */
    assert_int_equal(fake.end.reason, PINGO_END_NOT_STARTED);
    assert_int_equal(pingo_runner_look(fake.dir, &report, NULL), 0);
    assert_int_equal(report.state, PINGO_RUNNER_REVOKED);
}

static void test_answers__a_lost_reply_is_searched_for_and_found(void **state)
{
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_UNSURE, 0);
    step();
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_LIST], 1);
    saw(PINGO__SLURM_LIST, other, 8, "RUNNING");
    saw(PINGO__SLURM_LIST, key, 9, "PENDING");
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(job()->phase, PINGO__SLURM_SUBMITTED);
    assert_int_equal(job()->id, 9);
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 1);
}

static void test_answers__a_lost_submission_is_made_again_and_not_for_ever(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], i + 1);
        answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_UNSURE, 0);
        step();
        step();
        answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
        step();
    }
    for (int i = 0; i < 3 && !fake.nends; i++)
        step();
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 3);
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.reason, PINGO_END_NOT_STARTED);
}

/* That it does not answer is no end of anything; only that it does not know the job is. */
static void test_answers__only_unknown_is_gone(void **state)
{
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    for (int said = PINGO__SLURM_REFUSED; said <= PINGO__SLURM_AGAIN; said++) {
        if (said == PINGO__SLURM_UNKNOWN)
            continue;
        size_t before = fake.asked[PINGO__SLURM_LOOK];
        step();
        assert_true(fake.asked[PINGO__SLURM_LOOK] + fake.asked[PINGO__SLURM_LIST] >= before);
        answer(PINGO__SLURM_LOOK, (enum pingo__executor_slurm_said)said, 0);
        step();
        assert_int_equal(fake.nends, 0);
        assert_int_equal(job()->phase, PINGO__SLURM_SUBMITTED);
    }
    step();
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_UNKNOWN, 0);
    step();
    assert_int_equal(fake.nends, 1);
}

/* Another job of ours, and one of somebody else's. */
static void test_answers__an_id_that_was_given_away(void **state)
{
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    step();
    saw(PINGO__SLURM_LOOK, other, 7, "RUNNING");
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.key.action, key.action);
    assert_int_equal(fake.end.reason, PINGO_END_NOT_STARTED);
}

/* A controller that was killed forgets what it was told last. */
static void test_answers__what_was_cancelled_and_runs_on_is_cancelled_again(void **state)
{
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    job()->is_killed = true;
    step();
    answer(PINGO__SLURM_CANCEL, PINGO__SLURM_DONE, 0);
    for (int i = 0; i < 2; i++) {
        saw(PINGO__SLURM_LOOK, key, 7, "RUNNING");
        answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
        step();
        assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], i + 1); /* it may take a moment */
        job()->cancelled_ms -= 60000;
    }
}

static void test_answers__what_nobody_waits_for_is_cancelled(void **state)
{
    char dir[128];
    bool revoked = false;
    (void)state;
    fake.last[PINGO__SLURM_LIST].kind = PINGO__SLURM_LIST;
    saw(PINGO__SLURM_LIST, other, 8, "COMPLETED");
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 0);
    saw(PINGO__SLURM_LIST, other, 8, "PENDING"); /* there is no such directory */
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1);
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].id, 8);
    snprintf(dir, sizeof dir, "%s/attempts/4.1", fake.pool);
    assert_int_equal(pingo_runner_revoke(dir, &revoked, NULL), 0);
    saw(PINGO__SLURM_LIST, other, 8, "RUNNING"); /* it was given up */
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 2);
}

/* The pool's file system is not there: nothing is known of any attempt. */
static void test_answers__without_its_pool_nothing_is_cancelled(void **state)
{
    char path[96];
    (void)state;
    fake.last[PINGO__SLURM_LIST].kind = PINGO__SLURM_LIST;
    snprintf(path, sizeof path, "%s/attempts", fake.pool);
    snprintf(fake.dir, sizeof fake.dir, "%s/away", fake.pool);
    assert_int_equal(rename(path, fake.dir), 0);
    saw(PINGO__SLURM_LIST, other, 8, "PENDING");
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 0);
    assert_int_equal(rename(fake.dir, path), 0);
    saw(PINGO__SLURM_LIST, other, 8, "PENDING");
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1);
}

/* A store was copied: the copy has its number, but another pool. */
static void test_answers__the_jobs_of_the_original_of_a_copy_are_let_be(void **state)
{
    char mark[PINGO__EXECUTOR_MARK_SIZE], name[PINGO__SLURM_NAME_SIZE];
    struct pingo_job_key nobodys = {8, 1};
    (void)state;
    pingo__executor_mark(mark, store_id, "/original/pool");
    pingo__executor_slurm_name(name, mark, nobodys);
    struct pingo__executor_slurm_record record = {
        .id = 90, .name = name, .state = "RUNNING", .reason = "None"};
    struct pingo__executor_slurm_call list = {.kind = PINGO__SLURM_LIST};
    size_t before = fake.asked[PINGO__SLURM_CANCEL];
    pingo__executor_slurm_saw(fake.s, &list, &record);
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], before);
    pingo__executor_slurm_name(name, fake.s->mark, nobodys); /* as one of ours would be */
    pingo__executor_slurm_saw(fake.s, &list, &record);
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], before + 1);
}

/* Its id comes when it was given up. */
static void test_answers__revoked_while_it_is_submitted(void **state)
{
    bool revoked = false;
    (void)state;
    assert_int_equal(pingo__executor_slurm.revoke(fake.s, key, fake.dir, &revoked, NULL), 0);
    assert_true(revoked);
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1);
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].id, 7);
    assert_int_equal(fake.nends, 0);
}

static void test_answers__refused_and_killed(void **state)
{
    (void)state;
    assert_int_equal(pingo__executor_slurm.kill(fake.s, key, NULL), 0);
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1);
    answer(PINGO__SLURM_CANCEL, PINGO__SLURM_DONE, 0);
    saw(PINGO__SLURM_LOOK, key, 7, "CANCELLED");
    step();
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.reason, PINGO_END_KILLED);
}

/* It is killed when a controller may have forgotten it, and given its id to somebody else. */
static void test_answers__nothing_is_cancelled_by_its_id_alone(void **state)
{
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    assert_int_equal(pingo__executor_slurm.kill(fake.s, key, NULL), 0);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 0);
    saw(PINGO__SLURM_LOOK, key, 7, "RUNNING");
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1);
    answer(PINGO__SLURM_CANCEL, PINGO__SLURM_REFUSED, 0);
    step();
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1); /* at once would be for ever */
    saw(PINGO__SLURM_LOOK, key, 7, "RUNNING");
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 2);
    answer(PINGO__SLURM_CANCEL, PINGO__SLURM_REFUSED, 0);
    step();
    saw(PINGO__SLURM_LOOK, other, 7, "RUNNING");
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 2);
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.reason, PINGO_END_KILLED);
}

/* The same where an attempt is given up: what has its id is looked at. */
static void test_answers__what_is_revoked_is_looked_at_before(void **state)
{
    bool revoked = false;
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(pingo__executor_slurm.revoke(fake.s, key, fake.dir, &revoked, NULL), 0);
    assert_true(revoked);
    pingo__executor_slurm.forget(fake.s, key);
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 0);
    assert_int_equal(fake.last[PINGO__SLURM_LOOK].id, 7);
    assert_int_equal(fake.s->revoking, 1);
    struct pingo__executor_slurm_record stranger = {.id = 7, .name = "x", .state = "RUNNING"};
    pingo__executor_slurm_saw(fake.s, &fake.last[PINGO__SLURM_LOOK], &stranger);
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 0);
    saw(PINGO__SLURM_LOOK, key, 7, "PENDING");
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1);
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(fake.s->revoking, 0);
}

/* Of what an earlier process left: one that waits in the queue, and was started before, is not waited for. */
static void test_answers__one_that_slurm_queued_again_while_nobody_was_there(void **state)
{
    struct pingo__executor_slurm_record record = {.id = 7, .restarts = 1};
    char name[PINGO__SLURM_NAME_SIZE];
    (void)state;
    pingo__executor_slurm_name(name, fake.s->mark, key);
    record.name = name;
    for (int waits = 0; waits < 2; waits++) {
        job()->phase = PINGO__SLURM_SEARCHED;
        job()->id = 0;
        record.state = waits ? "PENDING" : "RUNNING";
        pingo__executor_slurm_saw(fake.s, &fake.last[PINGO__SLURM_LIST], &record);
        assert_int_equal(job()->id, 7);
        assert_int_equal(job()->phase, waits ? PINGO__SLURM_ENDED : PINGO__SLURM_SUBMITTED);
    }
    step(); /* it had not come so far: it still may */
    assert_int_equal(job()->phase, PINGO__SLURM_SUBMITTED);
    pingo__executor_slurm_saw(fake.s, &fake.last[PINGO__SLURM_LIST], &record);
    assert_int_equal(job()->phase, PINGO__SLURM_SUBMITTED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_answers__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(accepted_and_over),
        TEST(a_lost_reply_is_searched_for_and_found),
        TEST(a_lost_submission_is_made_again_and_not_for_ever),
        TEST(only_unknown_is_gone),
        TEST(an_id_that_was_given_away),
        TEST(what_was_cancelled_and_runs_on_is_cancelled_again),
        TEST(what_nobody_waits_for_is_cancelled),
        TEST(without_its_pool_nothing_is_cancelled),
        TEST(the_jobs_of_the_original_of_a_copy_are_let_be),
        TEST(revoked_while_it_is_submitted),
        TEST(refused_and_killed),
        TEST(nothing_is_cancelled_by_its_id_alone),
        TEST(what_is_revoked_is_looked_at_before),
        TEST(one_that_slurm_queued_again_while_nobody_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
