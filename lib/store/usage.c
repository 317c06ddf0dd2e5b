/* usage.c - see usage.h. */
#include "store/usage.h"
#include "rules/states.h"

#include <string.h>

int pingo__usage_read(struct pingo__db *db, struct pingo__usage *u, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, "SELECT state, ndatasets, bytes FROM usage", "");

    memset(u, 0, sizeof *u);
    while (rc >= 0 && (rc = pingo__db_step(db, stmt, err)) == 1) {
        int state = sqlite3_column_int(stmt, 0);

        if (!pingo_dataset_state_name(state))
            continue;
        u->ndatasets[state] = sqlite3_column_int64(stmt, 1);
        u->bytes[state] = sqlite3_column_int64(stmt, 2);
    }
    if (rc >= 0)
        rc = pingo__db_int(
            db, err, &u->undeletable_bytes,
            "SELECT sum(d.size_bytes) FROM undeletable u CROSS JOIN dataset d"
            " ON d.id = u.dataset WHERE d.state = " DATASET_DELETING, /* u first: few or none */
            "");
    if (rc >= 0)
        rc = pingo__db_int(db, err, &u->orphan_bytes, "SELECT sum(bytes) FROM orphan", "");
    if (rc >= 0)
        rc = pingo__db_int(db, err, &u->failed_bytes,
                           "SELECT sum(scratch_bytes) FROM attempt WHERE scratch_bytes IS NOT NULL",
                           "");
    return rc < 0 ? rc : 0;
}

int64_t pingo__usage_used(const struct pingo__usage *u)
{
    return u->bytes[PINGO_DATASET_STORED] + u->bytes[PINGO_DATASET_LEAF] + u->undeletable_bytes +
           u->orphan_bytes + u->failed_bytes;
}

int pingo__usage_held(struct pingo__db *db, struct pingo__held *held, struct pingo_error *err)
{
    int rc;

    memset(held, 0, sizeof *held);
    rc = pingo__db_int(
        db, err, &held->kept_bytes,
        "SELECT sum(size_bytes) FROM dataset WHERE pinned = 1 AND state = " DATASET_STORED " AND"
        " managed = 1",
        "");
    if (rc >= 0)
        rc = pingo__db_int(db, err, &held->claimed_bytes,
                           "SELECT sum(d.size_bytes) FROM dataset d WHERE d.id IN"
                           " (SELECT dataset FROM claim UNION SELECT dataset FROM hold)"
                           " AND d.pinned = 0 AND d.state = " DATASET_STORED " AND d.managed = 1",
                           "");
    return rc < 0 ? rc : 0;
}
