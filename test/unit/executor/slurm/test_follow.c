/* test_follow.c - a step: what is submitted, asked for and given up, and when; against a way to Slurm that says what a test
 * wants. */
#include "unit/executor/slurm_way.h"

#include "base/world.h"

#include "base/child.h"

static void test_follow__a_list_that_is_never_told_is_asked_for_less_and_less(void **state)
{
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 9);
    step();
    step();
    for (int i = 0; i < 5; i++) {
        assert_int_equal(fake.asked[PINGO__SLURM_LIST], i + 1);
        answer(PINGO__SLURM_LIST, i % 2 ? PINGO__SLURM_REFUSED : PINGO__SLURM_AGAIN, 0);
        int64_t before = pingo__world_monotonic_ms();
        collect();
        if (i > 0) /* later and later: 500 ms, 1 s, ... */
            assert_true(fake.s->list_at_ms >= before + (375 << (i - 1)));
        assert_int_equal(fake.nlogs, i >= 2);
        step();
    }
    assert_non_null(strstr(fake.logged, "asked again: it says"));
    saw_tasks(PINGO__SLURM_LIST, 9, "0-7", "PENDING");
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(fake.nlogs, 2);
    assert_int_equal(fake.s->lists_failed, 0);
}

/* Slurm's clock is known by what it tells; a list that says that nothing has changed ends nothing. */
static void test_follow__only_what_has_changed_is_asked_for(void **state)
{
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 9);
    step();
    step();
    assert_int_equal(fake.last[PINGO__SLURM_LIST].since, 0);
    saw_tasks(PINGO__SLURM_LIST, 9, "0-7", "PENDING");
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    fake.answers[0].newest_s = 1700000000;
    fake.s->listed_ms = pingo__world_monotonic_ms();
    collect();
    fake.s->poll_at_ms = 0;
    collect();
    assert_in_range(fake.last[PINGO__SLURM_LIST].since, 1700000000 - 60, 1700000000);
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    fake.answers[0].is_unchanged = true;
    fake.s->poll_at_ms = pingo__world_monotonic_ms() + 600000;
    collect();
    for (int i = 0; i < N; i++)
        assert_false(pingo_jobs_has_ended(task(i)));
    fake.s->list_wanted = true; /* somebody is looked for */
    fake.s->poll_at_ms = 0;
    collect();
    assert_int_equal(fake.last[PINGO__SLURM_LIST].since, 0);
}

static int64_t timeout_ms(void)
{
    collect();
    fake.s->poll_at_ms = 0;
    return pingo__executor_slurm.timeout_ms(fake.s);
}

/* While an answer is on its way, or a token is fetched, nobody is kept awake. */
static void test_follow__waiting_is_idle(void **state)
{
    (void)state;
    assert_int_equal(timeout_ms(), -1); /* the submission's */
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_LOOK], 1);
    assert_int_equal(timeout_ms(), -1);
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    fake.held = true;
    assert_true(timeout_ms() >= 500);
    fake.held = false;
    assert_int_equal(timeout_ms(), -1);
    assert_int_equal(fake.asked[PINGO__SLURM_LOOK], 2);
}

/* Slurm is not flooded: the rest waits here until it has answered. */
static void test_follow__no_more_than_some_are_on_their_way(void **state)
{
    (void)state;
    fake.s->at_once_most = fake.s->bundle_most = 1;
    for (int64_t i = 1; i <= 40; i++)
        assert_int_equal(start((struct pingo_job_key){100 + i, 1}, 1), 0);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 32);
    assert_int_equal(timeout_ms(), -1);
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 33);
    assert_int_equal(fake.s->asked[PINGO__SLURM_SUBMIT], 32);
}

/* What waits hears why it cannot be submitted; what Slurm has goes on, and what it may have is not given up at once. */
static void test_follow__in_trouble_only_what_waits_is_refused(void **state)
{
    const struct pingo_job_key third = {5, 1};
    (void)state;
    fake.s->at_once_most = fake.s->bundle_most = 1;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    assert_int_equal(start(other, 1), 0);
    step();
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_UNSURE, 0); /* the other's */
    collect();
    fake.s->in_trouble = false;
    assert_int_equal(start(third, 1), 0);
    pingo__executor_slurm_meet(fake.s, "nobody is there");
    size_t submitted = fake.asked[PINGO__SLURM_SUBMIT];
    collect();
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.key.action, third.action);
    assert_int_equal(fake.end.reason, PINGO_END_NOT_STARTED);
    assert_string_equal(fake.end.message, "nobody is there");
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], submitted);
    assert_int_equal(job()->phase, PINGO__SLURM_SUBMITTED);
    fake.s->trouble_ms -= 60000; /* long since */
    collect();
    assert_int_equal(fake.nends, 1 + 1); /* the third's end is not forgotten here */
    assert_int_equal(job()->phase, PINGO__SLURM_SUBMITTED);
    assert_int_equal(start((struct pingo_job_key){6, 1}, 1), PINGO_EAWAY);
}

