/* access.c - see access.h. */
#include "store/access.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/error.h"
#include "digest/sha256.h"
#include "store/submission/graph.h"
#include "store/dataset/wishes.h"

/* ---- tokens ------------------------------------------------------------------------------- */

/* clang-format off */
#define TOKEN(F, T)                                                                                \
    F(T, INT, id, "id") F(T, HASH, digest, "digest") F(T, TEXT, name, "name")                      \
    F(T, TEXT, user, "user") F(T, INT, role, "role") F(T, INT, created_ms, "created_ms")           \
    F(T, OPT, expires_ms, "expires_ms") F(T, OPT, used_ms, "used_ms")                              \
    F(T, OPT, revoked_ms, "revoked_ms")
#define AUDIT(F, T)                                                                                \
    F(T, INT, id, "id") F(T, INT, audit.at_ms, "at_ms") F(T, TEXT, audit.user, "user")             \
    F(T, TEXT, audit.way, "way") F(T, TEXT, audit.verb, "verb")                                    \
    F(T, TEXT, audit.object, "object") F(T, TEXT, audit.result, "result")
#define REQUEST(F, T)                                                                              \
    F(T, HASH, digest, "digest") F(T, INT, at_ms, "at_ms") F(T, INT, workflow, "workflow")         \
    F(T, INT, state, "state")
/* clang-format on */
PINGO__KIND(tokens, struct pingo__store_token_row, TOKEN);
PINGO__KIND(audits, struct pingo__store_audit_row, AUDIT);
PINGO__KIND(requests, struct pingo__store_request, REQUEST);
#define TOKENS PINGO__SELECT(TOKEN) " FROM token"

PINGO__GET(pingo__store_token_find(DB, const struct pingo_hash *digest, struct pingo__arena *arena,
                                   struct pingo__store_token_row *row, ERR),
           tokens, arena, row, TOKENS " WHERE digest = ?", HASH(digest));

PINGO__GET(pingo__store_token_named(DB, const char *name, struct pingo__arena *arena,
                                    struct pingo__store_token_row *row, ERR),
           tokens, arena, row, TOKENS " WHERE name = ? AND revoked_ms IS NULL", TEXT(name));

PINGO__LIST(pingo__store_token_list(DB, const struct pingo__store_token_query *q,
                                    struct pingo__store_token_list *list, ERR),
            tokens, list,
            TOKENS " WHERE id > ?1 AND (?2 < 0 OR (revoked_ms IS NULL AND"
                   " (expires_ms IS NULL OR expires_ms > ?2))) ORDER BY id LIMIT ?3",
            INT(q->after), INT(q->good_ms), INT(q->limit));

/* ---- what was done ------------------------------------------------------------------------ */

int pingo__store_audit_insert(struct pingo__store_db *db, const struct pingo_audit *a,
                              struct pingo_error *err)
{
    int rc = pingo__db_write(db, err,
                             "INSERT INTO audit(at_ms, user, way, verb, object, result)"
                             " VALUES(?, ?, ?, ?, ?, ?)",
                             INT(a->at_ms), TEXT(a->user), TEXT(a->way), TEXT(a->verb),
                             TEXT(a->object), TEXT(a->result));
    return rc ? rc
              : pingo__db_write(
                    db, err, "DELETE FROM audit WHERE id <= last_insert_rowid() - 1000000", NONE);
}

PINGO__LIST(pingo__store_audit_list(DB, const struct pingo__store_audit_query *q,
                                    struct pingo__store_audit_list *list, ERR),
            audits, list,
            PINGO__SELECT(AUDIT) " FROM audit WHERE id < ?1 AND at_ms >= ?2 AND (?3 = 0 OR at_ms <"
                                 " ?3) AND (?4 IS NULL OR user = ?4) ORDER BY id DESC LIMIT ?5",
            INT(q->below), INT(q->since_ms), INT(q->until_ms), TEXT(q->user), INT(q->limit));

/* ---- keys of requests --------------------------------------------------------------------- */

PINGO__GET(pingo__store_request_find(DB, const struct pingo__store_request *asked, int64_t since_ms,
                                     struct pingo__store_request *found, ERR),
           requests, NULL, found,
           PINGO__SELECT(REQUEST) " FROM request WHERE user = ? AND key = ? AND at_ms >= ?",
           TEXT(asked->user), TEXT(asked->key), INT(since_ms));

