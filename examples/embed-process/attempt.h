/* attempt.h - the jobs that this process has in hand, and what their directories say: see attempt.c. */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <sys/types.h>

#include <pingo/executor.h>

struct job {
    struct pingo_job_key key;
    char *dir, *staged;
    pid_t launcher; /* 0: another process started it */
    bool kill_asked;
    struct job *next;
};

struct processes {
    char *attempts, *staged;
    struct job *jobs;
};

/* Where the job with this key hangs, or where a new one is to be hung. */
struct job **job_find(struct processes *p, struct pingo_job_key key);
struct job *job_add(struct processes *p, struct pingo_job_key key); /* NULL: no memory */
void job_drop(struct job **at);
/* 1: *end tells; 0: it has not ended yet. */
int job_never_began(const struct job *job, struct pingo_job_end *end); /* its launcher ended before the gate */
int job_read_end(const struct job *job, struct pingo_job_end *end);

#endif
