/* test_plans.c - what is asked of states again and again is found by the indexes that were made for it: their
 * conditions and those of rules/numbers.h are the same, word for word. */
#include "unit/engine/box.h"

#include "rules/states.h"

struct row {
    const char *index, *sql;
};

/* Each partial index on a state, and a condition as the store's queries put it. */
static const struct row rows[] = {
    {"workflow_running", "SELECT count(*) FROM workflow WHERE state = " WORKFLOW_RUNNING},
    {"workflow_held", "SELECT 1 FROM workflow WHERE unfinished > 0 AND (state <> " WORKFLOW_RUNNING
                      " OR paused = 1) LIMIT 1"},
    {"hook_due", "SELECT id FROM hook WHERE state = 1 AND due_ms <= ?1"},
    {"workflow_old",
     "SELECT w.id FROM workflow w WHERE w.archived = 0 AND w.state > " WORKFLOW_RUNNING
     " AND w.ended_ms < ?1"},
    {"action_ready", "SELECT a.id FROM action a WHERE a.state = " ACTION_READY
                     " ORDER BY a.priority DESC, a.workflow, a.rank DESC, a.hash"},
    {"action_handed",
     "SELECT a.id FROM action a WHERE a.owner = ? AND " ACTION_IS_CLAIMED("a.state")},
    {"action_joiner", "SELECT a.joined FROM action a INDEXED BY action_joiner WHERE a.workflow = ?"
                      " AND a.joined IS NOT NULL AND a.state = " ACTION_WAITING},
    {"attempt_open", "SELECT count(*) FROM attempt WHERE owner = ? AND " ATTEMPT_IS_OPEN("state")},
    {"dataset_leaving", "SELECT d.id FROM dataset d WHERE d.state = " DATASET_STORED_TO_DELETE
                        " AND " DATASET_IS_LEAVING("d.state")},
    {"dataset_there", "SELECT d.id FROM dataset d WHERE d.state <> " DATASET_DELETED
                      " ORDER BY d.last_used_ms DESC"},
    {"dataset_leaf", "SELECT d.id FROM dataset d WHERE d.state = " DATASET_LEAF
                     " AND d.last_used_ms < ? ORDER BY d.last_used_ms"},
};

static void plan_of(struct box *b, const char *sql, char *plan, size_t size)
{
    char text[1024];
    sqlite3_stmt *stmt = NULL;

    snprintf(text, sizeof text, "EXPLAIN QUERY PLAN %s", sql);
    if (sqlite3_prepare_v2(b->store->db.sqlite, text, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(b->store->db.sqlite));
    *plan = '\0';
    while (sqlite3_step(stmt) == SQLITE_ROW)
        snprintf(plan + strlen(plan), size - strlen(plan), "%s\n",
                 (const char *)sqlite3_column_text(stmt, 3));
    sqlite3_finalize(stmt);
}

static void test_plans__go_by_the_indexes(void **state)
{
    struct box *b = box_new();
    char plan[1024];

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plan_of(b, rows[i].sql, plan, sizeof plan);
        if (!strstr(plan, rows[i].index))
            fail_msg("%s: not by %s but\n%s", rows[i].sql, rows[i].index, plan);
    }
    /* The same in other words is not seen: the test can fail. */
    plan_of(b, "SELECT a.id FROM action a WHERE a.owner = ? AND a.state IN (3, 4, 5)", plan,
            sizeof plan);
    assert_null(strstr(plan, "action_handed"));
    box_close(b);
}

/* No index on a state was forgotten above. */
static void test_plans__each_index_on_a_state_is_asked(void **state)
{
    struct box *b = box_new();
    sqlite3_stmt *stmt = NULL;
    size_t n = 0;

    UNUSED(state);
    assert_int_equal(sqlite3_prepare_v2(b->store->db.sqlite,
                                        "SELECT name FROM sqlite_master WHERE type = 'index' AND"
                                        " sql GLOB '* WHERE *state [=<>BI]*'",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(stmt) == SQLITE_ROW; n++) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        bool found = false;

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            found = found || strcmp(rows[i].index, name) == 0;
        if (!found)
            fail_msg("no query asks index %s", name);
    }
    sqlite3_finalize(stmt);
    assert_int_equal(n, sizeof rows / sizeof *rows);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans__go_by_the_indexes),
        cmocka_unit_test(test_plans__each_index_on_a_state_is_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
