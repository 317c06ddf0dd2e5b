/* shape.h - a whole submission in few queries, each of which is a pass in the order of the table: for views of very
 * many actions. */
#ifndef PINGO__STORE_SHAPE_H
#define PINGO__STORE_SHAPE_H

#include "store/submission/graph.h"

struct pingo__store_shape_node {
    struct pingo__store_packed parents; /* with its position */
    int64_t user_id;
    const char *name, *type; /* borrowed for the call */
};
int pingo__store_shape_nodes(DB, int64_t graph, const struct pingo__store_each *each, ERR);
/* The states of all rows, of a position the newest last; what was decided of others; and targets. */
struct pingo__store_shape_state {
    int64_t position, state;
};
int pingo__store_shape_states(DB, int64_t workflow, const struct pingo__store_each *each, ERR);
int pingo__store_shape_decided(DB, int64_t workflow, const struct pingo__store_each *each, ERR);
static inline PINGO__LIST(pingo__store_shape_targets(DB, int64_t workflow,
                                                     struct pingo__store_position_list *list, ERR),
                          pingo__store_positions, list,
                          "SELECT 0, position FROM target WHERE workflow = ?", INT(workflow));
/* Each attempt that has started; also, of an action that joined another of the submission, of that one. */
struct pingo__store_shape_attempt {
    int64_t position, wall_ms, started_ms, ended_ms; /* -1: not yet */
    bool is_joined;
};
int pingo__store_shape_attempts(struct pingo__store_db *db, int64_t workflow,
                                const struct pingo__store_each *each, struct pingo_error *err);
/* Of the hashes that a submission has no row for, those that were computed once. */
struct pingo__store_shape_saved {
    int64_t n, ms, bytes;
};
int pingo__store_shape_saved(DB, int64_t workflow, int64_t graph,
                             struct pingo__store_shape_saved *saved, ERR);

#endif
