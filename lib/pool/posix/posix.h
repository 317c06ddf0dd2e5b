/* posix.h - a pool in a directory: what the files of this folder share.
 *
 * Layout: the parts of base/names.h, and beside them
 *   pingo-pool    the store's id; a pool belongs to one store; its time is when an attempt last met a full disk
 *   pingo-store   of a pool that does not lie in its store: where that is, and the inode of the pool that this was
 *                 noted in
 *   CACHEDIR.TAG  says to backups that it is a cache
 * A stamp is the inode and the mtime of the entry. */
#ifndef PINGO__POOL_POSIX_H
#define PINGO__POOL_POSIX_H

#include "pool/backend.h"

#define PINGO__POOL_NOTE "pingo-store"
/* Is it the pool of this store, by what its marker says ("": there is none)?  Else PINGO_ESTORE. */
int pingo__pool_check_marker(const char *place, const char *says, const char *store_id,
                             struct pingo_error *err);
/* PINGO_ESTORE: a pool that is to be made is that of this store. */
int pingo__pool_fail_taken(const struct pingo__pool_site *site, const char *id,
                           struct pingo_error *err);
/* What stands in a note in front of this number; "": it has another one, or is none. */
void pingo__pool_read_note(const char *note, int64_t number, char *text, size_t size);

struct pingo__pool_directory {
    const struct pingo__world *world;
    char *path;
    int fd;
};

extern const struct pingo__pool_backend pingo__pool_posix;

int pingo__pool_directory_create(const struct pingo__pool_site *site, const char *store_id,
                                 struct pingo_error *err);
int pingo__pool_directory_open(const struct pingo__pool_site *site, const char *store_id,
                               void **pool, struct pingo_error *err);
void pingo__pool_directory_close(void *pool);
bool pingo__pool_directory_is_of(const struct pingo__pool_site *site, const char *store_id);
/* Its marks, and its tag where that is ours, go: it is a pool no more. */
void pingo__pool_directory_unmark(struct pingo__pool_directory *pool);
int pingo__pool_directory_identity(void *pool, char text[64], struct pingo_error *err);
void pingo__pool_directory_noted(void *pool, char *text, size_t size);
void pingo__pool_directory_note(void *pool, const char *text);

bool pingo__pool_directory_is_destroyed(const struct pingo__pool_site *site);
int pingo__pool_directory_destroy(void *pool, const struct pingo__pool_told *told,
                                  struct pingo_error *err);

#endif
