/* test_effects.c - what an end, a kill, a join and a reuse make of states: every state there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pingo.h>

#include "rules/effects.h"

/* All that have a name, in the order of their numbers. */
#define LAST 32
static bool is_dataset(int s)
{
    return pingo_dataset_state_name((enum pingo_dataset_state)s) != NULL;
}

static bool is_action(int s)
{
    return pingo_action_state_name((enum pingo_action_state)s) != NULL;
}

static void test_effects__an_action_is_ready_when_it_waits_for_nobody(void **state)
{
    (void)state;
    assert_int_equal(pingo__rules_action_start(0), PINGO_ACTION_READY);
    assert_int_equal(pingo__rules_action_start(1), PINGO_ACTION_WAITING);
    assert_int_equal(pingo__rules_action_start(INT64_MAX), PINGO_ACTION_WAITING);
}

static void test_effects__what_has_started_is_killed_and_not_cancelled(void **state)
{
    (void)state;
    for (int s = 0; s < LAST; s++) {
        if (!is_action(s))
            continue;
        enum pingo_action_state from = (enum pingo_action_state)s;
        assert_int_equal(pingo__rules_action_end(from, PINGO_ACTION_CANCELLED),
                         s == PINGO_ACTION_RUNNING ? PINGO_ACTION_KILLED : PINGO_ACTION_CANCELLED);
        assert_int_equal(pingo__rules_action_end(from, PINGO_ACTION_FAILED), PINGO_ACTION_FAILED);
        assert_int_equal(pingo__rules_action_end(from, PINGO_ACTION_KILLED), PINGO_ACTION_KILLED);
        assert_int_equal(pingo__rules_action_kill(from),
                         s == PINGO_ACTION_WAITING ? PINGO_ACTION_CANCELLED : PINGO_ACTION_KILLED);
    }
}

static void test_effects__a_workflow_ends_as_the_worst_of_its_actions(void **state)
{
    int64_t n[PINGO__ACTION_STATES] = {0};
    (void)state;
    assert_int_equal(pingo__rules_workflow_end(n), PINGO_WORKFLOW_FINISHED); /* it has none */
    n[PINGO_ACTION_FINISHED] = 5;
    n[PINGO_ACTION_CANCELLED] = 2; /* not needed */
    assert_int_equal(pingo__rules_workflow_end(n), PINGO_WORKFLOW_FINISHED);
    n[PINGO_ACTION_KILLED] = 1;
    assert_int_equal(pingo__rules_workflow_end(n), PINGO_WORKFLOW_KILLED);
    n[PINGO_ACTION_FAILED] = 1;
    assert_int_equal(pingo__rules_workflow_end(n), PINGO_WORKFLOW_FAILED);
    n[PINGO_ACTION_KILLED] = 0;
    assert_int_equal(pingo__rules_workflow_end(n), PINGO_WORKFLOW_FAILED);
}

static void test_effects__a_dataset_begins_by_the_retention_rule(void **state)
{
    (void)state;
    assert_int_equal(pingo__rules_dataset_start(false, false), PINGO_DATASET_TO_STORE);
    assert_int_equal(pingo__rules_dataset_start(false, true), PINGO_DATASET_TO_DELETE);
    assert_int_equal(pingo__rules_dataset_start(true, false), PINGO_DATASET_TO_LEAF);
    assert_int_equal(pingo__rules_dataset_start(true, true), PINGO_DATASET_TO_LEAF);
}

/* What is to be made, and what becomes of it, from the least kept to the most. */
static const enum pingo_dataset_state to_make[] = {PINGO_DATASET_TO_DELETE, PINGO_DATASET_TO_STORE,
                                                   PINGO_DATASET_TO_LEAF};
static const enum pingo_dataset_state made[] = {PINGO_DATASET_STORED_TO_DELETE,
                                                PINGO_DATASET_STORED, PINGO_DATASET_LEAF};

static void test_effects__planning_only_raises_retention(void **state)
{
    (void)state;
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++) {
            assert_int_equal(pingo__rules_dataset_is_raised(to_make[from], to_make[to]), from < to);
            assert_false(pingo__rules_dataset_is_raised(made[from], to_make[to])); /* it is there */
        }
    for (int s = 0; s < LAST; s++)
        if (is_dataset(s) && !pingo_dataset_state_is_pending((enum pingo_dataset_state)s))
            assert_false(
                pingo__rules_dataset_is_raised((enum pingo_dataset_state)s, PINGO_DATASET_TO_LEAF));
}

static void test_effects__what_is_made_is_kept_as_long_as_what_it_replaces(void **state)
{
    (void)state;
    for (int pending = 0; pending < 3; pending++) {
        assert_int_equal(pingo__rules_dataset_made(to_make[pending], 0, false), made[pending]);
        assert_int_equal(pingo__rules_dataset_made(to_make[pending], 0, true),
                         made[pending > 1 ? pending : 1]);
        for (int s = 0; s < LAST; s++) {
            enum pingo_dataset_state former = (enum pingo_dataset_state)s;
            if (!is_dataset(s))
                continue;
            int least = former == PINGO_DATASET_LEAF ? 2 : former == PINGO_DATASET_STORED ? 1 : 0;
            if (!pingo__rules_dataset_is_kept(former))
                least = 0;
            assert_int_equal(pingo__rules_dataset_made(to_make[pending], former, false),
                             made[pending > least ? pending : least]);
        }
    }
}

