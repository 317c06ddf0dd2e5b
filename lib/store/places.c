/* places.c - see places.h. */
#include "store/places.h"

#include <string.h>

#include "base/error.h"
#include "store/workflows.h"

static int note_listing(struct pingo__store_db *db, const struct pingo__digest_original *o,
                        struct pingo_error *err)
{
    if (!o->listing)
        return 0;
    int rc = pingo__db_run(db, err, "INSERT OR IGNORE INTO tree_listing(tree, listing) VALUES(?, ?)",
                           HASH(&o->hash), BLOB(o->listing, o->listing_length));
    return rc < 0 ? rc : 0;
}

int pingo__store_place_note(struct pingo__store_db *db, const struct pingo__digest_original *o,
                            int64_t now_ms, uint32_t *id, struct pingo_error *err)
{
    bool was_read = o->kind != PINGO__ORIGINAL_DECLARED && o->kind != PINGO__ORIGINAL_VERSION;
    int64_t found = 0;
    *id = 0;
    if (!o->path || o->error)
        return 0;
    int rc =
        pingo__db_run(db, err,
                      "INSERT INTO place(path, content, size_bytes, mtime_ms, seen_ms, text)"
                      " VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(path, content) DO UPDATE SET"
                      " size_bytes = ?3, mtime_ms = ?4, seen_ms = ?5, text = ?6",
                      TEXT(o->path), HASH(&o->hash), OPT(was_read ? o->size : -1),
                      OPT(was_read ? o->mtime_ns / 1000000 : -1), INT(now_ms), TEXT(o->text));
    if (rc >= 0)
        rc = pingo__db_int(db, err, &found, "SELECT id FROM place WHERE path = ? AND content = ?",
                           TEXT(o->path), HASH(&o->hash));
    if (rc == 1 && found <= UINT32_MAX) /* a remark more would not be worth wider numbers */
        *id = (uint32_t)found;
    return rc < 0 ? rc : note_listing(db, o, err);
}

int pingo__store_place_get(struct pingo__store_db *db, uint32_t id, struct pingo__arena *arena,
                           struct pingo_place *place, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    const char *text = "";
    int rc = pingo__db_query(
        db, err, &stmt, "SELECT path, size_bytes, mtime_ms, seen_ms, text FROM place WHERE id = ?",
        INT(id));
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    *place = (struct pingo_place){.path = pingo__store_column_copy(stmt, 0, arena),
                                  .size_bytes = pingo__store_column_int(stmt, 1, -1),
                                  .mtime_ms = pingo__store_column_int(stmt, 2, -1),
                                  .seen_ms = pingo__store_column_int(stmt, 3, -1)};
    if (sqlite3_column_type(stmt, 4) != SQLITE_NULL)
        place->text = text = pingo__store_column_copy(stmt, 4, arena);
    sqlite3_reset(stmt);
    return place->path && text ? 1 : pingo__fail_memory(err);
}

int pingo__store_definition_insert(struct pingo__store_db *db,
                                   const struct pingo__store_definition *d, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err,
                           "INSERT INTO definition(hash, description, places) VALUES(?, ?, ?)"
                           " ON CONFLICT(hash) DO UPDATE SET description = excluded.description,"
                           " places = excluded.places, forgotten = 0 WHERE forgotten = 1",
                           HASH(&d->hash), BLOB(d->description, d->length),
                           BLOB(d->places, d->nplaces * sizeof *d->places));
    if (rc)
        return rc < 0 ? rc : 0;
    rc = pingo__store_definition_check(db, &d->hash, d->description, d->length, err);
    if (!rc && d->places)
        rc = pingo__db_run(db, err,
                           "UPDATE definition SET places = ?2 WHERE hash = ?1 AND places IS NOT ?2",
                           HASH(&d->hash), BLOB(d->places, d->nplaces * sizeof *d->places));
    return rc < 0 ? rc : 0;
}

static int blob_of(struct pingo__store_db *db, sqlite3_stmt *stmt, struct pingo__arena *arena,
                   const void **bytes, size_t *n, struct pingo_error *err)
{
    int rc = pingo__store_db_step(db, stmt, err);
    *bytes = NULL;
    *n = 0;
    if (rc != 1)
        return rc;
    *n = (size_t)sqlite3_column_bytes(stmt, 0);
    void *copy = pingo__arena_alloc(arena, *n + 1); /* aligned for what it holds */
    if (copy && *n)
        memcpy(copy, sqlite3_column_blob(stmt, 0), *n);
    sqlite3_reset(stmt);
    *bytes = copy;
    return copy ? 1 : pingo__fail_memory(err);
}

int pingo__store_definition_places(struct pingo__store_db *db, const struct pingo_hash *hash,
                                   struct pingo__arena *arena, const uint32_t **places, size_t *n,
                                   struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    const void *bytes = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT places FROM definition WHERE hash = ? AND places IS NOT NULL",
                             HASH(hash));
    *n = 0;
    if (!rc)
        rc = blob_of(db, stmt, arena, &bytes, n, err);
    *places = bytes;
    *n /= sizeof **places;
    return rc < 0 ? rc : 0;
}

int pingo__store_tree_listing(struct pingo__store_db *db, const struct pingo_hash *tree,
                              struct pingo__arena *arena, const void **listing, size_t *length,
                              struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, "SELECT listing FROM tree_listing WHERE tree = ?",
                             HASH(tree));
    return rc ? rc : blob_of(db, stmt, arena, listing, length, err);
}
