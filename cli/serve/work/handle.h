/* handle.h - how a handler of the table of routes is called, and what holds for the answers of all: what a client has
 * already is not sent again (RFC 9110, 13). */
#ifndef SERVE_HANDLE_H
#define SERVE_HANDLE_H

#include "serve/route/route.h"

/* Calls a handler, as the threads do: with an empty arena, and an answer in any case. */
void serve_handle(struct serve_worker *worker, const struct serve_request *request,
                  struct serve_answer *answer);
/* How long the client would have its answer wait (Prefer: wait=N, RFC 7240), in ms, a minute at most; 0: not. */
int64_t serve_wait_ms(const struct serve_request *request);

#endif
