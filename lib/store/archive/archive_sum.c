/* archive_sum.c - what the rows that are read in a month file come to, so that who checks it sees what was changed
 * there.
 *
 * Each row comes to a number of its own and all are added up, so the order of the rows and of the submissions is of no
 * matter.  The store keeps the sum of each file beside its other small values (meta: "archive.sum.NUMBER"), with how
 * many submissions are in it: a file to which an older Pingo moved something has none, or one of fewer than it holds.
 * It shows accidents, not whoever changes the store as well. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mix.h"
#include "store/archive/archive_file.h"
#include "store/meta.h"

#define ALL_THERE                                                                                  \
    " FROM moved m CROSS JOIN workflow w ON w.id = m.workflow WHERE w.archived = (SELECT archive"  \
    " FROM here) AND m.ended_ms = w.ended_ms"

static uint64_t add_bytes(uint64_t sum, const uint8_t *bytes, size_t n)
{
    uint8_t rest[8] = {0};
    sum = pingo__mix(sum ^ n);
    for (; n >= 8; n -= 8, bytes += 8)
        sum = pingo__mix(sum ^ pingo__mix_read(bytes));
    if (n)
        memcpy(rest, bytes, n);
    return n ? pingo__mix(sum ^ pingo__mix_read(rest)) : sum;
}

/* What is NULL adds nothing: a file keeps its sum where a table has got a column.  false: no memory. */
static bool add_column(uint64_t *sum, sqlite3_stmt *stmt, int i)
{
    int type = sqlite3_column_type(stmt, i);
    if (type == SQLITE_NULL)
        return true;
    *sum = pingo__mix(*sum ^ ((uint64_t)i << 8 | (uint64_t)type));
    if (type == SQLITE_INTEGER) {
        *sum = pingo__mix(*sum ^ (uint64_t)sqlite3_column_int64(stmt, i));
        return true;
    }
    const void *bytes = sqlite3_column_blob(stmt, i);
    size_t n = (size_t)sqlite3_column_bytes(stmt, i);
    if (n && !bytes)
        return false;
    *sum = add_bytes(*sum, bytes, n);
    return true;
}

static int add_rows(struct pingo__store_db *month, sqlite3_stmt *stmt, uint64_t table,
                    uint64_t *sum, struct pingo_error *err)
{
    bool is_row = false;
    int rc = pingo__store_db_next(month, stmt, &is_row, err);
    while (!rc && is_row) {
        uint64_t row = pingo__mix(table);
        bool has_memory = true;
        for (int i = 0; has_memory && i < sqlite3_column_count(stmt); i++)
            has_memory = add_column(&row, stmt, i);
        *sum += row;
        rc = has_memory ? pingo__store_db_next(month, stmt, &is_row, err) : pingo__fail_memory(err);
    }
    if (rc)
        sqlite3_reset(stmt);
    return rc;
}

static int add_up(struct pingo__store_db *month, const char *const sql[3], int64_t workflow,
                  uint64_t *sum, struct pingo_error *err)
{
    int rc = 0;
    *sum = 0;
    for (size_t i = 0; !rc && i < 3; i++) {
        sqlite3_stmt *stmt = NULL;
        const struct pingo__store_bind binds[] = {INT(workflow), NONE};
        const struct pingo__store_sql query = {sql[i], workflow ? binds : &binds[1]};
        rc = pingo__store_db_select(month, &query, &stmt, err);
        if (!rc)
            rc = add_rows(month, stmt, i, sum, err);
    }
    return rc;
}

int pingo__store_archive_sum_one(struct pingo__store_db *month, int64_t workflow, uint64_t *sum,
                                 struct pingo_error *err)
{
    static const char *const sql[] = {
        "SELECT * FROM moved WHERE workflow = ?1",
        "SELECT t.* FROM action a CROSS JOIN attempt t ON t.action = a.id WHERE a.workflow = ?1",
        "SELECT d.* FROM action a CROSS JOIN dependency d ON d.child = a.id WHERE a.workflow = ?1",
    };
    return add_up(month, sql, workflow, sum, err);
}

int pingo__store_archive_sum_all(struct pingo__store_db *month, uint64_t *sum,
                                 struct pingo_error *err)
{
    static const char *const sql[] = {
        "SELECT m.*" ALL_THERE,
        "SELECT t.* FROM (SELECT w.id" ALL_THERE ") x CROSS JOIN action a ON a.workflow = x.id"
        " CROSS JOIN attempt t ON t.action = a.id",
        /* The other way round, for older files have no index of children. */
        "SELECT d.* FROM dependency d CROSS JOIN action a ON a.id = d.child WHERE a.workflow IN"
        " (SELECT w.id" ALL_THERE ")",
    };
    return add_up(month, sql, 0, sum, err);
}

/* ---- what the store keeps ------------------------------------------------------------------------ */

struct kept {
    int64_t workflows; /* that it says are there, */
    const char *text;  /* and how many are in the sum, and the sum; NULL: none is kept */
};
#define KEPT(F, T)                                                                                 \
    F(T, INT, workflows, "workflows")                                                              \
    F(T, MAYBE, text, "(SELECT value FROM meta WHERE key = 'archive.sum.' || archive.id)")
PINGO__KIND(kept_kind, struct kept, KEPT);

int pingo__store_archive_sum_kept(struct pingo__store_db *db, int64_t id,
                                  struct pingo__store_archive_sum *kept, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct kept row = {0};
    int64_t n = 0;
    int rc = pingo__db_row(db, err, &kept_kind, &arena, &row,
                           PINGO__SELECT(KEPT) " FROM archive WHERE id = ?", INT(id));
    *kept = (struct pingo__store_archive_sum){.workflows = row.workflows};
    if (row.text && sscanf(row.text, "%" SCNd64 " %" SCNx64, &n, &kept->sum) == 2)
        kept->is_known = n == row.workflows;
    kept->is_known |= row.workflows == 0;
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__store_archive_sum_keep(struct pingo__store_db *db, int64_t id,
                                  const struct pingo__store_archive_sum *sum,
                                  struct pingo_error *err)
{
    char key[64], value[64];
    snprintf(key, sizeof key, "archive.sum.%" PRId64, id);
    snprintf(value, sizeof value, "%" PRId64 " %016" PRIx64, sum->workflows, sum->sum);
    return pingo__store_meta_set(db, key, value, err);
}
