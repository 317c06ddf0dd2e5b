/* labels.c - see labels.h. */
#include "store/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

int pingo__labels_insert(struct pingo__db *db, int64_t document, size_t position,
                         const char *const *labels, size_t n, struct pingo_error *err)
{
    int rc = 0;

    for (size_t i = 0; rc >= 0 && i + 1 < n; i += 2)
        rc = pingo__db_run(db, err,
                           "INSERT INTO label(document, position, key, value) VALUES(?, ?, ?, ?)",
                           "iitt", document, (int64_t)position, labels[i], labels[i + 1]);
    return rc < 0 ? rc : 0;
}

int pingo__labels_read(struct pingo__db *db, int64_t document, int64_t position,
                       struct pingo__arena *arena, const char *const **labels, size_t *n,
                       struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    const char **list = NULL;
    size_t capacity = 0;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT key, value FROM label WHERE document = ? AND position = ?"
                             " ORDER BY key",
                             "ii", document, position);

    *n = 0;
    while (rc >= 0 && (rc = pingo__db_step(db, stmt, err)) == 1)
        for (int column = 0; column < 2; column++) {
            const char **more = pingo__arena_more(arena, list, *n, &capacity, sizeof *list);

            if (more)
                list = more;
            if (!more || !(list[*n] = pingo__column_copy(stmt, column, arena))) {
                sqlite3_reset(stmt);
                return pingo__fail_memory(err);
            }
            ++*n;
        }
    *labels = list;
    return rc;
}

/* ---- who has a label ----------------------------------------------------------------------- */

struct found {
    int64_t document, position;
};

/* The hashes of a document's graphs, at these positions. */
static int tell_document(struct pingo__db *db, const struct found *found, size_t n,
                         pingo__labelled_fn fn, void *context, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, "SELECT hashes FROM graph WHERE document = ?", "i",
                             found[0].document);

    while (rc >= 0 && (rc = pingo__db_step(db, stmt, err)) == 1) {
        const char *hashes = sqlite3_column_blob(stmt, 0);
        int64_t count = sqlite3_column_bytes(stmt, 0) / PINGO_HASH_SIZE;

        for (size_t i = 0; i < n; i++) {
            struct pingo_hash hash;

            if (found[i].position < 0 || found[i].position >= count)
                continue;
            memcpy(&hash, hashes + found[i].position * PINGO_HASH_SIZE, sizeof hash);
            rc = fn(context, &hash, err);
            if (rc) {
                sqlite3_reset(stmt);
                return rc;
            }
        }
    }
    return rc;
}

int pingo__labels_each_hash(struct pingo__db *db, const char *key, const char *value,
                            pingo__labelled_fn fn, void *context, struct pingo_error *err)
{
    struct found *found = NULL;
    size_t n = 0, capacity = 0;
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             pingo__text_is_glob(value)
                                 ? "SELECT document, position, value FROM label WHERE key = ?1"
                                   " AND ?2 IS NOT NULL ORDER BY document, position"
                                 : "SELECT document, position, value FROM label WHERE key = ?1"
                                   " AND value = ?2 ORDER BY document, position",
                             "tt", key, value);

    while (rc >= 0 && (rc = pingo__db_step(db, stmt, err)) == 1) {
        const char *own = pingo__column_text(stmt, 2);

        if (strcmp(own, value) != 0 && !pingo__text_glob(value, own))
            continue;
        if (!pingo__array_room((void **)&found, &capacity, n, 1, sizeof *found)) {
            sqlite3_reset(stmt);
            rc = pingo__fail_memory(err);
            break;
        }
        found[n++] = (struct found){sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1)};
    }
    for (size_t i = 0, k; rc == 0 && i < n; i = k) {
        for (k = i + 1; k < n && found[k].document == found[i].document;)
            k++;
        rc = tell_document(db, &found[i], k - i, fn, context, err);
    }
    free(found);
    return rc;
}
