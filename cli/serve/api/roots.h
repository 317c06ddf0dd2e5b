/* roots.h - the setting serve.inputRoots: what a workflow may name that somebody else than an admin sends. */
#ifndef SERVE_API_ROOTS_H
#define SERVE_API_ROOTS_H

#include "serve/api/ask.h"

/* Is there anything to check for who asks?  Then *roots is the setting, in the worker's arena; else NULL. */
void serve_roots(struct serve_ask *ask, const char **roots);
/* All inputs and outputs that are files must lie beneath the roots, with links followed, and tools and programs of
 * versions there or in the system's places. */
void serve_roots_check(struct serve_ask *ask, const char *roots,
                       const struct pingo_workflow *workflow);

#endif
