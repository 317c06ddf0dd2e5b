/* tree.h - removing what lies below a directory, by descriptors, never following a link nor entering what is
 * mounted there (-EBUSY).
 *
 * Any depth, constant stack.  What cannot be removed is passed over, so that the rest goes; several may remove the
 * same at once.  Directories that keep their owner out are opened up first. */
#ifndef PINGO__BASE_TREE_H
#define PINGO__BASE_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct pingo__world;

struct pingo__tree_removal {
    const struct pingo__world *world;
    bool (*keep)(const char *name); /* of an entry at the top: it stays; may be NULL */
    int64_t *bytes;                 /* grows by what went from the disk; NULL: nobody asks */
    int failed;                     /* out: the first failure, a negative errno value, or 0 */
    char what[128];                 /* out: its path below the top, shortened; "" is the top */
};

/* Removes parent/name, whatever it is.  Absent is well.  Returns r->failed. */
int pingo__tree_take(struct pingo__tree_removal *r, int parent, const char *name);
/* Removes what is in the directory but not itself.  Returns r->failed. */
int pingo__tree_strip(struct pingo__tree_removal *r, int dir);

/* The same in the real world. */
int pingo__tree_remove(int parent, const char *name);
int pingo__tree_empty(int dir, bool (*keep)(const char *name));

/* What is mounted there is not ours, not even a folder of ours that is mounted once more. */
bool pingo__tree_is_mount(int parent, const char *name);

#endif
