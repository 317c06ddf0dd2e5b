/* destroy.h - takes apart what Pingo made, by its names; what it did not make stays and is told. */
#ifndef PINGO__POOL_DESTROY_H
#define PINGO__POOL_DESTROY_H

#include "pool/backend.h"

/* A directory of ours: entries with such names are ours. */
struct pingo__part {
    const char *name;
    bool (*is_ours)(const char *name);
    const struct pingo__part *below; /* they are directories of this kind; NULL: they go as a whole */
};

/* Removes, below an open directory, what is ours of each part (up to one without a name), and the part where it is
 * empty then.  Links are not followed. */
int pingo__clear_parts(const struct pingo__world *world, int dir, const char *directory,
                       const struct pingo__part *parts, pingo__kept_fn fn, void *context,
                       struct pingo_error *err);
/* Removes a directory, or tells what is in it.  fd: it, open. */
int pingo__clear_rest(const struct pingo__world *world, int fd, const char *directory,
                      pingo__kept_fn fn, void *context, struct pingo_error *err);

#endif
