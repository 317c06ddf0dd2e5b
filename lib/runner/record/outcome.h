/* outcome.h - the end of an attempt as bytes: of one size and with a checksum, so that it is there whole or not at all.
 *
 * The same in the journals of the local executor and in the file `outcome` that pingo-runner leaves.  Which machine
 * it was stands elsewhere. */
#ifndef PINGO__RUNNER_OUTCOME_H
#define PINGO__RUNNER_OUTCOME_H

#include <pingo/executor.h>

#define PINGO__RUNNER_OUTCOME_SIZE 256

/* A message that is too long is cut. */
void pingo__runner_outcome_encode(const struct pingo_job_end *end,
                                  char record[PINGO__RUNNER_OUTCOME_SIZE]);
/* false: these bytes are none. */
bool pingo__runner_outcome_decode(const char record[PINGO__RUNNER_OUTCOME_SIZE],
                                  struct pingo_job_end *end);

/* Of any bytes that are kept: FNV-1a, folded. */
uint64_t pingo__runner_checksum(const char *bytes, size_t n);

#endif
