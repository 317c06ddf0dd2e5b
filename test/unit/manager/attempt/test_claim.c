/* test_claim.c - how many are claimed, and which: what the slots take and some work ahead, and none that is not ours. */
#include "unit/engine/box.h"

#include "manager/attempt/flight.h"

/* So many actions without parents. */
static void submit_with(struct box *b, int n, const char *more)
{
    struct pingo__buffer text = {0};

    pingo__buffer_text(&text, "{'name':'w','actions':[");
    for (int i = 1; i <= n; i++)
        pingo__buffer_format(&text,
                             "%s{'id':%d,'name':'a%d','type':'command-line','command':['x%d']%s}",
                             i > 1 ? "," : "", i, i, i, more);
    pingo__buffer_text(&text, "]}");
    box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
}

static void submit(struct box *b, int n)
{
    submit_with(b, n, "");
}

static size_t look(struct box *b, bool *any)
{
    struct pingo__arena arena = {0};
    struct pingo_error err;
    size_t n = 0;

    well(pingo__manager_claim_look(&b->s->actions, &n, any, &arena, &err), &err);
    pingo__arena_clear(&arena);
    return n;
}

/* Claims in a transaction of its own; how many. */
static size_t claim(struct box *b, size_t limit)
{
    struct pingo__arena arena = {0};
    struct pingo__store_action_list list = {.arena = &arena};
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__manager_claim(&b->s->actions, limit, &arena, &list, &err), &err);
    for (size_t i = 0; i < list.n; i++) {
        assert_int_equal(list.rows[i].state, PINGO_ACTION_PROCESSING);
        assert_int_equal(list.rows[i].owner, b->s->context.owner);
    }
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    pingo__arena_clear(&arena);
    return list.n;
}

static void test_claim__takes_what_the_slots_do_and_some_ahead(void **state)
{
    struct box *b = box_new();
    bool any = true;

    UNUSED(state);
    look(b, &any);
    assert_false(any);
    submit(b, 40);
    b->s->actions.mean_wall_ms = 1e6; /* long ones: one more than there are slots */
    assert_int_equal(look(b, &any), 5);
    assert_true(any);
    b->s->actions.mean_wall_ms = 999.5; /* of a second: as many again */
    assert_int_equal(look(b, &any), 4 + 4 + 1);
    b->s->actions.mean_wall_ms = 0; /* as short as can be: not without end */
    assert_int_equal(look(b, &any), 4 + 512);
    b->s->actions.max_jobs = 3;
    assert_int_equal(look(b, &any), 3);
    b->s->actions.paused = true;
    assert_int_equal(look(b, &any), 0);
    assert_false(any);
    b->s->actions.paused = false;
    b->s->actions.max_jobs = 0;
    b->s->actions.mean_wall_ms = 1e6;
    box_tick(b);
    assert_int_equal(b->fake.n, 5);
    look(b, &any);
    assert_false(any); /* there is work, and no room */
    box_report(b, b->fake.jobs[0].name, PINGO_END_EXITED, 0, "x");
    b->fake.jobs[0].end.wall_ms = 1000000;
    box_tick(b);
    assert_int_equal(b->fake.n, 6); /* what ended has made room in the same tick */
    box_close(b);
}

static void test_claim__no_more_than_it_is_told(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    submit(b, 6);
    assert_int_equal(claim(b, 2), 2);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 3"), 2);
    assert_int_equal(claim(b, 9), 4);
    assert_int_equal(claim(b, 9), 0);
    box_close(b);
}

/* Nor does it settle more, of what somebody had made meanwhile, in one transaction. */
static void test_claim__what_is_taken_counts_too(void **state)
{
    struct pingo_error err;

    UNUSED(state);
    for (int shared = 0; shared <= 1; shared++) {
        struct box *b = box_new();
        submit(b, 6);
        well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
        submit_with(b, 6, ",'forceComputation':true");
        box_finish_all(b);
        well(pingo_store_resume_workflow(b->store, 1, NULL, &err), &err);
        b->s->actions.shared = shared;
        assert_int_equal(claim(b, 2), 0);
        assert_int_equal(b->s->actions.ntaken, 2);
        assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 2"), 4);
        box_finish_all(b);
        assert_int_equal(b->fake.n, 6);
        assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
        box_close(b);
    }
}

/* The first in order of priority, then of submission. */
static void test_claim__who_comes_first(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    submit(b, 2);
    box_submit(b, W(A(7, "")));
    assert_int_equal(claim(b, 1), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 3 AND workflow = 1"), 1);
    well(pingo_store_set_priority(b->store, 2, 5, &err), &err);
    assert_int_equal(claim(b, 1), 1);
    assert_int_equal(box_state(b, 2, 7), PINGO_ACTION_PROCESSING);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 2 AND workflow = 1"), 1);
    box_close(b);
}

/* What another executor is to run is left to who has it; what waits for its time waits. */
static void test_claim__not_what_is_anothers_or_not_yet(void **state)
{
    struct box *b = box_new();
    bool any = true;

    UNUSED(state);
    box_submit(b, W(A(9, ",'executor':'elsewhere'")));
    look(b, &any);
    assert_false(any);
    assert_int_equal(claim(b, 9), 0);
    submit(b, 1);
    box_run(b, "UPDATE action SET not_before_ms = 1000 * (strftime('%s', 'now') + 100) WHERE "
               "workflow = 2");
    look(b, &any);
    assert_false(any);
    assert_int_equal(claim(b, 9), 0);
    box_run(b, "UPDATE action SET not_before_ms = 0 WHERE workflow = 2");
    box_reopen(b); /* else nothing says that it has changed */
    box_tick(b);
    assert_int_equal(b->fake.n, 1);
    box_close(b);
}

/* Ends are settled some in a transaction; what is claimed with these is their number, not that of all. */
static void test_claim__no_more_after_many_ends_at_once(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    submit(b, 1500);
    b->s->actions.max_jobs = 300;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(box_tick(b).active, 300);
        for (size_t k = 0; k < b->fake.n; k++)
            if (!b->fake.jobs[k].ended)
                box_end(b, &b->fake.jobs[k], PINGO_END_EXITED, 0, "x");
    }
    assert_int_equal(box_tick(b).active, 300);
    box_close(b);
}

/* What has ended and waits for its place takes none, and gives none up each time that it is tried again. */
static void test_claim__no_more_for_what_waits_for_its_place(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    submit(b, 12);
    b->s->actions.max_jobs = 2;
    box_tick(b);
    assert_int_equal(b->fake.n, 2);
    box_shut_place(b, "objects/");
    for (size_t i = 0; i < 2; i++)
        box_report(b, b->fake.jobs[i].name, PINGO_END_EXITED, 0, "x");
    box_tick(b);
    assert_int_equal(b->fake.n, 4);
    for (int i = 0; i < 3; i++)
        box_try_again(b);
    assert_int_equal(b->fake.n, 4);
    box_shut_place(b, NULL);
    box_try_again(b);
    assert_int_equal(b->fake.n, 4);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claim__takes_what_the_slots_do_and_some_ahead),
        cmocka_unit_test(test_claim__no_more_than_it_is_told),
        cmocka_unit_test(test_claim__what_is_taken_counts_too),
        cmocka_unit_test(test_claim__who_comes_first),
        cmocka_unit_test(test_claim__not_what_is_anothers_or_not_yet),
        cmocka_unit_test(test_claim__no_more_after_many_ends_at_once),
        cmocka_unit_test(test_claim__no_more_for_what_waits_for_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
