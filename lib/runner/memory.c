/* memory.c - see steps.h and runner.h.
 *
 * A group can be made where an administrator or systemd has delegated the
 * directory to this user with the memory controller handed down: below the
 * group that this process is in, or beside it. */
#include "runner/steps.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/machine.h"

struct pingo__runner_memory_group {
    int dir, procs;
    char path[PATH_MAX];
};

static bool hands_memory_down(const char *parent)
{
    char text[256];
    int dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return false;
    bool does = pingo__file_read(dir, "cgroup.subtree_control", text, sizeof text) > 0 &&
                strstr(text, "memory") && faccessat(dir, "cgroup.procs", W_OK, 0) == 0;
    close(dir);
    return does;
}

static bool set_up(struct pingo__runner_memory_group *group, int64_t bytes)
{
    char limit[32];
    snprintf(limit, sizeof limit, "%lld", (long long)bytes);
    group->dir = open(group->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (group->dir < 0 || !pingo__file_put(group->dir, "memory.max", limit))
        return false;
    pingo__file_put(group->dir, "memory.swap.max", "0"); /* absent where there is no swap */
    pingo__file_put(group->dir, "memory.oom.group", "1");
    group->procs = openat(group->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    return group->procs >= 0;
}

struct pingo__runner_memory_group *pingo__runner_memory_group_open(struct pingo_job_key key,
                                                                   int64_t bytes)
{
    char parent[PATH_MAX];
    struct pingo__runner_memory_group *group = NULL;
    if (bytes <= 0 || pingo__machine_cgroup("", parent, sizeof parent) != 0)
        return NULL;
    if (!hands_memory_down(parent)) {
        *strrchr(parent, '/') = '\0';
        if (!hands_memory_down(parent))
            return NULL;
    }
    group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    group->dir = group->procs = -1;
    int n = snprintf(group->path, sizeof group->path, "%s/pingo-%ld-%lld.%lld", parent,
                     (long)getpid(), (long long)key.action, (long long)key.epoch);
    if (n < 0 || (size_t)n >= sizeof group->path || mkdir(group->path, 0755) != 0)
        group->path[0] = '\0'; /* what is there is another's */
    else if (set_up(group, bytes))
        return group;
    pingo__runner_memory_group_close(group);
    return NULL;
}

int pingo__runner_memory_group_procs(const struct pingo__runner_memory_group *group)
{
    return !group ? -1 : group->procs;
}

/* The same line in both versions. */
int64_t pingo__runner_memory_kills(int killings)
{
    char text[512];
    ssize_t n = killings < 0 ? -1 : pread(killings, text, sizeof text - 1, 0);
    text[n < 0 ? 0 : n] = '\0';
    const char *line = strstr(text, "oom_kill ");
    return line ? strtoll(line + strlen("oom_kill "), NULL, 10) : -1;
}

bool pingo__runner_memory_group_over(const struct pingo__runner_memory_group *group)
{
    int killings = !group ? -1 : openat(group->dir, "memory.events", O_RDONLY | O_CLOEXEC);
    bool over = pingo__runner_memory_kills(killings) > 0;
    pingo__file_close(killings);
    return over;
}

int pingo__runner_memory_killings(void)
{
    static const struct {
        const char *controller, *name;
    } versions[] = {{"", "/memory.events"}, {"memory", "/memory.oom_control"}};
    for (size_t i = 0; i < 2; i++) {
        char path[PATH_MAX];
        size_t room = sizeof path - strlen(versions[i].name);
        int fd = pingo__machine_cgroup(versions[i].controller, path, room) == 0
                     ? open(strcat(path, versions[i].name), O_RDONLY | O_CLOEXEC)
                     : -1;
        if (pingo__runner_memory_kills(fd) >= 0)
            return fd;
        pingo__file_close(fd);
    }
    return -1;
}

int64_t pingo__runner_memory_group_peak(const struct pingo__runner_memory_group *group)
{
    char text[64];
    if (!group || 0 >= pingo__file_read(group->dir, "memory.peak", text, sizeof text))
        return 0;
    return strtoll(text, NULL, 10);
}

void pingo__runner_memory_group_kill(const struct pingo__runner_memory_group *group)
{
    if (group)
        pingo__file_put(group->dir, "cgroup.kill", "1");
}

void pingo__runner_memory_group_close(struct pingo__runner_memory_group *group)
{
    if (!group)
        return;
    pingo__file_close(group->procs);
    pingo__file_close(group->dir);
    rmdir(group->path);
    free(group);
}
