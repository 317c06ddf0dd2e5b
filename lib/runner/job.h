/* job.h - a job as a runner takes it; its texts belong to whoever made it. */
#ifndef PINGO__RUNNER_JOB_H
#define PINGO__RUNNER_JOB_H

#include <pingo/executor.h>

struct pingo__runner_job {
    struct pingo_job_key key;
    int64_t cpus, memory_bytes, time_limit_ms;
    const char *attempt_dir, *staged_path, *output; /* output NULL: standard output is it */
    const char **argv, **env, **readable;           /* end with NULL */
    struct pingo_job_link *links;
    size_t nargv, nenv, nlinks, nreadable;
    bool confine;
};

#endif
