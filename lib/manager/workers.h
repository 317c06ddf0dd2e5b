/* workers.h - what waits for files or for a pool is done on other threads: the pool of deletors of thesis 3.6, reading,
 * and asking a pool that lies elsewhere.
 *
 * What always holds: the database and the rest of a manager belong to the thread of the scheduler; a chore in hand
 * belongs to the thread that does it, until it is collected.  Chores of one lane begin in the order in which they were
 * given, and no lane keeps the other from going on: each has threads of its own, which begin when they are needed. */
#ifndef PINGO__MANAGER_WORKERS_H
#define PINGO__MANAGER_WORKERS_H

#include <stddef.h>

#include <pingo/error.h>

enum { PINGO__DELETING, PINGO__READING, PINGO__ASKING, PINGO__TELLING, PINGO__LANES };

/* A piece of work: the first member of a struct that knows the rest. */
struct pingo__manager_chore {
    int lane;
    void (*run)(struct pingo__manager_chore *chore); /* on another thread */
    /* On the scheduler's, when it is collected: it is yours again. */
    int (*done)(struct pingo__manager_chore *chore, struct pingo_error *err);
    struct pingo__manager_chore *next;
};
struct pingo__manager_chores { /* first in, first out */
    struct pingo__manager_chore *first, *last;
    size_t n;
};
void pingo__manager_chores_add(struct pingo__manager_chores *chores,
                               struct pingo__manager_chore *chore);
/* NULL: none. */
struct pingo__manager_chore *pingo__manager_chores_take(struct pingo__manager_chores *chores);

struct pingo__manager_workers; /* opaque */

int pingo__manager_workers_open(struct pingo__manager_workers **workers, struct pingo_error *err);
/* When all is done and collected. */
void pingo__manager_workers_close(struct pingo__manager_workers *workers);
/* The chore is theirs now, and must live until it is collected. */
void pingo__manager_workers_give(struct pingo__manager_workers *workers,
                                 struct pingo__manager_chore *chore);
/* Hands back what is done of a lane.  The first error of those who take it, who all are asked. */
int pingo__manager_workers_collect(struct pingo__manager_workers *workers, int lane,
                                   struct pingo_error *err);
/* Waits until nothing of a lane is in hand, and collects it. */
int pingo__manager_workers_finish(struct pingo__manager_workers *workers, int lane,
                                  struct pingo_error *err);
/* Readable when there is something to collect: after each few dozens, and when all is done. */
int pingo__manager_workers_fd(const struct pingo__manager_workers *workers);
/* Until the descriptor is readable, or so long. */
void pingo__manager_workers_wait(const struct pingo__manager_workers *workers, int timeout_ms);

#endif