/* Trouble that no action's message says is told to the user, once. */
static void test_follow__trouble_is_told_once(void **state)
{
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    pingo__executor_slurm_meet(fake.s, "nobody is there");
    collect();
    assert_int_equal(fake.nlogs, 0); /* it may pass */
    fake.s->trouble_ms -= 2000;
    collect();
    collect();
    assert_int_equal(fake.nlogs, 1);
    assert_non_null(strstr(fake.logged, "nobody is there; what runs there goes on"));
    step();
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(fake.nlogs, 2);
    assert_string_equal(fake.logged, "slurm answers again");
}

/* Where nobody can ask what became of what others have left, the user hears why. */
static void test_follow__what_cannot_be_asked_about_is_told(void **state)
{
    bool found = false;
    (void)state;
    pingo__executor_slurm.close(fake.s);
    open_one();
    fake.s->handle = NULL;
    assert_int_equal(pingo__executor_slurm.adopt(fake.s, &key, 1, &found, NULL), 0);
    assert_true(found);
    assert_int_equal(fake.nlogs, 1);
    assert_non_null(strstr(fake.logged, "its attempts: executor.slurm.url is not set"));
    assert_int_equal(pingo__executor_slurm.adopt(fake.s, &key, 1, &found, NULL), 0);
    assert_int_equal(fake.nlogs, 1); /* who leaves has heard it */
}

/* Who leaves waits for answers that come, and not for Slurm that says nothing. */
static void test_follow__who_says_nothing_is_not_waited_for(void **state)
{
    int64_t now = pingo__world_monotonic_ms();
    bool found = false;
    (void)state;
    fake.s->heard_ms = now - 4800; /* and was asked for the first one since */
    assert_int_equal(pingo__executor_slurm.adopt(fake.s, &key, 1, &found, NULL), 0);
    assert_true(found);
    assert_int_equal(job()->phase, PINGO__SLURM_ASKED);
    assert_true(pingo__world_monotonic_ms() - now < 5000);
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    assert_true(fake.s->heard_ms >= now);
}

/* What is killed before it was submitted never is. */
static void test_follow__killed_while_it_waits(void **state)
{
    (void)state;
    fake.held = true;
    assert_int_equal(start(other, 1), 0);
    collect();
    assert_int_equal(pingo__executor_slurm.kill(fake.s, other, NULL), 0);
    fake.held = false;
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 1); /* the first one's */
    assert_int_equal(fake.nends, 1);
    assert_int_equal(fake.end.key.action, other.action);
    assert_int_equal(fake.end.reason, PINGO_END_KILLED);
}

/* A touch of its file, and Slurm is asked before it is due. */
static void test_follow__the_hook(void **state)
{
    char path[96];
    (void)state;
    snprintf(path, sizeof path, "%s/wake", fake.pool);
    fake.s->wake = pingo__arena_text(&fake.s->texts, path, strlen(path));
    assert_non_null(fake.s->wake);
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 7);
    step();
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    fake.s->poll_at_ms = pingo__world_monotonic_ms() + 600000;
    size_t asked = fake.asked[PINGO__SLURM_LOOK];
    collect();
    assert_int_equal(fake.asked[PINGO__SLURM_LOOK], asked);
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    collect();
    assert_int_equal(fake.asked[PINGO__SLURM_LOOK], asked + 1);
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    fake.s->poll_at_ms = pingo__world_monotonic_ms() + 600000;
    collect();
    assert_int_equal(fake.asked[PINGO__SLURM_LOOK], asked + 1); /* it was not touched again */
}

int main(void)
{
#define TEST(name, before) cmocka_unit_test_setup_teardown(test_follow__##name, before, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_list_that_is_never_told_is_asked_for_less_and_less, set_up_array),
        TEST(only_what_has_changed_is_asked_for, set_up_array),
        TEST(waiting_is_idle, set_up),
        TEST(no_more_than_some_are_on_their_way, set_up),
        TEST(in_trouble_only_what_waits_is_refused, set_up),
        TEST(trouble_is_told_once, set_up),
        TEST(what_cannot_be_asked_about_is_told, set_up),
        TEST(who_says_nothing_is_not_waited_for, set_up),
        TEST(killed_while_it_waits, set_up),
        TEST(the_hook, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
