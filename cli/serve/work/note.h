/* note.h - what was refused is noted in the store's audit: later, by the writer, so that nobody waits for it. */
#ifndef SERVE_NOTE_H
#define SERVE_NOTE_H

#include "serve/route/route.h"

/* Of a request that would have changed something. */
void serve_note_refusal(struct serve_worker *worker, const struct serve_request *request,
                        const char *why);

#endif
