/* links.h - where a link in a tree leads. */
#ifndef PINGO__BASE_LINKS_H
#define PINGO__BASE_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/world.h"

/* Where the link lies: in a directory so many levels below the root of its tree.  pool NULL: every absolute path leads
 * out.  Else the tree is an output of the pool in that directory ("": of another machine's): a link by an absolute path
 * into the system's directories, as a virtual environment has them, does not count as one that leads out, but never one
 * into the pool. */
struct pingo__links_place {
    const struct pingo__world *world;
    int dir;
    size_t levels_below;
    const char *pool;
};
/* Does a link with this text lead out of the tree?  Also true where memory runs out.  target is left as it was. */
bool pingo__links_lead_out(const struct pingo__links_place *place, char *target);

#endif
