/* content.h - the content identity of a file or a tree, through the world.
 *
 * What always holds: a file's content hash does not depend on its name, a tree's
 * does not depend on where it lies.  Nothing is changed, links are not followed
 * but for the named path itself, special files and links that lead out are refused. */
#ifndef PINGO__DIGEST_CONTENT_H
#define PINGO__DIGEST_CONTENT_H

#include <stdbool.h>

#include <pingo/digest.h>

#include "base/world.h"

/* What the file system says of one file; the key of the stat cache. */
struct pingo__file_stat {
    uint64_t device, inode;
    int64_t size, mtime_ns, ctime_ns;
};

/* A memory of content hashes of single files, handed in by who has one (the store).
 * Called from one thread at a time (content.c sees to that).  Either may be NULL. */
struct pingo__content_cache {
    void *context;
    /* true and *hash when this very file was hashed before and the entry can be trusted. */
    bool (*find)(void *context, const struct pingo__file_stat *st, struct pingo_hash *hash);
    /* hashed_at_ns: taken before the file was opened. */
    void (*remember)(void *context, const struct pingo__file_stat *st,
                     const struct pingo_hash *hash, int64_t hashed_at_ns);
};

struct pingo__content {
    struct pingo_hash hash;  /* content identity, as pingo-hash(7) */
    struct pingo_hash stamp; /* of the stat of every entry (names, kinds, sizes, times, inodes): equal stamps mean
                                unchanged, unless the stamp is young */
    bool stamp_is_young;     /* some mtime or ctime lies too close to the time of hashing to trust the stamp */
    bool is_directory;
    int64_t size_bytes;      /* apparent size of all files, and of the texts of links */
    uint64_t files;
};

struct pingo__content_options {
    const struct pingo__world *world;         /* NULL: the real one */
    const struct pingo__content_cache *cache; /* NULL: none */
    bool only_stamp;   /* hash is left zero; no file is opened */
    bool make_readonly; /* take away every write bit on the way (outputs) */
    bool refuse_links_out; /* as for originals; outputs may hold links that lead anywhere */
    /* adds to bytes seen; return other than 0 to stop with PINGO_EINTERRUPTED; may be NULL; any thread */
    int (*progress)(void *context, uint64_t files, uint64_t bytes);
    void *progress_context;
};

/* Walks path, iteratively, whatever the depth.  A file that changes while it is read is an error of
 * PINGO_EINPUT.  Errors: PINGO_EINPUT (names the path within the tree), PINGO_ENOMEM, PINGO_EINTERRUPTED. */
int pingo__content_read(const char *path, const struct pingo__content_options *options,
                        struct pingo__content *content, struct pingo_error *err);

#endif
