/* removing.h - stores whose datasets go: a world in which some things cannot be removed, and what is in the pool. */
#ifndef TEST_DATASET_REMOVING_H
#define TEST_DATASET_REMOVING_H

#include "unit/engine/box.h"

#include "manager/dataset/reclaim.h"
#include "pool/posix/posix.h"
#include "store/decision/usage.h"

/* ---- a world in which some things cannot be removed ------------------------------------------ */

static int unlink_fails, rename_fails; /* -errno; 0: they do not */

static inline int stubborn_unlink(void *context, int dir, const char *name, int flags)
{
    if (unlink_fails && strcmp(name, "stubborn") == 0)
        return unlink_fails;
    return pingo__world_real()->unlink(context, dir, name, flags);
}

static inline int stubborn_rename(void *context, int dir, const char *from, const char *to,
                                  unsigned flags)
{
    const char *slash = strrchr(from, '/');

    if (rename_fails && strspn(slash ? slash + 1 : from, "0123456789abcdef") == 64)
        return rename_fails;
    return pingo__world_real()->rename(context, dir, from, to, flags);
}

static inline void be_stubborn(struct box *b, int unlink_rc, int rename_rc)
{
    static struct pingo__world world;

    world = *pingo__world_real();
    world.unlink = stubborn_unlink;
    world.rename = stubborn_rename;
    unlink_fails = unlink_rc;
    rename_fails = rename_rc;
    ((struct pingo__pool_directory *)b->store->pool.handle)->world = &world;
}

/* ---- doing ------------------------------------------------------------------------------------ */

static inline void sql(struct box *b, const char *text)
{
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_true(box_changed(&b->store->db, &err, text, NONE) >= 0);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
}

static inline void text_of(struct box *b, const char *query, char *out, size_t size)
{
    sqlite3_stmt *stmt = NULL;
    struct pingo_error err;

    assert_int_equal(pingo__db_query(&b->store->db, &err, &stmt, query, NONE), 0);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    snprintf(out, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_reset(stmt);
}

/* The path of a dataset's bytes. */
static inline void path_of(struct box *b, const char *query, char path[400])
{
    char below[256];

    text_of(b, query, below, sizeof below);
    snprintf(path, 400, "%s/pool/%s", b->dir, below);
}

static inline struct pingo_hash hash_of(struct box *b, const char *action)
{
    struct pingo_hash hash;
    struct pingo_error err;

    well(pingo_store_resolve_dataset(b->store, "1", action, &hash, &err), &err);
    return hash;
}

static inline void let_go(struct box *b, const char *action)
{
    struct pingo_hash hash = hash_of(b, action);
    struct pingo_error err;

    well(pingo_store_remove(b->store, &hash, &err), &err);
}

static inline struct pingo_tick_result tick_alone(struct box *b)
{
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err;

    well(pingo_scheduler_tick(b->s, &r, &err), &err);
    return r;
}

/* A box with one workflow, whose actions have all finished. */
static inline struct box *finished(const char *workflow)
{
    struct box *b = box_new();

    box_submit(b, workflow);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    return b;
}

static inline int64_t used(struct box *b)
{
    struct pingo__store_usage u;
    struct pingo_error err;

    well(pingo__store_usage_read(&b->store->db, &u, NULL, &err), &err);
    return pingo__store_usage_used(&u);
}

/* Entries of a directory of the pool. */
static inline size_t entries(struct box *b, const char *part)
{
    char path[160];
    size_t n = 0;
    DIR *dir;

    snprintf(path, sizeof path, "%s/pool/%s", b->dir, part);
    dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

static inline void put_file(int dir, const char *name)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0444);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
}

/* The bytes of action 1's dataset become a directory.  Its descriptor. */
static inline int make_directory(struct box *b, char path[400])
{
    int fd;

    path_of(b, "SELECT path FROM object WHERE id = 1", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0755), 0);
    fd = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0);
    return fd;
}

/* An entry of the trash that nobody has in hand. */
static inline void trash(struct box *b, const char *name)
{
    char path[160];

    snprintf(path, sizeof path, "%s/pool/trash/%s", b->dir, name);
    assert_int_equal(mkdir(path, 0500), 0);
}

#define ONE W(A(1, ""))
#define TWO W(A(1, "") "," A(2, ""))

#endif
