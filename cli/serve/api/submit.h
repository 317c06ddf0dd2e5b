/* submit.h - what comes in as the text of a workflow, whichever way. */
#ifndef SERVE_API_SUBMIT_H
#define SERVE_API_SUBMIT_H

#include "serve/api/ask.h"

/* Submits it for who asks, if he may name the files that it names.  false: the answer tells what is wrong. */
bool serve_submit_text(struct serve_ask *ask, const char *text, size_t length,
                       const struct pingo_submit_options *options,
                       struct pingo_submission *submission);

/* roots.c: the setting serve.inputRoots: what a workflow may name that somebody else than an admin sends.  Is there
 * anything to check for who asks?  Then *roots is the setting, in the worker's arena; else NULL. */
void serve_roots(struct serve_ask *ask, const char **roots);
/* All inputs and outputs that are files must lie beneath the roots, with links followed, and tools and programs of
 * versions there or in the system's places. */
void serve_roots_check(struct serve_ask *ask, const char *roots,
                       const struct pingo_workflow *workflow);

#endif
