/* posix.h - pools in directories, and processes that change them and are killed in the middle. */
#ifndef TEST_POOL_POSIX_H
#define TEST_POOL_POSIX_H

#include "unit/pool/pools.h"

#include <signal.h>
#include <sys/wait.h>

#include "pool/posix/posix.h"

#define OBJECT "objects/aa/" HASH ".7.2"
static const struct pingo_job_key key = {7, 2};

static inline struct pools *new (void)
{
    return pools_new(&pingo__pool_posix);
}

static inline const char *in(const struct pools *p, const char *name)
{
    static char paths[4][512];
    static size_t n;
    char *path = paths[n++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", p->place, name);
    return path;
}

static inline bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static inline int publish(struct pools *p)
{
    return pingo__pool_publish(&p->pool, key, OBJECT, NULL);
}

/* ---- killed in the middle ------------------------------------------------------------------------- */

/* A world that ends its process at the nth change of a file. */
static int until;

static inline void count(void)
{
    if (until-- == 0)
        kill(getpid(), SIGKILL);
}

static inline int fatal_unlink(void *context, int dir, const char *name, int flags)
{
    count();
    return pingo__world_real()->unlink(context, dir, name, flags);
}

static inline int fatal_rename(void *context, int dir, const char *from, const char *to,
                               unsigned flags)
{
    count();
    return pingo__world_real()->rename(context, dir, from, to, flags);
}

static inline int fatal_mkdir(void *context, int dir, const char *name, mode_t mode)
{
    count();
    return pingo__world_real()->mkdir(context, dir, name, mode);
}

static inline int fatal_chmod(void *context, int dir, const char *name, mode_t mode)
{
    count();
    return pingo__world_real()->chmod(context, dir, name, mode);
}

static inline int fatal_open(void *context, int dir, const char *name, int flags, mode_t mode)
{
    if (flags & O_CREAT)
        count();
    return pingo__world_real()->open(context, dir, name, flags, mode);
}

typedef int (*deed_fn)(struct pools *p);

/* Does it in a process that is killed at the nth change; true: it came to its end before that. */
static inline bool killed_at(struct pools *p, int n, deed_fn deed)
{
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        p->world.unlink = fatal_unlink;
        p->world.rename = fatal_rename;
        p->world.mkdir = fatal_mkdir;
        p->world.chmod = fatal_chmod;
        p->world.open = fatal_open;
        until = n;
        _exit(deed(p) ? 1 : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    return WIFEXITED(status);
}

#endif
