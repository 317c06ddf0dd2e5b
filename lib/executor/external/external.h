/* external.h - the executor that runs nothing: it hands jobs to the embedder and
 * takes ends from it.  All calls from the scheduler's thread. */
#ifndef PINGO__EXECUTOR_EXTERNAL_H
#define PINGO__EXECUTOR_EXTERNAL_H

#include <pingo/executor.h>

struct pingo__external; /* the handle that open gives */

const struct pingo_executor_type *pingo__executor_external(void);

/* The next job that the embedder has not seen; NULL: none.  Borrowed until its end is forgotten. */
const struct pingo_job *pingo__external_next(struct pingo__external *x);
/* 0: may start (the caller still asks the store); PINGO_ESTALE: was revoked, or is not known. */
int pingo__external_start(struct pingo__external *x, struct pingo_job_key key);
/* Notes an end, to be reported by collect. */
int pingo__external_end(struct pingo__external *x, const struct pingo_job_end *end);
/* true and *key: a job that the embedder must end, each told once. */
bool pingo__external_next_kill(struct pingo__external *x, struct pingo_job_key *key);
/* Keys that were adopted and have no end yet, one after the other; *at starts as 0. */
bool pingo__external_adopted(struct pingo__external *x, size_t *at, struct pingo_job_key *key);

#endif
