/* hdfs.h - a pool in HDFS: what the files of this folder share.
 *
 * Layout: there the parts of base/names.h, and beside them
 *   pingo-pool    the store's id; a pool belongs to one store
 *   pingo-store   where that store is, and the number of the directory that this was noted in
 * and what executors keep there (originals/, bundles/).  Near, on this machine, a directory of the store's:
 *   attempts/, staged/, trash/   as in any pool: what has not left this machine
 *   known                        the pool as it was when it was asked last: its store opens with that while HDFS is
 *                                away
 *   cache/HASH.ACTION.EPOCH      a copy of an object; .id: what it is a copy of, and by its time when it was used last
 * A name of attempts/, staged/ or trash/ is looked for near, then there.  What goes to objects/ from here is sent to
 * staged/ACTION.EPOCH.copy.TOKEN, compared, and renamed.
 * A stamp is the number of a file (fileId) and its mtime.  Files of objects are 0444, which HDFS heeds; of directories
 * only the topmost is: one call instead of as many as there are. */
#ifndef PINGO__POOL_HDFS_H
#define PINGO__POOL_HDFS_H

#include <pthread.h>
#include <stdatomic.h>

#include "hdfs/hdfs.h"
#include "pool/posix/posix.h"

struct pingo__pool_hdfs {
    const struct pingo__world *world;
    struct pingo__hdfs *fs, *first; /* first: of who looks whose it is, before fs asks anything */
    struct pingo__pool_directory near;
    char *place, *store_id, *home; /* home: the store's directory */
    char identity[64];
    bool is_known;           /* by what is noted near; else HDFS was asked before this was open */
    atomic_bool is_met;      /* HDFS has said that it is this store's; until then, */
    atomic_uint looks;       /* how often it was asked that, */
    pthread_mutex_t meeting; /* whoever asks that, and of the next: */
    struct pingo_error why;
    int64_t looked_ms;
    int64_t replicas; /* of a new file; 0 before it is met */
};

/* ---- make.c ---- */
int pingo__pool_hdfs_create(const struct pingo__pool_site *site, const char *store_id,
                            struct pingo_error *err);

/* ---- life.c ---- */
/* For somebody who sits before it: not waited for for long.  Close it. */
int pingo__pool_hdfs_connect(const struct pingo__pool_site *site, struct pingo__hdfs **fs,
                             struct pingo_error *err);
/* What the marker says; "": there is none. */
int pingo__pool_hdfs_marker(struct pingo__hdfs *fs, char id[80], struct pingo_error *err);
int pingo__pool_hdfs_open(const struct pingo__pool_site *site, const char *store_id, void **pool,
                          struct pingo_error *err);
void pingo__pool_hdfs_close(void *pool);
bool pingo__pool_hdfs_is_of(const struct pingo__pool_site *site, const char *store_id);
bool pingo__pool_hdfs_is_destroyed(const struct pingo__pool_site *site);
int pingo__pool_hdfs_destroy(void *pool, const struct pingo__pool_told *told,
                             struct pingo_error *err);
int pingo__pool_hdfs_identity(void *pool, char text[64], struct pingo_error *err);
void pingo__pool_hdfs_noted(void *pool, char *text, size_t size);
void pingo__pool_hdfs_note(void *pool, const char *text);
/* A tree there, be it that some of its directories keep their owner out. */
int pingo__pool_hdfs_remove(struct pingo__pool_hdfs *p, const char *name, struct pingo_error *err);

/* ---- files.c ---- */
extern const char *const pingo__pool_hdfs_others[]; /* of executors; ends with NULL */

/* ---- content.c ---- */
/* Of what lies there: SHA-256 of a list of Hadoop's own checksums, which no content of this machine has. */
int pingo__pool_hdfs_read(struct pingo__pool_hdfs *p, const char *name,
                          const struct pingo__digest_content_options *options,
                          struct pingo__digest_content *content, struct pingo_error *err);
struct pingo__stamp pingo__pool_hdfs_stamp(const struct pingo__hdfs_status *status);

/* ---- cache.c ---- */
int pingo__pool_hdfs_fetch(void *pool, const char *name, struct pingo_error *err);
int pingo__pool_hdfs_shed(void *pool, int64_t keep_bytes,
                          bool (*is_needed)(void *context, const char *name), void *context,
                          struct pingo_error *err);
/* Where a copy of it, or of what it lies in, is; *path NULL: there is none. */
int pingo__pool_hdfs_cached(struct pingo__pool_hdfs *p, const char *name, char **path,
                            struct pingo_error *err);
/* What lies near under a name, and went to objects/, becomes the copy of that; what HDFS holds otherwise goes. */
void pingo__pool_hdfs_adopt(struct pingo__pool_hdfs *p, const char *near, const char *object);
/* The object is gone: so is its copy. */
void pingo__pool_hdfs_forget(struct pingo__pool_hdfs *p, const char *object);

#endif
