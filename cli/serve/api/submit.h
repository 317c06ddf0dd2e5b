/* submit.h - what comes in as the text of a workflow, whichever way. */
#ifndef SERVE_API_SUBMIT_H
#define SERVE_API_SUBMIT_H

#include "serve/api/ask.h"

/* Submits it for who asks, if he may name the files that it names.  false: the answer tells what is wrong. */
bool serve_submit_text(struct serve_ask *ask, const char *text, size_t length,
                       const struct pingo_submit_options *options,
                       struct pingo_submission *submission);

#endif
