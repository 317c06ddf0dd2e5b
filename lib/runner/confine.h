/* confine.h - the sandbox of one attempt: what of it depends on the job. */
#ifndef PINGO__RUNNER_CONFINE_H
#define PINGO__RUNNER_CONFINE_H

#include "runner/logs.h"
#include "runner/scratch.h"
#include "runner/record/job.h"
#include "base/sandbox.h"

/* A runner's sandbox.  The ruleset of a job without inputs serves the next one in the same directory. */
struct pingo__runner_confinement {
    struct pingo__sandbox sandbox;
    int kept;           /* a ruleset; -1: none */
    unsigned long made; /* the scratch directory that it is for */
};
void pingo__runner_confinement_init(struct pingo__runner_confinement *confinement, int abi);
void pingo__runner_confinement_clear(struct pingo__runner_confinement *confinement);

/* The ruleset for a job: *ruleset is a descriptor, borrowed until the next call; -1 where the job is
 * not to be confined, or cannot be here.  0 or a negative errno. */
int pingo__runner_confine(struct pingo__runner_confinement *confinement,
                          const struct pingo__runner_scratch *scratch,
                          const struct pingo__runner_logs *logs,
                          const struct pingo__runner_job *job, int *ruleset);
/* After a failure: does what the command said last on standard error look like the sandbox?  Then
 * notes it in *end, with a message where there is none. */
void pingo__runner_confine_explain(const struct pingo__runner_scratch *scratch,
                                   struct pingo_job_end *end);

#endif
