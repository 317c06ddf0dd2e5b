/* child.c - see child.h.
 *
 * What it says goes to files in memory, so that nobody has to read along; where the end of it is enough, the pages
 * before that are given back, and the file has a hole there.  A descriptor of the process tells when it has ended, so
 * that nobody's handling of SIGCHLD is touched. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/copy.h"
#include "base/file.h"
#include "base/process.h"
#include "base/world.h"

struct pingo__child {
    pid_t pid;
    int fd, out, errors;
    int64_t until_ms;
    size_t keep_bytes;
    bool alone, has_ended;
    int status;
};

/* Above 2, over which the child's own are put. */
static int open_memory(void)
{
    int low = memfd_create("pingo", MFD_CLOEXEC);
    int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 3);
    pingo__file_close(low);
    return fd;
}

static const char **with_variable(const char *const *env, const char *variable)
{
    size_t n = 0, kept = 0, name = strcspn(variable, "=") + 1;
    while (env[n])
        n++;
    const char **all = malloc((n + 2) * sizeof *all);
    if (!all)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (strncmp(env[i], variable, name) != 0)
            all[kept++] = env[i];
    all[kept++] = variable;
    all[kept] = NULL;
    return all;
}

int pingo__child_start(const struct pingo__child_program *p, struct pingo__child **child)
{
    struct pingo__child *c = calloc(1, sizeof *c);
    const char *const *env = p->env ? p->env : (const char *const *)environ;
    const char **own = p->variable ? with_variable(env, p->variable) : NULL;
    int input = p->in_file > 0 ? fcntl(p->in_file, F_DUPFD_CLOEXEC, 3) : open_memory(), failed = 0;
    *child = NULL;
    if (!c || (p->variable && !own)) {
        pingo__file_close(input);
        free(own);
        free(c);
        return -ENOMEM;
    }
    c->fd = -1;
    c->out = open_memory();
    c->errors = open_memory();
    if (input < 0 || c->out < 0 || c->errors < 0)
        failed = -errno;
    if (!failed && p->in)
        failed = pingo__copy_write(input, p->in, strlen(p->in));
    if (!failed && lseek(input, 0, SEEK_SET) != 0)
        failed = -errno;
    if (!failed)
        failed = pingo__process_start(
            &(struct pingo__process_start){.path = p->path ? p->path : p->argv[0],
                                           .argv = p->argv,
                                           .env = own ? own : env,
                                           .fds = {input, c->out, c->errors},
                                           .nfds = 3,
                                           .in_group = !p->in_our_group,
                                           .at_root = p->at_root},
            &c->pid);
    if (!failed && (c->fd = pidfd_open(c->pid, 0)) < 0)
        failed = -errno;
    pingo__file_close(input);
    free(own);
    c->until_ms = pingo__world_monotonic_ms() + p->limit_ms;
    c->keep_bytes = p->keep_bytes;
    c->alone = p->alone;
    if (failed) {
        pingo__child_free(c);
        return failed;
    }
    fcntl(c->fd, F_SETFD, FD_CLOEXEC);
    *child = c;
    return 0;
}

int pingo__child_fd(const struct pingo__child *child)
{
    return child->fd;
}

static off_t length_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 ? st.st_size : 0;
}

static void give_back(const struct pingo__child *c, int fd)
{
    off_t length = length_of(fd);
    if (c->keep_bytes > 0 && length > (off_t)c->keep_bytes)
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, length - (off_t)c->keep_bytes);
}

bool pingo__child_has_ended(struct pingo__child *c, int *status)
{
    siginfo_t info = {.si_pid = 0};
    struct pollfd polled = {c->fd, POLLIN, 0};
    if (!c->has_ended && pingo__world_monotonic_ms() > c->until_ms)
        kill(-c->pid, SIGKILL);
    if (!c->has_ended && poll(&polled, 1, 0) > 0) {
        c->has_ended = true;
        if (c->alone) /* nobody has waited for it, so the number of its group is its own */
            kill(-c->pid, SIGKILL);
        bool is_known = waitid(P_PIDFD, (id_t)c->fd, &info, WEXITED | WNOHANG) == 0;
        c->status = !is_known                    ? PINGO__CHILD_UNKNOWN
                    : info.si_code == CLD_EXITED ? info.si_status
                                                 : -info.si_status;
    }
    give_back(c, c->out);
    give_back(c, c->errors);
    *status = c->status;
    return c->has_ended;
}

size_t pingo__child_length(const struct pingo__child *c, bool errors)
{
    return (size_t)length_of(errors ? c->errors : c->out);
}

/* At most max bytes from there on. */
static void read_from(int fd, off_t at, size_t max, struct pingo__buffer *b)
{
    char block[4096];
    for (ssize_t n = 1; n > 0 && max > 0; at += n, max -= (size_t)n) {
        n = pread(fd, block, max < sizeof block ? max : sizeof block, at);
        n = n > 0 ? n : 0;
        pingo__buffer_append(b, block, (size_t)n);
    }
}

void pingo__child_said(const struct pingo__child *c, bool errors, size_t max,
                       struct pingo__buffer *b)
{
    read_from(errors ? c->errors : c->out, 0, max, b);
}

void pingo__child_said_last(const struct pingo__child *c, bool errors, size_t max,
                            struct pingo__buffer *b)
{
    int fd = errors ? c->errors : c->out;
    off_t length = length_of(fd);
    struct pingo__buffer said = {0};
    size_t skip = 0;
    if (length <= (off_t)max) {
        read_from(fd, 0, max, &said);
    } else { /* and the byte before, which may end a line */
        read_from(fd, length - (off_t)max - 1, max + 1, &said);
        const char *newline = said.length ? memchr(said.data, '\n', said.length - 1) : NULL;
        skip = newline ? (size_t)(newline + 1 - said.data) : said.length > 0;
    }
    if (said.length > skip)
        pingo__buffer_append(b, said.data + skip, said.length - skip);
    b->failed = b->failed || said.failed;
    pingo__buffer_clear(&said);
}

void pingo__child_free(struct pingo__child *c)
{
    int status;
    if (!c)
        return;
    if (c->pid > 0 && !c->has_ended) {
        kill(-c->pid, SIGKILL);
        kill(c->pid, SIGKILL);
        waitpid(c->pid, &status, 0);
    }
    const int fds[] = {c->fd, c->out, c->errors};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        pingo__file_close(fds[i]);
    free(c);
}
