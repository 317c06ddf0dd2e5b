/* logs.c - see steps.h. */
#include "runner/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int pingo__runner_logs_open(struct pingo__runner_logs *logs, int dir, int64_t cap, bool is_output)
{
    const int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
    memset(logs, 0, sizeof *logs);
    logs->cap = cap;
    logs->is_output = is_output;
    logs->fds[0] = openat(dir, "stdout", flags);
    if (logs->fds[0] < 0)
        return -errno;
    logs->fds[1] = openat(dir, "stderr", flags);
    if (logs->fds[1] < 0) {
        int rc = -errno;
        close(logs->fds[0]);
        return rc;
    }
    return 0;
}

bool pingo__runner_logs_check(struct pingo__runner_logs *logs)
{
    bool any = false;
    for (int i = logs->is_output ? 1 : 0; i < 2; i++) {
        struct stat st;
        if (fstat(logs->fds[i], &st) != 0 || st.st_size <= logs->cap)
            continue;
        if (ftruncate(logs->fds[i], logs->cap) == 0)
            any = logs->was_cut[i] = true;
    }
    return any;
}

static void append(int fd, const char *text)
{
    ssize_t ignored = write(fd, text, strlen(text)); /* a full disk may swallow it */
    (void)ignored;
}

void pingo__runner_logs_say(struct pingo__runner_logs *logs, const char *line)
{
    append(logs->fds[1], line);
}

void pingo__runner_logs_close(struct pingo__runner_logs *logs)
{
    pingo__runner_logs_check(logs);
    for (int i = 0; i < 2; i++) {
        char line[80];
        if (logs->was_cut[i]) {
            snprintf(line, sizeof line, "\npingo: log cut at %lld bytes\n", (long long)logs->cap);
            append(logs->fds[i], line);
        }
        close(logs->fds[i]);
    }
}
