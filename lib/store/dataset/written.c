/* written.c - see written.h. */
#include "store/dataset/written.h"

#include <string.h>

/* clang-format off */
#define WRITTEN(F, T)                                                                              \
    F(T, INT, kind, "kind") F(T, HASH, content, "content") F(T, HASH, stamp, "stamp")              \
    F(T, OPT, size_bytes, "size_bytes") F(T, HASH, told, "told")
#define WRITING(F, T)                                                                              \
    F(T, TEXT, temporary, "temporary") F(T, TEXT, path, "path") F(T, INT, owner, "owner")          \
    F(T, INT, placed, "placed") F(T, INT, kind, "kind") F(T, HASH, content, "content")
/* clang-format on */
PINGO__KIND(written, struct pingo__store_written, WRITTEN);
PINGO__KIND(writing, struct pingo__store_writing, WRITING);

PINGO__GET(pingo__store_written_get(DB, const char *path, struct pingo__store_written *row, ERR),
           written, NULL, row, PINGO__SELECT(WRITTEN) " FROM written WHERE path = ?", TEXT(path));

/* Zero stands for NULL. */
static const void *blob(const struct pingo_hash *hash)
{
    static const struct pingo_hash zero;
    return memcmp(hash, &zero, sizeof zero) == 0 ? NULL : hash->bytes;
}

PINGO__FUNCTION(pingo__store_written_set(DB, const char *path,
                                         const struct pingo__store_written *row, ERR),
                return pingo__db_write(db, err,
                                       "INSERT OR REPLACE INTO written(path, kind, content, stamp,"
                                       " size_bytes, told) VALUES(?, ?, ?, ?, ?, ?)",
                                       TEXT(path), INT(row->kind),
                                       BLOB(blob(&row->content), sizeof row->content.bytes),
                                       BLOB(blob(&row->stamp), sizeof row->stamp.bytes),
                                       OPT(row->size_bytes),
                                       BLOB(blob(&row->told), sizeof row->told.bytes)));

int pingo__store_writing_insert(struct pingo__store_db *db, const struct pingo__store_writing *row,
                                struct pingo_error *err)
{
    return pingo__store_db_put(db,
                               "INSERT INTO writing(temporary, path, owner, placed, kind, content)"
                               " VALUES(?, ?, ?, ?, ?, ?)",
                               &writing, row, err);
}

PINGO__LIST(pingo__store_writing_list(DB, const char *path, struct pingo__store_writing_list *list,
                                      ERR),
            writing, list,
            PINGO__SELECT(WRITING) " FROM writing WHERE ?1 IS NULL OR (path = ?1 AND placed = 0)"
                                   " ORDER BY temporary",
            TEXT(path));
