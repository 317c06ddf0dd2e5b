/* worker.c - a worker's program: one slot, one job at a time.
 *
 * It ends when its connection ends, and kills first what it runs.  It holds the store's executor lock while it lives.
 * Of a job, in this order: the gate, the note of what runs, the run, the record in the journal, and only then the
 * directory is used again, for the next job. */
#include "executor/local/supervisor/state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/world.h"
#include "executor/local/place.h"
#include "runner/runner.h"

#define JOURNAL_RETRY_MS 200

struct worker {
    int fd; /* the connection; blocking where it says so */
    struct pingo__executor_inbox in;
    bool ended;                         /* the supervisor is gone */
    struct pingo__runner_master master; /* it, as the runner sees it */
    struct pingo__runner_state runner;
    int executor_dir; /* STORE/executor */
    int journal;      /* -1: none yet */
    int running;      /* running.* */
    size_t slot;      /* of it */
};

/* ---- what runs -------------------------------------------------------------------------------- */

int pingo__executor_running_write(int fd, size_t slot, struct pingo_job_key key)
{
    ssize_t n = pwrite(fd, &key, sizeof key, (off_t)(slot * sizeof key));
    return n == (ssize_t)sizeof key ? 0 : n < 0 ? -errno : -ENOSPC;
}

bool pingo__executor_running_read(int fd, size_t slot, struct pingo_job_key *key)
{
    return pread(fd, key, sizeof *key, (off_t)(slot * sizeof *key)) == (ssize_t)sizeof *key;
}

/* ---- the connection --------------------------------------------------------------------------- */

/* The next frame, borrowed until the next call.  wait: blocks for it.  false: none there, or ended. */
static bool next(struct worker *worker, bool wait, struct pingo__executor_wire_frame *frame)
{
    bool is_there;
    while (!(is_there = pingo__executor_inbox_next(&worker->in, frame)) && !worker->ended) {
        if (worker->in.is_broken) {
            worker->ended = true;
            break;
        }
        ssize_t n = pingo__executor_inbox_fill(&worker->in, worker->fd, wait);
        if (n == -EAGAIN)
            return false;
        worker->ended = n <= 0;
    }
    return is_there;
}

/* Tells the supervisor of a job. */
static void tell(struct worker *worker, enum pingo__executor_wire_kind kind,
                 struct pingo_job_key key)
{
    struct pingo__buffer out = {0};
    size_t begun = pingo__executor_wire_begin(&out, kind);
    pingo__runner_put_key(&out, key);
    pingo__executor_wire_end(&out, begun);
    worker->ended = worker->ended || out.failed;
    for (size_t at = 0; at < out.length && !worker->ended;) {
        ssize_t n = send(worker->fd, out.data + at, out.length - at, MSG_NOSIGNAL);
        worker->ended = n < 0 && errno != EINTR;
        at += n > 0 ? (size_t)n : 0;
    }
    pingo__buffer_clear(&out);
}

static bool configure(struct worker *worker, struct pingo__buffer_reader *body)
{
    struct pingo__executor_wire_settings settings;
    if (!pingo__executor_wire_get_settings(body, &settings))
        return false;
    worker->runner.log_bytes = settings.log_bytes;
    worker->runner.grace_ms = settings.grace_ms;
    worker->runner.memory_bytes = settings.memory_bytes;
    worker->runner.lets_exceed = settings.lets_exceed;
    return true;
}

/* Takes in what has come while a job runs: settings are for the next one.  true: the job is to be killed. */
static bool hear(struct worker *worker, struct pingo_job_key key)
{
    bool is_killed = false;
    struct pingo__executor_wire_frame frame;
    while (next(worker, false, &frame))
        if (frame.kind == PINGO__WIRE_CONFIG)
            configure(worker, &frame.body);
        else if (frame.kind == PINGO__WIRE_KILL)
            is_killed |= pingo__runner_key_is(pingo__runner_get_key(&frame.body), key);
    return is_killed;
}

static enum pingo_end_reason take_orders(struct pingo__runner_master *master,
                                         struct pingo_job_key key)
{
    struct worker *worker = master->context;
    bool is_killed = hear(worker, key);
    if (worker->ended)
        master->fd = -1;
    return worker->ended ? PINGO_END_LOST : is_killed ? PINGO_END_KILLED : PINGO_END_EXITED;
}

/* ---- a job ------------------------------------------------------------------------------------ */

