/* confine.h - the sandbox of one attempt: what of it depends on the job. */
#ifndef PINGO__RUNNER_CONFINE_H
#define PINGO__RUNNER_CONFINE_H

#include "runner/logs.h"
#include "runner/scratch.h"
#include "runner/record/job.h"
#include "base/sandbox.h"

/* The ruleset for a job: *ruleset is a descriptor, yours; -1 where the job is not to be confined, or cannot be here.
 * It costs some microseconds, so none is kept for the next one.  0 or a negative errno. */
int pingo__runner_confine(struct pingo__sandbox *sandbox,
                          const struct pingo__runner_scratch *scratch,
                          const struct pingo__runner_logs *logs,
                          const struct pingo__runner_job *job, int *ruleset);
/* After a failure: does what the command said last on standard error look like the sandbox?  Then
 * notes it in *end, with a message where there is none. */
void pingo__runner_confine_explain(const struct pingo__runner_scratch *scratch,
                                   struct pingo_job_end *end);

#endif
