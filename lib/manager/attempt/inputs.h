/* inputs.h - what was hashed is remembered; what an attempt reads of the pool: is it still there?
 *
 * Claimed datasets are checked by the kind, size, mode and stamp of their root; where these differ, by content. */
#ifndef PINGO__MANAGER_INPUTS_H
#define PINGO__MANAGER_INPUTS_H

#include "digest/content.h"
#include "manager/context.h"
#include "store/action/actions.h"
#include "store/dataset/datasets.h"

/* The store's memory of content hashes, for one connection.  What is learned is kept until it is
 * written in a transaction. */
struct pingo__manager_content_memory {
    struct pingo__store_db *db;
    struct pingo__arena arena; /* of the rest */
    struct pingo__manager_content_memory_entry *entries;
    size_t n, capacity;
    struct pingo__manager_content_memory_version *versions; /* what commands of "versions" said */
    size_t nversions, cversions;
};
void pingo__manager_content_memory_init(struct pingo__manager_content_memory *m,
                                        struct pingo__store_db *db,
                                        struct pingo__digest_content_cache *cache);
/* Writes what was learned, and lets go of it.  Inside a write transaction. */
int pingo__manager_content_memory_save(struct pingo__manager_content_memory *m,
                                       struct pingo_error *err);
void pingo__manager_content_memory_clear(struct pingo__manager_content_memory *m);

/* What lies at a dataset's place. */
enum pingo__manager_presence {
    PINGO__GONE,  /* nothing; of a look alone also what is no such thing */
    PINGO__THERE, /* what was published */
    PINGO__SUSPECT, /* of a look: as it should be, but another one than was published: its content tells (suspects.h) */
    PINGO__CHANGED /* once that is known: something else */
};
/* By its root. */
int pingo__manager_dataset_look(struct pingo__manager_context *c,
                                const struct pingo__store_dataset_row *row,
                                enum pingo__manager_presence *is, struct pingo_error *err);
/* Where the pool lies elsewhere: asks for the roots of all of them together, and has them fetched, that one wait is
 * enough. */
int pingo__manager_datasets_ask(struct pingo__manager_context *c,
                                const struct pingo__store_dataset_list *list, bool fetch,
                                struct pingo_error *err);
/* Has what was read the kind, the content and, of a file, the mode of the dataset? */
bool pingo__manager_dataset_is_of(const struct pingo__store_dataset_row *row,
                                  const struct pingo__digest_content *content);
/* How its root and what is in it look now. */
void pingo__manager_dataset_learn(struct pingo__store_dataset_row *row,
                                  const struct pingo__pool_state *root,
                                  const struct pingo__digest_content *content);

/* The sandbox keeps a command from writing into its inputs, but not from changing their modes and times; and not every
 * command runs in one. */
struct pingo__manager_change {
    int64_t since_ms; /* asked: when its reader began */
    bool is_touched; /* it is another, or cannot be read; else it is what it was, or nothing is known */
    bool later;      /* than since_ms */
    const char *what; /* "it changed the mode of bin/tool"; NULL: nobody knows; in the arena */
};
/* Is a dataset that is there another one than was published, though its root is the same?  Outside any
 * transaction.  Where a directory was touched its content is read, and if that is the same, its row learns how
 * it looks now. */
int pingo__manager_dataset_touched(struct pingo__manager_context *c,
                                   struct pingo__store_dataset_row *row, struct pingo__arena *arena,
                                   struct pingo__manager_change *change, struct pingo_error *err);

#endif
