/* content.h - the content identity of a file or a tree, through the world.
 *
 * What always holds: a file's content hash is the SHA-256 of its bytes and nothing
 * else; a tree's is that of a listing that starts with a magic of its own (see
 * pingo-hash(7)) and does not depend on where the tree lies.  Links are not followed
 * but for the named path itself, special files are refused, and links that lead out
 * where the caller wants it.  Nothing is changed unless make_readonly is set. */
#ifndef PINGO__DIGEST_CONTENT_H
#define PINGO__DIGEST_CONTENT_H

#include <pthread.h>
#include <stdbool.h>

#include <pingo/digest.h>

#include "base/buffer.h"
#include "base/world.h"
#include "digest/listing.h"

/* What the file system says of one file; the key of the stat cache. */
struct pingo__digest_file_stat {
    uint64_t device, inode;
    int64_t size, mtime_ns, ctime_ns;
};

struct pingo__digest_file_stat pingo__digest_file_stat_of(const struct stat *st);

/* A time in ns since 1970 in decimal digits, whatever the year; 64 bits end in 2262. */
#define PINGO__TIME_TEXT_SIZE 32
void pingo__digest_time_text(const struct timespec *t, char text[PINGO__TIME_TEXT_SIZE]);

/* Are its times so close to at_ns that the file may change once more without showing it?
 * The clock that stamps files ticks coarsely (a kernel tick, up to 10 ms; 2 s on file systems
 * that keep whole seconds), so a same-size edit within the tick leaves equal times behind.
 * What was read of such a file must not be trusted later for having equal times. */
bool pingo__digest_file_stat_is_young(const struct pingo__digest_file_stat *st, int64_t at_ns);
/* How long such a time, when it is at_ns, goes on being so close; 0: it is not, or lies ahead. */
int64_t pingo__digest_time_young_ns(int64_t t_ns, int64_t at_ns);

/* A memory of content hashes of single files, handed in by who has one (the store).
 * Each function may be NULL. */
struct pingo__digest_content_cache {
    void *context;
    pthread_mutex_t *mutex; /* held while one of them is called; NULL: one thread alone asks */
    /* true and *hash when this very file was hashed before and the entry can be trusted. */
    bool (*find)(void *context, const struct pingo__digest_file_stat *st, struct pingo_hash *hash);
    /* Never called for a file that was young when it was hashed, so what is remembered can be
     * trusted while every part of st is equal. */
    void (*remember)(void *context, const struct pingo__digest_file_stat *st,
                     const struct pingo_hash *hash);
    /* The same of what a command of "versions" wrote.  key: of the command, its environment, the
     * content of its program and what else its output comes from.  *text: yours, free(). */
    bool (*find_version)(void *context, const struct pingo_hash *key, struct pingo_hash *output,
                         char **text);
    void (*remember_version)(void *context, const struct pingo_hash *key,
                             const struct pingo_hash *output, const char *text);
};

/* Around a call of the cache's functions. */
void pingo__digest_content_cache_lock(const struct pingo__digest_content_cache *cache);
void pingo__digest_content_cache_unlock(const struct pingo__digest_content_cache *cache);

struct pingo__digest_content {
    struct pingo_hash
        hash; /* content identity, as pingo-hash(7); of a file and a tree apart: see is_directory */
    struct pingo_hash
        stamp; /* of the stat of every entry (names, kinds, sizes, times, inodes): equal stamps mean
                                unchanged, unless the stamp is young */
    bool stamp_is_young; /* some mtime or ctime lies too close to the time of hashing to trust the stamp */
    bool is_directory;
    bool is_executable; /* by its owner: of a file */
    bool has_other_names; /* some file in it has a name besides this one, here or elsewhere (a hard link) */
    int64_t mtime_ns;   /* of the named path */
    int64_t size_bytes; /* apparent size of all files, and of the texts of links */
    uint64_t files;     /* regular files */
};

/* The entry of a tree that changed last, and when. */
struct pingo__digest_newest {
    struct pingo__buffer path; /* below the tree; "" is its root */
    int64_t mtime_ns, ctime_ns;
};

struct pingo__digest_content_options {
    const struct pingo__world *world;                /* NULL: the real one */
    const struct pingo__digest_content_cache *cache; /* NULL: none */
    bool only_stamp;                                 /* hash is left zero; no file is opened */
    bool make_readonly; /* take away every write bit on the way (outputs), but that of the owner on the
                           directory path itself: without it nobody but root can move it elsewhere */
    bool refuse_links_out; /* as for originals */
    /* The tree is an output of the pool in this directory (absolute, lexically normal): it is refused with a
     * link that leads out, but for those into the system's directories; no_follow is implied.
     * NULL: no output. */
    const char *output_of;
    bool no_follow;    /* a link at the named path is refused */
    const char *label; /* stands for path in messages; NULL: path */
    bool may_be_away; /* what the system keeps from being read, and no mode of our own, is PINGO_EAWAY */
    uid_t us;         /* whose modes these are */
    bool root_may_move; /* the stamp leaves out the ctime of the named path, which its rename changes */
    struct pingo__digest_listing *listing; /* gets what lies in a tree; NULL: nobody asks */
    struct pingo__digest_newest *newest;   /* of a tree; NULL: nobody asks */
    /* adds to bytes seen; return other than 0 to stop with PINGO_EINTERRUPTED; may be NULL; any thread */
    int (*progress)(void *context, uint64_t files, uint64_t bytes);
    void *progress_context;
};

/* Walks path, iteratively, whatever the depth, with a fixed number of descriptors.  A file or directory that changes
 * while it is read is an error of PINGO_EINPUT.  Errors: PINGO_EINPUT (names the path within the tree),
 * PINGO_EAWAY (likewise; see may_be_away), PINGO_ENOMEM, PINGO_EINTERRUPTED. */
int pingo__digest_content_read(const char *path, const struct pingo__digest_content_options *options,
                               struct pingo__digest_content *content, struct pingo_error *err);

/* What is kept of a dataset to see later that nothing in it was changed, bytes aside: of a tree a number from its
 * stamp (read with root_may_move), of a file whether it is executable.  Never 0. */
int64_t pingo__digest_content_mark(const struct pingo__digest_content *content);
int64_t pingo__digest_file_mark(bool is_executable);

#endif
