/* pool.h - the one place that knows the files of the pool.
 *
 * Layout below the pool's directory:
 *   pingo-pool               the store's id; a pool belongs to one store
 *   pingo-store              of a pool that does not lie in its store: where that is (engine/moved.c)
 *   CACHEDIR.TAG             says to backups that it is a cache
 *   objects/HH/HASH.ACTION.EPOCH  published datasets, read-only; a path is used once
 *   attempts/ACTION.EPOCH/   an attempt: work/, stdout, stderr (the executor's)
 *   staged/ACTION.EPOCH      a finished output that is not published yet
 *   trash/                   on its way out:
 *     d.DATASET              the bytes of a generation that is DELETING; its row's owner has them in hand
 *     o.OWNER.TOKEN.SERIAL   in the hand of a scheduler, as long as that one lives
 *     anything else          whoever sees it may take it in hand
 * What always holds: nothing is removed but below trash/; what is published replaces nothing;
 * links are never followed below the pool, and mounts never crossed. */
#ifndef PINGO__MANAGER_POOL_H
#define PINGO__MANAGER_POOL_H

#include <pingo/executor.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/world.h"

struct pingo__pool {
    const struct pingo__world *world;
    char *path;
    int fd;           /* of the directory */
    uint64_t token;   /* makes names in trash/ our own */
    uint64_t serial;  /* of these names */
    uint64_t trashed; /* how often something was put there */
};

struct pingo__pool_stat {
    bool exists;
    bool directory;
    bool other_kind; /* neither a file nor a directory */
    bool link;       /* a symbolic link */
    bool executable; /* by its owner */
    int64_t inode, mtime_ns, size_bytes;
};

/* Makes the layout in directory (made if need be).  Errors: PINGO_ESTORE when it is another store's pool,
 * PINGO_EEXISTS when one of the layout's directories is there and holds something. */
int pingo__pool_create(const struct pingo__world *world, const char *directory,
                       const char *store_id, struct pingo_error *err);
int pingo__pool_open(struct pingo__pool *pool, const struct pingo__world *world,
                     const char *directory, const char *store_id, struct pingo_error *err);
void pingo__pool_close(struct pingo__pool *pool);
/* Is there a pool with this store's id? */
bool pingo__pool_is_of(const struct pingo__world *world, const char *directory,
                       const char *store_id);

/* Paths; in the arena; NULL when memory runs out. */
char *pingo__pool_attempt_dir(const struct pingo__pool *pool, struct pingo__arena *arena,
                              struct pingo_job_key key);
char *pingo__pool_staged_path(const struct pingo__pool *pool, struct pingo__arena *arena,
                              struct pingo_job_key key);
char *pingo__pool_object_name(struct pingo__arena *arena, const struct pingo_hash *hash,
                              struct pingo_job_key key); /* below the pool */
/* name below the pool, or an absolute path as it is. */
char *pingo__pool_full_path(const struct pingo__pool *pool, struct pingo__arena *arena,
                            const char *name);

int pingo__pool_stat(const struct pingo__pool *pool, const char *name, struct pingo__pool_stat *out,
                     struct pingo_error *err);
/* Moves the staged output of key to its object name.  Also fine when an earlier try had moved it.  What lies there
 * while the output is still staged is of a life of the store that was taken back, and goes to the trash.
 * PINGO_ENOTFOUND when neither is there. */
int pingo__pool_publish(struct pingo__pool *pool, struct pingo_job_key key, const char *object,
                        struct pingo_error *err);
/* Everything published so far is on the disk. */
int pingo__pool_sync(struct pingo__pool *pool, struct pingo_error *err);

/* ---- the way out: trash.c --------------------------------------------------- */

/* Renames into trash/.  Nothing there is fine. */
int pingo__pool_trash(struct pingo__pool *pool, const char *name, struct pingo_error *err);

/* What became of something that was to be removed. */
struct pingo__removal {
    uint64_t serial; /* given: of the pool (pool->serial++), used for this removal alone */
    int failed;      /* 0: it is gone, to the last byte; else the -errno of what stays */
    bool in_trash;   /* what stays lies in trash/ now */
    char name[272];  /* below the pool: where what stays lies */
    char what[128];  /* the first entry of it that could not be removed; "": it as a whole */
};
/* These four may be called on any thread: they read no more of the pool than world, fd and token.
 * A removal is iterative: neither depth, nor width, nor permissions that we may change end it. */
/* The bytes of a generation, which lie at name or, after an earlier try, in the trash. */
void pingo__pool_remove_dataset(const struct pingo__pool *pool, int64_t dataset, const char *name,
                                struct pingo__removal *removal);
/* An entry of trash/, in the name of an owner.  That another one has taken it in hand is as good as gone. */
void pingo__pool_remove_trash(const struct pingo__pool *pool, const char *name, int64_t owner,
                              struct pingo__removal *removal);
/* The names in trash/, each ended by a NUL, up to limit; *more: there are others.  0 or -errno. */
int pingo__pool_list_trash(const struct pingo__pool *pool, size_t limit,
                           struct pingo__buffer *names, bool *more);
/* Adds up the files of a tree below the pool, up to a million entries and 100 levels.  0 or -errno. */
int pingo__pool_measure(const struct pingo__pool *pool, const char *name, int64_t *bytes);

/* What the name of an entry of trash/ says.  *dataset, *owner: 0 where it is not that of one. */
void pingo__pool_trash_parse(const char *name, int64_t *dataset, int64_t *owner);
/* Removes a tree that lies outside the pool and is ours (a copy that was cut short).  0 or -errno. */
int pingo__remove_tree(const struct pingo__world *world, struct pingo__pool *pool, const char *path);
/* Removes an entry of an open directory, a tree too.  token: random, other for each.  0 or -errno. */
int pingo__remove_at(const struct pingo__world *world, uint64_t token, int dir, const char *name);
/* Its marker, and its tag where that is ours, go: it is a pool no more. */
void pingo__pool_unmark(struct pingo__pool *pool);
/* Calls fn with the name below the pool of each entry of a part: "attempts", "staged", or "objects", of which the
 * entries of its directories are meant, and what else lies beside these. */
int pingo__pool_each(struct pingo__pool *pool, const char *part,
                     int (*fn)(void *context, const char *name, struct pingo_error *err),
                     void *context, struct pingo_error *err);
/* Free bytes for this user on the pool's file system; what is taken there, by whomever; -1 unknown. */
int64_t pingo__pool_free_bytes(const struct pingo__pool *pool);
int64_t pingo__pool_taken_bytes(const struct pingo__pool *pool);

#endif
