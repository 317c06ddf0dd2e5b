/* deletors.h - the pool of deletors of thesis 3.6: chores that touch files alone, done on libuv's threads.
 *
 * What always holds: the database and the rest of a manager belong to the thread of the
 * scheduler; a chore in hand belongs to the thread that does it, until it is collected.
 * At most three threads are used at once, so that one of libuv's four is left to others. */
#ifndef PINGO__MANAGER_DELETORS_H
#define PINGO__MANAGER_DELETORS_H

#include <stdbool.h>
#include <stddef.h>

#include <pingo/error.h>

/* A piece of work: the first member of a struct that knows the rest. */
struct pingo__manager_chore {
    void (*run)(struct pingo__manager_chore *chore); /* on another thread */
    struct pingo__manager_chore *next;
};
struct pingo__manager_chores { /* first in, first out */
    struct pingo__manager_chore *first, *last;
    size_t n;
};
void pingo__manager_chores_add(struct pingo__manager_chores *chores,
                               struct pingo__manager_chore *chore);
struct pingo__manager_chore *pingo__manager_chores_take(
    struct pingo__manager_chores *chores); /* NULL: none */

struct pingo__manager_deletors; /* opaque */

int pingo__manager_deletors_open(struct pingo__manager_deletors **deletors, struct pingo_error *err);
/* Waits for what is in hand, and gives it back as collect does. */
void pingo__manager_deletors_close(struct pingo__manager_deletors *deletors,
                                   struct pingo__manager_chores *done);
/* The chore is theirs now, and must live until it is collected. */
void pingo__manager_deletors_give(struct pingo__manager_deletors *deletors,
                                  struct pingo__manager_chore *chore);
/* What is done is added to done. */
void pingo__manager_deletors_collect(struct pingo__manager_deletors *deletors,
                                     struct pingo__manager_chores *done);
/* Readable when there is something to collect: after each few dozens, and when all is done. */
int pingo__manager_deletors_fd(const struct pingo__manager_deletors *deletors);
/* Until the descriptor is readable, or so long. */
void pingo__manager_deletors_wait(const struct pingo__manager_deletors *deletors, int timeout_ms);

#endif
