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

/* A submission that wants it, a new one rather than an old one; 0: nobody does. */
int pingo__store_wish_find(struct pingo__store_db *db, const struct pingo_hash *hash,
                           int64_t *workflow, struct pingo_error *err);
/* All that a submission was meant to give, whether it still wants it or not. */
static inline PINGO__LIST(pingo__store_wish_list(DB, int64_t workflow,
                                                 struct pingo__store_hash_list *list, ERR),
                          pingo__store_hashes, list,
                          "SELECT 0, hash FROM target WHERE workflow = ?1 UNION SELECT 0, n.hash"
                          " FROM workflow w CROSS JOIN graph_part gp ON gp.graph ="
                          " w.graph" PINGO__JOIN_NODES "AND n.leaf = 1 WHERE w.id = ?1 AND"
                          " NOT EXISTS (SELECT 1 FROM target WHERE workflow = ?1)",
                          INT(workflow));
/* Does this submission want it? */
PINGO__EXISTS(
    pingo__store_wish_has(DB, int64_t workflow, const struct pingo_hash *hash, bool *has, ERR), has,
    "SELECT 1 FROM workflow w WHERE w.id = ?2 AND CASE w.wishes"
    " WHEN 1 THEN EXISTS (SELECT 1 FROM node n INDEXED BY node_result" PINGO__JOIN_PARTS
    "AND gp.graph = w.graph WHERE n.hash = ?1 AND n.leaf = 1) WHEN 2 THEN EXISTS (SELECT 1 "
    "FROM target WHERE"
    " workflow = w.id AND hash = ?1) ELSE 0 END" PINGO__WISHES_STILL,
    HASH(hash), INT(workflow));
/* It did, by the row of its action: does it still? */
PINGO__EXISTS(pingo__store_wish_stays(DB, int64_t workflow, const struct pingo_hash *hash,
                                      bool *stays, ERR),
              stays, "SELECT 1 FROM workflow w WHERE w.id = ?2 AND w.wishes > 0" PINGO__WISHES_STILL,
              HASH(hash), INT(workflow));

int pingo__store_wish_release_workflow(struct pingo__store_db *db, int64_t workflow,
                                       struct pingo_error *err);
PINGO__WRITE(pingo__store_wish_release_one(DB, int64_t workflow, const struct pingo_hash *hash, ERR),
             "INSERT OR IGNORE INTO released(workflow, hash) VALUES(?, ?)", INT(workflow),
             HASH(hash));
/* Of all submissions so far. */
PINGO__WRITE(pingo__store_wish_release_hash(DB, const struct pingo_hash *hash, ERR),
             "INSERT OR REPLACE INTO unwished(hash, through)"
             " SELECT ?1, coalesce(max(id), 0) FROM workflow",
             HASH(hash));

/* Of the submissions of a name the newest, and the newest that has finished well (0: none has); 0: there is none. */
int pingo__store_wish_newest(struct pingo__store_db *db, const char *name, int64_t *newest,
                             int64_t *finished, struct pingo_error *err);
/* The hashes that the submissions of this name which have ended, before a given one, wish. */
int pingo__store_wish_list_older(DB, const char *name, int64_t before,
                                 struct pingo__store_hash_list *list, ERR);
/* And releases all of it. */
int pingo__store_wish_release_older(DB, const char *name, int64_t before, ERR);

#endif
