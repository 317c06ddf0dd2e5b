/* meta.c - see meta.h. */
#include "store/meta.h"

#include <string.h>

#include "base/error.h"

static int get_text(struct pingo__store_db *db, const char *sql, const char *key, char **value,
                    struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    const char *text = NULL;
    int rc = pingo__db_row(db, err, &pingo__store_texts, &arena, &text, sql, TEXT(key));
    *value = text ? strdup(text) : NULL;
    if (text && !*value)
        rc = pingo__fail_memory(err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__store_meta_get(struct pingo__store_db *db, const char *key, char **value,
                          struct pingo_error *err)
{
    return get_text(db, "SELECT 0, value FROM meta WHERE key = ?", key, value, err);
}

int pingo__store_setting_get(struct pingo__store_db *db, const char *key, char **value,
                             struct pingo_error *err)
{
    return get_text(db, "SELECT 0, value FROM setting WHERE key = ?", key, value, err);
}

int pingo__store_setting_set(struct pingo__store_db *db, const char *key, const char *value,
                             struct pingo_error *err)
{
    return value
               ? pingo__db_write(db, err, "INSERT OR REPLACE INTO setting(key, value) VALUES(?, ?)",
                                 TEXT(key), TEXT(value))
               : pingo__db_write(db, err, "DELETE FROM setting WHERE key = ?", TEXT(key));
}

int pingo__store_owner_insert(struct pingo__store_db *db, struct pingo__store_owner_row *row,
                              struct pingo_error *err)
{
    int rc = pingo__db_write(db, err, "INSERT INTO owner(boot_id, pid, started_ms) VALUES(?, ?, ?)",
                             TEXT(db->space), INT(row->pid), INT(row->started_ms));
    row->id = sqlite3_last_insert_rowid(db->sqlite);
    return rc;
}

#define KNOWN(F, T) F(T, INT, is_known, "1") F(T, HASH, hash, "hash")
#define SAID(F, T) F(T, HASH, output, "output") F(T, MAYBE, text, "text")
PINGO__ROW(known_contents, struct known, KNOWN);
PINGO__KIND(said, struct pingo__store_version_output, SAID);

int pingo__store_file_content_find(struct pingo__store_db *db,
                                   const struct pingo__digest_file_stat *st, bool *is_known,
                                   struct pingo_hash *hash, struct pingo_error *err)
{
    struct known known;
    int rc = pingo__db_row(
        db, err, &known_contents, NULL, &known,
        PINGO__SELECT(KNOWN) " FROM file_content WHERE device = ?"
                             " AND inode = ? AND size = ? AND mtime_ns = ? AND ctime_ns = ?",
        INT(st->device), INT(st->inode), INT(st->size), INT(st->mtime_ns), INT(st->ctime_ns));
    *is_known = known.is_known;
    *hash = known.hash;
    return rc;
}

int pingo__store_version_output_find(struct pingo__store_db *db, const struct pingo_hash *key,
                                     int64_t since_ms, struct pingo__arena *arena,
                                     struct pingo__store_version_output *output)
{
    return pingo__db_row(db, NULL, &said, arena, output,
                         PINGO__SELECT(SAID) " FROM version_output WHERE key = ?"
                                             " AND said_ms BETWEEN ? AND ?",
                         HASH(key), INT(since_ms), INT(pingo__store_db_now_ms(db)));
}
