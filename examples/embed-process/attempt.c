/* attempt.c - what the directory of an attempt says: it runs, it has ended and how, or nobody will ever run it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "attempt.h"

char *process_dir(const struct processes *p, struct pingo_job_key key)
{
    char *dir = NULL;
    return asprintf(&dir, "%s/%lld.%lld", p->attempts, (long long)key.action,
                    (long long)key.epoch) < 0
               ? NULL
               : dir;
}

int process_look(struct processes *p, struct process *process, struct pingo_runner_report *report,
                 struct pingo_error *err)
{
    struct pingo_job_key key = pingo_jobs_key(process);
    char *dir = process_dir(p, key);
    /* First the process, for it may arrive at the gate before it ends. */
    bool revoked = false;
    if (process->pid > 0 && !process->gone)
        process->gone = waitpid(process->pid, NULL, WNOHANG) != 0;
    int rc = dir ? pingo_runner_look(dir, report, err) : PINGO_ENOMEM;
    if (rc == 0 && report->state == PINGO_RUNNER_ARMED && process->gone)
        rc = pingo_runner_revoke(dir, &revoked, err);
    free(dir);
    struct pingo_job_end end = report->end;
    if (report->state == PINGO_RUNNER_STARTED && !report->held)
        end = (struct pingo_job_end){.size = sizeof end, .key = key, .reason = PINGO_END_LOST};
    else if (revoked)
        end = (struct pingo_job_end){.size = sizeof end,
                                     .key = key,
                                     .reason = PINGO_END_NOT_STARTED,
                                     .message = "its runner ended before it began"};
    else if (report->state != PINGO_RUNNER_ENDED)
        return rc;
    else if (process->kill_asked && end.reason == PINGO_END_SIGNALED)
        end.reason = PINGO_END_KILLED;
    p->looks.next_ms = 0;
    pingo_jobs_end(p->jobs, &end);
    return rc;
}
