/* attempt.h - what lies in the directory of an attempt that runs elsewhere, and the gate.
 *
 * job              what is to be run; the scheduler's executor puts it there
 * started.HOST.PID the same file, once a runner has renamed it: that rename is the gate
 * revoked          the same file, once the attempt was given up; or an empty one, where there was no job
 * outcome          the end
 *
 * Invariants: a runner locks `job` before it renames it, and holds the lock while it lives; `job` and `outcome` are
 * there whole or not at all; of several renames of `job` one wins; a runner that has started looks for `revoked` before
 * it does anything, and a scheduler that puts an empty one there looks for a runner that has started. */
#ifndef PINGO__RUNNER_ATTEMPT_H
#define PINGO__RUNNER_ATTEMPT_H

#include "runner/record/job.h"

#define PINGO__RUNNER_STARTED_SIZE 96 /* of started.HOST.PID with its NUL */

struct pingo__runner_errand { /* what the file `job` says */
    struct pingo__runner_job job;
    struct pingo_runner_options options;
    char *bytes; /* where its texts lie */
};

/* "POOL/attempts/12.3" -> 12, 3.  false: it ends otherwise. */
bool pingo__runner_attempt_key(const char *attempt_dir, struct pingo_job_key *key);
/* The gate.  0 with *lock: this process runs the attempt, name is what the job's file is called now, and the descriptor
 * holds a lock on it, for who asks whether we live; -1: it was given up, or somebody else runs it.  Or a negative
 * errno. */
int pingo__runner_attempt_start(int dir, char name[PINGO__RUNNER_STARTED_SIZE], int *lock);
/* What stands in such a file; look whether b failed. */
void pingo__runner_errand_put(struct pingo__buffer *b, const struct pingo_job *job,
                              const struct pingo_runner_options *options);
/* Reads and checks such a file; clear afterwards in any case.  0, PINGO_ECORRUPT, PINGO_EVERSION, PINGO_ENOMEM or
 * PINGO_EIO. */
int pingo__runner_errand_read(int dir, const char *name, struct pingo__runner_errand *errand);
/* The same of the n bytes that errand->bytes holds; all else in *errand is zero. */
int pingo__runner_errand_parse(struct pingo__runner_errand *errand, size_t n);
void pingo__runner_errand_clear(struct pingo__runner_errand *errand);
/* Takes the room on the disk that an outcome needs.  0 or a negative errno. */
int pingo__runner_outcome_reserve(int dir);
/* Leaves the outcome.  0, or a negative errno: it is not there, and it may be tried again. */
int pingo__runner_outcome_write(int dir, const struct pingo_job_end *end);

#endif
