/* links.h - where the link in a tree leads, by its text alone. */
#ifndef PINGO__DIGEST_LINKS_H
#define PINGO__DIGEST_LINKS_H

#include <stdbool.h>
#include <stddef.h>

/* Does a link with this text, in a directory so many levels below the root of a tree, lead out of the
 * tree?  pool NULL: every absolute path does.  Else the tree is an output of the pool in that directory:
 * a link by an absolute path into the system's directories, as a virtual environment has them, does not
 * count as one that leads out, but never one into the pool.  Also true where memory runs out. */
bool pingo__digest_link_leads_out(const char *target, size_t levels_below, const char *pool);

#endif
