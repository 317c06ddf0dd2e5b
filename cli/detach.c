/* detach.c - see running.h. */
#include "running.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "session.h"

#define START_MS 30000 /* it is in hand by then, or something is wrong */

static char *log_path(struct cli *cli, const struct cli_running *running)
{
    char *directory = cli_format("%s/runs", pingo_store_directory(cli->store));
    mkdir(directory, 0700);
    return running->all ? cli_format("%s/all.log", directory)
                        : cli_format("%s/%" PRId64 ".log", directory, running->workflows[0]);
}

/* "pingo -C STORE run [-j N] ... NUMBER...", ended by NULL. */
static const char **words_of(struct cli *cli, const struct cli_running *running)
{
    const char **words = cli_alloc((running->nworkflows + 10) * sizeof *words);
    size_t n = 0;
    words[n++] = "pingo";
    words[n++] = "-C";
    words[n++] = cli_absolute(pingo_store_directory(cli->store));
    words[n++] = "run";
    if (running->max_jobs > 0)
        words[n++] = cli_format("--jobs=%" PRId64, running->max_jobs);
    if (running->fail_fast)
        words[n++] = "--fail-fast";
    if (cli_is_quiet())
        words[n++] = "--quiet";
    if (running->all)
        words[n++] = "--all";
    for (size_t i = 0; i < running->nworkflows; i++)
        words[n++] = cli_format("%" PRId64, running->workflows[i]);
    words[n] = NULL;
    return words;
}

/* 0 or an errno. */
static int spawn(const char *const *words, const char *log, pid_t *pid)
{
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct pingo__process_start how = {.path = "/proc/self/exe",
                                       .argv = words,
                                       .env = (const char *const *)environ,
                                       .fds = {PINGO__PROCESS_NULL, fd, fd},
                                       .nfds = 3,
                                       .in_session = true,
                                       .at_root = true};
    if (fd < 0)
        return errno;
    int error = pingo__process_start(&how, pid);
    close(fd);
    return -error;
}

struct wanted {
    int64_t pid;
    bool claims;
};

static int is_it(void *context, const struct pingo_driver *driver)
{
    struct wanted *w = context;
    w->claims = w->claims || (driver->pid == w->pid && driver->claims);
    return 0;
}

/* Until it drives the last one, or has ended; then with its status. */
static int await(struct cli *cli, const struct cli_running *running, pid_t pid, const char *log)
{
    struct wanted w = {.pid = pid};
    int64_t end = pingo__world_monotonic_ms() + START_MS;
    while (!w.claims && pingo__world_monotonic_ms() < end) {
        int ended = 0;
        if (running->nworkflows > 0)
            pingo_store_drivers(cli->store, running->workflows[running->nworkflows - 1], is_it, &w,
                                NULL);
        if (waitpid(pid, &ended, WNOHANG) == pid) {
            if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
                return CLI_OK; /* there was little to do */
            cli_message("the detached run has ended already; it said:");
            cli_tail_show(log, 10, "  ");
            return WIFEXITED(ended) ? WEXITSTATUS(ended) : CLI_INTERNAL;
        }
        if (running->nworkflows == 0)
            return CLI_OK;
        struct timespec pause = {.tv_nsec = 10000000};
        nanosleep(&pause, NULL);
    }
    return CLI_OK;
}

int cli_detach(struct cli *cli, const struct cli_running *running, struct cli_detached *detached)
{
    pid_t pid = 0;
    detached->log = log_path(cli, running);
    int error = spawn(words_of(cli, running), detached->log, &pid);
    detached->pid = pid;
    return error != 0 ? cli_file_error("start a run that writes to", detached->log, error)
                      : await(cli, running, pid, detached->log);
}
