/* workflows.h - documents, submissions, definitions.
 *
 * A document is a workflow's text, kept once; a workflow is one submission of a graph. */
#ifndef PINGO__STORE_WORKFLOWS_H
#define PINGO__STORE_WORKFLOWS_H

#include "digest/originals.h"
#include "store/db.h"
#include "store/submission/graph.h"

struct pingo__store_document {
    int64_t id;
    struct pingo_hash digest; /* pingo__engine_document_digest() */
    const char *base_dir, *name;
    int64_t nactions;
    const void *text;
    size_t text_length;
};

/* *id 0: there is none. */
PINGO__NUMBER(pingo__store_document_find(DB, const struct pingo_hash *digest, int64_t *id, ERR), id,
              0, "SELECT id FROM document WHERE digest = ?", HASH(digest));
int pingo__store_document_insert(struct pingo__store_db *db, struct pingo__store_document *document,
                                 const struct pingo__digest_original *originals, size_t noriginals,
                                 struct pingo_error *err);
/* With its text, copied into the arena.  PINGO_ENOTFOUND. */
int pingo__store_document_load(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                               struct pingo__store_document *document, struct pingo_error *err);
/* The originals of a document: kind, name, path. */
PINGO__STORE_LIST(pingo__store_original_list, struct pingo__digest_original);
int pingo__store_document_originals(DB, int64_t id, struct pingo__store_original_list *list, ERR);

struct pingo__store_workflow_row {
    int64_t id, graph, document;
    enum pingo_workflow_state state; /* never PAUSED */
    const char *name, *user;
    int64_t user_number; /* of user: users.h */
    int64_t priority, submitted_ms, ended_ms, unfinished, nactions;
    struct pingo_plan_summary summary;
    bool paused;       /* beside state RUNNING */
    bool is_forgotten; /* its text is gone */
};
/* The state that is told. */
static inline enum pingo_workflow_state pingo__store_workflow_shown(
    const struct pingo__store_workflow_row *row)
{
    return row->state == PINGO_WORKFLOW_RUNNING && row->paused ? PINGO_WORKFLOW_PAUSED : row->state;
}
/* row->id and row->user_number are found; state is RUNNING, or FINISHED when unfinished is 0. */
int pingo__store_workflow_insert(struct pingo__store_db *db, struct pingo__store_workflow_row *row,
                                 struct pingo_error *err);
/* More actions of a submission that was planned again. */
PINGO__WRITE(pingo__store_workflow_add_unfinished(DB, int64_t workflow, int64_t n, ERR),
             "UPDATE workflow SET unfinished = unfinished + ?2 WHERE id = ?1", INT(workflow),
             INT(n));
/* Texts in the arena; row->id 0: there is none. */
int pingo__store_workflow_get(DB, int64_t id, struct pingo__arena *arena,
                              struct pingo__store_workflow_row *row, ERR);
/* Who submitted it (in the arena); "": there is no such submission. */
int pingo__store_workflow_user(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                               const char **user, struct pingo_error *err);
/* All that is told of a submission; texts in the arena; status->workflow 0: there is none. */
int pingo__store_workflow_status(DB, int64_t id, struct pingo__arena *arena,
                                 struct pingo_workflow_status *status, ERR);
PINGO__STORE_LIST(pingo__store_workflow_list, struct pingo_workflow_status);
/* What the query asks for by all but its page, behind the number `at` (0: from the beginning); up to limit. */
struct pingo__store_workflow_range {
    const struct pingo_workflow_query *query;
    int64_t at;
    size_t limit;
};
int pingo__store_workflow_list(struct pingo__store_db *db,
                               const struct pingo__store_workflow_range *range,
                               struct pingo__store_workflow_list *list, struct pingo_error *err);
/* The greatest number, 0 for none. */
PINGO__NUMBER(pingo__store_workflow_last(DB, int64_t *id, ERR), id, 0,
              "SELECT max(id) FROM workflow", NONE);
/* The next behind this one that was killed, and has unfinished actions; 0: there is none. */
PINGO__NUMBER(pingo__store_workflow_next_left(DB, int64_t after, int64_t *id, ERR), id, 0,
              "SELECT id FROM workflow WHERE id > ? AND state = " WORKFLOW_KILLED
              " AND unfinished > 0 ORDER BY id LIMIT 1",
              INT(after));
/* How many submissions are RUNNING and not paused. */
PINGO__NUMBER(pingo__store_workflow_running(DB, int64_t *n, ERR), n, 0,
              "SELECT count(*) FROM workflow WHERE state = " WORKFLOW_RUNNING " AND paused = 0",
              NONE);

/* In the arena; NULL: the hash is not known. */
static inline PINGO__GET(pingo__store_definition_get(DB, const struct pingo_hash *hash,
                                                     struct pingo__arena *arena,
                                                     struct pingo__store_bytes *description, ERR),
                         pingo__store_blobs, arena, description,
                         "SELECT 0, description FROM definition WHERE hash = ?", HASH(hash));
/* Is it what was hashed? */
bool pingo__store_definition_is_sound(const struct pingo_hash *hash,
                                      const struct pingo__store_bytes *description);
/* *description: yours; NULL: the hash is not known.  PINGO_ECORRUPT: it is not what was hashed. */
int pingo__store_definition_decoded(struct pingo__store_db *db, const struct pingo_hash *hash,
                                    struct pingo_description **description, struct pingo_error *err);
/* 0 when the hash is unknown or known with this description, else PINGO_ECOLLISION. */
int pingo__store_definition_check(struct pingo__store_db *db, const struct pingo_hash *hash,
                                  const void *description, size_t length, struct pingo_error *err);

/* By a tag a program finds again what it submitted.  Set in the write transaction of the submission. */
PINGO__WRITE(pingo__store_tag_set(DB, int64_t workflow, const char *tag, ERR),
             "UPDATE workflow SET tag = ?2 WHERE id = ?1", INT(workflow), TEXT(tag));
/* The newest submission with this tag; 0: there is none. */
PINGO__NUMBER(pingo__store_tag_find(DB, const char *tag, int64_t *workflow, ERR), workflow, 0,
              "SELECT id FROM workflow WHERE tag = ? ORDER BY id DESC LIMIT 1", TEXT(tag));

/* The next free numbers of actions and datasets, for rows with given ids; of an action none that it had in a later
 * state of the database.  In a write transaction. */
int pingo__store_next_ids(struct pingo__store_db *db, int64_t *action, int64_t *dataset,
                          struct pingo_error *err);

#endif
