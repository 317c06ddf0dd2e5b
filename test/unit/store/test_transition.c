/* test_transition.c - the one table of transitions, and the compare-and-set that makes them: every
 * pair of states, the loser is told 0, final states never change, events come after the commit. */
#include "unit/engine/box.h"

#include "rules/states.h"
#include "store/transition.h"

#define W_ PINGO_ACTION_WAITING
#define R_ PINGO_ACTION_READY
#define P_ PINGO_ACTION_PROCESSING
#define S_ PINGO_ACTION_SUBMITTED
#define G_ PINGO_ACTION_RUNNING
#define F_ PINGO_ACTION_FINISHED
#define X_ PINGO_ACTION_FAILED
#define K_ PINGO_ACTION_KILLED
#define C_ PINGO_ACTION_CANCELLED

/* From each state, all that may follow; whatever is not here must be refused. */
static const int action_pairs[][10] = {
    [0] = {W_, R_},
    [W_] = {W_, R_, F_, X_, K_, C_},
    [R_] = {W_, R_, P_, F_, X_, K_, C_}, /* F_: adopted */
    [P_] = {S_, R_, W_, X_, K_, C_},
    [S_] = {G_, R_, W_, F_, X_, K_, C_},
    [G_] = {R_, W_, F_, X_, K_},
    [F_] = {0},
    [X_] = {0},
    [K_] = {0},
    [C_] = {0},
};

#define TD PINGO_DATASET_TO_DELETE
#define TS PINGO_DATASET_TO_STORE
#define TL PINGO_DATASET_TO_LEAF
#define ST PINGO_DATASET_STORED
#define LF PINGO_DATASET_LEAF
#define SD PINGO_DATASET_STORED_TO_DELETE
#define PR PINGO_DATASET_PROCESSING
#define DI PINGO_DATASET_DELETING
#define DD PINGO_DATASET_DELETED

static const int dataset_pairs[][10] = {
    [0] = {TD, TS, TL},
    [TD] = {TS, TL, SD, ST, LF, DD}, /* retention grows; a failed action leaves nothing */
    [TS] = {TL, ST, LF, DD},
    [TL] = {LF, ST, DD}, /* released meanwhile */
    [ST] = {LF, SD, DD},
    [LF] = {ST, SD, DD},
    [SD] = {ST, LF, PR, DD},
    [PR] = {ST, LF, DI, SD, DD},
    [DI] = {DD},
    [DD] = {0},
};

static bool is_among(const int *pairs, int to)
{
    for (int i = 0; i < 10 && pairs[i]; i++)
        if (pairs[i] == to)
            return true;
    return false;
}

static void test_transition__every_pair_is_as_the_table_says(void **state)
{
    UNUSED(state);
    for (int from = -1; from <= 11; from++)
        for (int to = 1; to <= 9; to++) {
            bool known = from >= 0 && from <= 9;
            bool action = known && is_among(action_pairs[from], to);
            bool dataset = known && is_among(dataset_pairs[from], to);

            if (pingo__rules_action_may_become((enum pingo_action_state)from,
                                               (enum pingo_action_state)to) != action)
                fail_msg("action %d -> %d", from, to);
            if (pingo__rules_dataset_may_become((enum pingo_dataset_state)from,
                                                (enum pingo_dataset_state)to) != dataset)
                fail_msg("dataset %d -> %d", from, to);
        }
    for (enum pingo_action_state s = 1; s <= 9; s++)
        assert_int_equal(pingo_action_state_is_final(s), s >= F_);
}

/* In a transaction of its own. */
static bool change_row(struct box *b, const struct pingo__store_action_row *row,
                       enum pingo_action_state to)
{
    struct pingo__store_action_change c = {.row = row, .to = to, .now_ms = 5};
    struct pingo_error err;
    bool is_done = false;
    int rc;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    rc = pingo__store_action_change(&b->store->db, &c, &is_done, &err);
    assert_int_equal(pingo__store_db_end(&b->store->db, rc, &err), 0);
    return is_done;
}

static bool change(struct box *b, enum pingo_action_state from, int64_t epoch,
                   enum pingo_action_state to)
{
    struct pingo__store_action_row row = {.id = 1, .workflow = 1, .state = from, .epoch = epoch};

    return change_row(b, &row, to);
}

static void test_transition__the_loser_is_told(void **state)
{
    struct box *b = box_new();
    struct pingo__store_action_row none = {.id = 77, .workflow = 1, .state = R_};

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    assert_int_equal(change(b, W_, 0, R_), 0); /* another state */
    assert_int_equal(change(b, R_, 1, P_), 0); /* another epoch */
    assert_int_equal(box_state(b, 1, 1), R_);
    assert_int_equal(change(b, R_, 0, P_), 1);
    assert_int_equal(change(b, R_, 0, P_), 0); /* the second of two */
    assert_int_equal(change_row(b, &none, P_), 0);
    assert_int_equal(box_int(b, "SELECT state * 100 + epoch FROM action"), P_ * 100);
    box_close(b);
}

static void test_transition__a_final_state_counts_down_and_never_changes(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    assert_int_equal(change(b, R_, 0, K_), 1);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_KILLED);
    assert_int_equal(box_int(b, "SELECT ended_ms FROM action"), 5);
    assert_int_equal(box_int(b, "SELECT unfinished FROM workflow"), 0);
    for (enum pingo_action_state from = W_; from <= G_; from++)
        for (enum pingo_action_state to = W_; to <= C_; to++)
            if (pingo__rules_action_may_become(from, to))
                assert_int_equal(change(b, from, 0, to), 0);
    assert_int_equal(box_state(b, 1, 1), K_);
    assert_int_equal(box_int(b, "SELECT unfinished FROM workflow"), 0);
    box_close(b);
}

