/* labels.c - see labels.h. */
#include "store/labels.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

int pingo__store_labels_insert(struct pingo__store_db *db, int64_t document, size_t position,
                               const char *const *labels, size_t n, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc >= 0 && i + 1 < n; i += 2)
        rc = pingo__db_run(db, err,
                           "INSERT INTO label(document, position, key, value) VALUES(?, ?, ?, ?)",
                           INT(document), INT(position), TEXT(labels[i]), TEXT(labels[i + 1]));
    return rc < 0 ? rc : 0;
}

int pingo__store_labels_read(struct pingo__store_db *db, int64_t document, int64_t position,
                             struct pingo__arena *arena, const char *const **labels, size_t *n,
                             struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    const char **list = NULL;
    size_t capacity = 0;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT key, value FROM label WHERE document = ? AND position = ?"
                             " ORDER BY key",
                             INT(document), INT(position));
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1)
        for (int column = 0; column < 2; column++) {
            const char **more = pingo__arena_more(arena, list, *n, &capacity, sizeof *list);
            if (more)
                list = more;
            if (!more || !(list[*n] = pingo__store_column_copy(stmt, column, arena))) {
                sqlite3_reset(stmt);
                return pingo__fail_memory(err);
            }
            ++*n;
        }
    *labels = list;
    return rc;
}

/* ---- who has a label ----------------------------------------------------------------------- */

#define LABELLED                                                                                   \
    "SELECT n.hash, l.value FROM label l CROSS JOIN graph g ON g.document = l.document CROSS JOIN" \
    " node n ON n.graph = g.id AND n.position = l.position WHERE l.key = ?1"

int pingo__store_labels_each_hash(struct pingo__store_db *db, const char *key, const char *value,
                                  pingo__store_labelled_fn fn, void *context,
                                  struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             pingo__text_is_glob(value) ? LABELLED " AND ?2 IS NOT NULL"
                                                        : LABELLED " AND l.value = ?2",
                             TEXT(key), TEXT(value));
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        const char *own = pingo__store_column_text(stmt, 1);
        struct pingo_hash hash;
        if (strcmp(own, value) != 0 && !pingo__text_glob(value, own))
            continue;
        pingo__store_column_hash(stmt, 0, &hash);
        rc = fn(context, &hash, err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}
