/* copy.h - copying a file or a tree, by descriptors, iteratively. */
#ifndef PINGO__MANAGER_COPY_H
#define PINGO__MANAGER_COPY_H

#include "base/world.h"

/* Copies from (a file or a directory; links are copied as links) to a path that must not be there.
 * Files are reflinked where the file system can, else copied, holes as holes.  The owner may write the copy.
 * 0, or -errno: then a part of the copy may be left at to. */
int pingo__copy_tree(const struct pingo__world *world, const char *from, const char *to);

#endif
