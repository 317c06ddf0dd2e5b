/* memo.h - what a pool that lies elsewhere answers, had by another thread before it is needed.
 *
 * A handle with a memo never waits.  What it is asked it answers from the memo; what is not in there is noted, and
 * PINGO__POOL_LATER is returned, which whoever asked hands up as any error.  When the questions are answered, all is
 * done again from its beginning, and comes as far as the next question.  So who asks is written as if each answer came
 * at once.
 * What always holds: a question is asked once, also where the pool changes for it (publishing), and has the same answer
 * each time; what goes to the trash is noted, and goes there when the questions are asked.  Where the pool has no
 * answer now, it is asked again.  A memo is for one purpose, and goes with it. */
#ifndef PINGO__POOL_MEMO_H
#define PINGO__POOL_MEMO_H

#include "pool/pool.h"

struct pingo__pool_memo; /* opaque */

/* pool: has none, and outlives it.  key: names its own in the trash.  NULL: no memory.  Free with
 * pingo__pool_memo_free(). */
struct pingo__pool_memo *pingo__pool_memo_new(const struct pingo__pool *pool,
                                              struct pingo_job_key key);
void pingo__pool_memo_free(struct pingo__pool_memo *memo);
/* Is there anything to ask, or to do? */
bool pingo__pool_memo_is_open(const struct pingo__pool_memo *memo);
/* Asks what is open, in that order.  On any thread, while no other one has the memo.  An error: the pool has no answer
 * now, and why; the rest is open still. */
int pingo__pool_memo_ask(struct pingo__pool_memo *memo, struct pingo_error *err);
/* How often something went to the trash since this was asked last. */
uint64_t pingo__pool_memo_trashed(struct pingo__pool_memo *memo);

/* For pool.c: as its functions, of a name in the pool. */
int pingo__pool_memo_state(struct pingo__pool_memo *memo, const char *name,
                           struct pingo__pool_state *state, struct pingo_error *err);
int pingo__pool_memo_read(struct pingo__pool_memo *memo, const char *name,
                          const struct pingo__digest_content_options *options,
                          struct pingo__digest_content *content, struct pingo_error *err);
int pingo__pool_memo_each(struct pingo__pool_memo *memo, enum pingo__name_part part,
                          pingo__pool_name_fn fn, void *context, struct pingo_error *err);
int pingo__pool_memo_publish(struct pingo__pool_memo *memo, struct pingo_job_key key,
                             const char *object, struct pingo_error *err);
int pingo__pool_memo_make_private(struct pingo__pool_memo *memo, const char *name,
                                  struct pingo_error *err);
int pingo__pool_memo_fetch(struct pingo__pool_memo *memo, const char *name, struct pingo_error *err);
int pingo__pool_memo_trash(struct pingo__pool_memo *memo, const char *name, bool is_attempt,
                           struct pingo_error *err);

#endif
