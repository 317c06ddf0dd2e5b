/* cgroup.h - a control group with a limit of memory, as a batch system makes one for its job; where this user may. */
#ifndef PINGO_TEST_RUNNER_CGROUP_H
#define PINGO_TEST_RUNNER_CGROUP_H

#include <limits.h>

#include "base/file.h"
#include "base/machine.h"

struct cgroup {
    char path[PATH_MAX];
};

static inline bool cgroup_put(const struct cgroup *c, const char *name, const char *text)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", c->path, name);
    return pingo__file_put(AT_FDCWD, path, text);
}

/* false: none can be had here. */
static inline bool cgroup_new(struct cgroup *c, const char *bytes)
{
    static const char *const versions[][2] = {{"memory", "memory.limit_in_bytes"},
                                              {"", "memory.max"}};
    for (size_t i = 0; i < 2; i++) {
        if (pingo__machine_cgroup(versions[i][0], c->path, sizeof c->path - 32) != 0)
            continue;
        snprintf(c->path + strlen(c->path), 32, "/pingo-test-%ld", (long)getpid());
        if (mkdir(c->path, 0755) == 0 && cgroup_put(c, versions[i][1], bytes))
            return true;
        rmdir(c->path);
    }
    return false;
}

/* For a child before it begins. */
static inline void cgroup_enter(const struct cgroup *c)
{
    if (!cgroup_put(c, "cgroup.procs", "0"))
        _exit(126);
}

static inline void cgroup_free(struct cgroup *c)
{
    for (int i = 0; rmdir(c->path) != 0 && errno == EBUSY; i++) {
        assert_true(i < 2000);
        nap();
    }
}

#endif
