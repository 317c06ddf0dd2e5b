/* written.c - see written.h. */
#include "store/written.h"

#include <string.h>

#include "base/error.h"

int pingo__store_written_get(struct pingo__store_db *db, const char *path,
                             struct pingo__store_written *row, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT kind, content, stamp, size_bytes FROM written WHERE path = ?",
                             TEXT(path));
    if (!rc && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        row->kind = (enum pingo__store_written_kind)sqlite3_column_int(stmt, 0);
        pingo__store_column_hash(stmt, 1, &row->content);
        pingo__store_column_hash(stmt, 2, &row->stamp);
        row->size_bytes = pingo__store_column_int(stmt, 3, -1);
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

int pingo__store_written_set(struct pingo__store_db *db, const char *path,
                             const struct pingo__store_written *row, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err,
                           "INSERT OR REPLACE INTO written(path, kind, content, stamp, size_bytes)"
                           " VALUES(?, ?, ?, ?, ?)",
                           TEXT(path), INT(row->kind),
                           BLOB(blob(&row->content), sizeof row->content.bytes),
                           BLOB(blob(&row->stamp), sizeof row->stamp.bytes), OPT(row->size_bytes));
    return rc < 0 ? rc : 0;
}

int pingo__store_writing_insert(struct pingo__store_db *db, const struct pingo__store_writing *row,
                                struct pingo_error *err)
{
    int rc = pingo__db_run(db, err,
                           "INSERT INTO writing(temporary, path, owner, placed, kind, content)"
                           " VALUES(?, ?, ?, ?, ?, ?)",
                           TEXT(row->temporary), TEXT(row->path), INT(row->owner), INT(row->placed),
                           INT(row->kind), HASH(&row->content));
    return rc < 0 ? rc : 0;
}

int pingo__store_writing_set_placed(struct pingo__store_db *db, const char *temporary,
                                    struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "UPDATE writing SET placed = 1 WHERE temporary = ?",
                           TEXT(temporary));
    return rc < 0 ? rc : 0;
}

int pingo__store_writing_delete(struct pingo__store_db *db, const char *temporary,
                                struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "DELETE FROM writing WHERE temporary = ?", TEXT(temporary));
    return rc < 0 ? rc : 0;
}

static int read_row(sqlite3_stmt *stmt, struct pingo__arena *arena,
                    struct pingo__store_writing *row, struct pingo_error *err)
{
    *row = (struct pingo__store_writing){
        .temporary = pingo__store_column_copy(stmt, 0, arena),
        .path = pingo__store_column_copy(stmt, 1, arena),
        .owner = sqlite3_column_int64(stmt, 2),
        .placed = sqlite3_column_int(stmt, 3) != 0,
        .kind = (enum pingo__store_written_kind)sqlite3_column_int(stmt, 4)};
    pingo__store_column_hash(stmt, 5, &row->content);
    return row->temporary && row->path ? 0 : pingo__fail_memory(err);
}

int pingo__store_writing_list(struct pingo__store_db *db, const char *path,
                              struct pingo__arena *arena, struct pingo__store_writing **rows,
                              size_t *n, struct pingo_error *err)
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
    while (rc >= 0 && *n < (size_t)count && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
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
