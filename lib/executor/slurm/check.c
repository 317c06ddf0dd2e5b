/* check.c - tries the settings: how Slurm is asked, and by a job of its own whether attempts can run on a node.
 *
 * The job's script says by its exit status how far it came, for a node that does not see the pool can say nothing else;
 * from there on pingo-runner answers in a directory of the pool.  Nothing stays of either. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pingo/version.h>

#include "base/file.h"
#include "base/names.h"
#include "base/path.h"
#include "base/quoting.h"
#include "base/text.h"
#include "base/tree.h"
#include "base/world.h"
#include "executor/slurm/slurm.h"
#include "runner/record/probe.h"

#define JOB "pingo-check"
#define STEP_MS 100   /* between two looks whether it is still wanted */
#define ASK_MS 500    /* between two questions what became of the job */
#define SHOWS_MS 5000 /* a shared file system shows so late what another machine has written */
#define LEAVE_MS 5000 /* for cancelling */

enum { NO_POOL = 90, NOT_WRITABLE = 91, NO_RUNNER = 92 }; /* the script's */

struct probing {
    struct pingo__executor_slurm *s;
    struct pingo_check_options o;
    int64_t until_ms;
    char *attempts, *path; /* POOL/attempts, and a directory in it */
    char name[PINGO__NAME_SIZE];
    int parent, dir;
    char question[40];
    int64_t submitted_ms, id; /* wall clock; 0: there is no job */
    struct pingo__executor_slurm_job job;
};

/* ---- asking ------------------------------------------------------------------------------------ */

/* Waits a little, or for Slurm.  false: no more is wanted. */
static bool go_on(struct probing *x, bool for_slurm)
{
    struct pollfd polled = {x->s->poll_fd, POLLIN, 0};
    if (x->o.is_wanted && !x->o.is_wanted(x->o.context))
        return false;
    poll(&polled, for_slurm, STEP_MS);
    return pingo__world_monotonic_ms() < x->until_ms;
}

static bool is_reached(struct probing *x)
{
    const char *why = NULL;
    struct pingo__executor_slurm_answer answer;
    while (!x->s->way->is_ready(x->s->handle, &why) && !why) {
        if (!go_on(x, true)) {
            pingo__executor_tell(&x->o, PINGO_CHECK_UNKNOWN, "reach",
                                 "Slurm has not answered in time");
            return false;
        }
        x->s->way->next(x->s->handle, &answer);
    }
    if (!why)
        pingo__executor_tell(&x->o, PINGO_CHECK_WELL, "reach", "%s", x->s->way->about(x->s->handle));
    else if (x->s->is_unreached)
        pingo__executor_tell(&x->o, PINGO_CHECK_UNKNOWN, "reach",
                             "%s: is it down, or is executor.slurm.url wrong?", why);
    else
        pingo__executor_tell(&x->o, PINGO_CHECK_WRONG, "reach", "%s", why);
    return !why;
}

/* false: no answer came. */
static bool ask(struct probing *x, enum pingo__executor_slurm_kind kind,
                const struct pingo__executor_slurm_request *request,
                struct pingo__executor_slurm_answer *answer)
{
    struct pingo__executor_slurm_call call = {.kind = kind, .id = x->id};
    struct pingo_error why = {0};
    *answer = (struct pingo__executor_slurm_answer){.said = PINGO__SLURM_UNSURE};
    if (x->s->way->ask(x->s->handle, &call, request, &why)) {
        snprintf(answer->message, sizeof answer->message, "%.250s", why.message);
        return false;
    }
    while (!x->s->way->next(x->s->handle, answer))
        if (!go_on(x, true)) {
            snprintf(answer->message, sizeof answer->message, "Slurm has not answered in time");
            return false;
        }
    return true;
}

/* ---- the job ------------------------------------------------------------------------------------- */

