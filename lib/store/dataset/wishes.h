/* wishes.h - who wants which results kept.
 *
 * A submission wants its leaves, or the targets it was submitted with, until it releases them.  Nothing
 * is written for a submission of a known graph: its wishes are derived from the graph.  What was said
 * of a hash as a whole (released by hash, removed, not used for long) holds for all submissions so far. */
#ifndef PINGO__STORE_WISHES_H
#define PINGO__STORE_WISHES_H

#include "store/submission/workflows.h"

/* In a query, of the submission w and a hash, such as ?1, that it wished: it still does. */
#define PINGO__WISHES_STILL_OF(wished)                                                             \
    " AND w.id > coalesce((SELECT through FROM unwished WHERE hash = " wished "), 0) AND"          \
    " NOT EXISTS (SELECT 1 FROM released r WHERE r.workflow = w.id AND r.hash = " wished ")"
#define PINGO__WISHES_STILL PINGO__WISHES_STILL_OF("?1")

/* Writing: inside a write transaction. */

/* Instead of its graph's leaves, a submission wants this (and other) targets. */
int pingo__store_wish_insert_target(struct pingo__store_db *db, int64_t workflow, int64_t position,
                                    const struct pingo_hash *hash, struct pingo_error *err);

/* A submission other than besides (0: any) that wants it, a new one rather than an old one; 0: nobody does. */
int pingo__store_wish_find(struct pingo__store_db *db, const struct pingo_hash *hash,
                           int64_t besides, int64_t *workflow, struct pingo_error *err);
/* All that a submission was meant to give, whether it still wants it or not. */
int pingo__store_wish_list(struct pingo__store_db *db, int64_t workflow,
                           struct pingo__store_hash_list *list, struct pingo_error *err);
/* Does this submission want it? */
int pingo__store_wish_has(struct pingo__store_db *db, int64_t workflow,
                          const struct pingo_hash *hash, bool *has, struct pingo_error *err);

int pingo__store_wish_release_workflow(struct pingo__store_db *db, int64_t workflow,
                                       struct pingo_error *err);
int pingo__store_wish_release_one(struct pingo__store_db *db, int64_t workflow,
                                  const struct pingo_hash *hash, struct pingo_error *err);
/* Of all submissions so far. */
int pingo__store_wish_release_hash(struct pingo__store_db *db, const struct pingo_hash *hash,
                                   struct pingo_error *err);

/* Of the submissions of a name the newest, and the newest that has finished well (0: none has); 0: there is none. */
int pingo__store_wish_newest(struct pingo__store_db *db, const char *name, int64_t *newest,
                             int64_t *finished, struct pingo_error *err);
/* The hashes that the submissions of this name which have ended, before a given one, wish. */
int pingo__store_wish_list_older(struct pingo__store_db *db, const char *name, int64_t before,
                                 struct pingo__store_hash_list *list, struct pingo_error *err);
/* And releases all of it. */
int pingo__store_wish_release_older(struct pingo__store_db *db, const char *name, int64_t before,
                                    struct pingo_error *err);

#endif