/* An end must not be lost for want of space: it waits, as long as there is a supervisor. */
static bool record(struct worker *worker, const struct pingo_job_end *end)
{
    while (pingo__executor_journal_append(worker->journal, end) != 0) {
        if (worker->ended)
            return false;
        struct pollfd polled = {worker->fd, POLLIN, 0};
        poll(&polled, 1, JOURNAL_RETRY_MS);
        hear(worker, end->key); /* a kill comes too late */
    }
    return true;
}

static void claimed(struct worker *worker, const struct pingo__runner_job *job, int64_t granted)
{
    struct pingo_job_end end = {.size = sizeof end, .key = job->key};
    int rc = pingo__executor_running_write(worker->running, worker->slot, job->key);
    if (rc != 0) {
        end.started_ms = end.ended_ms = pingo__world_wall_ms();
        pingo__runner_not_started(&end, -rc, "the start cannot be noted");
    } else {
        pingo__runner_run(&worker->runner, job, granted, &end);
    }
    if (!record(worker, &end))
        return; /* what runs stays noted: the next supervisor reports it lost */
    pingo__executor_running_write(worker->running, worker->slot, (struct pingo_job_key){0, 0});
    tell(worker, PINGO__WIRE_DONE, job->key);
    pingo__runner_settle(&worker->runner, job, &end);
}

/* The gate could not be tried: nothing runs, and nothing will. */
static void refuse(struct worker *worker, struct pingo_job_key key, int error_number,
                   const char *what)
{
    struct pingo_job_end end = {.size = sizeof end, .key = key};
    end.started_ms = end.ended_ms = pingo__world_wall_ms();
    pingo__runner_not_started(&end, error_number, what);
    if (record(worker, &end))
        tell(worker, PINGO__WIRE_DONE, key);
}

static void run_attempt(struct worker *worker, struct pingo__buffer_reader *body)
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
            tell(worker, PINGO__WIRE_REVOKED, job.key);
        else
            refuse(worker, job.key, -rc, "its directory in the pool's attempts cannot be made");
    }
    struct pingo_job_key key = job.key;
    pingo__runner_job_clear(&job);
    pingo__runner_scratch_prepare(&worker->runner.scratch);
    tell(worker, PINGO__WIRE_READY, key);
}

/* A job is read from memory of its own: frames that come while it runs move the connection's. */
static bool run_job(struct worker *worker, const struct pingo__buffer_reader *body)
{
    struct pingo__buffer copy = {0};
    pingo__buffer_append(&copy, body->data, body->length);
    bool fine = !copy.failed;
    if (fine) {
        struct pingo__buffer_reader reader = {copy.data, copy.length, 0, false};
        run_attempt(worker, &reader);
    }
    pingo__buffer_clear(&copy);
    return fine;
}

/* ---- orders ----------------------------------------------------------------------------------- */

static bool open_journal(struct worker *worker, struct pingo__buffer_reader *body)
{
    const char *name = pingo__runner_get_text(body);
    if (!name)
        return false;
    pingo__file_close(worker->journal);
    worker->journal =
        openat(worker->executor_dir, name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    return worker->journal >= 0;
}

static bool obey(struct worker *worker, struct pingo__executor_wire_frame *frame)
{
    switch (frame->kind) {
    case PINGO__WIRE_CONFIG:
        return configure(worker, &frame->body);
    case PINGO__WIRE_JOURNAL:
        return open_journal(worker, &frame->body);
    case PINGO__WIRE_JOB:
        return worker->journal >= 0 && run_job(worker, &frame->body);
    default:
        return true; /* a kill that came after the end */
    }
}

int pingo__executor_worker_main(int control, const char *store_dir, const char *pool_dir,
                                const char *running_name, size_t slot)
{
    struct worker worker = {.fd = control, .journal = -1, .slot = slot};
    struct pingo__executor_wire_frame frame;
    worker.executor_dir = pingo__executor_place_open(store_dir, false, NULL);
    if (worker.executor_dir < 0)
        return 1;
    worker.running = openat(worker.executor_dir, running_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (worker.running < 0)
        return 1;
    worker.master = (struct pingo__runner_master){control, take_orders, &worker};
    if (!pingo__runner_open(&worker.runner, pool_dir, &worker.master))
        return 1;
    worker.runner.killings = pingo__runner_memory_killings();
    pingo__runner_scratch_prepare(&worker.runner.scratch);
    while (next(&worker, true, &frame) && obey(&worker, &frame))
        continue;
    pingo__runner_close(&worker.runner);
    pingo__buffer_clear(&worker.in.bytes);
    return worker.ended ? 0 : 1;
}
