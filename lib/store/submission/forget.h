/* forget.h - taking texts out of the database, and out of its files. */
#ifndef PINGO__STORE_FORGET_H
#define PINGO__STORE_FORGET_H

#include <pingo/executor.h>

#include "store/submission/workflows.h"

/* Inside a write transaction. */

/* Marks a submission; its actions have no messages and originals any more. */
int pingo__store_forget_workflow(struct pingo__store_db *db, int64_t workflow,
                                 struct pingo_error *err);
/* Empties the texts of which every submission is marked, with the names in their graphs.  *n: how many. */
int pingo__store_forget_documents(struct pingo__store_db *db, int64_t *n, struct pingo_error *err);
/* A submission that is not marked and has the text of this one; 0: there is none. */
PINGO__NUMBER(pingo__store_forget_shares(DB, int64_t workflow, int64_t *other, ERR), other, 0,
              "SELECT max(w.id) FROM workflow v JOIN graph f ON f.id = v.graph"
              " JOIN graph g ON g.document = f.document JOIN workflow w ON w.graph = g.id"
              " WHERE v.id = ? AND w.forgotten = 0",
              INT(workflow));
/* The hashes that only submissions have which are marked, and whose descriptions are as they were. */
int pingo__store_forget_list(DB, struct pingo__store_hash_list *list, ERR);
/* Another description stands for it from now on; is_new false: it stood already. */
PINGO__CHANGE(pingo__store_forget_definition(DB, const struct pingo_hash *hash,
                                             const struct pingo__store_bytes *description,
                                             bool *is_new, ERR),
              is_new,
              "UPDATE definition SET description = ?2, places = NULL, forgotten = 1"
              " WHERE hash = ?1 AND forgotten = 0",
              HASH(hash), BLOB(description->bytes, description->n));

/* Drops the remarks where inputs lay that no description has any more. */
int pingo__store_forget_places(struct pingo__store_db *db, struct pingo_error *err);

/* Outside a transaction. */

/* Writes the database anew without what was deleted, and empties its log.  Waits some seconds for those who read an
 * old state: PINGO_EBUSY.  Other errors: PINGO_ENOSPACE. */
int pingo__store_forget_rewrite(struct pingo__store_db *db, struct pingo_error *err);
/* What failed of submissions that are forgotten, and of no other, leaves nothing that a person wrote.  In a transaction
 * of its own: month files see what is committed. */
int pingo__store_failure_forget(struct pingo__store_db *db, const int64_t *workflows, size_t n,
                                struct pingo_error *err);

#endif
