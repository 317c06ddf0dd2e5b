/* path.h - paths as text; nothing here looks at a file system. */
#ifndef PINGO__BASE_PATH_H
#define PINGO__BASE_PATH_H

#include <stdbool.h>

/* Where commands, and programs of ours that run them, find programs: a constant of the encoding of hashes. */
#define PINGO__PATH_OF_COMMANDS "/usr/local/bin:/usr/bin:/bin"

/* base_dir/path, or path if it is absolute, lexically normal: no ".", no "//", ".." resolved by name.
 * Yours, free(); NULL when memory runs out, or path is relative and base_dir NULL. */
char *pingo__path_join(const char *base_dir, const char *path);
/* "a/b" + "c" -> "a/b/c", no normalising.  Yours. */
char *pingo__path_child(const char *directory, const char *name);
/* The same; of the name "" the directory itself. */
char *pingo__path_below(const char *directory, const char *name);
/* What stands behind the last slash; of a path without one the whole. */
const char *pingo__path_last(const char *path);
/* Is it a plain file name: not empty, no slash, not "." or ".."? */
bool pingo__path_is_plain(const char *name);
/* Does path lie at or below directory?  Both lexically normal and absolute. */
bool pingo__path_is_below(const char *path, const char *directory);

#endif
