/* test_states.c - what is said of the states, in C and in SQL: the same, of each.  Nothing here knows how many there
 * are: test/house/states.t adds one, and runs it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sqlite3.h>
#include <string.h>

#include "rules/effects.h"

struct predicate {
    const char *name, *sql;
    bool (*fn)(unsigned state); /* of which an enum is one */
};

static const struct predicate of_actions[] = {
    {"final", "SELECT " ACTION_IS_FINAL("?1"), pingo_action_state_is_final},
    {"unfinished", "SELECT " ACTION_IS_UNFINISHED("?1"), pingo__rules_action_is_unfinished},
    {"idle", "SELECT " ACTION_IS_IDLE("?1"), pingo__rules_action_is_idle},
    {"claimed", "SELECT " ACTION_IS_CLAIMED("?1"), pingo__rules_action_is_claimed},
    {"handed", "SELECT " ACTION_IS_HANDED("?1"), pingo__rules_action_is_handed},
};
static const struct predicate of_datasets[] = {
    {"pending", "SELECT " DATASET_IS_PENDING("?1"), pingo_dataset_state_is_pending},
    {"kept", "SELECT " DATASET_IS_KEPT("?1"), pingo__rules_dataset_is_kept},
    {"there", "SELECT " DATASET_IS_THERE("?1"), pingo_dataset_state_is_there},
    {"whole", "SELECT " DATASET_IS_WHOLE("?1"), pingo__rules_dataset_is_whole},
    {"space", "SELECT " DATASET_IS_SPACE("?1"), pingo_dataset_state_takes_space},
    {"leaving", "SELECT " DATASET_IS_LEAVING("?1"), pingo__rules_dataset_is_leaving},
};
static const struct predicate of_workflows[] = {
    {"final", "SELECT " WORKFLOW_IS_FINAL("?1"), pingo_workflow_state_is_final},
};

static void agree(const struct predicate *p, size_t n, unsigned nstates)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    for (size_t i = 0; i < n; i++) {
        sqlite3_stmt *stmt = NULL;
        int ntrue = 0;

        assert_int_equal(sqlite3_prepare_v2(db, p[i].sql, -1, &stmt, NULL), SQLITE_OK);
        for (unsigned state = 1; state < nstates; state++) {
            sqlite3_bind_int(stmt, 1, (int)state);
            assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
            if (sqlite3_column_int(stmt, 0) != p[i].fn(state))
                fail_msg("%s: C and SQL differ of %d", p[i].name, state);
            ntrue += p[i].fn(state);
            sqlite3_reset(stmt);
        }
        assert_in_range(ntrue, 1, nstates - 2); /* of some, and not of all */
        assert_false(p[i].fn(-1u) || p[i].fn(0) || p[i].fn(nstates));
        sqlite3_finalize(stmt);
    }
    sqlite3_close(db);
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void test_states__c_and_sql_say_the_same(void **unused)
{
    (void)unused;
    agree(of_actions, LENGTH(of_actions), PINGO__ACTION_STATES);
    agree(of_datasets, LENGTH(of_datasets), PINGO__DATASET_STATES);
    agree(of_workflows, LENGTH(of_workflows), PINGO__WORKFLOW_STATES);
}

static void test_states__each_has_a_name_of_its_own(void **unused)
{
    const char *(*const names[])(unsigned) = {pingo_action_state_name, pingo_dataset_state_name,
                                              pingo_workflow_state_name};
    const unsigned n[] = {PINGO__ACTION_STATES, PINGO__DATASET_STATES, PINGO__WORKFLOW_STATES};

    (void)unused;
    for (size_t i = 0; i < LENGTH(names); i++) {
        assert_null(names[i](0));
        assert_null(names[i](-1u));
        assert_null(names[i](n[i]));
        for (unsigned a = 1; a < n[i]; a++)
            for (unsigned b = 1; b < a; b++)
                assert_string_not_equal(names[i](a), names[i](b));
    }
}

