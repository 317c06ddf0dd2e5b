/* private.h - an output's files get an inode of their own.
 *
 * A command may have hard-linked files that belong to somebody else into its
 * output.  Making those read-only would change what lies outside the pool. */
#ifndef PINGO__SUPERVISOR_PRIVATE_H
#define PINGO__SUPERVISOR_PRIVATE_H

/* Replaces dir/name, or each file below it, that has more than one name by a copy.  0 or a negative errno. */
int pingo__private_make(int dir, const char *name);

#endif
