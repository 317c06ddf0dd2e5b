/* destroy.h - takes apart what Pingo made, by its names; what it did not make stays and is told. */
#ifndef PINGO__POOL_DESTROY_H
#define PINGO__POOL_DESTROY_H

#include "pool/backend.h"

/* A directory on its way out. */
struct pingo__pool_ruin {
    const struct pingo__world *world;
    int fd;           /* it, open */
    const char *path; /* for what is told */
    const struct pingo__pool_told *told;
};

/* A directory of ours in it: entries with such names are ours. */
struct pingo__pool_part {
    const char *name;
    const char *pattern; /* fnmatch's with FNM_EXTMATCH, of their names; NULL: as of that part of a pool: */
    enum pingo__name_part part;
    const struct pingo__pool_part *below; /* they are directories of this kind; NULL: they go as a whole */
};

/* Removes what is ours of each part (up to one without a name), and the part where it is empty then.  Links are not
 * followed. */
int pingo__pool_clear_parts(const struct pingo__pool_ruin *ruin,
                            const struct pingo__pool_part *parts, struct pingo_error *err);
/* After it: removes the directory itself, or tells what is in it beside the parts. */
int pingo__pool_clear_rest(const struct pingo__pool_ruin *ruin,
                           const struct pingo__pool_part *parts, struct pingo_error *err);

#endif
