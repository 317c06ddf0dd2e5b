/* test_ending.c - who joined what fails or is killed, and what a kill spares. */
#include "unit/engine/box.h"

#define CHAIN W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))))

static void test_ending__the_oldest_live_joiner_is_promoted(void **state)
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

/* Of the joiners one computes; what any of them wants kept, is. */
static void test_ending__what_a_joiner_pins_stays_pinned(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_submit(b, W(A(1, ",'keep':true") "," A(3, P(FROM(1)))));
    assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE id = 1"), 1);
    box_fail(b, "a1");
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT d.pinned FROM dataset d JOIN action a ON a.dataset = d.id"
                                " WHERE a.workflow = 2 AND a.position = 0"),
                     1);
    box_clean(b);
    box_close(b);
}

/* A promoted joiner has parents again, though they were skipped when it joined. */
static void test_ending__a_promoted_joiner_plans_its_parents(void **state)
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

static void test_ending__a_kill_spares_what_is_needed(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};

    UNUSED(state);
    b->fake.cannot_revoke = true;
    box_submit(b, CHAIN);
    box_tick(b);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(4, P(FROM(2)))));
    assert_int_equal(pingo_store_kill(b->store, &(struct pingo_action_name){1, "a2"}, NULL, &err),
                     PINGO_ESTATE);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_KILLED);
    assert_int_equal(box_state(b, 1, 1),
                     PINGO_ACTION_SUBMITTED); /* a2 needs it, and workflow 2 needs a2 */
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_WAITING);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_CANCELLED);
    box_clean(b);
    /* The last who needs it goes: so does all of it. */
    well(pingo_store_kill(b->store, &(struct pingo_action_name){2, NULL}, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state < 6"), 0);
    box_tick(b);
    assert_true(b->fake.jobs[0].killed);
    box_report(b, "a1", PINGO_END_KILLED, 0, "");
    box_tick(b);
    box_clean(b);
    box_close(b);
}

/* Who needs it may do so by what another killed workflow goes on with. */
static void test_ending__a_kill_spares_what_is_needed_by_way_of_another(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};

    UNUSED(state);
    b->fake.cannot_revoke = true;
    box_submit(b, W(A(1, "")));
    box_tick(b);
    for (int i = 0; i < 2; i++)
        box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    well(pingo_store_kill(b->store, &(struct pingo_action_name){2, NULL}, NULL, &err), &err);
    assert_int_equal(box_state(b, 2, 1), PINGO_ACTION_WAITING);
    assert_int_equal(pingo_store_kill(b->store, &(struct pingo_action_name){1, "a1"}, NULL, &err),
                     PINGO_ESTATE);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    box_clean(b);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){3, NULL}, NULL, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state < 6"), 0);
    box_tick(b);
    box_report(b, "a1", PINGO_END_KILLED, 0, "");
    box_tick(b);
    box_clean(b);
    box_close(b);
}

/* What a killed workflow goes on with for others ends when these come to need it no more. */
static void test_ending__nothing_is_left_for_what_has_failed(void **state)
{
    struct box *b = box_new();
    const char *text =
        W(A(1, "") "," A(2, "") "," A(3, P(FROM(2))) "," A(4, P(FROM(1) "," FROM(3))));
    const char *const names[] = {"a2", "a3"};
    struct pingo_submit_options options = {.version = 1,
                                           .base_dir = b->root,
                                           .targets = &names[1],
                                           .ntargets = 1,
                                           .forced = names,
                                           .nforced = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, text);
    box_submit(b, text);
    box_tick(b);
    well(box_try_submit(b, text, &options, &s, &err), &err);
    box_tick(b);
    box_finish(b, "a2"); /* of the last one, which makes a3 for those that are left */
    box_finish(b, "a3");
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_SUBMITTED);
    box_fail(b, "a1");
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_KILLED);
    box_finish_all(b);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_CANCELLED);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* Action 2 of workflow 2 need not be made any more. */
static void adopt_second(struct box *b)
{
    struct pingo_hash hash;
    struct pingo_error err = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/made", b->root);
    box_large(path, 1);
    well(pingo_store_adopt(b->store, &(struct pingo_action_name){2, "a2"}, path, &hash, &err), &err);
}

/* Nor where what needed it was adopted, and its workflow goes on. */
static void test_ending__nothing_is_left_for_what_is_not_needed(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, "")));
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    adopt_second(b);
    assert_int_equal(box_state(b, 2, 1), PINGO_ACTION_CANCELLED);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* Of a killed workflow, that is also what runs: tried again, it would wait for ever. */
