/* tag.h - what a client has already is not sent again (RFC 9110, 13): entity tags of what is read.
 *
 * A tag is a digest of the document, so that whatever changes it changes the tag.  As long as it is remembered
 * (kept.h), a client that asks with it is answered before anything is looked up. */
#ifndef SERVE_TAG_H
#define SERVE_TAG_H

#include "serve/route/route.h"

/* How long the client would have its answer wait (Prefer: wait=N, RFC 7240), in ms, a minute at most; 0: not. */
int64_t serve_wait_ms(const struct serve_request *request);
/* Calls the handler of a request that only reads. */
void serve_tagged(struct serve_worker *worker, const struct serve_request *request,
                  struct serve_answer *answer);
/* To be called once a handler may have written. */
void serve_tag_written(void);

#endif
