/* walk.h - a history as the lower bound sees it: which datasets each submission may need.
 *
 * The rules are those of the planner (thesis 3.4, algorithm 2) and of the simulator: a
 * submission asks for its leaves; what is asked for is computed unless it is there, and
 * the parents of what is computed are needed in turn; what is forced is computed, and
 * so is what descends from it.  Which datasets are there is the policy's choice; what
 * follows for every policy is told here. */
#ifndef PINGO__LAB_BOUND_WALK_H
#define PINGO__LAB_BOUND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/history.h>

enum pingo__lab_bound_need {
    PINGO__BOUND_MADE = 1, /* computed whatever the policy: never made before, or forced */
    PINGO__BOUND_REMADE,   /* likewise, though it was made before: no policy can have kept it */
    PINGO__BOUND_NEEDED,   /* computed unless it was kept */
    PINGO__BOUND_MAYBE     /* computed if it was not kept and one of its children is computed */
};

/* A dataset that a submission may need. */
struct pingo__lab_bound_visit {
    uint32_t action;
    uint32_t since;   /* the submission of its last visit before; means nothing at the first */
    uint8_t need;     /* enum pingo__lab_bound_need */
    bool can_be_kept; /* since that visit, by its size; else it is not there now */
    bool stays;       /* from here on it is a leaf, and there for good */
};

/* What is known of an action while the submissions go by. */
struct pingo__lab_bound_action {
    uint32_t since; /* the submission of its last visit */
    uint32_t seen;  /* number of the submission, plus 1, whose visit it is */
    uint8_t flags;
    uint8_t need; /* of that visit */
};

struct pingo__lab_bound_walk {
    const struct pingo_history *history;
    struct pingo__lab_bound_action *actions;
    bool leaves_inside;
    int64_t capacity_bytes; /* what all datasets but leaves may hold at the end of the submission before */
    uint32_t next;          /* the submission to look at */
    struct pingo__lab_bound_visit *visits; /* of submission next, children before parents */
    size_t nvisits, visits_capacity;
    uint32_t *list; /* scratch: what a submission mentions, rising */
    size_t list_capacity;
};

/* Has an action a visit in submission next? */
static inline bool pingo__lab_bound_is_visited(const struct pingo__lab_bound_walk *walk,
                                               uint32_t action)
{
    return walk->actions[action].seen == walk->next + 1;
}

/* *walk: yours, pingo__lab_bound_walk_clear() in any case.  Errors: PINGO_ENOMEM. */
int pingo__lab_bound_walk_open(struct pingo__lab_bound_walk *walk,
                               const struct pingo_history *history, int64_t budget_bytes,
                               bool leaves_inside, struct pingo_error *err);
void pingo__lab_bound_walk_clear(struct pingo__lab_bound_walk *walk);
/* Fills in the visits of submission walk->next; once each.  Errors: PINGO_ENOMEM. */
int pingo__lab_bound_walk_look(struct pingo__lab_bound_walk *walk, struct pingo_error *err);
/* That submission has ended: on to the next one. */
void pingo__lab_bound_walk_step(struct pingo__lab_bound_walk *walk);

/* What a dataset holds; 0 where that is unknown. */
static inline int64_t pingo__lab_bound_size(const struct pingo_history *history, uint32_t action)
{
    int64_t bytes = pingo_history_size(history, action);
    return bytes < 0 ? 0 : bytes;
}

#endif
