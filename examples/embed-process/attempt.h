/* attempt.h - the jobs that this process has in hand, and what their directories say: see attempt.c. */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <sys/types.h>

#include <pingo/executor.h>

struct processes {
    struct pingo_jobs *jobs; /* of struct process */
    struct pingo_backoff looks;
    struct pingo_runner_options options;
    char *attempts, *runner;
};

struct process {
    pid_t pid; /* of the runner; 0: another process started it */
    bool gone; /* and was waited for, by its number: the library has children, too */
    bool kill_asked;
};

/* POOL/attempts/ACTION.EPOCH: free() it. */
char *process_dir(const struct processes *p, struct pingo_job_key key);
/* What its directory says of a job; an end is noted, where there is one. */
int process_look(struct processes *p, struct process *process, struct pingo_runner_report *report,
                 struct pingo_error *err);

#endif
