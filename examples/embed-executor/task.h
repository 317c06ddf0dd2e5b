/* task.h - one job in its thread. */
#ifndef TASK_H
#define TASK_H

#include <pthread.h>
#include <stdbool.h>

#include <pingo/executor.h>

#include "functions.h"

enum state { ARMED, RUNNING, ENDED };

struct task {
    struct task *next;
    struct pingo_job_end end; /* the thread's until the state is ENDED */
    _Atomic int state;
    pthread_t thread; /* once it is not ARMED */
    const struct function *function;
    char *output, **inputs;
    size_t ninputs;
    int bell;
    bool kill_asked;
};

/* Copies what the thread will need of a job, which is borrowed.  NULL: no memory. */
struct task *new_task(const struct pingo_job *job, int bell);
/* The body of the task's thread. */
void *run_task(void *argument);
/* Threads cannot outlive their task: waits for one that runs. */
void free_task(struct task *task);

#endif
