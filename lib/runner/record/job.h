/* job.h - a job as a runner takes it, and as bytes: in a frame to the local supervisor, or in the file `job` of an
 * attempt's directory; and its end as bytes: in a journal, or in the file `outcome`.
 *
 * Bytes from outside are read as hostile: whatever they are, the reader fails and nothing else happens. */
#ifndef PINGO__RUNNER_JOB_H
#define PINGO__RUNNER_JOB_H

#include <pingo/executor.h>

#include "base/buffer.h"

struct pingo__runner_job { /* its texts belong to whoever made it */
    struct pingo_job_key key;
    int64_t cpus, memory_bytes, time_limit_ms;
    const char *attempt_dir, *staged_path, *output; /* output NULL: standard output is it */
    const char **argv, **env, **readable;           /* end with NULL */
    struct pingo_job_link *links;
    size_t nargv, nenv, nlinks, nreadable;
    bool confine;
};

static inline bool pingo__runner_key_is(struct pingo_job_key a, struct pingo_job_key b)
{
    return a.action == b.action && a.epoch == b.epoch;
}

void pingo__runner_put_key(struct pingo__buffer *b, struct pingo_job_key key);
struct pingo_job_key pingo__runner_get_key(struct pingo__buffer_reader *r);
void pingo__runner_put_text(struct pingo__buffer *b, const char *text);
/* NUL-terminated, borrowed from the bytes; NULL when it is not there as put_text wrote it. */
const char *pingo__runner_get_text(struct pingo__buffer_reader *r);

void pingo__runner_put_job(struct pingo__buffer *b, const struct pingo_job *job);
/* Only what a queue needs: key, cpus, memory_bytes, time_limit_ms, attempt_dir. */
bool pingo__runner_get_job_head(struct pingo__buffer_reader *r, struct pingo__runner_job *job);
/* All of it, to the end of the bytes: every pointer but the arrays' own memory lies in them; clear afterwards also
 * when it failed.  0, PINGO_ECORRUPT or PINGO_ENOMEM. */
int pingo__runner_get_job(struct pingo__buffer_reader *r, struct pingo__runner_job *job);
void pingo__runner_job_clear(struct pingo__runner_job *job);

/* ---- the end: of one size and with a checksum, so that it is there whole or not at all ---------- */

#define PINGO__RUNNER_OUTCOME_SIZE 256

/* A message that is too long is cut. */
void pingo__runner_outcome_encode(const struct pingo_job_end *end,
                                  char record[PINGO__RUNNER_OUTCOME_SIZE]);
/* false: these bytes are none. */
bool pingo__runner_outcome_decode(const char record[PINGO__RUNNER_OUTCOME_SIZE],
                                  struct pingo_job_end *end);

/* It ended so: without an output, and that is said of it. */
void pingo__runner_fail(struct pingo_job_end *end, enum pingo_end_reason reason, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* Of any bytes that are kept: FNV-1a, folded. */
uint64_t pingo__runner_checksum(const char *bytes, size_t n);

#endif
