/* guard.h - the process that YARN sees, and ends; what runs attempts is its child, in a session of its own.
 *
 * YARN ends a container by a signal to a process and its group, and sends KILL a quarter of a second behind TERM.  A
 * command has a session of its own, and would be left running by that.  So of guard and child each ends, when the other
 * is gone, what is left: the child hears TERM then, and can still leave an outcome. */
#ifndef PINGO__EXECUTOR_NODE_GUARD_H
#define PINGO__EXECUTOR_NODE_GUARD_H

#include <stdbool.h>

/* Starts this program again with these words, hands on signals, and waits.  The exit status, or -1: it could not be
 * started, see errno. */
int pingo__executor_node_guard(char *const *argv);
/* In the child: it is told by TERM when the guard is gone.  false: that is so already. */
bool pingo__executor_node_guarded(void);

#endif
