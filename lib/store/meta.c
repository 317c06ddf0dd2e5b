/* meta.c - see meta.h. */
#include "store/meta.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

static int get_text(struct pingo__store_db *db, const char *sql, const char *key, char **value,
                    struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, sql, TEXT(key));
    *value = NULL;
    if (rc)
        return rc;
    rc = pingo__store_db_step(db, stmt, err);
    if (rc != 1)
        return rc;
    *value = strdup(pingo__store_column_text(stmt, 0));
    sqlite3_reset(stmt);
    return *value ? 0 : pingo__fail_memory(err);
}

int pingo__store_meta_get(struct pingo__store_db *db, const char *key, char **value,
                          struct pingo_error *err)
{
    return get_text(db, "SELECT value FROM meta WHERE key = ?", key, value, err);
}

int pingo__store_meta_set(struct pingo__store_db *db, const char *key, const char *value,
                          struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)",
                           TEXT(key), TEXT(value));
    return rc < 0 ? rc : 0;
}

int pingo__store_meta_number(struct pingo__store_db *db, const char *key, int64_t *n,
                             struct pingo_error *err)
{
    *n = 0;
    int rc = pingo__db_int(db, err, n, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?",
                           TEXT(key));
    return rc < 0 ? rc : 0;
}

int pingo__store_meta_count(struct pingo__store_db *db, const char *key, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err,
                           "INSERT INTO meta VALUES(?, '1') ON CONFLICT(key) DO UPDATE"
                           " SET value = CAST(value AS INTEGER) + 1",
                           TEXT(key));
    return rc < 0 ? rc : 0;
}

int pingo__store_meta_take(struct pingo__store_db *db, const char *key, struct pingo_error *err)
{
    return pingo__db_run(db, err, "DELETE FROM meta WHERE key = ?", TEXT(key));
}

int pingo__store_setting_get(struct pingo__store_db *db, const char *key, char **value,
                             struct pingo_error *err)
{
    return get_text(db, "SELECT value FROM setting WHERE key = ?", key, value, err);
}

int pingo__store_setting_keys(struct pingo__store_db *db, const char *prefix,
                              struct pingo__arena *arena, const char ***keys, size_t *n,
                              struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    size_t capacity = 0;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT key FROM setting WHERE substr(key, 1, length(?1)) = ?1"
                             " ORDER BY key",
                             TEXT(prefix));
    *keys = NULL;
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        const char **more = pingo__arena_more(arena, (void *)*keys, *n, &capacity, sizeof *more);
        if (more)
            *keys = more;
        if (!more || !(more[(*n)++] = pingo__store_column_copy(stmt, 0, arena))) {
            sqlite3_reset(stmt);
            return pingo__fail_memory(err);
        }
    }
    return rc < 0 ? rc : 0;
}

int pingo__store_setting_set(struct pingo__store_db *db, const char *key, const char *value,
                             struct pingo_error *err)
{
    int rc = value
                 ? pingo__db_run(db, err, "INSERT OR REPLACE INTO setting(key, value) VALUES(?, ?)",
                                 TEXT(key), TEXT(value))
                 : pingo__db_run(db, err, "DELETE FROM setting WHERE key = ?", TEXT(key));
    return rc < 0 ? rc : 0;
}

int pingo__store_owner_insert(struct pingo__store_db *db, const char *boot_id, int64_t pid,
                              int64_t now_ms, int64_t *owner, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "INSERT INTO owner(boot_id, pid, started_ms) VALUES(?, ?, ?)",
                           TEXT(boot_id), INT(pid), INT(now_ms));
    *owner = sqlite3_last_insert_rowid(db->sqlite);
    return rc < 0 ? rc : 0;
}

int pingo__store_owner_delete(struct pingo__store_db *db, int64_t owner, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "DELETE FROM owner WHERE id = ?", INT(owner));
    return rc < 0 ? rc : 0;
}

int pingo__store_owner_list(struct pingo__store_db *db, int64_t **owners, size_t *n,
                            struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int64_t *list = NULL;
    size_t count = 0, capacity = 0;
    int rc = pingo__db_query(db, err, &stmt, "SELECT id FROM owner ORDER BY id", NONE);
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        if (!pingo__array_room((void **)&list, &capacity, count, 1, sizeof *list)) {
            sqlite3_reset(stmt);
            rc = pingo__fail_memory(err);
            break;
        }
        list[count++] = sqlite3_column_int64(stmt, 0);
    }
    if (rc < 0) {
        free(list);
        list = NULL;
        count = 0;
    }
    *owners = list;
    *n = count;
    return rc < 0 ? rc : 0;
}

int pingo__store_file_content_find(struct pingo__store_db *db,
                                   const struct pingo__digest_file_stat *st,
                                   struct pingo_hash *hash, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT hash FROM file_content WHERE device = ? AND inode = ? AND"
                             " size = ? AND mtime_ns = ? AND ctime_ns = ?",
                             INT(st->device), INT(st->inode), INT(st->size), INT(st->mtime_ns),
                             INT(st->ctime_ns));
    if (rc)
        return rc;
    rc = pingo__store_db_step(db, stmt, err);
    if (rc == 1) {
        pingo__store_column_hash(stmt, 0, hash);
        sqlite3_reset(stmt);
    }
    return rc;
}

int pingo__store_file_content_remember(struct pingo__store_db *db,
                                       const struct pingo__digest_file_stat *st,
                                       const struct pingo_hash *hash, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err,
                           "INSERT OR REPLACE INTO file_content(device, inode, size, mtime_ns,"
                           " ctime_ns, hash) VALUES(?, ?, ?, ?, ?, ?)",
                           INT(st->device), INT(st->inode), INT(st->size), INT(st->mtime_ns),
                           INT(st->ctime_ns), HASH(hash));
    return rc < 0 ? rc : 0;
}

int pingo__store_version_output_find(struct pingo__store_db *db, const struct pingo_hash *key,
                                     int64_t since_ms, struct pingo_hash *output, char **text,
                                     struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt, "SELECT output, text FROM version_output WHERE key = ? AND said_ms >= ?",
        HASH(key), INT(since_ms));
    if (rc)
        return rc;
    rc = pingo__store_db_step(db, stmt, err);
    if (rc == 1) {
        pingo__store_column_hash(stmt, 0, output);
        *text = strdup(pingo__store_column_text(stmt, 1));
        sqlite3_reset(stmt);
        rc = *text ? 1 : pingo__fail_memory(err);
    }
    return rc;
}

int pingo__store_version_output_remember(struct pingo__store_db *db, const struct pingo_hash *key,
                                         const struct pingo_hash *output, const char *text,
                                         int64_t now_ms, int64_t since_ms, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "DELETE FROM version_output WHERE said_ms < ?", INT(since_ms));
    if (rc >= 0)
        rc = pingo__db_run(db, err,
                           "INSERT OR REPLACE INTO version_output(key, output, text, said_ms)"
                           " VALUES(?, ?, ?, ?)",
                           HASH(key), HASH(output), TEXT(text), INT(now_ms));
    return rc < 0 ? rc : 0;
}
