/* output.h - from what a command left to a dataset that is ready to be published. */
#ifndef PINGO__RUNNER_OUTPUT_H
#define PINGO__RUNNER_OUTPUT_H

#include "runner/orders.h"
#include "runner/scratch.h"
#include "runner/record/job.h"

/* Checks the output of a command that exited 0, reads its size and content, takes away its write
 * bits and puts it at the staged path, unless orders stop it.  Fills in *end: the output, or the
 * reason and a message. */
void pingo__runner_output_take(const struct pingo__runner_scratch *scratch,
                               const struct pingo__runner_job *job,
                               struct pingo__runner_orders *orders, struct pingo_job_end *end);

#endif
