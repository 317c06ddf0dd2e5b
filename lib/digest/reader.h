/* reader.h - what content.c and tree.c share while they read one original.
 * Belongs to one thread. */
#ifndef PINGO__DIGEST_READER_H
#define PINGO__DIGEST_READER_H

#include "digest/content.h"
#include "digest/sha256.h"

struct pingo__digest_content_reader {
    const struct pingo__world *world;
    const struct pingo__digest_content_options *options;
    struct pingo__digest_content *content;
    struct pingo__digest_hasher file, stamp;
    char *block;        /* what a file is read through */
    bool untimely;      /* the file that was hashed last lies where times do not tell of changes */
    int64_t started_ns; /* before anything was looked at */
    const char *path;   /* as named, for messages */
};

/* One file within a tree, or the named one. */
struct pingo__digest_content_entry {
    int dir;          /* descriptor, or AT_FDCWD */
    const char *name; /* below dir */
    int follow;       /* 0, or AT_SYMLINK_NOFOLLOW */
    struct stat st;
};

/* Says what is wrong ("WHAT: REASON"); where, is put before it by read_root() and the walk.  Returns PINGO_EINPUT or,
 * of ENOMEM, PINGO_ENOMEM; PINGO_EAWAY where the system keeps it from us and it may be as it should. */
int pingo__digest_content_refuse(struct pingo_error *err, int error_number, const char *what);
/* "cannot be read".  st: of whose mode that may be. */
int pingo__digest_content_unreadable(const struct pingo__digest_content_reader *r, int error_number,
                                     const struct stat *st, struct pingo_error *err);

#define PINGO__WRITE_BITS ((mode_t)(S_IWUSR | S_IWGRP | S_IWOTH))
/* Takes these write bits away, if the options say so, and brings entry->st up to date. */
int pingo__digest_content_protect(struct pingo__digest_content_reader *r,
                                  struct pingo__digest_content_entry *entry, mode_t bits,
                                  struct pingo_error *err);
/* Hashes a regular file, or takes its hash from the cache; counts it. */
int pingo__digest_content_file(struct pingo__digest_content_reader *r,
                               const struct pingo__digest_content_entry *entry,
                               struct pingo_hash *hash, struct pingo_error *err);
/* Adds a stat to the stamp. */
void pingo__digest_content_stamp(struct pingo__digest_content_reader *r, const char *name,
                                 const struct stat *st);

/* Walks the directory that root names: hash, stamp, sizes.  The message names the place.  tree.c */
int pingo__digest_content_tree(struct pingo__digest_content_reader *r,
                               const struct pingo__digest_content_entry *root,
                               struct pingo_error *err);

#endif
