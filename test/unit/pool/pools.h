/* pools.h - pools for tests: each test that takes one runs against every kind that there is.
 *
 * A kind that is at no directory is tested at the place that PINGO_TEST_POOL_scheme names, else at SCHEME://pingo-test-PID;
 * one that lies elsewhere (HDFS: test/hadoop/hdfs.t) is not, where nothing names a place. */
#ifndef TEST_POOLS_H
#define TEST_POOLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tree.h"
#include "pool/pool.h"

#define ID "0123456789abcdef0123456789abcdef"
#define HASH "aa0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd"

/* Gives the message where it fails. */
#define WELL(call)                                                                                 \
    do {                                                                                           \
        struct pingo_error err_ = {0};                                                             \
        struct pingo_error *err = &err_;                                                           \
        if ((call) != 0)                                                                           \
            fail_msg("%s: %s", #call, err->message);                                               \
    } while (0)

struct pools {
    const struct pingo__pool_backend *kind;
    struct pingo__world world; /* the real one, that a test may change */
    char dir[32];              /* of this machine, for what goes in and out */
    char place[128], near[64];
    struct pingo__pool_site site; /* of these */
    struct pingo__pool pool;
};

static inline void pools_scratch(char dir[32])
{
    strcpy(dir, "/tmp/pingo-pool-XXXXXX");
    assert_non_null(mkdtemp(dir));
}

static inline void pools_open(struct pools *p)
{
    WELL(pingo__pool_open(&p->pool, &p->site, ID, err));
}

static inline bool pools_can(const struct pingo__pool_backend *kind)
{
    char variable[64];
    snprintf(variable, sizeof variable, "PINGO_TEST_POOL_%s", kind->scheme);
    return !kind->is_remote || getenv(variable);
}

static inline struct pools *pools_new(const struct pingo__pool_backend *kind)
{
    static unsigned serial;
    struct pools *p = calloc(1, sizeof *p);
    char variable[64];
    assert_non_null(p);
    p->kind = kind;
    p->world = *pingo__world_real();
    pools_scratch(p->dir);
    snprintf(p->near, sizeof p->near, "%s/near", p->dir);
    p->site = (struct pingo__pool_site){&p->world, p->place, p->near};
    snprintf(variable, sizeof variable, "PINGO_TEST_POOL_%s", kind->scheme);
    if (!*kind->scheme)
        snprintf(p->place, sizeof p->place, "%s/pool", p->dir);
    else if (getenv(variable))
        snprintf(p->place, sizeof p->place, "%s-%ld.%u", getenv(variable), (long)getpid(), serial++);
    else
        snprintf(p->place, sizeof p->place, "%s://pingo-test-%ld", kind->scheme, (long)getpid());
    WELL(pingo__pool_create(&p->site, ID, err));
    pools_open(p);
    return p;
}

static inline void pools_free(struct pools *p)
{
    p->world = *pingo__world_real();
    if (p->pool.handle)
        pingo__pool_close(&p->pool);
    WELL(pingo__pool_destroy(&p->site, ID, NULL, err));
    assert_int_equal(pingo__tree_remove(AT_FDCWD, p->dir), 0);
    free(p);
}

/* ---- of this machine -------------------------------------------------------------------- */

static inline const char *pools_path(const struct pools *p, const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    return path;
}

static inline void pools_write(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

/* A tree: a ("one"), b/c ("two", executable), b/d/ (empty), e -> a. */
static inline void pools_tree(const char *path)
{
    char at[512];
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(at, sizeof at, "%s/a", path);
    pools_write(at, "one", 0644);
    snprintf(at, sizeof at, "%s/b", path);
    assert_int_equal(mkdir(at, 0755), 0);
    snprintf(at, sizeof at, "%s/b/c", path);
    pools_write(at, "two", 0755);
    snprintf(at, sizeof at, "%s/b/d", path);
    assert_int_equal(mkdir(at, 0755), 0);
    snprintf(at, sizeof at, "%s/e", path);
    assert_int_equal(symlink("a", at), 0);
}

/* ---- of the pool --------------------------------------------------------------------------- */

static inline struct pingo__pool_state pools_state(const struct pools *p, const char *name)
{
    struct pingo__pool_state state;
    WELL(pingo__pool_state(&p->pool, name, &state, err));
    return state;
}

static inline bool pools_has(const struct pools *p, const char *name)
{
    return pools_state(p, name).exists;
}

/* A new file with this text. */
static inline void pools_put(struct pools *p, const char *name, const char *text)
{
    const char *from = pools_path(p, "put");
    pools_write(from, text, 0644);
    WELL(p->kind->stage(p->pool.handle, from, name, err));
    assert_int_equal(unlink(from), 0);
}

static inline void pools_put_tree(struct pools *p, const char *name)
{
    const char *from = pools_path(p, "put");
    pools_tree(from);
    WELL(p->kind->stage(p->pool.handle, from, name, err));
    assert_int_equal(pingo__tree_remove(AT_FDCWD, from), 0);
}

/* An empty one. */
static inline void pools_put_directory(struct pools *p, const char *name)
{
    const char *from = pools_path(p, "put");
    assert_int_equal(mkdir(from, 0755), 0);
    WELL(p->kind->stage(p->pool.handle, from, name, err));
    assert_int_equal(rmdir(from), 0);
}

static inline struct pingo_hash pools_hash(const struct pools *p, const char *name)
{
    struct pingo__digest_content_options options = {.no_follow = true};
    struct pingo__digest_content content;
    WELL(pingo__pool_read(&p->pool, name, &options, &content, err));
    return content.hash;
}

/* Does the file hold this text? */
static inline bool pools_is(const struct pools *p, const char *name, const char *text)
{
    const char *path = pools_path(p, "got");
    char got[64];
    WELL(pingo__pool_copy_out(&p->pool, name, path, 0777, err));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, got, sizeof got - 1);
    close(fd);
    assert_int_equal(unlink(path), 0);
    got[n > 0 ? n : 0] = '\0';
    return strcmp(got, text) == 0;
}

static inline int pools_count_name(void *context, const char *name, struct pingo_error *err)
{
    (void)name;
    (void)err;
    ++*(size_t *)context;
    return 0;
}

static inline size_t pools_count(const struct pools *p, enum pingo__name_part part)
{
    size_t n = 0;
    WELL(pingo__pool_each(&p->pool, part, pools_count_name, &n, err));
    return n;
}

#endif
