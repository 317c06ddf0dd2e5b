/* access.h - tokens, what was done by whom, and the keys that users give to their requests. */
#ifndef PINGO__STORE_ACCESS_H
#define PINGO__STORE_ACCESS_H

#include <pingo/access.h>

#include "store/db.h"

/* ---- tokens ------------------------------------------------------------------------------- */

struct pingo__store_token_row {
    int64_t id;
    struct pingo_hash digest; /* of its text */
    const char *name, *user;
    enum pingo_role role;
    int64_t created_ms, expires_ms, used_ms, revoked_ms; /* -1: never */
};
PINGO__STORE_LIST(pingo__store_token_list, struct pingo__store_token_row);
/* In a write transaction. */
PINGO__WRITE(pingo__store_token_insert(DB, const struct pingo__store_token_row *r, ERR),
             "INSERT INTO token(name, digest, user, role, created_ms, expires_ms)"
             " VALUES(?, ?, ?, ?, ?, ?)",
             TEXT(r->name), HASH(&r->digest), TEXT(r->user), INT(r->role), INT(r->created_ms),
             OPT(r->expires_ms));
/* Texts in the arena; row->id 0: there is none. */
int pingo__store_token_find(DB, const struct pingo_hash *digest, struct pingo__arena *arena,
                            struct pingo__store_token_row *row, ERR);
/* The one of this name that was not revoked. */
int pingo__store_token_named(DB, const char *name, struct pingo__arena *arena,
                             struct pingo__store_token_row *row, ERR);
PINGO__WRITE(pingo__store_token_use(DB, int64_t id, int64_t now_ms, ERR),
             "UPDATE token SET used_ms = ?2 WHERE id = ?1", INT(id), INT(now_ms));
PINGO__WRITE(pingo__store_token_revoke(DB, int64_t id, int64_t now_ms, ERR),
             "UPDATE token SET revoked_ms = ?2 WHERE id = ?1", INT(id), INT(now_ms));
/* At most so many, numbers above after.  good_ms: those that are good then; -1: all. */
struct pingo__store_token_query {
    int64_t after, good_ms, limit;
};
int pingo__store_token_list(DB, const struct pingo__store_token_query *query,
                            struct pingo__store_token_list *list, ERR);

/* ---- what was done ------------------------------------------------------------------------ */

struct pingo__store_audit_row {
    int64_t id;
    struct pingo_audit audit;
};
PINGO__STORE_LIST(pingo__store_audit_list, struct pingo__store_audit_row);
/* In a write transaction. */
int pingo__store_audit_insert(struct pingo__store_db *db, const struct pingo_audit *audit,
                              struct pingo_error *err);
/* The newest below a number first; user NULL: of all; until_ms 0: no bound. */
struct pingo__store_audit_query {
    int64_t below, since_ms, until_ms, limit;
    const char *user;
};
int pingo__store_audit_list(DB, const struct pingo__store_audit_query *query,
                            struct pingo__store_audit_list *list, ERR);

/* ---- keys of requests --------------------------------------------------------------------- */

struct pingo__store_request {
    const char *user, *key;
    struct pingo_hash digest; /* of all that was asked for */
    int64_t at_ms;
    int64_t workflow;
    enum pingo_workflow_state state; /* when it was submitted */
};
/* Noted at since_ms or later; found->workflow 0: it was not. */
int pingo__store_request_find(DB, const struct pingo__store_request *asked, int64_t since_ms,
                              struct pingo__store_request *found, ERR);
/* In the transaction of the submission; those before since_ms are forgotten. */
int pingo__store_request_note(struct pingo__store_db *db, const struct pingo__store_request *request,
                              int64_t since_ms, struct pingo_error *err);
/* Nobody else works on this key, in any process, until it is let go.  *is_taken: now it is ours.  What a process held
 * that has died is free. */
int pingo__store_request_take(struct pingo__store_db *db, const struct pingo__store_request *request,
                              bool *is_taken, struct pingo_error *err);
void pingo__store_request_let_go(struct pingo__store_db *db,
                                 const struct pingo__store_request *request);

/* ---- whose datasets are ------------------------------------------------------------------- */

/* Of a hash and a user: */
struct pingo__store_whose {
    bool is_his;    /* his submission made the newest generation, or wants it as a result */
    bool is_others; /* that of another user wants it */
};
int pingo__store_dataset_whose(struct pingo__store_db *db, const struct pingo_hash *hash,
                               const char *user, struct pingo__store_whose *whose,
                               struct pingo_error *err);
/* The first two hashes in [low, high] of which there was ever a dataset: of this user, as his; NULL: of anybody. */
struct pingo__store_hash_range {
    struct pingo_hash low, high;
    const char *user;
};
int pingo__store_dataset_first_two(DB, const struct pingo__store_hash_range *range,
                                   struct pingo__store_hash_list *list, ERR);

#endif
