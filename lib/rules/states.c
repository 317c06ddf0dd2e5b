/* states.c - see states.h: the tables of the thesis (3.1 and 3.2), one row a state.
 *
 * numbers.pl reads the rows: a state's name, and the words for what holds of it. */
#include "rules/states.h"

#include <stddef.h>

struct state {
    const char *name;
    unsigned is;   /* what holds of it */
    unsigned next; /* the states that may follow, as bits; in row 0: those of a new row */
};

#define A(state) (1u << PINGO_ACTION_##state)
#define D(state) (1u << PINGO_DATASET_##state)

/* What is said of a state; some words are for one kind of object alone. */
enum {
    FINAL = 1 << 0,
    UNFINISHED = 1 << 1,
    CLAIMED = 1 << 2, /* by a scheduler */
    HANDED = 1 << 3,  /* to an executor */
    OPEN = 1 << 4,    /* an attempt that has not ended */
    PENDING = 1 << 5, /* to be made */
    KEPT = 1 << 6,
    THERE = 1 << 7, /* whole, and no deletor has it */
    WHOLE = 1 << 8,
    SPACE = 1 << 9,     /* it takes space */
    LEAVING = 1 << 10,  /* to go, or going */
    REMOVING = 1 << 11, /* a deletor has it */
    IDLE = 1 << 12      /* unfinished, and no scheduler has it */
};

static const struct state actions[PINGO__ACTION_STATES] = {
    [0] = {.next = A(WAITING) | A(READY)},
    /* READY: its last parent finished; FINISHED: what it joined did; WAITING: planned again. */
    [PINGO_ACTION_WAITING] = {"WAITING", UNFINISHED | IDLE,
                              A(WAITING) | A(READY) | A(FINISHED) | A(FAILED) | A(KILLED) |
                                  A(CANCELLED)},
    /* FAILED: an input vanished for the second time; FINISHED: its output was adopted. */
    [PINGO_ACTION_READY] = {"READY", UNFINISHED | IDLE,
                            A(PROCESSING) | A(WAITING) | A(READY) | A(FINISHED) | A(FAILED) |
                                A(KILLED) | A(CANCELLED)},
    /* READY: its owner died; FAILED: an original changed. */
    [PINGO_ACTION_PROCESSING] = {"PROCESSING", UNFINISHED | CLAIMED,
                                 A(SUBMITTED) | A(READY) | A(WAITING) | A(FAILED) | A(KILLED) |
                                     A(CANCELLED)},
    [PINGO_ACTION_SUBMITTED] = {"SUBMITTED", UNFINISHED | CLAIMED | HANDED,
                                A(RUNNING) | A(READY) | A(WAITING) | A(FINISHED) | A(FAILED) |
                                    A(KILLED) | A(CANCELLED)},
    /* READY: a retry, or lost; WAITING: an input vanished under it. */
    [PINGO_ACTION_RUNNING] = {"RUNNING", UNFINISHED | CLAIMED | HANDED,
                              A(READY) | A(WAITING) | A(FINISHED) | A(FAILED) | A(KILLED)},
    [PINGO_ACTION_FINISHED] = {"FINISHED", FINAL, 0},
    [PINGO_ACTION_FAILED] = {"FAILED", FINAL, 0},
    [PINGO_ACTION_KILLED] = {"KILLED", FINAL, 0},
    [PINGO_ACTION_CANCELLED] = {"CANCELLED", FINAL, 0},
};

