/* worker.c - a worker's program: one slot, one job at a time.
 *
 * It ends when its connection does; what it runs then is killed first.  It holds
 * the store's executor lock as long as it lives. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/path.h"
#include "executor/local/place.h"
#include "executor/local/supervisor/attempt.h"
#include "executor/local/supervisor/links.h"

/* A job is read from memory of its own: frames that come while it runs move the connection's. */
static bool run_job(struct pingo__worker *worker, const struct pingo__reader *body)
{
    struct pingo__buffer copy;
    pingo__buffer_init(&copy);
    pingo__buffer_append(&copy, body->data, body->length);
    bool fine = !copy.failed;
    if (fine) {
        struct pingo__reader reader = {copy.data, copy.length, 0, false};
        pingo__attempt_run(worker, &reader);
    }
    pingo__buffer_clear(&copy);
    return fine;
}

static bool open_journal(struct pingo__worker *worker, struct pingo__reader *body)
{
    const char *name = pingo__wire_get_text(body);
    if (name == NULL)
        return false;
    if (worker->journal >= 0)
        close(worker->journal);
    worker->journal =
        openat(worker->executor_dir, name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    return worker->journal >= 0;
}

static bool obey(struct pingo__worker *worker, struct pingo__wire_frame *frame)
{
    switch (frame->kind) {
    case PINGO__WIRE_CONFIG:
        return pingo__wire_get_settings(&frame->body, &worker->settings);
    case PINGO__WIRE_JOURNAL:
        return open_journal(worker, &frame->body);
    case PINGO__WIRE_JOB:
        return worker->journal >= 0 && run_job(worker, &frame->body);
    default:
        return true; /* a kill that came after the end */
    }
}

static int watch_children(void)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &child, NULL) != 0)
        return -1;
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

int pingo__worker_main(int control, const char *store_dir, const char *pool_dir,
                       const char *running_name, size_t slot)
{
    struct pingo__worker worker = {.journal = -1, .slot = slot};
    struct pingo__wire_frame frame;
    char *path = pingo__path_child(pool_dir, "attempts");
    int attempts = path == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    free(path);
    worker.executor_dir = pingo__place_open(store_dir, false, NULL);
    worker.signals = watch_children();
    if (attempts < 0 || worker.executor_dir < 0 || worker.signals < 0 ||
        prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 1;
    worker.running = openat(worker.executor_dir, running_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (worker.running < 0)
        return 1;
    pingo__control_init(&worker.control, control);
    pingo__scratch_init(&worker.scratch, attempts);
    pingo__scratch_prepare(&worker.scratch);
    pingo__confinement_init(&worker.confinement, pingo__sandbox_abi());
    while (pingo__control_next(&worker.control, true, &frame) && obey(&worker, &frame))
        continue;
    pingo__scratch_clear(&worker.scratch);
    pingo__links_clear(&worker.scratch);
    pingo__buffer_clear(&worker.control.in);
    pingo__confinement_clear(&worker.confinement);
    return worker.control.ended ? 0 : 1;
}
