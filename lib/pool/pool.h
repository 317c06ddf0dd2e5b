/* pool.h - a pool, of whatever kind: what its users need to know.
 *
 * What always holds: nothing is removed but below trash/, or on its way there; what is published replaces nothing, and
 * a name is used once.
 * What kinds there are, and what each can do: backend.h. */
#ifndef PINGO__POOL_POOL_H
#define PINGO__POOL_POOL_H

#include <pingo/executor.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "pool/backend.h"

struct pingo__pool {
    const struct pingo__pool_backend *backend;
    void *handle;
    const struct pingo__world *world;
    char *place;      /* a path, or KIND://... */
    uint64_t token;   /* makes names in trash/ our own */
    uint64_t serial;  /* of these names */
    uint64_t trashed; /* how often something was put there */
    /* Of a handle whose user must not wait (memo.h); else NULL: */
    struct pingo__pool_memo *memo;
    const struct pingo__pool_space *known_space; /* as it was not long ago */
};

/* What only a handle with a memo returns: the answer is not there yet.  No code of anybody else. */
#define PINGO__POOL_LATER (-1001)

/* ---- life -------------------------------------------------------------------------------- */

/* Where a pool is that is given so, from a directory: a path is made absolute, another place stays as it is.  Yours. */
char *pingo__pool_place(const char *directory, const char *given);
int pingo__pool_create(const struct pingo__pool_site *site, const char *store_id,
                       struct pingo_error *err);
int pingo__pool_open(struct pingo__pool *pool, const struct pingo__pool_site *site,
                     const char *store_id, struct pingo_error *err);
void pingo__pool_close(struct pingo__pool *pool);
bool pingo__pool_is_of(const struct pingo__pool_site *site, const char *store_id);
bool pingo__pool_is_destroyed(const struct pingo__pool_site *site);
/* The pool of a store; fine where it is gone.  PINGO_ESTORE: it is not this store's. */
int pingo__pool_destroy(const struct pingo__pool_site *site, const char *store_id,
                        const struct pingo__pool_told *told, struct pingo_error *err);
/* Does it lie elsewhere, so that asking may take long? */
bool pingo__pool_is_remote(const struct pingo__pool *pool);
/* Is it one place that cannot be looked at now, as rc says?  Of a pool that lies elsewhere none can be, then. */
bool pingo__pool_is_shut(const struct pingo__pool *pool, int rc);
/* One for another thread: what it puts into the trash has names of its own.  Not to be closed. */
struct pingo__pool pingo__pool_fork(const struct pingo__pool *pool, struct pingo_job_key key);

/* ---- what lies there ------------------------------------------------------------------------ */

int pingo__pool_state(const struct pingo__pool *pool, const char *name,
                      struct pingo__pool_state *state, struct pingo_error *err);
int pingo__pool_read(const struct pingo__pool *pool, const char *name,
                     const struct pingo__digest_content_options *options,
                     struct pingo__digest_content *content, struct pingo_error *err);
/* false: not, or nobody knows. */
bool pingo__pool_has(const struct pingo__pool *pool, const char *name);
int pingo__pool_copy_out(const struct pingo__pool *pool, const char *name, const char *path,
                         mode_t most, struct pingo_error *err);
/* Would reading it take long?  More than so many bytes, or files. */
bool pingo__pool_is_large(const struct pingo__pool *pool, const char *name, int64_t bytes,
                          size_t files);
int64_t pingo__pool_held_bytes(const struct pingo__pool *pool, const char *name);
/* Each entry of a part; of objects/ those in its directories, and what else lies beside these.  PINGO_EAWAY: on this
 * machine some of these directories cannot be read; all others were. */
int pingo__pool_each(const struct pingo__pool *pool, enum pingo__name_part part,
                     pingo__pool_name_fn fn, void *context, struct pingo_error *err);
struct pingo__pool_space pingo__pool_space(const struct pingo__pool *pool);
int pingo__pool_sync(const struct pingo__pool *pool, struct pingo_error *err);
/* Does what lies at a path of this machine take from the pool's space? */
bool pingo__pool_shares_space(const struct pingo__pool *pool, const char *path);
/* Where processes of this machine find it, in the arena.  PINGO_ESTATE: they cannot.  A path outside the pool is as it
 * is. */
int pingo__pool_path(const struct pingo__pool *pool, struct pingo__arena *arena, const char *name,
                     const char **path, struct pingo_error *err);
/* Opens it for reading, or a path outside the pool; where the pool lies elsewhere, a copy that is brought here for it.
 * PINGO_ENOTFOUND: no file or directory is there. */
