/* handle.h - how a handler of the table of routes is called, and what holds for the answers of all. */
#ifndef SERVE_HANDLE_H
#define SERVE_HANDLE_H

#include "serve/route/route.h"

/* Calls a handler, as the threads do: with an empty arena, and an answer in any case. */
void serve_handle(struct serve_worker *worker, const struct serve_request *request,
                  struct serve_answer *answer);

#endif
