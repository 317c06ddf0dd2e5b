/* confine.h - the sandbox of one attempt: what of it depends on the job. */
#ifndef PINGO__SUPERVISOR_CONFINE_H
#define PINGO__SUPERVISOR_CONFINE_H

#include "executor/local/supervisor/logs.h"
#include "executor/local/supervisor/scratch.h"
#include "executor/local/wire.h"
#include "base/sandbox.h"

/* A worker's sandbox.  The ruleset of a job without inputs serves the next one in the same directory. */
struct pingo__confinement {
    struct pingo__sandbox sandbox;
    int kept;           /* a ruleset; -1: none */
    unsigned long made; /* the scratch directory that it is for */
};
void pingo__confinement_init(struct pingo__confinement *confinement, int abi);
void pingo__confinement_clear(struct pingo__confinement *confinement);

/* The ruleset for a job: *ruleset is a descriptor, borrowed until the next call; -1 where the job is
 * not to be confined, or cannot be here.  0 or a negative errno. */
int pingo__confine(struct pingo__confinement *confinement, const struct pingo__scratch *scratch,
                   const struct pingo__logs *logs, const struct pingo__wire_job *job, int *ruleset);
/* After a failure: does what the command said last on standard error look like the sandbox?  Then
 * notes it in *end, with a message where there is none. */
void pingo__confine_explain(const struct pingo__scratch *scratch, struct pingo_job_end *end);

#endif