int pingo__pool_open_entry(const struct pingo__pool *pool, const char *name, int *fd,
                           struct pingo_error *err);
/* The same for people; PLACE/NAME where there is no path.  NULL: no memory. */
const char *pingo__pool_shown(const struct pingo__pool *pool, struct pingo__arena *arena,
                              const char *name);
/* Of an attempt: where an executor works; where that left something on this machine, or NULL (a pool that lies
 * elsewhere is not asked); where it puts the output. */
int pingo__pool_attempt_dir(const struct pingo__pool *pool, struct pingo__arena *arena,
                            struct pingo_job_key key, const char **dir, struct pingo_error *err);
/* Makes it, unless it is there. */
int pingo__pool_make_attempt_dir(const struct pingo__pool *pool, struct pingo_job_key key,
                                 struct pingo_error *err);
int pingo__pool_attempt_left(const struct pingo__pool *pool, struct pingo__arena *arena,
                             struct pingo_job_key key, const char **dir, struct pingo_error *err);
int pingo__pool_staged_path(const struct pingo__pool *pool, struct pingo__arena *arena,
                            struct pingo_job_key key, const char **path, struct pingo_error *err);
char *pingo__pool_object_name(struct pingo__arena *arena, const struct pingo_hash *hash,
                              struct pingo_job_key key);

/* Of a pool that lies elsewhere (of another: nothing is done): a copy of an object comes to this machine, where path
 * finds it; what was fetched is trimmed, as backend.h says.  Any thread. */
int pingo__pool_fetch(const struct pingo__pool *pool, const char *name, struct pingo_error *err);
int pingo__pool_shed(const struct pingo__pool *pool, int64_t keep_bytes,
                     bool (*is_needed)(void *context, const char *name), void *context,
                     struct pingo_error *err);
/* What executors keep in a pool that lies elsewhere goes where it was not used since. */
int pingo__pool_trim(struct pingo__pool *pool, int64_t before_ms, struct pingo_error *err);
/* Who closes hurries, until he has closed: as backend.h says.  Any thread. */
void pingo__pool_hurry(struct pingo__pool *pool, bool hurries);
/* What an engine finds it by, in the arena: an URL of a pool that lies elsewhere; else the path. */
int pingo__pool_uri(const struct pingo__pool *pool, struct pingo__arena *arena, const char *name,
                    const char **uri, struct pingo_error *err);

/* ---- in and out ----------------------------------------------------------------------------- */

/* Moves the staged output of key to its object name.  Also fine when an earlier try had moved it.  What lies there
 * while the output is still staged is of a life of the store that was taken back, and goes to the trash.
 * PINGO_ENOTFOUND when neither is there. */
int pingo__pool_publish(struct pingo__pool *pool, struct pingo_job_key key, const char *object,
                        struct pingo_error *err);
/* Puts a copy in its place: what has other names (hard links) may be somebody's, and is not changed. */
int pingo__pool_make_private(struct pingo__pool *pool, const char *name, struct pingo_error *err);
/* Into the trash.  Nothing there is fine. */
int pingo__pool_trash(struct pingo__pool *pool, const char *name, struct pingo_error *err);
/* The directory of an attempt.  A file says that it was given up, and stays. */
int pingo__pool_trash_attempt(struct pingo__pool *pool, const char *name, struct pingo_error *err);

/* What became of something that was to be removed. */
struct pingo__pool_removal {
    uint64_t serial; /* given: of the pool (pool->serial++), used for this removal alone */
    bool failed;     /* something stays */
    bool in_trash;   /* what stays lies in trash/ now */
    char name[PINGO__NAME_SIZE]; /* where that is */
    struct pingo__pool_rest rest;
};
/* The next three may be called on any thread. */
/* The bytes of a generation, which lie at name or, after an earlier try, in the trash. */
void pingo__pool_remove_dataset(const struct pingo__pool *pool, int64_t dataset, const char *name,
                                struct pingo__pool_removal *removal);
/* An entry of the trash, in the name of an owner.  That another one has taken it in hand is as good as gone. */
void pingo__pool_remove_trash(const struct pingo__pool *pool, const char *name, int64_t owner,
                              struct pingo__pool_removal *removal);
/* The names in the trash, each ended by a NUL, up to limit; *more: there are others. */
int pingo__pool_list_trash(const struct pingo__pool *pool, size_t limit,
                           struct pingo__buffer *names, bool *more, struct pingo_error *err);

#endif