static void test_ending__what_runs_for_nobody_is_killed(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};

    UNUSED(state);
    b->fake.cannot_revoke = true;
    for (int i = 0; i < 2; i++)
        box_submit(b, W(A(1, ",'retries':1") "," A(2, P(FROM(1)))));
    box_tick(b);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    adopt_second(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_fail(b, "a1");
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    box_clean(b);
    box_close(b);
}

/* It holds the store's lock meanwhile: what has ended with another is not read again in full, nor is it asked in
 * several ways who follows. */
static void test_ending__many_are_killed_with_few_statements(void **state)
{
    enum { MANY = 500 };
    struct box *b = box_new();
    struct pingo_error err;
    size_t killed = 0;

    UNUSED(state);
    box_submit_layers(b, MANY);
    int64_t before = box_counted(b, SQLITE_STMTSTATUS_RUN);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, &killed, &err), &err);
    int64_t runs = box_counted(b, SQLITE_STMTSTATUS_RUN) - before;
    assert_int_equal(killed, MANY);
    assert_in_range(runs, MANY, 10 * MANY);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message LIKE"
                                " 'action %(a%) was %'"),
                     MANY - 10);
    box_clean(b);
    box_close(b);
}

#define MADE_OF ",{'id':%d,'name':'a%d','type':'command-line','command':': %d','parentActions':["

/* What they need is looked at once, not once for each that was joined. */
static void test_ending__joiners_of_a_workflow_are_planned_together(void **state)
{
    enum { WIDE = 25 };
    struct box *b = box_new();
    char text[64 * 1024], *at = text;

    UNUSED(state);
    at += sprintf(at, "{'name':'w','actions':[" A(1, ""));
    for (int i = 2; i < 2 + WIDE; i++)
        at += sprintf(at, MADE_OF "{'id':1}]}", i, i, i);
    for (int i = 2 + WIDE; i < 2 + 2 * WIDE; i++) {
        at += sprintf(at, MADE_OF, i, i, i);
        for (int k = 2; k < 2 + WIDE; k++)
            at += sprintf(at, "%s{'id':%d}", k > 2 ? "," : "", k);
        at += sprintf(at, "]}");
    }
    char *end = strcpy(at, "]}");
    box_submit(b, text);
    box_tick(b);
    strcpy(end, "," A(0, "") "]}");
    box_submit(b, text);
    int64_t before = box_counted(b, SQLITE_STMTSTATUS_RUN);
    box_fail(b, "a1");
    assert_in_range(box_counted(b, SQLITE_STMTSTATUS_RUN) - before, WIDE, 5 * WIDE * WIDE);
    box_clean(b);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* Whoever is planned first: what another one is to make is not made by both. */
static void test_ending__what_several_joined_is_made_once(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, CHAIN);
    box_tick(b);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))) "," A(4, P(FROM(3)))));
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(5, P(FROM(2)))));
    box_fail(b, "a1");
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state < 6 AND joined IS NULL"),
                     5); /* a1 to a5 */
    box_clean(b);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* A forced repeat that others had joined fails; another repeat has made it, or is about to. */
static struct box *box_with_repeats(void)
{
    struct box *b = box_new();

    box_submit(b, W(A(1, ",'forceComputation':true")));
    box_tick(b);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_submit(b, W(A(1, "")));
    box_submit(b, W(A(1, ",'forceComputation':true") "," A(3, P(FROM(1)))));
    box_tick(b);
    assert_int_equal(b->fake.n, 2);
    return b;
}

