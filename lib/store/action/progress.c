/* progress.c - how many actions of a submission are in each state; see actions.h. */
#include <string.h>

#include "store/action/actions.h"

#define NAME(name, state) #name
#define PLACE(name, state) "?"
#define ADD(name, state) #name " = " #name " + excluded." #name
#define SUM(name, state) "sum(" #name ")"
#define MOVED(name, state) INT(db->moves.by_state[state]),
#define COUNT(name, state) {PINGO__FIELD_INT, sizeof(int64_t), state * sizeof(int64_t)},

int pingo__store_progress_save(struct pingo__store_db *db, struct pingo_error *err)
{
    int rc = 0;
    if (db->moves.workflow)
        rc = pingo__db_write(
            db, err,
            "INSERT INTO progress(" ACTION_EACH(NAME, ", ") ", workflow) VALUES(" ACTION_EACH(
                PLACE, ", ") ", ?) ON CONFLICT(workflow) DO UPDATE SET " ACTION_EACH(ADD, ", "),
            ACTION_EACH(MOVED, ) INT(db->moves.workflow));
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

static const struct pingo__store_field counts_fields[] = {
    ACTION_EACH(COUNT, ){PINGO__FIELD_END, 0, 0}};
static const struct pingo__store_kind counts = {PINGO__ACTION_STATES * sizeof(int64_t),
                                                counts_fields};

int pingo__store_action_count(struct pingo__store_db *db, int64_t workflow,
                              int64_t by_state[PINGO__ACTION_STATES], struct pingo_error *err)
{
    int rc = pingo__store_progress_save(db, err);
    memset(by_state, 0, PINGO__ACTION_STATES * sizeof *by_state);
    return rc ? rc
              : pingo__db_row(db, err, &counts, NULL, by_state,
                              workflow ? "SELECT 0, " ACTION_EACH(NAME, ", ") " FROM progress"
                                                                              " WHERE workflow = ?1"
                                       : "SELECT ?1, " ACTION_EACH(SUM, ", ") " FROM progress",
                              INT(workflow));
}
