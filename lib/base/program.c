/* program.c - see program.h. */
#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/sandbox.h"
#include "base/thread.h"
#include "base/tree.h"
#include "base/world.h"

#define LOOK_EVERY_MS 20 /* for its end and for who wants it stopped, while it says nothing */
#define BLOCK_SIZE 4096

static void close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

/* Reads what is there.  false: the pipe has ended, which closes it. */
static bool drain(int *fd, struct pingo__buffer *into, size_t max_bytes)
{
    char block[BLOCK_SIZE];
    ssize_t n;
    if (*fd < 0)
        return false;
    while (into->length <= max_bytes && (n = read(*fd, block, sizeof block)) != 0) {
        if (n > 0)
            pingo__buffer_append(into, block, (size_t)n);
        else if (errno != EINTR)
            return true;
    }
    if (into->length > max_bytes)
        return true;
    close(*fd);
    *fd = -1;
    return false;
}

/* Has it ended, though nobody has waited for it yet?  0 or a negative errno value. */
static int look_whether_ended(pid_t pid, bool *ended)
{
    siginfo_t info;
    info.si_pid = 0;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        if (errno != EINTR)
            return -errno;
    *ended = info.si_pid == pid;
    return 0;
}

/* Until it ends, or has to be ended.  Its own end is enough: what it left behind may keep the pipes. */
static int attend(const struct pingo__program *p, pid_t pid, int *out, int *errors,
                  struct pingo__program_end *end)
{
    int64_t until = pingo__world_monotonic_ms() + p->timeout_ms;
    bool ended = false;
    int rc = 0;
    while (!rc && !ended) {
        struct pollfd fds[2] = {{*out, POLLIN, 0}, {*errors, POLLIN, 0}};
        if (*out >= 0 || *errors >= 0)
            poll(fds, 2, LOOK_EVERY_MS); /* descriptors below 0 are passed over */
        else
            poll(NULL, 0, 1); /* it has closed both: its end is near */
        rc = look_whether_ended(pid, &ended);
        drain(out, &end->out, p->max_bytes);
        drain(errors, &end->errors, p->max_bytes);
        if (end->out.length > p->max_bytes || end->errors.length > p->max_bytes)
            end->reason = PINGO__PROGRAM_TOO_MUCH;
        else if (!rc && !ended && p->stop && p->stop(p->stop_context))
            end->reason = PINGO__PROGRAM_STOPPED;
        else if (!rc && !ended && pingo__world_monotonic_ms() >= until)
            end->reason = PINGO__PROGRAM_TIME_LIMIT;
        if (end->reason != PINGO__PROGRAM_EXITED)
            break;
    }
    return rc;
}

static int run(const struct pingo__program *p, int out[2], int errors[2],
               struct pingo__program_end *end)
{
    const struct pingo__process_start start = {.path = p->path,
                                               .argv = p->argv,
                                               .env = p->env,
                                               .fds = {PINGO__PROCESS_NULL, out[1], errors[1]},
                                               .nfds = 3,
                                               .in_group = true,
                                               .at_root = true};
    pid_t pid;
    int status = 0, rc = pingo__process_start(&start, &pid);
    if (rc != 0)
        return rc;
    close(out[1]);
    close(errors[1]);
    out[1] = errors[1] = -1;
    rc = attend(p, pid, &out[0], &errors[0], end);
    kill(-pid,
         SIGKILL); /* the whole group; its leader is not yet waited for, so the number is its own */
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return rc != 0 ? rc : -errno;
    if (rc == 0 && (end->out.failed || end->errors.failed))
        rc = -ENOMEM;
    if (end->reason == PINGO__PROGRAM_EXITED && WIFSIGNALED(status))
        end->reason = PINGO__PROGRAM_SIGNALED;
    end->number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return rc;
}

/* ---- confined ------------------------------------------------------------------------------- */

struct confined {
    struct pingo__program program;
    struct pingo__program_end *end;
    const char *folder;
    int result;
};

/* A thread's own: what confines it is never taken off again. */
static void *run_confined(void *context)
{
    struct confined *x = context;
    int out[2] = {-1, -1}, errors[2] = {-1, -1};
    x->result = -pingo__sandbox_enter_read_only(x->folder);
    if (x->result == 0)
        x->result = pingo__process_pipe(out, 3);
    if (x->result == 0)
        x->result = pingo__process_pipe(errors, 3);
    if (x->result == 0)
        x->result = run(&x->program, out, errors, x->end);
    close_pipe(out);
    close_pipe(errors);
    return NULL;
}

/* The environment with TMPDIR, in place of one that it may have; NULL: out of memory. */
static const char **with_folder(const char *const *env, const char *variable)
{
    size_t n = 0, kept = 0;
    while (env[n])
        n++;
    const char **all = malloc((n + 2) * sizeof *all);
    if (!all)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (strncmp(env[i], "TMPDIR=", 7) != 0)
            all[kept++] = env[i];
    all[kept++] = variable;
    all[kept] = NULL;
    return all;
}

int pingo__program_run(const struct pingo__program *program, struct pingo__program_end *end)
{
    char variable[] = "TMPDIR=/tmp/pingo-XXXXXX";
    struct confined x = {.program = *program, .end = end, .folder = variable + strlen("TMPDIR=")};
    const char **env = with_folder(program->env, variable);
    memset(end, 0, sizeof *end);
    if (!env || !mkdtemp(variable + strlen("TMPDIR="))) {
        x.result = env ? -errno : -ENOMEM;
        free(env);
        return x.result;
    }
    x.program.env = env;
    pthread_t thread;
    int rc = -pingo__thread_start(&thread, run_confined, &x); /* x is its own until it is joined */
    if (rc == 0)
        pthread_join(thread, NULL);
    pingo__tree_remove(AT_FDCWD, x.folder);
    free(env);
    return rc != 0 ? rc : x.result;
}
