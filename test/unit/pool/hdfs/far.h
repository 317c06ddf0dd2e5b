/* far.h - a pool in HDFS before the small server of test/unit/hdfs, which each test has anew; fs sees what lies there. */
#ifndef TEST_POOL_HDFS_FAR_H
#define TEST_POOL_HDFS_FAR_H

#include "unit/hdfs/served.h"

#include "pool/hdfs/hdfs.h"

#define ID "0123456789abcdef0123456789abcdef"
#define HASH "aa0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd"
#define OBJECT "objects/aa/" HASH ".7.2"
#define OTHER "objects/aa/" HASH ".8.1"

static struct {
    char place[80], near[64];
    struct pingo__pool_site site;
    struct pingo__hdfs *fs;
    struct pingo__pool_hdfs *pool;
} far;

/* A place where nothing is. */
static inline int far_begin(void **state)
{
    (void)state;
    far.fs = open_fs("/pool", 5000);
    snprintf(far.place, sizeof far.place, "webhdfs://me@127.0.0.1:%d/pool", server.ports[0]);
    snprintf(far.near, sizeof far.near, "%s/near", scratch);
    far.site = (struct pingo__pool_site){pingo__world_real(), far.place, far.near};
    far.pool = NULL;
    return 0;
}

static inline int far_end(void **state)
{
    (void)state;
    if (far.pool)
        pingo__pool_hdfs_close(far.pool);
    pingo__hdfs_close(far.fs);
    pingo__tree_remove(AT_FDCWD, far.near);
    return 0;
}

/* An open pool. */
static inline int far_open(void **state)
{
    void *pool = NULL;
    far_begin(state);
    WELL(pingo__pool_hdfs_create(&far.site, ID, err));
    WELL(pingo__pool_hdfs_open(&far.site, ID, &pool, err));
    far.pool = pool;
    return 0;
}

/* A file near, below the pool's directory of this machine. */
static inline const char *far_near(const char *name)
{
    static char path[4][256];
    static unsigned n;
    n = (n + 1) % 4;
    snprintf(path[n], sizeof path[n], "%s/%s", far.near, name);
    return path[n];
}

static inline bool far_is_near(const char *name)
{
    struct stat st;
    return lstat(far_near(name), &st) == 0;
}

#endif