static void test_transition__a_claimed_dataset_does_not_go(void **state)
{
    struct box *b = box_new();
    struct pingo__store_dataset_row row = {.id = 1, .state = ST};
    struct pingo__store_dataset_change c = {.row = &row, .to = SD, .unclaimed = true};
    struct pingo_error err;
    bool is_done = true;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_tick(b);
    box_finish(b, "a1");
    assert_int_equal(box_dataset(b, 1), ST);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_dataset_change(&b->store->db, &c, &is_done, &err), &err);
    assert_false(is_done);
    c.unclaimed = false;
    well(pingo__store_dataset_change(&b->store->db, &c, &is_done, &err), &err);
    assert_true(is_done);
    well(pingo__store_dataset_change(&b->store->db, &c, &is_done, &err), &err);
    assert_false(is_done); /* it has gone on */
    pingo__store_db_rollback(&b->store->db);
    assert_int_equal(box_dataset(b, 1), ST);
    box_finish(b, "a2");
    box_clean(b);
    box_close(b);
}

static void test_transition__events_come_after_the_commit_only(void **state)
{
    struct box *b = box_new();
    struct pingo__store_action_row row = {.id = 1, .workflow = 1, .state = R_};
    struct pingo__store_action_change c = {.row = &row, .to = P_, .now_ms = 5};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    b->nevents = 0;
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_action_change(&b->store->db, &c, NULL, &err), &err);
    assert_int_equal(b->nevents, 0);
    pingo__store_db_rollback(&b->store->db);
    assert_int_equal(b->nevents, 0); /* what was rolled back is never told */
    assert_int_equal(change(b, R_, 0, P_), 1);
    assert_int_equal(b->nevents, 1);
    assert_int_equal(b->events[0].kind, PINGO_EVENT_ACTION);
    assert_int_equal(b->events[0].from, R_);
    assert_int_equal(b->events[0].to, P_);
    assert_int_equal(b->events[0].workflow, 1);
    box_close(b);
}

static void tell_name(void *context, const struct pingo_event *event)
{
    bool is_end = event->kind == PINGO_EVENT_ACTION &&
                  pingo_action_state_is_final((enum pingo_action_state)event->to);
    char *names = context;

    assert_int_equal(event->name != NULL, is_end);
    if (is_end)
        strcat(strcat(names, " "), event->name);
}

static void test_transition__the_end_of_an_action_is_told_with_its_name(void **state)
{
    struct box *b = box_new();
    char names[64] = "";

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))) "," A(4, "")));
    b->store->db.on_event = tell_name;
    b->store->db.event_context = names;
    box_tick(b);
    box_finish(b, "a1");
    box_finish(b, "a4");
    box_tick(b);
    box_fail(b, "a2"); /* and so a3 is cancelled */
    assert_string_equal(names, " a1 a4 a2 a3");
    box_close(b);
}

/* The events of a run tell all of it: played back they give the states in the store. */
static void test_transition__events_tell_everything(void **state)
{
    struct box *b = box_new();
    int now[8] = {0};

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1))) "," A(4, P(FROM(3)))));
    box_tick(b);
    box_finish(b, "a1");
    box_fail(b, "a3");
    box_finish_all(b);
    for (size_t i = 0; i < b->nevents; i++) {
        const struct pingo_event *e = &b->events[i];

        if (e->kind != PINGO_EVENT_ACTION)
            continue;
        assert_in_range(e->action, 1, 4);
        assert_int_equal(e->from, now[e->action]);
        assert_true(pingo__rules_action_may_become((enum pingo_action_state)e->from,
                                                   (enum pingo_action_state)e->to));
        now[e->action] = e->to;
    }
    assert_int_equal(now[1], F_);
    assert_int_equal(now[2], F_);
    assert_int_equal(now[3], X_);
    assert_int_equal(now[4], C_);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    box_clean(b);
    box_close(b);
}

/* Rows that do not fit together ask for it: an error, and nothing is changed. */
static void test_transition__what_cannot_be_is_damage(void **state)
{
    struct box *b = box_new();
    struct pingo__store_action_row action = {.id = 1, .workflow = 1, .state = F_};
    struct pingo__store_action_change a = {
        .row = &action, .to = R_, .is_new_epoch = true, .now_ms = 5};
    struct pingo__store_dataset_row dataset = {.id = 1, .state = DD};
    struct pingo__store_dataset_change d = {.row = &dataset, .to = LF};
    struct pingo_error err = {0};

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(pingo__store_action_change(&b->store->db, &a, NULL, &err), PINGO_ECORRUPT);
    assert_non_null(strstr(err.message, "damaged"));
    action.state = 77;
    assert_int_equal(pingo__store_action_change(&b->store->db, &a, NULL, &err), PINGO_ECORRUPT);
    assert_int_equal(pingo__store_dataset_change(&b->store->db, &d, NULL, &err), PINGO_ECORRUPT);
    pingo__store_db_rollback(&b->store->db);
    assert_int_equal(box_int(b, "SELECT state FROM action WHERE id = 1"), R_);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transition__every_pair_is_as_the_table_says),
        cmocka_unit_test(test_transition__the_loser_is_told),
        cmocka_unit_test(test_transition__a_final_state_counts_down_and_never_changes),
        cmocka_unit_test(test_transition__a_claimed_dataset_does_not_go),
        cmocka_unit_test(test_transition__events_come_after_the_commit_only),
        cmocka_unit_test(test_transition__the_end_of_an_action_is_told_with_its_name),
        cmocka_unit_test(test_transition__events_tell_everything),
        cmocka_unit_test(test_transition__what_cannot_be_is_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
