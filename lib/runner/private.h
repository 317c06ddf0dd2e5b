/* private.h - an output becomes the pool's: opened up, and with inodes of its own.
 *
 * A command may have hard-linked other files into its output.  Making those read-only would change what lies outside
 * the pool. */
#ifndef PINGO__RUNNER_PRIVATE_H
#define PINGO__RUNNER_PRIVATE_H

#include "runner/orders.h"

/* Lets the owner read dir/name and all below it, and write the directories; replaces each file that
 * has more than one name by a copy, holes and all.  Any depth, constant stack, few descriptors.
 * 0, -ECANCELED when orders stopped it, -EBUSY where something is mounted, or another negative errno. */
int pingo__runner_private_make(int dir, const char *name, struct pingo__runner_orders *orders);

#endif