static void test_states__what_holds_of_one_holds_of_what_it_implies(void **unused)
{
    (void)unused;
    for (unsigned s = 1; s < PINGO__ACTION_STATES; s++) {
        assert_int_equal(pingo_action_state_is_final(s), !pingo__rules_action_is_unfinished(s));
        assert_true(pingo__rules_action_is_unfinished(s) || !pingo__rules_action_is_idle(s));
        assert_true(pingo__rules_action_is_claimed(s) || !pingo__rules_action_is_handed(s));
        assert_int_equal(pingo__rules_action_is_claimed(s),
                         pingo__rules_action_is_unfinished(s) && !pingo__rules_action_is_idle(s));
    }
    for (unsigned s = 1; s < PINGO__DATASET_STATES; s++) {
        assert_true(pingo_dataset_state_is_there(s) || !pingo__rules_dataset_is_kept(s));
        assert_true(pingo__rules_dataset_is_whole(s) || !pingo_dataset_state_is_there(s));
        assert_true(pingo_dataset_state_takes_space(s) || !pingo__rules_dataset_is_whole(s));
        assert_true(pingo_dataset_state_takes_space(s) || !pingo__rules_dataset_is_leaving(s));
        assert_false(pingo_dataset_state_takes_space(s) && pingo_dataset_state_is_pending(s));
    }
}

/* From each state that is not final every end but one can be reached; a final one stays. */
static void test_states__only_final_ones_stay(void **unused)
{
    (void)unused;
    for (unsigned from = 1; from < PINGO__ACTION_STATES; from++) {
        int n = pingo__rules_action_may_become(from, -1u);

        for (unsigned to = 0; to < PINGO__ACTION_STATES + 2; to++)
            n += pingo__rules_action_may_become(from, to);
        assert_int_equal(n == 0, pingo_action_state_is_final(from));
        assert_int_equal(pingo__rules_action_may_become(from, PINGO_ACTION_KILLED), n > 0);
        assert_int_equal(pingo__rules_action_may_become(0, from),
                         from == PINGO_ACTION_WAITING || from == PINGO_ACTION_READY);
    }
    for (unsigned s = 1; s < PINGO__DATASET_STATES; s++) {
        assert_int_equal(pingo__rules_dataset_may_become(0, s), pingo_dataset_state_is_pending(s));
        assert_int_equal(pingo__rules_dataset_may_become(s, PINGO_DATASET_DELETED),
                         s != PINGO_DATASET_DELETED);
    }
}

/* ---- effects ------------------------------------------------------------------------------ */

static void test_effects__of_actions(void **unused)
{
    int64_t n[PINGO__ACTION_STATES] = {0};

    (void)unused;
    assert_int_equal(pingo__rules_action_start(0), PINGO_ACTION_READY);
    assert_int_equal(pingo__rules_action_start(2), PINGO_ACTION_WAITING);
    for (unsigned s = 1; s < PINGO__ACTION_STATES; s++) {
        bool started = s == PINGO_ACTION_RUNNING;

        assert_int_equal(pingo__rules_action_end(s, PINGO_ACTION_FAILED), PINGO_ACTION_FAILED);
        assert_int_equal(pingo__rules_action_end(s, PINGO_ACTION_CANCELLED),
                         started ? PINGO_ACTION_KILLED : PINGO_ACTION_CANCELLED);
        assert_int_equal(pingo__rules_action_kill(s) == PINGO_ACTION_CANCELLED,
                         s == PINGO_ACTION_WAITING);
    }
    n[PINGO_ACTION_FINISHED] = 3;
    n[PINGO_ACTION_CANCELLED] = 1; /* it was not needed */
    assert_int_equal(pingo__rules_workflow_end(n), PINGO_WORKFLOW_FINISHED);
    n[PINGO_ACTION_KILLED] = 1;
    assert_int_equal(pingo__rules_workflow_end(n), PINGO_WORKFLOW_KILLED);
    n[PINGO_ACTION_FAILED] = 1;
    assert_int_equal(pingo__rules_workflow_end(n), PINGO_WORKFLOW_FAILED);
}

