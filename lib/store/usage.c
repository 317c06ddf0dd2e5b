/* usage.c - see usage.h. */
#include "store/usage.h"

#include <string.h>

#include "rules/effects.h"

/* ---- counting ------------------------------------------------------------------------ */

/* With which state the others keep it; 0: there is none. */
static int state_of_others(struct pingo__store_db *db, int64_t dataset,
                           enum pingo_dataset_state *state, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT e.state FROM dataset d CROSS JOIN dataset e ON"
                             " e.object = d.object AND e.shared = 1 WHERE d.id = ?1 AND"
                             " e.id <> ?1 AND e.managed = 1",
                             INT(dataset));
    *state = 0;
    while (!rc && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        *state = pingo__rules_dataset_counted(
            *state, (enum pingo_dataset_state)sqlite3_column_int(stmt, 0));
        rc = 0;
    }
    return rc;
}

struct bytes {
    int64_t size;
    bool managed, shared;
};

static int bytes_of(struct pingo__store_db *db, int64_t dataset, struct bytes *b,
                    struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT o.size_bytes, d.managed, d.shared FROM dataset d"
                             " CROSS JOIN object o ON o.id = d.object WHERE d.id = ?",
                             INT(dataset));
    *b = (struct bytes){.size = 0};
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    *b = (struct bytes){.size = sqlite3_column_int64(stmt, 0),
                        .managed = sqlite3_column_int(stmt, 1) != 0,
                        .shared = sqlite3_column_int(stmt, 2) != 0};
    sqlite3_reset(stmt);
    return 0;
}

int pingo__store_usage_move(struct pingo__store_db *db, int64_t dataset,
                            enum pingo_dataset_state from, enum pingo_dataset_state to,
                            struct pingo_error *err)
{
    int64_t n[PINGO__DATASET_STATES] = {0}, bytes[PINGO__DATASET_STATES] = {0};
    struct bytes b;
    enum pingo_dataset_state others = 0;
    if (from == to ||
        (!pingo_dataset_state_takes_space(from) && !pingo_dataset_state_takes_space(to)))
        return 0;
    int rc = bytes_of(db, dataset, &b, err);
    if (!rc && b.shared)
        rc = state_of_others(db, dataset, &others, err);
    if (rc || !b.managed)
        return rc;
    n[from] = -1;
    n[to] = 1;
    bytes[pingo__rules_dataset_counted(from, others)] -= b.size;
    bytes[pingo__rules_dataset_counted(to, others)] += b.size;
    for (enum pingo_dataset_state state = 1; rc >= 0 && state < PINGO__DATASET_STATES; state++)
        if (pingo_dataset_state_takes_space(state) && (n[state] || bytes[state]))
            rc = pingo__db_run(db, err,
                               "UPDATE usage SET ndatasets = ndatasets + ?2,"
                               " bytes = bytes + ?3 WHERE state = ?1",
                               INT(state), INT(n[state]), INT(bytes[state]));
    return rc < 0 ? rc : 0;
}

/* ---- reading --------------------------------------------------------------------------- */

int pingo__store_usage_read(struct pingo__store_db *db, struct pingo__store_usage *u,
                            struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, "SELECT state, ndatasets, bytes FROM usage", NONE);
    memset(u, 0, sizeof *u);
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        enum pingo_dataset_state state = (enum pingo_dataset_state)sqlite3_column_int(stmt, 0);
        if (!pingo_dataset_state_name(state))
            continue;
        u->ndatasets[state] = sqlite3_column_int64(stmt, 1);
        u->bytes[state] = sqlite3_column_int64(stmt, 2);
    }
    if (rc >= 0) /* u first: few or none */
        rc = pingo__db_int(db, err, &u->undeletable_bytes,
                           "SELECT sum(o.size_bytes) FROM undeletable u CROSS JOIN dataset d"
                           " ON d.id = u.dataset CROSS JOIN object o ON o.id = d.object"
                           " WHERE d.state = " DATASET_DELETING,
                           NONE);
    if (rc >= 0)
        rc = pingo__db_int(db, err, &u->orphan_bytes, "SELECT sum(bytes) FROM orphan", NONE);
    if (rc >= 0)
        rc = pingo__db_int(db, err, &u->failed_bytes,
                           "SELECT sum(scratch_bytes) FROM attempt WHERE scratch_bytes IS NOT NULL",
                           NONE);
    return rc < 0 ? rc : 0;
}

int64_t pingo__store_usage_used(const struct pingo__store_usage *u)
{
    return u->bytes[PINGO_DATASET_STORED] + u->bytes[PINGO_DATASET_LEAF] + u->undeletable_bytes +
           u->orphan_bytes + u->failed_bytes;
}

/* Is there another generation e that has the bytes of d? */
#define SHARER(which)                                                                              \
    "EXISTS (SELECT 1 FROM dataset e WHERE e.object = d.object AND e.shared = 1 AND" which ")"
#define IS_HELD(x)                                                                                 \
    "(SELECT dataset FROM claim WHERE dataset = " x ".id UNION ALL SELECT dataset"                 \
    " FROM hold WHERE dataset = " x ".id)"

int pingo__store_usage_held(struct pingo__store_db *db, struct pingo__store_held *held,
                            struct pingo_error *err)
{
    memset(held, 0, sizeof *held);
    int rc = pingo__db_int(
        db, err, &held->kept_bytes,
        "SELECT sum(o.size_bytes) FROM dataset d CROSS JOIN object o ON o.id = d.object WHERE"
        " d.pinned = 1 AND d.state = " DATASET_STORED
        " AND d.managed = 1 AND (d.shared = 0 OR NOT " SHARER(
            " (e.state = " DATASET_LEAF " OR (e.state = " DATASET_STORED
            " AND e.pinned = 1 AND e.id < d.id))") ")",
        NONE);
    if (rc >= 0)
        rc = pingo__db_int(
            db, err, &held->claimed_bytes,
            "SELECT sum(o.size_bytes) FROM dataset d CROSS JOIN object o ON o.id = d.object"
            " WHERE d.id IN (SELECT dataset FROM claim UNION SELECT dataset FROM hold)"
            " AND d.pinned = 0 AND d.state = " DATASET_STORED
            " AND d.managed = 1 AND (d.shared = 0 OR "
            "NOT " SHARER(" (e.state = " DATASET_LEAF " OR (e.state = " DATASET_STORED
                          " AND (e.pinned = 1 OR (e.id < d.id AND"
                          " EXISTS " IS_HELD("e") "))))") ")",
            NONE);
    return rc < 0 ? rc : 0;
}
