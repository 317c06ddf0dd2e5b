/* written.c - see written.h. */
#include "store/written.h"

#include <string.h>

#include "base/error.h"

int pingo__written_get(struct pingo__db *db, const char *path, struct pingo__written *row,
                       struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT kind, content, stamp, size_bytes FROM written WHERE path = ?",
                             TEXT(path));
    if (!rc && (rc = pingo__db_step(db, stmt, err)) == 1) {
        row->kind = (enum pingo__written_kind)sqlite3_column_int(stmt, 0);
        pingo__column_hash(stmt, 1, &row->content);
        pingo__column_hash(stmt, 2, &row->stamp);
        row->size_bytes = pingo__column_int(stmt, 3, -1);
        sqlite3_reset(stmt);
    }
    return rc;
}

/* Zero stands for NULL. */
static const void *blob(const struct pingo_hash *hash)
{
    static const struct pingo_hash zero;
    return memcmp(hash, &zero, sizeof zero) == 0 ? NULL : hash->bytes;
}

int pingo__written_set(struct pingo__db *db, const char *path, const struct pingo__written *row,
                       struct pingo_error *err)
{
    int rc = pingo__db_run(db, err,
                           "INSERT OR REPLACE INTO written(path, kind, content, stamp, size_bytes)"
                           " VALUES(?, ?, ?, ?, ?)",
                           TEXT(path), INT(row->kind),
                           BLOB(blob(&row->content), sizeof row->content.bytes),
                           BLOB(blob(&row->stamp), sizeof row->stamp.bytes), OPT(row->size_bytes));
    return rc < 0 ? rc : 0;
}

int pingo__writing_insert(struct pingo__db *db, const struct pingo__writing *row,
                          struct pingo_error *err)
{
    int rc = pingo__db_run(db, err,
                           "INSERT INTO writing(temporary, path, owner, placed, kind, content)"
                           " VALUES(?, ?, ?, ?, ?, ?)",
                           TEXT(row->temporary), TEXT(row->path), INT(row->owner), INT(row->placed),
                           INT(row->kind), HASH(&row->content));
    return rc < 0 ? rc : 0;
}

int pingo__writing_set_placed(struct pingo__db *db, const char *temporary, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "UPDATE writing SET placed = 1 WHERE temporary = ?",
                           TEXT(temporary));
    return rc < 0 ? rc : 0;
}

int pingo__writing_delete(struct pingo__db *db, const char *temporary, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "DELETE FROM writing WHERE temporary = ?", TEXT(temporary));
    return rc < 0 ? rc : 0;
}

static int read_row(sqlite3_stmt *stmt, struct pingo__arena *arena, struct pingo__writing *row,
                    struct pingo_error *err)
{
    *row = (struct pingo__writing){.temporary = pingo__column_copy(stmt, 0, arena),
                                   .path = pingo__column_copy(stmt, 1, arena),
                                   .owner = sqlite3_column_int64(stmt, 2),
                                   .placed = sqlite3_column_int(stmt, 3) != 0,
                                   .kind = (enum pingo__written_kind)sqlite3_column_int(stmt, 4)};
    pingo__column_hash(stmt, 5, &row->content);
    return row->temporary && row->path ? 0 : pingo__fail_memory(err);
}

int pingo__writing_list(struct pingo__db *db, const char *path, struct pingo__arena *arena,
                        struct pingo__writing **rows, size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int64_t count = 0;
    int rc = pingo__db_int(db, err, &count, "SELECT count(*) FROM writing", NONE);
    *rows = NULL;
    *n = 0;
    if (rc < 0 || count == 0)
        return rc < 0 ? rc : 0;
    *rows = pingo__arena_array(arena, (size_t)count, sizeof **rows);
    rc = *rows ? pingo__db_query(db, err, &stmt,
                                 "SELECT temporary, path, owner, placed, kind, content"
                                 " FROM writing WHERE ?1 IS NULL OR path = ?1 ORDER BY temporary",
                                 TEXT(path))
               : pingo__fail_memory(err);
    while (rc >= 0 && *n < (size_t)count && (rc = pingo__db_step(db, stmt, err)) == 1) {
        rc = read_row(stmt, arena, &(*rows)[*n], err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
        (*n)++;
    }
    if (stmt && rc == 0)
        sqlite3_reset(stmt);
    return rc < 0 ? rc : 0;
}
