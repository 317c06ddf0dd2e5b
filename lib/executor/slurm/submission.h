/* submission.h - what Slurm is asked to run: a script of one line, in which every word is quoted, and what the job may
 * take.  The command of the action, its environment and its inputs are no part of it: they stand in the attempt's
 * directory, where pingo-runner reads them.  Pure. */
#ifndef PINGO__EXECUTOR_SLURM_SUBMISSION_H
#define PINGO__EXECUTOR_SLURM_SUBMISSION_H

#include <pingo/executor.h>

#include "base/arena.h"
#include "base/buffer.h"

#define PINGO__SLURM_LOG                                                                           \
    "slurm.log" /* in the attempt's directory: what the job says besides its command */
#define PINGO__SLURM_SUBMISSION_MOST (4 << 20) /* bytes: of Slurm's */

/* What stands besides the job in a submission: a field of its JSON up to v0.0.38, the same from v0.0.40 on where that
 * is another, and a flag of sbatch. */
struct pingo__executor_slurm_option {
    const char *name, *later, *flag;
    enum {
        PINGO__SLURM_TEXT,
        PINGO__SLURM_NUMBER,
        PINGO__SLURM_NODE_LIST, /* later: a list */
        PINGO__SLURM_GRES       /* later: "gres/gpu:1" */
    } kind;
};
extern const struct pingo__executor_slurm_option pingo__executor_slurm_options[];

#define PINGO__SLURM_RUNNER_MB                                                                     \
    16 /* what the runner itself takes: the command's own limit is kept by it */
#define PINGO__SLURM_OPTIONS 12
#define PINGO__SLURM_PARTITION 0 /* where it stands among them */
struct pingo__executor_slurm_request {
    const char *name, *comment; /* the key */
    const char *script;
    const char *log;                           /* a pattern of a file name, as Slurm reads it */
    const char *array;                         /* "0-9": its tasks; NULL: it is none */
    int64_t cpus, memory_mb, minutes;          /* 0: the partition's own */
    const char *options[PINGO__SLURM_OPTIONS]; /* of the list above, in its order; NULL: not told */
};

struct pingo__executor_slurm_array {
    const char *name, *dir, *runner; /* name: as a job's; dir: where its list lies */
    size_t ntasks;
};

/* "#!/bin/sh\nexec RUNNER ATTEMPT_DIR\n", or of a list "... RUNNER --list LIST TASK\n": whatever the two are, they are
 * two words. */
void pingo__executor_slurm_script(struct pingo__buffer *b, const char *runner, const char *path,
                                  bool is_list);
/* A path as Slurm reads names of files: %j and the like in it stand for themselves.  false: it cannot be written so. */
bool pingo__executor_slurm_pattern(struct pingo__buffer *b, const char *path);
/* Texts in the arena.  defaults: options that count where the job has none of its own (JSON, as executor_options; each
 * may be NULL).  Errors: PINGO_EINVAL (an option that is none), PINGO_ENOMEM. */
int pingo__executor_slurm_request_make(const struct pingo_job *job, const char *runner,
                                       int64_t grace_ms, struct pingo__arena *arena,
                                       struct pingo__executor_slurm_request *request);
int pingo__executor_slurm_request_options(const char *json, struct pingo__arena *arena,
                                          struct pingo__executor_slurm_request *request,
                                          struct pingo_error *err);
/* Can it be submitted, and then be run?  PINGO_EINVAL: it is too large, and what. */
int pingo__executor_slurm_request_check(const struct pingo_job *job,
                                        const struct pingo__executor_slurm_request *request,
                                        struct pingo_error *err);
/* Do they ask for the same, but for whose they are? */
bool pingo__executor_slurm_request_is_like(const struct pingo__executor_slurm_request *a,
                                           const struct pingo__executor_slurm_request *b);
/* One array job for n requests that are like this one; dir: that of the bundle of this name.  PINGO_ENOMEM. */
int pingo__executor_slurm_request_array(struct pingo__executor_slurm_request *request,
                                        const struct pingo__executor_slurm_array *array,
                                        struct pingo__arena *arena);
/* What the job asks for of GPUs and licences joins its options gres and licenses; a gres that speaks of GPUs itself
 * stays.  0 or PINGO_ENOMEM. */
int pingo__executor_slurm_request_counters(const struct pingo_job *job, struct pingo__arena *arena,
                                           struct pingo__executor_slurm_request *request);
/* The body of a submission, as versions of the interface want it (38: v0.0.38); look whether b failed. */
void pingo__executor_slurm_body(struct pingo__buffer *b,
                                const struct pingo__executor_slurm_request *request, int version);

#endif
