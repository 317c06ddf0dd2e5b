/* output.h - from what a command left to a dataset that is ready to be published. */
#ifndef PINGO__SUPERVISOR_OUTPUT_H
#define PINGO__SUPERVISOR_OUTPUT_H

#include "executor/local/supervisor/orders.h"
#include "executor/local/supervisor/scratch.h"
#include "executor/local/wire.h"

/* Checks the output of a command that exited 0, reads its size and content, takes away its write
 * bits and puts it at the staged path, unless orders stop it.  Fills in *end: the output, or the
 * reason and a message. */
void pingo__output_take(const struct pingo__scratch *scratch, const struct pingo__wire_job *job,
                        struct pingo__orders *orders, struct pingo_job_end *end);

#endif