static const struct state datasets[PINGO__DATASET_STATES] = {
    [0] = {.next = D(TO_DELETE) | D(TO_STORE) | D(TO_LEAF)},
    /* Planning only raises retention; DELETED: its action failed, it never was. */
    [PINGO_DATASET_TO_DELETE] = {"TO_DELETE", PENDING,
                                 D(TO_STORE) | D(TO_LEAF) | D(STORED_TO_DELETE) | D(STORED) |
                                     D(LEAF) | D(DELETED)},
    [PINGO_DATASET_TO_STORE] = {"TO_STORE", PENDING, D(TO_LEAF) | D(STORED) | D(LEAF) | D(DELETED)},
    /* STORED: who wanted it has released it meanwhile. */
    [PINGO_DATASET_TO_LEAF] = {"TO_LEAF", PENDING, D(LEAF) | D(STORED) | D(DELETED)},
    /* DELETED from a state in which it is there, or from PROCESSING: the bytes were found gone. */
    [PINGO_DATASET_STORED] = {"STORED", KEPT | THERE | WHOLE | SPACE,
                              D(LEAF) | D(STORED_TO_DELETE) | D(DELETED)},
    [PINGO_DATASET_LEAF] = {"LEAF", KEPT | THERE | WHOLE | SPACE,
                            D(STORED) | D(STORED_TO_DELETE) | D(DELETED)},
    [PINGO_DATASET_STORED_TO_DELETE] = {"STORED_TO_DELETE", THERE | WHOLE | SPACE | LEAVING,
                                        D(STORED) | D(LEAF) | D(PROCESSING) | D(DELETED)},
    [PINGO_DATASET_PROCESSING] = {"PROCESSING", WHOLE | SPACE | LEAVING | REMOVING,
                                  D(STORED) | D(LEAF) | D(DELETING) | D(STORED_TO_DELETE) |
                                      D(DELETED)},
    [PINGO_DATASET_DELETING] = {"DELETING", SPACE | LEAVING | REMOVING, D(DELETED)},
    [PINGO_DATASET_DELETED] = {"DELETED", 0, 0},
};

/* PAUSED is RUNNING with a mark of its own. */
static const struct state workflows[PINGO__WORKFLOW_STATES] = {
    [PINGO_WORKFLOW_RUNNING] = {"RUNNING", UNFINISHED, 0},
    [PINGO_WORKFLOW_FINISHED] = {"FINISHED", FINAL, 0},
    [PINGO_WORKFLOW_FAILED] = {"FAILED", FINAL, 0},
    [PINGO_WORKFLOW_KILLED] = {"KILLED", FINAL, 0},
    [PINGO_WORKFLOW_PAUSED] = {"PAUSED", UNFINISHED, 0},
};

/* SQL alone asks of these. */
static const struct state attempts[PINGO__ATTEMPT_STATES] __attribute__((unused)) = {
    [PINGO__ATTEMPT_HANDED] = {"HANDED", OPEN, 0},
    [PINGO__ATTEMPT_STARTED] = {"STARTED", OPEN, 0},
    [PINGO__ATTEMPT_ENDED] = {"ENDED", 0, 0},
};

#define ROW(table, state)                                                                          \
    ((size_t)(state) < sizeof(table) / sizeof *(table) ? &(table)[state] : &none)
static const struct state none = {NULL, 0, 0};

static bool may_become(const struct state *table, unsigned nstates, unsigned from, unsigned to)
{
    return from < nstates && to < nstates && (table[from].next >> to & 1);
}

const char *pingo_action_state_name(enum pingo_action_state state)
{
    return ROW(actions, state)->name;
}

bool pingo__rules_action_may_become(enum pingo_action_state from, enum pingo_action_state to)
{
    return may_become(actions, PINGO__ACTION_STATES, from, to);
}

const char *pingo_dataset_state_name(enum pingo_dataset_state state)
{
    return ROW(datasets, state)->name;
}

bool pingo__rules_dataset_may_become(enum pingo_dataset_state from, enum pingo_dataset_state to)
{
    return may_become(datasets, PINGO__DATASET_STATES, from, to);
}

const char *pingo_workflow_state_name(enum pingo_workflow_state state)
{
    return ROW(workflows, state)->name;
}

#define PREDICATE(name, kind, word)                                                                \
    bool name(enum pingo_##kind##_state state)                                                     \
    {                                                                                              \
        return ROW(kind##s, state)->is & (word);                                                   \
    }                                                                                              \
    struct state /* takes the semicolon */
PREDICATE(pingo_action_state_is_final, action, FINAL);
PREDICATE(pingo__rules_action_is_unfinished, action, UNFINISHED);
PREDICATE(pingo__rules_action_is_idle, action, IDLE);
PREDICATE(pingo__rules_action_is_claimed, action, CLAIMED);
PREDICATE(pingo__rules_action_is_handed, action, HANDED);

PREDICATE(pingo_dataset_state_is_pending, dataset, PENDING);
PREDICATE(pingo_dataset_state_is_there, dataset, THERE);
PREDICATE(pingo_dataset_state_takes_space, dataset, SPACE);
PREDICATE(pingo__rules_dataset_is_kept, dataset, KEPT);
PREDICATE(pingo__rules_dataset_is_whole, dataset, WHOLE);
PREDICATE(pingo__rules_dataset_is_leaving, dataset, LEAVING);

PREDICATE(pingo_workflow_state_is_final, workflow, FINAL);