static void box_fail_first(struct box *b)
{
    box_end(b, &b->fake.jobs[0], PINGO_END_EXITED, 1, "");
    box_tick(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    box_clean(b);
}

static void test_ending__what_is_there_is_not_made_for_a_joiner(void **state)
{
    struct box *b = box_with_repeats();

    UNUSED(state);
    box_finish(b, "a1");
    box_fail_first(b);
    assert_int_equal(box_state(b, 2, 1), PINGO_ACTION_FINISHED);
    assert_int_equal(box_state(b, 2, 2), PINGO_ACTION_SUBMITTED);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_FINISHED); /* whose result it is */
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_LEAF);
    box_finish_all(b);
    assert_int_equal(b->fake.n, 4); /* a1 twice, a2, a3 */
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_ending__a_joiner_is_not_wanted_whose_result_was_released(void **state)
{
    struct box *b = box_with_repeats();
    struct pingo_released r = {.size = sizeof r};
    struct pingo_error err;

    UNUSED(state);
    box_finish(b, "a1");
    well(pingo_store_release_workflow(b->store, 3, &r, &err), &err);
    well(pingo_store_release_workflow(b->store, 1, &r, &err), &err);
    box_fail_first(b);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

static void test_ending__what_another_one_makes_is_not_made_for_a_joiner(void **state)
{
    struct box *b = box_with_repeats();

    UNUSED(state);
    box_fail_first(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE position = 0 AND state < 6"
                                " AND joined = (SELECT id FROM action WHERE workflow = 4"
                                " AND position = 0)"),
                     2);
    box_finish_all(b);
    assert_int_equal(b->fake.n, 4);
    for (int64_t w = 2; w <= 4; w++)
        assert_int_equal(box_workflow(b, w), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_LEAF);
    box_clean(b);
    box_close(b);
}

/* Nobody has asked for it anew: neither who has not begun, nor who joined him. */
static void test_ending__what_a_forced_repeat_has_made_is_taken(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    for (int64_t w = 1; w <= 2; w++) {
        box_submit(b, w == 1 ? W(A(1, "") "," A(2, P(FROM(1)))) : W(A(1, "") "," A(3, P(FROM(1)))));
        well(pingo_store_pause_workflow(b->store, w, NULL, &err), &err);
    }
    box_submit(b, W(A(1, ",'forceComputation':true")));
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    for (int64_t w = 1; w <= 2; w++)
        well(pingo_store_resume_workflow(b->store, w, NULL, &err), &err);
    box_submit(b, W(A(1, ",'forceComputation':true"))); /* takes nothing that is older */
    box_finish_all(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 4); /* both of a1, a2, a3 */
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE position = 0 AND joined ="
                                " (SELECT id FROM action WHERE workflow = 3)"),
                     2);
    for (int64_t w = 1; w <= 4; w++)
        assert_int_equal(box_workflow(b, w), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* It is something that was done, and it is kept as the other one would have been; what cannot be looked at is made. */
static void test_ending__of_what_is_taken_all_is_as_if_it_had_been_made(void **state)
{
    struct pingo_error err;

    UNUSED(state);
    for (int shut = 0; shut <= 1; shut++) {
        struct box *b = box_new();
        box_submit(b, W(A(1, "")));
        well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
        box_run(b, "UPDATE dataset SET pinned = 1"); /* by who skipped it */
        box_submit(b, W(A(1, ",'forceComputation':true")));
        box_finish_all(b);
        assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE current = 1"), 0);
        well(pingo_store_resume_workflow(b->store, 1, NULL, &err), &err);
        if (shut)
            box_shut_place(b, ".2.1");
        struct pingo_tick_result r = box_tick(b);
        assert_int_equal(r.settled, !shut);
        assert_int_equal(r.started, shut);
        assert_false(r.idle);
        box_shut_place(b, NULL);
        box_finish_all(b);
        assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
        assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 1 + shut);
        assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE current = 1"), 1);
        box_clean(b);
        box_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ending__the_oldest_live_joiner_is_promoted),
        cmocka_unit_test(test_ending__what_a_joiner_pins_stays_pinned),
        cmocka_unit_test(test_ending__a_promoted_joiner_plans_its_parents),
        cmocka_unit_test(test_ending__a_kill_spares_what_is_needed),
        cmocka_unit_test(test_ending__a_kill_spares_what_is_needed_by_way_of_another),
        cmocka_unit_test(test_ending__nothing_is_left_for_what_has_failed),
        cmocka_unit_test(test_ending__nothing_is_left_for_what_is_not_needed),
        cmocka_unit_test(test_ending__what_runs_for_nobody_is_killed),
        cmocka_unit_test(test_ending__many_are_killed_with_few_statements),
        cmocka_unit_test(test_ending__joiners_of_a_workflow_are_planned_together),
        cmocka_unit_test(test_ending__what_several_joined_is_made_once),
        cmocka_unit_test(test_ending__what_is_there_is_not_made_for_a_joiner),
        cmocka_unit_test(test_ending__a_joiner_is_not_wanted_whose_result_was_released),
        cmocka_unit_test(test_ending__what_another_one_makes_is_not_made_for_a_joiner),
        cmocka_unit_test(test_ending__what_a_forced_repeat_has_made_is_taken),
        cmocka_unit_test(test_ending__of_what_is_taken_all_is_as_if_it_had_been_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
