/* attempt.h - a worker: what it has for all its attempts, and one of them, from its frame to the record of its end. */
#ifndef PINGO__SUPERVISOR_ATTEMPT_H
#define PINGO__SUPERVISOR_ATTEMPT_H

#include "executor/local/supervisor/control.h"
#include "runner/runner.h"

struct pingo__executor_worker {
    struct pingo__executor_control control;
    struct pingo__runner_master master; /* it, as the runner sees it */
    struct pingo__runner_state runner;
    int executor_dir; /* STORE/executor */
    int journal;      /* -1: none yet */
    int running;      /* running.* */
    size_t slot;      /* of it */
};

/* Runs a job from the body of a JOB frame, writes its end into the journal and tells the supervisor. */
void pingo__executor_attempt_run(struct pingo__executor_worker *worker,
                                 struct pingo__buffer_reader *body);

/* Takes in what has come while a job runs: settings are for the next one.  true: the job is to be killed. */
bool pingo__executor_worker_hear(struct pingo__executor_worker *worker, struct pingo_job_key key);

/* The worker's program.  control: the connection; returns the exit status. */
int pingo__executor_worker_main(int control, const char *store_dir, const char *pool_dir,
                                const char *running_name, size_t slot);

#endif
