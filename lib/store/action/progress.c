/* progress.c - how many actions of a submission are in each state; see actions.h. */
#include <string.h>

#include "store/action/actions.h"

#define NAME(name, state) name
#define PLACE(name, state) "?"
#define ADD(name, state) name " = " name " + excluded." name
#define SUM(name, state) "sum(" name ")"

int pingo__store_progress_save(struct pingo__store_db *db, struct pingo_error *err)
{
    const int64_t *n = db->moves.by_state;
    int rc = 0;
    if (db->moves.workflow)
        rc = pingo__db_write(
            db, err,
            "INSERT INTO progress(workflow, " ACTION_EACH(NAME) ") VALUES(?, " ACTION_EACH(
                PLACE) ")"
                       " ON CONFLICT(workflow) DO UPDATE SET " ACTION_EACH(ADD),
            INT(db->moves.workflow), INT(n[1]), INT(n[2]), INT(n[3]), INT(n[4]), INT(n[5]),
            INT(n[6]), INT(n[7]), INT(n[8]), INT(n[9]));
    memset(&db->moves, 0, sizeof db->moves);
    return rc;
}

int pingo__store_progress_add(struct pingo__store_db *db, int64_t workflow,
                              const int64_t by_state[PINGO__ACTION_STATES], struct pingo_error *err)
{
    int rc = db->moves.workflow != workflow ? pingo__store_progress_save(db, err) : 0;
    db->moves.workflow = workflow;
    for (int i = 1; i < PINGO__ACTION_STATES; i++)
        db->moves.by_state[i] += by_state[i];
    return rc;
}

struct counts {
    int64_t of[PINGO__ACTION_STATES - 1];
};
static const struct pingo__store_field counts_fields[] = {
    {PINGO__FIELD_INT, 8, 0},  {PINGO__FIELD_INT, 8, 8},  {PINGO__FIELD_INT, 8, 16},
    {PINGO__FIELD_INT, 8, 24}, {PINGO__FIELD_INT, 8, 32}, {PINGO__FIELD_INT, 8, 40},
    {PINGO__FIELD_INT, 8, 48}, {PINGO__FIELD_INT, 8, 56}, {PINGO__FIELD_INT, 8, 64},
    {PINGO__FIELD_END, 0, 0}};
static const struct pingo__store_kind counts = {sizeof(struct counts), counts_fields};
_Static_assert(PINGO__ACTION_STATES == 10, "one field a state");

int pingo__store_action_count(struct pingo__store_db *db, int64_t workflow,
                              int64_t by_state[PINGO__ACTION_STATES], struct pingo_error *err)
{
    int rc = pingo__store_progress_save(db, err);
    memset(by_state, 0, PINGO__ACTION_STATES * sizeof *by_state);
    return rc ? rc
              : pingo__db_row(db, err, &counts, NULL, by_state + 1,
                              workflow ? "SELECT 0, " ACTION_EACH(NAME) " FROM progress"
                                                                        " WHERE workflow = ?1"
                                       : "SELECT ?1, " ACTION_EACH(SUM) " FROM progress",
                              INT(workflow));
}
