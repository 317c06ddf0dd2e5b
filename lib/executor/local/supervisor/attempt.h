/* attempt.h - one attempt, from the gate to the record of its end. */
#ifndef PINGO__SUPERVISOR_ATTEMPT_H
#define PINGO__SUPERVISOR_ATTEMPT_H

#include "executor/local/supervisor/confine.h"
#include "executor/local/supervisor/control.h"
#include "executor/local/supervisor/scratch.h"

/* What a worker has for all its attempts. */
struct pingo__worker {
    struct pingo__control control;
    struct pingo__scratch scratch;
    struct pingo__wire_settings settings;
    struct pingo__confinement confinement;
    int executor_dir; /* STORE/executor */
    int journal;      /* -1: none yet */
    int running;      /* running.* */
    size_t slot;      /* of it */
    int signals;      /* a signalfd of SIGCHLD */
};

/* Runs a job from the body of a JOB frame, writes its end into the journal and tells the supervisor. */
void pingo__attempt_run(struct pingo__worker *worker, struct pingo__reader *body);

/* The worker's program.  control: the connection; returns the exit status. */
int pingo__worker_main(int control, const char *store_dir, const char *pool_dir,
                       const char *running_name, size_t slot);

#endif
