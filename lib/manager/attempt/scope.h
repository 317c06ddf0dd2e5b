/* scope.h - for whom a scheduler claims: all that is not paused, or some workflows and what they wait for.
 *
 * What always holds: nothing of a paused workflow is claimed, unless one that is driven needs it. */
#ifndef PINGO__MANAGER_SCOPE_H
#define PINGO__MANAGER_SCOPE_H

#include "manager/context.h"
#include "store/action/actions.h"
#include "store/submission/driving.h"

struct pingo__manager_scope_part; /* a workflow of which something may be claimed */

struct pingo__manager_scope {
    struct pingo__store_db *db;
    bool all;
    int64_t *workflows; /* else these, in order of number */
    size_t n;
    size_t nset; /* how often that was set */
    /* Read from the store, good as long as the mark stays: */
    struct pingo__store_driving_mark mark;
    bool known;
    struct pingo__arena arena;
    struct pingo__store_needed *needed; /* in the store's order, and by action in a workflow */
    size_t nneeded;
    struct pingo__manager_scope_part *parts; /* in the store's order; of few named workflows only */
    size_t nparts;
};

void pingo__manager_scope_clear(struct pingo__manager_scope *scope);
/* workflows NULL: all. */
int pingo__manager_scope_set(struct pingo__manager_scope *scope, const int64_t *workflows, size_t n,
                             struct pingo_error *err);
/* Reads from the store what has changed.  *changed (may be NULL): something may have. */
int pingo__manager_scope_refresh(struct pingo__manager_scope *scope, bool *changed,
                                 struct pingo_error *err);
/* The same, where it is needed to claim; what others need may be very many, so before the store's lock is taken.
 * *any_held: else all of all may be claimed. */
int pingo__manager_scope_prepare(struct pingo__manager_scope *scope, bool *any_held,
                                 struct pingo_error *err);
/* READY actions that may be claimed, in the store's order. */
int pingo__manager_scope_list_ready(struct pingo__manager_scope *scope,
                                    const struct pingo__store_ready_query *query,
                                    struct pingo__store_action_list *list, struct pingo_error *err);
/* After a refresh: may this action of this workflow be driven? */
int pingo__manager_scope_has(struct pingo__manager_scope *scope, int64_t workflow, int64_t action,
                             bool *has, struct pingo_error *err);

#endif
