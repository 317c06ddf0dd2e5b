/* program.c - see program.h. */
#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/sandbox.h"
#include "base/thread.h"
#include "base/tree.h"
#include "base/world.h"

#define LOOK_EVERY_MS 5 /* for who wants it stopped, and for how much it says */

/* Until it ends, or has to be ended.  Its own end is enough, whatever it left behind. */
static void attend(const struct pingo__program *p, struct pingo__child *child,
                   struct pingo__program_end *end)
{
    int64_t until = pingo__world_monotonic_ms() + p->timeout_ms;
    bool has_ended = false;
    while (!has_ended && end->reason == PINGO__PROGRAM_EXITED) {
        poll(&(struct pollfd){pingo__child_fd(child), POLLIN, 0}, 1, LOOK_EVERY_MS);
        has_ended = pingo__child_has_ended(child, &end->number);
        if (pingo__child_length(child, false) > p->max_bytes ||
            pingo__child_length(child, true) > p->max_bytes)
            end->reason = PINGO__PROGRAM_TOO_MUCH;
        else if (has_ended && end->number < 0)
            end->reason = PINGO__PROGRAM_SIGNALED;
        else if (!has_ended && p->stop && p->stop(p->stop_context))
            end->reason = PINGO__PROGRAM_STOPPED;
        else if (!has_ended && pingo__world_monotonic_ms() >= until)
            end->reason = PINGO__PROGRAM_TIME_LIMIT;
    }
}

static int run(const struct pingo__program *p, const char *variable, struct pingo__program_end *end)
{
    const struct pingo__child_program program = {.argv = p->argv,
                                                 .env = p->env,
                                                 .variable = variable,
                                                 .limit_ms = INT32_MAX, /* attend() sees to that */
                                                 .path = p->path,
                                                 .at_root = true,
                                                 .alone = true};
    struct pingo__child *child;
    int rc = pingo__child_start(&program, &child);
    if (rc != 0)
        return rc;
    attend(p, child, end);
    pingo__child_said(child, false, p->max_bytes, &end->out);
    pingo__child_said(child, true, p->max_bytes, &end->errors);
    pingo__child_free(child);
    if (end->out.failed || end->errors.failed)
        return -ENOMEM;
    if (end->number == PINGO__CHILD_UNKNOWN)
        return -ECHILD;
    end->number = abs(end->number);
    return 0;
}

/* ---- confined ------------------------------------------------------------------------------- */

#define FOLDER "TMPDIR="

struct confined {
    const struct pingo__program *program;
    struct pingo__program_end *end;
    char variable[32]; /* its folder */
    int result;
};

/* A thread's own: what confines it is never taken off again. */
static void *run_confined(void *context)
{
    struct confined *x = context;
    x->result = -pingo__sandbox_enter_read_only(x->variable + strlen(FOLDER));
    if (x->result == 0)
        x->result = run(x->program, x->variable, x->end);
    return NULL;
}

int pingo__program_run(const struct pingo__program *program, struct pingo__program_end *end)
{
    struct confined x = {program, end, FOLDER "/tmp/pingo-XXXXXX", 0};
    const char *folder = mkdtemp(x.variable + strlen(FOLDER));
    memset(end, 0, sizeof *end);
    if (!folder)
        return -errno;
    pthread_t thread;
    int rc = -pingo__thread_start(&thread, run_confined, &x); /* x is its own until it is joined */
    if (rc == 0)
        pthread_join(thread, NULL);
    pingo__tree_remove(AT_FDCWD, folder);
    return rc != 0 ? rc : x.result;
}
