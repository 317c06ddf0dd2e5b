/* worker.c - a worker's program: one slot, one job at a time.
 *
 * It ends when its connection ends, and kills first what it runs.  It holds the store's executor lock while it lives. */
#include <fcntl.h>
#include <unistd.h>

#include "executor/local/place.h"
#include "executor/local/supervisor/attempt.h"
#include "runner/memory.h"

/* A job is read from memory of its own: frames that come while it runs move the connection's. */
static bool run_job(struct pingo__executor_worker *worker, const struct pingo__buffer_reader *body)
{
    struct pingo__buffer copy = {0};
    pingo__buffer_append(&copy, body->data, body->length);
    bool fine = !copy.failed;
    if (fine) {
        struct pingo__buffer_reader reader = {copy.data, copy.length, 0, false};
        pingo__executor_attempt_run(worker, &reader);
    }
    pingo__buffer_clear(&copy);
    return fine;
}

static bool open_journal(struct pingo__executor_worker *worker, struct pingo__buffer_reader *body)
{
    const char *name = pingo__runner_get_text(body);
    if (!name)
        return false;
    if (worker->journal >= 0)
        close(worker->journal);
    worker->journal =
        openat(worker->executor_dir, name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    return worker->journal >= 0;
}

static bool configure(struct pingo__executor_worker *worker, struct pingo__buffer_reader *body)
{
    struct pingo__executor_wire_settings settings;
    if (!pingo__executor_wire_get_settings(body, &settings))
        return false;
    worker->runner.log_bytes = settings.log_bytes;
    worker->runner.grace_ms = settings.grace_ms;
    worker->runner.lets_exceed = settings.lets_exceed;
    return true;
}

bool pingo__executor_worker_hear(struct pingo__executor_worker *worker, struct pingo_job_key key)
{
    bool is_killed = false;
    struct pingo__executor_wire_frame frame;
    while (pingo__executor_control_next(&worker->control, false, &frame))
        if (frame.kind == PINGO__WIRE_CONFIG)
            configure(worker, &frame.body);
        else if (frame.kind == PINGO__WIRE_KILL)
            is_killed |= pingo__runner_key_is(pingo__runner_get_key(&frame.body), key);
    return is_killed;
}

static enum pingo_end_reason take_orders(struct pingo__runner_master *master,
                                         struct pingo_job_key key)
{
    struct pingo__executor_worker *worker = master->context;
    bool is_killed = pingo__executor_worker_hear(worker, key);
    if (worker->control.ended)
        master->fd = -1;
    return worker->control.ended ? PINGO_END_LOST : is_killed ? PINGO_END_KILLED : PINGO_END_EXITED;
}

static bool obey(struct pingo__executor_worker *worker, struct pingo__executor_wire_frame *frame)
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
    struct pingo__executor_worker worker = {.journal = -1, .slot = slot};
    struct pingo__executor_wire_frame frame;
    worker.executor_dir = pingo__executor_place_open(store_dir, false, NULL);
    if (worker.executor_dir < 0)
        return 1;
    worker.running = openat(worker.executor_dir, running_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (worker.running < 0)
        return 1;
    pingo__executor_control_init(&worker.control, control);
    worker.master = (struct pingo__runner_master){control, take_orders, &worker};
    if (!pingo__runner_open(&worker.runner, pool_dir, &worker.master))
        return 1;
    worker.runner.killings = pingo__runner_memory_killings();
    pingo__runner_prepare(&worker.runner);
    while (pingo__executor_control_next(&worker.control, true, &frame) && obey(&worker, &frame))
        continue;
    pingo__runner_close(&worker.runner);
    pingo__buffer_clear(&worker.control.in.bytes);
    return worker.control.ended ? 0 : 1;
}
