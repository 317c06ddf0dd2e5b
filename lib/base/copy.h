/* copy.h - the bytes of a file, and a file or a tree as a whole, at another place. */
#ifndef PINGO__BASE_COPY_H
#define PINGO__BASE_COPY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/world.h"

/* Writes all n bytes, whatever interrupts it.  0, or -errno. */
int pingo__copy_write(int to, const char *bytes, size_t n);
/* Makes the open file to, which is empty, one with the bytes of from: shared with it where the file system can, else
 * copied, holes as holes.  stop (may be NULL) is asked now and then.  0, -errno (-EIO also where from was cut
 * meanwhile), or -ECANCELED: stopped. */
int pingo__copy_bytes(int from, int to, bool (*stop)(void *context), void *context);
/* Copies from (a file or a directory; links are copied as links) to a path that must not be there.  The owner may write
 * the copy; it lets group and others do at most what `most` lets them, from the start.  0, or -errno: then a part of
 * the copy may be left at to, and where in from it failed is added to at (may be NULL), "" or "/a/b"; -ENXIO: that is
 * of another kind. */
int pingo__copy_tree(const struct pingo__world *world, const char *from, const char *to,
                     mode_t most, struct pingo__buffer *at);

#endif