static void test_effects__a_command_that_failed_of_itself(void **unused)
{
    for (unsigned reason = PINGO_END_EXITED; reason <= PINGO_END_NOT_STARTED; reason++)
        for (int code = 0; code < 2; code++) {
            struct pingo_job_end end = {.reason = (enum pingo_end_reason)reason, .exit_code = code};

            assert_int_equal(pingo__rules_end_is_failure(&end),
                             reason == PINGO_END_EXITED
                                 ? code != 0
                                 : reason == PINGO_END_SIGNALED || reason == PINGO_END_NO_OUTPUT);
        }
    (void)unused;
}

#define TD PINGO_DATASET_TO_DELETE
#define TS PINGO_DATASET_TO_STORE
#define TL PINGO_DATASET_TO_LEAF
#define ST PINGO_DATASET_STORED
#define LF PINGO_DATASET_LEAF
#define SD PINGO_DATASET_STORED_TO_DELETE
#define PR PINGO_DATASET_PROCESSING
#define DD PINGO_DATASET_DELETED

static void test_effects__retention_is_never_lowered(void **unused)
{
    static const struct {
        unsigned pending, former, made;
    } rows[] = {{TD, 0, SD},  {TS, 0, ST},  {TL, 0, LF},  {TD, ST, ST}, {TD, LF, LF}, {TS, LF, LF},
                {TL, ST, LF}, {TD, SD, SD}, {TS, DD, ST}, {TL, SD, LF}, {TD, PR, SD}};

    (void)unused;
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (pingo__rules_dataset_made(rows[i].pending, rows[i].former, false) != rows[i].made)
            fail_msg("%u that replaces %u", rows[i].pending, rows[i].former, false);
    assert_int_equal(pingo__rules_dataset_start(true, true), TL);
    assert_int_equal(pingo__rules_dataset_start(false, true), TD);
    assert_int_equal(pingo__rules_dataset_start(false, false), TS);
    for (unsigned from = 0; from < PINGO__DATASET_STATES; from++)
        for (unsigned to = TD; to <= TL; to++)
            assert_int_equal(pingo__rules_dataset_is_raised(from, to),
                             (from == TD && to != TD) || (from == TS && to == TL));
}

static void test_effects__of_what_is_there(void **unused)
{
    (void)unused;
    assert_int_equal(pingo__rules_dataset_counted(ST, LF), LF);
    assert_int_equal(pingo__rules_dataset_counted(PR, SD), SD);
    assert_int_equal(pingo__rules_dataset_counted(DD, TS), 0);
    for (unsigned s = 1; s < PINGO__DATASET_STATES; s++)
        assert_int_equal(pingo__rules_dataset_counted(0, s),
                         pingo_dataset_state_takes_space(s) ? s : 0);
    assert_int_equal(pingo__rules_dataset_reused(ST, false), ST);
    assert_int_equal(pingo__rules_dataset_reused(LF, false), LF);
    assert_int_equal(pingo__rules_dataset_reused(SD, false), ST);
    assert_int_equal(pingo__rules_dataset_reused(PR, true), LF);
    for (unsigned from = 1; from < PINGO__DATASET_STATES; from++)
        for (unsigned to = 1; to < PINGO__DATASET_STATES; to++)
            if (pingo__rules_dataset_may_become(from, to))
                assert_int_equal(pingo__rules_dataset_is_rescued(from, to),
                                 (from == SD || from == PR) && (to == ST || to == LF));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states__c_and_sql_say_the_same),
        cmocka_unit_test(test_states__each_has_a_name_of_its_own),
        cmocka_unit_test(test_states__what_holds_of_one_holds_of_what_it_implies),
        cmocka_unit_test(test_states__only_final_ones_stay),
        cmocka_unit_test(test_effects__of_actions),
        cmocka_unit_test(test_effects__retention_is_never_lowered),
        cmocka_unit_test(test_effects__a_command_that_failed_of_itself),
        cmocka_unit_test(test_effects__of_what_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
