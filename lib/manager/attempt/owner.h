/* owner.h - who is alive: a scheduler is a row and a file that it holds by flock.
 *
 * The lock is gone with the process, however it died; its number in the row is for people. */
#ifndef PINGO__MANAGER_OWNER_H
#define PINGO__MANAGER_OWNER_H

#include "manager/context.h"
#include "manager/attempt/scope.h"

struct pingo__manager_owner {
    int fd; /* of its file */
};

/* Registers: c->owner; in a write transaction of its own.  scope: for whom it claims; NULL: for nobody. */
int pingo__manager_owner_register(struct pingo__manager_owner *owner,
                                  struct pingo__manager_context *c,
                                  const struct pingo__manager_scope *scope, struct pingo_error *err);
/* It claims for others from now on; likewise. */
int pingo__manager_owner_tell_scope(struct pingo__manager_context *c,
                                    const struct pingo__manager_scope *scope,
                                    struct pingo_error *err);
/* Lets go; the row, too, where nothing of ours is left. */
void pingo__manager_owner_release(struct pingo__manager_owner *owner,
                                  struct pingo__manager_context *c);
bool pingo__manager_owner_is_alive(struct pingo__manager_context *c, int64_t owner);
/* Inside a write transaction: its row goes where nothing of it is left (*is_gone), and its file before that: who is
 * killed between the two leaves a row, which others find. */
int pingo__manager_owner_delete(struct pingo__manager_context *c, int64_t owner, bool *is_gone,
                                struct pingo_error *err);

#endif