int pingo__store_request_note(struct pingo__store_db *db, const struct pingo__store_request *r,
                              int64_t since_ms, struct pingo_error *err)
{
    int rc = pingo__db_write(db, err, "DELETE FROM request WHERE at_ms < ?", INT(since_ms));
    return rc ? rc
              : pingo__db_write(db, err,
                                "INSERT OR REPLACE INTO request(user, key, digest, at_ms, workflow,"
                                " state) VALUES(?, ?, ?, ?, ?, ?)",
                                TEXT(r->user), TEXT(r->key), HASH(&r->digest), INT(r->at_ms),
                                INT(r->workflow), INT(r->state));
}

/* A byte of the lock file, far behind its end, is locked: the kernel lets go of it with the process.  It is the
 * descriptor's own, so that handles of one process hinder each other too.  That of another key is taken for it once in
 * 2^62 times, which delays a request. */
static int lock_byte(struct pingo__store_db *db, const struct pingo__store_request *r, int type,
                     bool *is_free, struct pingo_error *err)
{
    struct pingo__buffer b = {0};
    struct pingo_hash hash;
    uint64_t at = 0;
    pingo__buffer_counted(&b, r->user, strlen(r->user));
    pingo__buffer_counted(&b, r->key, strlen(r->key));
    if (pingo__digest_buffer(&b, &hash))
        return pingo__fail_memory(err);
    memcpy(&at, hash.bytes, sizeof at);
    struct flock lock = {
        .l_type = (short)type, .l_whence = SEEK_SET, .l_start = (off_t)(at >> 2) + 1024, .l_len = 1};
    *is_free = fcntl(db->lock_fd, F_OFD_SETLK, &lock) == 0;
    return *is_free || errno == EAGAIN || errno == EACCES
               ? 0
               : pingo__fail_os(err, errno, "locking a key in", db->lock_path);
}

int pingo__store_request_take(struct pingo__store_db *db, const struct pingo__store_request *r,
                              bool *is_taken, struct pingo_error *err)
{
    return lock_byte(db, r, F_WRLCK, is_taken, err);
}

void pingo__store_request_let_go(struct pingo__store_db *db, const struct pingo__store_request *r)
{
    bool is_free;
    lock_byte(db, r, F_UNLCK, &is_free, NULL);
}

/* ---- whose datasets are ------------------------------------------------------------------- */

/* Submissions whose result it is, and that still want it: of each user one is enough. */
#define WISHING(hash, who)                                                                         \
    "SELECT 1 FROM node n INDEXED BY node_result" PINGO__JOIN_PARTS                                \
    "JOIN workflow w ON w.graph = gp.graph AND w.wishes = 1 WHERE n.hash = " hash                  \
    " AND n.leaf = 1 AND w.user " who                                                              \
    PINGO__WISHES_STILL_OF(hash) " UNION ALL SELECT 1 FROM target t JOIN workflow w ON w.id = "    \
                                 "t.workflow WHERE t.hash = " hash                                 \
                                 " AND w.wishes = 2 AND w.user " who                               \
                                 PINGO__WISHES_STILL_OF(hash)
/* His submission made the newest generation, or wants it. */
#define HIS(hash, user)                                                                            \
    "SELECT 1 FROM dataset d JOIN action a ON a.id = d.action JOIN workflow w ON w.id ="           \
    " a.workflow WHERE d.hash = " hash " AND d.current = 1 AND w.user = " user                     \
    " UNION ALL " WISHING(hash, "= " user)

int pingo__store_dataset_whose(struct pingo__store_db *db, const struct pingo_hash *hash,
                               const char *user, struct pingo__store_whose *whose,
                               struct pingo_error *err)
{
    int rc = pingo__db_exists(db, err, &whose->is_his, HIS("?1", "?2"), HASH(hash), TEXT(user));
    return rc ? rc
              : pingo__db_exists(db, err, &whose->is_others, WISHING("?1", "<> ?2"), HASH(hash),
                                 TEXT(user));
}

PINGO__LIST(pingo__store_dataset_first_two(DB, const struct pingo__store_hash_range *range,
                                           struct pingo__store_hash_list *list, ERR),
            pingo__store_hashes, list,
            "SELECT DISTINCT 0, x.hash FROM dataset x WHERE x.hash BETWEEN ?1 AND ?2"
            " AND (?3 IS NULL OR EXISTS (" HIS("x.hash", "?3") ")) ORDER BY x.hash LIMIT 2",
            HASH(&range->low), HASH(&range->high), TEXT(range->user));
