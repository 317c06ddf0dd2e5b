/* external.h - the executor that runs nothing: it hands jobs to the embedder and
 * takes ends from it.  All calls from the scheduler's thread. */
#ifndef PINGO__EXECUTOR_EXTERNAL_H
#define PINGO__EXECUTOR_EXTERNAL_H

#include <pingo/executor.h>

struct pingo__external; /* the handle that open gives */
extern const struct pingo_executor_type pingo__executor_external;

/* The next job that the embedder has not seen; NULL: none.  Borrowed until its end is forgotten. */
const struct pingo_job *pingo__executor_external_next(struct pingo__external *x);
/* It comes again: the embedder was not told of it after all. */
void pingo__executor_external_take_back(struct pingo__external *x, struct pingo_job_key key);
/* It was neither revoked nor killed, and is known; the caller still asks the store. */
bool pingo__executor_external_may_start(struct pingo__external *x, struct pingo_job_key key);
/* Is it in hand, and is its limit known?  Of what was adopted it is not until it is told. */
bool pingo__executor_external_knows(const struct pingo__external *x, struct pingo_job_key key);
void pingo__executor_external_limit(struct pingo__external *x, struct pingo_job_key key,
                                    int64_t limit_ms);
/* The gate was passed, then. */
void pingo__executor_external_start(struct pingo__external *x, struct pingo_job_key key,
                                    int64_t started_ms);
/* It never starts: what is kept of it goes with the next collect. */
void pingo__executor_external_give_up(struct pingo__external *x, struct pingo_job_key key);
/* Notes an end, to be reported by collect. */
void pingo__executor_external_end(struct pingo__external *x, const struct pingo_job_end *end);
/* true: a job that the embedder must end, or drop, each told once.  *reason: REVOKED, TIME_LIMIT, or 0: the
 * store knows. */
bool pingo__executor_external_next_kill(struct pingo__external *x, struct pingo_job_key *key,
                                        int *reason);
/* What runs longer than it may is to be killed. */
void pingo__executor_external_look_at_limits(struct pingo__external *x, int64_t now_ms);
/* Keys that were adopted and have no end yet, one after the other; *at starts as NULL. */
bool pingo__executor_external_adopted(struct pingo__external *x, const void **at,
                                      struct pingo_job_key *key);

#endif