static void test_effects__what_is_reused_stays(void **state)
{
    (void)state;
    assert_int_equal(pingo__rules_dataset_reused(PINGO_DATASET_STORED_TO_DELETE, false),
                     PINGO_DATASET_STORED);
    assert_int_equal(pingo__rules_dataset_reused(PINGO_DATASET_STORED, false), PINGO_DATASET_STORED);
    assert_int_equal(pingo__rules_dataset_reused(PINGO_DATASET_LEAF, false), PINGO_DATASET_LEAF);
    for (int s = 0; s < 3; s++)
        assert_int_equal(pingo__rules_dataset_reused(made[s], true), PINGO_DATASET_LEAF);
    assert_true(
        pingo__rules_dataset_is_rescued(PINGO_DATASET_STORED_TO_DELETE, PINGO_DATASET_STORED));
    assert_true(pingo__rules_dataset_is_rescued(PINGO_DATASET_STORED_TO_DELETE, PINGO_DATASET_LEAF));
    assert_false(pingo__rules_dataset_is_rescued(PINGO_DATASET_STORED, PINGO_DATASET_LEAF));
    assert_false(pingo__rules_dataset_is_rescued(PINGO_DATASET_STORED_TO_DELETE,
                                                 PINGO_DATASET_STORED_TO_DELETE));
}

/* An object that two generations share counts once, as the one that is kept longer; in either order. */
static void test_effects__bytes_that_are_shared_count_once(void **state)
{
    (void)state;
    for (int a = 0; a < LAST; a++)
        for (int b = 0; b < LAST; b++) {
            enum pingo_dataset_state one = (enum pingo_dataset_state)a,
                                     other = (enum pingo_dataset_state)b;
            enum pingo_dataset_state counted = pingo__rules_dataset_counted(one, other);
            if ((a && !is_dataset(a)) || (b && !is_dataset(b)))
                continue;
            assert_int_equal(counted, pingo__rules_dataset_counted(other, one));
            assert_true(counted == 0 || counted == one || counted == other);
            if (a == PINGO_DATASET_LEAF)
                assert_int_equal(counted, PINGO_DATASET_LEAF);
        }
    assert_int_equal(
        pingo__rules_dataset_counted(PINGO_DATASET_STORED, PINGO_DATASET_STORED_TO_DELETE),
        PINGO_DATASET_STORED);
    assert_int_equal(pingo__rules_dataset_counted(PINGO_DATASET_TO_STORE, PINGO_DATASET_DELETED), 0);
    assert_int_equal(pingo__rules_dataset_counted(PINGO_DATASET_DELETING, PINGO_DATASET_TO_LEAF),
                     PINGO_DATASET_DELETING);
}

static void test_effects__which_ends_are_the_commands_own(void **state)
{
    static const struct {
        enum pingo_end_reason reason;
        int exit_code;
        bool is;
    } ends[] = {{PINGO_END_EXITED, 0, false},       {PINGO_END_EXITED, 1, true},
                {PINGO_END_EXITED, 255, true},      {PINGO_END_SIGNALED, 0, true},
                {PINGO_END_NO_OUTPUT, 0, true},     {PINGO_END_KILLED, 0, false},
                {PINGO_END_LOST, 0, false},         {PINGO_END_TIME_LIMIT, 0, false},
                {PINGO_END_MEMORY_LIMIT, 0, false}, {PINGO_END_NOT_STARTED, 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct pingo_job_end end = {.reason = ends[i].reason, .exit_code = ends[i].exit_code};
        assert_int_equal(pingo__rules_end_is_failure(&end), ends[i].is);
    }
}

/* A shell says by its exit status of which signal what it ran has died. */
static void test_effects__which_signal_has_ended_it(void **state)
{
    const struct {
        struct pingo_job_end end;
        int signal;
    } rows[] = {
        {{.reason = PINGO_END_SIGNALED, .signal = 9}, 9},
        {{.reason = PINGO_END_EXITED, .exit_code = 143}, 15},
        {{.reason = PINGO_END_EXITED, .exit_code = 128}, 0},
        {{.reason = PINGO_END_EXITED, .exit_code = 3}, 0},
        {{.reason = PINGO_END_KILLED, .signal = 9}, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pingo__rules_end_signal(&rows[i].end), rows[i].signal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_effects__an_action_is_ready_when_it_waits_for_nobody),
        cmocka_unit_test(test_effects__what_has_started_is_killed_and_not_cancelled),
        cmocka_unit_test(test_effects__a_workflow_ends_as_the_worst_of_its_actions),
        cmocka_unit_test(test_effects__a_dataset_begins_by_the_retention_rule),
        cmocka_unit_test(test_effects__planning_only_raises_retention),
        cmocka_unit_test(test_effects__what_is_made_is_kept_as_long_as_what_it_replaces),
        cmocka_unit_test(test_effects__what_is_reused_stays),
        cmocka_unit_test(test_effects__bytes_that_are_shared_count_once),
        cmocka_unit_test(test_effects__which_ends_are_the_commands_own),
        cmocka_unit_test(test_effects__which_signal_has_ended_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
