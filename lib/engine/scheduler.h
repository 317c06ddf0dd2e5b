/* scheduler.h - the inside of a scheduler handle. */
#ifndef PINGO__ENGINE_SCHEDULER_H
#define PINGO__ENGINE_SCHEDULER_H

#include "engine/engine.h"

struct pingo_scheduler {
    struct pingo_store *store;
    struct pingo__context context; /* the store's, with our owner */
    struct pingo__owner owner;
    struct pingo__executor *executors;
    size_t nexecutors;
    struct pingo__external *external; /* NULL: external actions are not ours; owned by executors */
    struct pingo__action_manager actions;
    int poll_fd;
    int64_t recovered_at, swept_at; /* monotonic ms; 0: never */
    bool again; /* there is more to do at once */
    bool trim;  /* it is time to ask what executors may forget */
};

/* What no row knows is reclaimed, old logs and failed attempts go: now and then. */
int pingo__sweep_tick(struct pingo__context *c, struct pingo_store *store, int64_t now_ms,
                      int64_t *swept_at, struct pingo_error *err);

#endif
