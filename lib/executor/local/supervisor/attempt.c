/* attempt.c - see attempt.h.
 *
 * In this order: the gate, the note of what runs, the run, the record in the journal, and only then the directory is used
 * again, for the next job. */
#include "executor/local/supervisor/attempt.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/world.h"
#include "executor/local/journal.h"
#include "executor/local/supervisor/running.h"

#define JOURNAL_RETRY_MS 200

/* An end must not be lost for want of space: it waits, as long as there is a supervisor. */
static bool record(struct pingo__executor_worker *worker, const struct pingo_job_end *end)
{
    while (pingo__executor_journal_append(worker->journal, end) != 0) {
        if (worker->control.ended)
            return false;
        struct pollfd polled = {worker->control.fd, POLLIN, 0};
        poll(&polled, 1, JOURNAL_RETRY_MS);
        pingo__executor_worker_hear(worker, end->key); /* a kill comes too late */
    }
    return true;
}

static void claimed(struct pingo__executor_worker *worker, const struct pingo__runner_job *job,
                    int64_t granted)
{
    struct pingo_job_end end = {.size = sizeof end, .key = job->key};
    int rc = pingo__executor_running_write(worker->running, worker->slot, &job->key, getpid());
    if (rc != 0) {
        end.started_ms = end.ended_ms = pingo__world_wall_ms();
        pingo__runner_not_started(&end, -rc, "the start cannot be noted");
    } else {
        pingo__runner_run(&worker->runner, job, granted, &end);
    }
    if (!record(worker, &end))
        return; /* what runs stays noted: the next supervisor reports it lost */
    pingo__executor_running_write(worker->running, worker->slot, NULL, 0);
    pingo__executor_control_tell(&worker->control, PINGO__WIRE_DONE, job->key);
    pingo__runner_settle(&worker->runner, job, &end);
}

/* The gate could not be tried: nothing runs, and nothing will. */
static void refuse(struct pingo__executor_worker *worker, struct pingo_job_key key,
                   int error_number, const char *what)
{
    struct pingo_job_end end = {.size = sizeof end, .key = key};
    end.started_ms = end.ended_ms = pingo__world_wall_ms();
    pingo__runner_not_started(&end, error_number, what);
    if (record(worker, &end))
        pingo__executor_control_tell(&worker->control, PINGO__WIRE_DONE, key);
}

void pingo__executor_attempt_run(struct pingo__executor_worker *worker,
                                 struct pingo__buffer_reader *body)
{
    struct pingo__runner_job job;
    int64_t granted = (int64_t)pingo__buffer_read_u64(body);
    int rc = pingo__runner_get_job(body, &job);
    if (rc != 0) {
        refuse(worker, job.key, rc == PINGO_ENOMEM ? ENOMEM : EPROTO, "the job cannot be read");
    } else {
        bool given_up;
        rc = pingo__runner_claim(&worker->runner, job.attempt_dir, &given_up);
        if (rc == 0 && !given_up)
            claimed(worker, &job, granted);
        else if (rc == 0)
            pingo__executor_control_tell(&worker->control, PINGO__WIRE_REVOKED, job.key);
        else
            refuse(worker, job.key, -rc, "its directory cannot be made");
    }
    pingo__runner_job_clear(&job);
    pingo__runner_prepare(&worker->runner);
}
