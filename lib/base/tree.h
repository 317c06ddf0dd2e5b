/* tree.h - removing what lies below a directory, by descriptors, never following a link nor entering what is
 * mounted there (-EBUSY). */
#ifndef PINGO__BASE_TREE_H
#define PINGO__BASE_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Removes what is in the directory but not itself; keep(name) (may be NULL) spares entries at the top.
 * Any depth, constant stack.  Nobody else works there.  0 or a negative errno of the first failure. */
int pingo__tree_empty(int dir, bool (*keep)(const char *name));
/* The same, of all; adds to *bytes what it held on the disk. */
int pingo__tree_drop(int dir, int64_t *bytes);
/* Removes parent/name, whatever it is.  0 or a negative errno; absent is 0. */
int pingo__tree_remove(int parent, const char *name);
/* What is mounted there is not ours, not even a folder of ours that is mounted once more. */
bool pingo__is_mount_point(int parent, const char *name);

#endif
