/* walk.h - one step after the other through a tree of directories, through a world's functions.
 *
 * What always holds: one directory is open at a time, and the way back is "..", which must lead to where the walk
 * came from; what lies above waits as lists of names.  So neither depth nor the limit of descriptors ends a walk. */
#ifndef PINGO__BASE_WALK_H
#define PINGO__BASE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/world.h"

struct pingo__walk_level {
    struct stat st;            /* of the directory, when it was entered */
    struct pingo__buffer text; /* its names, each with a NUL */
    const char **names;        /* NULL: in the order of text */
    size_t n, next, at;        /* names; told; bytes of text that were */
    const char *name;          /* told last; NULL before the first, and behind the last */
};

struct pingo__walk {
    const struct pingo__world *world;
    bool sorted; /* names come in the order of their bytes */
    int fd;      /* of the deepest directory; -1: there is none */
    struct pingo__walk_level *levels;
    size_t depth, capacity;
};

void pingo__walk_init(struct pingo__walk *w, const struct pingo__world *world, bool sorted);
void pingo__walk_clear(struct pingo__walk *w);
/* Down into a directory, given or below; flags: 0, or O_NOFOLLOW.  Its names are read at once.
 * 0, or a negative errno value, and the walk is where it was. */
int pingo__walk_enter(struct pingo__walk *w, int dir, const char *name, int flags);
/* The next name in the deepest directory; NULL at its end: then leave. */
const char *pingo__walk_next(struct pingo__walk *w);
/* Up from the deepest directory.  0, or a negative errno value, and the walk is where it was; -ESTALE: the
 * directory was moved. */
int pingo__walk_leave(struct pingo__walk *w);
/* Appends the path, below the first directory, of the name that was told last; at an end, and where none was told, of
 * the directory. */
void pingo__walk_path(const struct pingo__walk *w, struct pingo__buffer *path);

#endif