static bool make_place(struct probing *x)
{
    uint64_t token = pingo__world_token(pingo__world_real());
    snprintf(x->question, sizeof x->question, "%016" PRIx64, token);
    pingo__name_ready(x->name, getpid(), (int64_t)(token >> 1));
    x->attempts = pingo__path_child(x->s->pool, pingo__name_parts[PINGO__ATTEMPTS]);
    x->path = x->attempts ? pingo__path_child(x->attempts, x->name) : NULL;
    int rc = x->path ? 0 : -ENOMEM;
    if (!rc && (x->parent = open(x->attempts, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        rc = -errno;
    if (!rc && mkdirat(x->parent, x->name, 0755) != 0)
        rc = -errno;
    if (!rc && (x->dir = openat(x->parent, x->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        rc = -errno;
    if (!rc)
        rc = pingo__runner_probe_ask(x->dir, x->question);
    if (rc)
        pingo__executor_tell(&x->o, PINGO_CHECK_WRONG, "pool", "%s cannot be written here: %s",
                             x->s->pool, strerror(-rc));
    return !rc;
}

static void write_script(struct probing *x, struct pingo__buffer *b)
{
    char line[100];
    pingo__buffer_text(b, "#!/bin/sh\ncd ");
    pingo__quoting_shell(b, x->path);
    snprintf(line, sizeof line, " || exit %d\n(: >said) || exit %d\n[ -f ", NO_POOL, NOT_WRITABLE);
    pingo__buffer_text(b, line);
    pingo__quoting_shell(b, x->s->runner);
    snprintf(line, sizeof line, " ] || { echo no runner >said; exit %d; }\nexec ", NO_RUNNER);
    pingo__buffer_text(b, line);
    pingo__quoting_shell(b, x->s->runner);
    pingo__buffer_text(b, " --probe . >said 2>&1\n");
}

static bool submit(struct probing *x)
{
    struct pingo__buffer script = {0};
    struct pingo__arena arena = {0};
    struct pingo__executor_slurm_answer a = {.said = PINGO__SLURM_UNSURE};
    struct pingo__executor_slurm_request request = {.name = JOB,
                                                    .comment = "tries the settings of Pingo",
                                                    .log = "/dev/null",
                                                    .cpus = 1,
                                                    .minutes = 1};
    struct pingo_error why = {0};
    write_script(x, &script);
    request.script = pingo__buffer_cstr(&script);
    bool is_made = request.script &&
                   !pingo__executor_slurm_request_options(x->s->defaults, &arena, &request, &why);
    x->submitted_ms = pingo__world_wall_ms();
    while (is_made && ask(x, PINGO__SLURM_SUBMIT, &request, &a) && a.said == PINGO__SLURM_AGAIN)
        if (!go_on(x, false) || !is_reached(x))
            break;
    pingo__buffer_clear(&script);
    pingo__arena_clear(&arena);
    x->id = a.said == PINGO__SLURM_DONE ? a.id : 0;
    if (!x->id || *a.message)
        pingo__executor_tell(
            &x->o, a.said == PINGO__SLURM_REFUSED || x->id ? PINGO_CHECK_WRONG : PINGO_CHECK_UNKNOWN,
            "job", "Slurm takes no job: %s", *a.message ? a.message : why.message);
    return x->id && !*a.message;
}

/* Until it is over. */
static bool follow(struct probing *x)
{
    struct pingo__executor_slurm_answer a;
    int64_t due = 0;
    struct pingo__executor_slurm_job *job = &x->job;
    x->s->seen = job;
    while (!pingo__executor_slurm_is_over(job->state)) {
        bool wanted = go_on(x, false);
        int64_t now = pingo__world_monotonic_ms();
        if (!wanted) {
            pingo__executor_tell(
                &x->o, PINGO_CHECK_UNKNOWN, "job",
                "job %" PRId64 " of Slurm's %s%s%s; it is cancelled", x->id,
                job->state != PINGO__SLURM_WAITS ? "still runs" : "waits to be started",
                *job->reason && strcmp(job->reason, "None") != 0 ? ", for the reason " : "",
                strcmp(job->reason, "None") != 0 ? job->reason : "");
            return false;
        }
        if (now < due)
            continue;
        due = now + ASK_MS;
        if (ask(x, PINGO__SLURM_LOOK, NULL, &a) && a.said == PINGO__SLURM_UNKNOWN)
            job->state = PINGO__SLURM_GONE;
    }
    return true;
}

/* ---- what came of it ------------------------------------------------------------------------------ */

static const char *node_of(const struct probing *x, const struct pingo__runner_probe *p)
{
    return *x->job.node ? x->job.node : p && *p->host ? p->host : "the node";
}

static void tell_nothing_came(struct probing *x)
{
    char said[300] = "", words[sizeof said];
    const char *node = node_of(x, NULL), *pool = x->s->pool, *runner = x->s->runner;
    int wait_status = (int)x->job.wait_status;
    int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    bool is_said = *x->job.reason && strcmp(x->job.reason, "None") != 0;
    bool wrote = pingo__file_read(x->dir, "said", said, sizeof said) >= 0;
    said[strcspn(said, "\n")] = '\0';
    pingo__text_clean_to(words, sizeof words, said);
    if (status == NO_RUNNER || strcmp(said, "no runner") == 0)
        pingo__executor_tell(
            &x->o, PINGO_CHECK_WRONG, "runner",
            "%s is not there on %s: install Pingo there, or name a copy on a file system that it "
            "sees with executor.slurm.runner",
            runner, node);
    else if (wrote && *words)
        pingo__executor_tell(&x->o, PINGO_CHECK_WRONG, "runner", "%s cannot be run on %s: %s",
                             runner, node, words);
    else if (status == NOT_WRITABLE)
        pingo__executor_tell(&x->o, PINGO_CHECK_WRONG, "pool",
                             "%s is seen on %s, and jobs cannot write there", pool, node);
    else if (x->job.state == PINGO__SLURM_OVER && (status == NO_POOL || !status || !wrote))
        pingo__executor_tell(
            &x->o, PINGO_CHECK_WRONG, "pool",
            "%s does not see %s, or sees another file system there: the pool has to lie where this "
            "machine and the nodes see it under one path",
            node, pool);
    else
        pingo__executor_tell(&x->o, PINGO_CHECK_UNKNOWN, "job",
                             "job %" PRId64 " ended on %s before it could tell anything%s%s", x->id,
                             node, is_said ? ": " : "", is_said ? x->job.reason : "");
}

static void tell_answer(struct probing *x, const struct pingo__runner_probe *p)
{
    const char *node = node_of(x, p);
    if (strcmp(p->question, x->question) != 0)
        pingo__executor_tell(&x->o, PINGO_CHECK_WRONG, "pool",
                             "%s reads something else in %s than was written here", node,
                             x->s->pool);
    else if (p->owner != (int64_t)geteuid() && geteuid() != 0)
        pingo__executor_tell(&x->o, PINGO_CHECK_WRONG, "pool",
                             "what jobs make in %s belongs to user %" PRId64
                             ", and not to you (%ld)",
                             x->s->pool, p->owner, (long)geteuid());
    else
        pingo__executor_tell(&x->o, PINGO_CHECK_WELL, "pool", "%s reads and writes %s", node,
                             x->s->pool);
    if (strcmp(p->version, PINGO_VERSION) != 0)
        pingo__executor_tell(&x->o, PINGO_CHECK_WRONG, "runner",
                             "%s on %s is of version %s, and this is %s: they have to be the same",
                             x->s->runner, node, p->version, PINGO_VERSION);
    else
        pingo__executor_tell(&x->o, PINGO_CHECK_WELL, "runner", "%s runs on %s", x->s->runner, node);
    pingo__executor_tell_machine(&x->o, node, p, x->submitted_ms);
}

static void judge(struct probing *x)
{
    struct pingo__runner_probe p;
    int64_t until = pingo__world_monotonic_ms() + SHOWS_MS;
    bool is_there = pingo__runner_probe_read(x->dir, &p), fails = x->job.wait_status != 0;
    while (!is_there && !fails && pingo__world_monotonic_ms() < until && go_on(x, false))
        is_there = pingo__runner_probe_read(x->dir, &p);
    if (!is_there) {
        tell_nothing_came(x);
        return;
    }
    pingo__executor_tell(&x->o, PINGO_CHECK_WELL, "job", "Slurm has run job %" PRId64 " on %s",
                         x->id, node_of(x, &p));
    tell_answer(x, &p);
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static void leave(struct probing *x)
{
    struct pingo__executor_slurm_answer a;
    if (x->id && !pingo__executor_slurm_is_over(x->job.state)) {
        x->until_ms = pingo__world_monotonic_ms() + LEAVE_MS;
        x->o.is_wanted = NULL;
        ask(x, PINGO__SLURM_CANCEL, NULL, &a);
    }
    pingo__file_close(x->dir);
    if (x->parent >= 0) {
        pingo__tree_remove(x->parent, x->name);
        close(x->parent);
    }
    free(x->attempts);
    free(x->path);
}

int pingo__executor_slurm_check(const struct pingo_executor_context *context,
                                const struct pingo_check_options *options, struct pingo_error *err)
{
    struct probing x = {.o = *options, .parent = -1, .dir = -1};
    void *executor = NULL;
    int rc = pingo__executor_slurm.open(context, &executor, err);
    if (rc)
        return rc;
    x.s = executor;
    x.until_ms = pingo__world_monotonic_ms() + options->limit_ms;
    if (!x.s->handle)
        pingo__executor_tell(&x.o, PINGO_CHECK_WRONG, "settings", "%s", x.s->unset);
    else if (is_reached(&x) && make_place(&x) && submit(&x) && follow(&x))
        judge(&x);
    leave(&x);
    pingo__executor_slurm.close(executor);
    return 0;
}
