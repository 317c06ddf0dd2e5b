/* note.h - what was refused is noted in the store's audit: later, by the writer, so that nobody waits for it.
 *
 * A flood of them is a few rows: of one user and his way in, 20 a minute are noted as they are, and the rest by its
 * number.  So neither memory nor the audit, of which the newest rows are kept, is anybody's to fill. */
#ifndef SERVE_NOTE_H
#define SERVE_NOTE_H

#include "serve/route/route.h"

/* Of a request that would have changed something. */
void serve_note_refusal(struct serve_worker *worker, const struct serve_request *request,
                        const char *why);
/* Notes how many there were where a minute has passed; all: of all, as the server ends. */
void serve_note_sums(struct serve *serve, bool all);

#endif
