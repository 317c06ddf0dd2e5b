/* test_history.c - a store's submissions as a history: what became of each action, gone on with as if it were read anew, and
 * a plan that does not fit its graph. */
#include "unit/engine/box.h"

#include "manager/submission/history.h"

#define TWO W(A(1, "") "," A(2, P(FROM(1))))
#define THREE W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))))

static int more(struct box *b, struct pingo__manager_history_load *l, int64_t since_ms,
                int64_t until_ms, struct pingo_error *err)
{
    struct pingo_error ignored;
    well(pingo__store_db_begin(&b->store->db, &ignored), &ignored);
    int rc = pingo__manager_history_load_more(l, since_ms, until_ms, err);
    well(pingo__store_db_commit(&b->store->db, &ignored), &ignored);
    return rc;
}

static void load(struct box *b, struct pingo__manager_history_load *l)
{
    struct pingo_error err;
    well(pingo__manager_history_load_init(l, &b->store->db, &err), &err);
    well(more(b, l, 0, 0, &err), &err);
}

static void has_flags(const struct pingo_history *h, uint32_t index, const uint8_t *flags, size_t n)
{
    struct pingo_history_submission s = {.size = sizeof s};
    assert_int_equal(pingo_history_submission(h, index, &s), 0);
    assert_int_equal(s.nactions, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(s.flags[i], flags[i]);
}

static void test_history__what_became_of_each_action(void **state)
{
    static const uint8_t made[] = {PINGO_HISTORY_COMPUTED,
                                   PINGO_HISTORY_COMPUTED | PINGO_HISTORY_LEAF},
                         again[] = {PINGO_HISTORY_SKIPPED,
                                    PINGO_HISTORY_REUSED | PINGO_HISTORY_LEAF},
                         longer[] = {PINGO_HISTORY_SKIPPED, PINGO_HISTORY_REUSED,
                                     PINGO_HISTORY_COMPUTED | PINGO_HISTORY_LEAF};
    struct box *b = box_new();
    struct pingo__manager_history_load l;
    struct pingo_error err;
    size_t nparents = 0;

    UNUSED(state);
    box_submit(b, TWO);
    box_finish_all(b);
    box_submit(b, TWO);
    box_submit(b, THREE);
    load(b, &l);
    assert_int_equal(l.last, 3);
    assert_int_equal(pingo_history_count_submissions(l.history), 3);
    assert_int_equal(pingo_history_count_actions(l.history), 3);
    has_flags(l.history, 0, made, 2);
    has_flags(l.history, 1, again, 2);
    has_flags(l.history, 2, longer, 3);
    struct pingo_hash first = box_hash(b, 1, 1), second = box_hash(b, 1, 2);
    uint32_t a1 = pingo_history_find(l.history, &first);
    uint32_t a2 = pingo_history_find(l.history, &second);
    const uint32_t *parents = pingo_history_parents(l.history, a2, &nparents);
    assert_int_equal(nparents, 1);
    assert_int_equal(parents[0], a1);
    assert_int_equal(pingo_history_size(l.history, a1), -1);
    well(pingo__manager_history_load_known(&l, &err), &err);
    assert_int_equal(pingo_history_size(l.history, a1), 2);
    assert_true(pingo_history_compute(l.history, a1) >= 0);
    pingo__manager_history_load_clear(&l);
    box_close(b);
}

/* What is computed each time, and why. */
static void test_history__what_is_computed_in_any_case(void **state)
{
    static const uint8_t flags[] = {
        PINGO_HISTORY_COMPUTED,
        PINGO_HISTORY_COMPUTED | PINGO_HISTORY_UNMANAGED | PINGO_HISTORY_LEAF,
        PINGO_HISTORY_COMPUTED | PINGO_HISTORY_FORCED, PINGO_HISTORY_COMPUTED | PINGO_HISTORY_LEAF};
    struct box *b = box_new();
    struct pingo__manager_history_load l;

    UNUSED(state);
    box_submit(b, W(A(1, "") ",{'id':2,'name':'a2','type':'command-line','command':'x',"
                             "'isManaged':false,'outputPath':'out','parentActions':[{'id':1}]}"
                             "," A(3, P(FROM(1)) ",'forceComputation':true") "," A(4, P(FROM(3)))));
    load(b, &l);
    has_flags(l.history, 0, flags, 4);
    pingo__manager_history_load_clear(&l);
    box_close(b);
}

static void test_history__gone_on_with_it_is_what_a_new_one_is(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_history_load warm, cold;
    struct pingo_error err;

    UNUSED(state);
    load(b, &warm);
    assert_int_equal(warm.last, 0);
    for (int i = 0; i < 4; i++) {
        box_submit(b, i % 2 ? THREE : TWO);
        box_finish_all(b);
        well(more(b, &warm, 0, 0, &err), &err);
        well(more(b, &warm, 0, 0, &err), &err); /* nothing is new */
    }
    load(b, &cold);
    assert_int_equal(warm.last, 4);
    assert_int_equal(cold.last, 4);
    assert_int_equal(pingo_history_count_submissions(warm.history), 4);
    assert_int_equal(pingo_history_count_edges(warm.history),
                     pingo_history_count_edges(cold.history));
    for (uint32_t i = 0; i < 4; i++) {
        struct pingo_history_submission s = {.size = sizeof s};
        assert_int_equal(pingo_history_submission(cold.history, i, &s), 0);
        has_flags(warm.history, i, s.flags, s.nactions);
    }
    pingo__manager_history_load_clear(&warm);
    pingo__manager_history_load_clear(&cold);
    box_close(b);
}

static void test_history__of_a_period(void **state)
{
    static const uint8_t again[] = {PINGO_HISTORY_SKIPPED,
                                    PINGO_HISTORY_REUSED | PINGO_HISTORY_LEAF};
    struct box *b = box_new();
    struct pingo__manager_history_load l;
    struct pingo_error err;

    UNUSED(state);
    for (int i = 0; i < 3; i++) {
        box_submit(b, TWO);
        box_finish_all(b);
    }
    box_run(b, "UPDATE workflow SET submitted_ms = 1000 * id");
    well(pingo__manager_history_load_init(&l, &b->store->db, &err), &err);
    well(more(b, &l, 2000, 3000, &err), &err);
    assert_int_equal(l.last, 2);
    assert_int_equal(pingo_history_count_submissions(l.history), 1);
    has_flags(l.history, 0, again,
              2); /* the plan of the first, which was passed over, is not its own */
    pingo__manager_history_load_clear(&l);
    box_close(b);
}

static void test_history__a_plan_that_does_not_fit(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_history_load l;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, TWO);
    box_run(b, "INSERT INTO plan(workflow, position, decision, reason) VALUES(1, 2, 1, 0)");
    well(pingo__manager_history_load_init(&l, &b->store->db, &err), &err);
    assert_int_equal(more(b, &l, 0, 0, &err), PINGO_ECORRUPT);
    assert_int_equal(err.code, PINGO_ECORRUPT);
    assert_string_equal(err.message, "workflow 1: its plan does not fit its actions");
    assert_int_equal(l.last, 0);
    assert_int_equal(pingo_history_count_submissions(l.history), 0);
    assert_false(l.has_plans); /* no statement is left open */
    pingo__manager_history_load_clear(&l);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history__what_became_of_each_action),
        cmocka_unit_test(test_history__what_is_computed_in_any_case),
        cmocka_unit_test(test_history__gone_on_with_it_is_what_a_new_one_is),
        cmocka_unit_test(test_history__of_a_period),
        cmocka_unit_test(test_history__a_plan_that_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
