/* places.c - see places.h. */
#include "store/submission/places.h"

#include "store/submission/workflows.h"

int pingo__store_place_note(struct pingo__store_db *db, const struct pingo__digest_original *o,
                            int64_t now_ms, uint32_t *id, struct pingo_error *err)
{
    bool was_read = o->kind != PINGO__ORIGINAL_DECLARED && o->kind != PINGO__ORIGINAL_VERSION;
    int64_t found = 0;
    *id = 0;
    if (!o->path || o->error)
        return 0;
    int rc =
        pingo__db_write(db, err,
                        "INSERT INTO place(path, content, size_bytes, mtime_ms, seen_ms, text)"
                        " VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(path, content) DO UPDATE SET"
                        " size_bytes = ?3, mtime_ms = ?4, seen_ms = ?5, text = ?6",
                        TEXT(o->path), HASH(&o->hash), OPT(was_read ? o->size : -1),
                        OPT(was_read ? o->mtime_ns / 1000000 : -1), INT(now_ms), TEXT(o->text));
    if (!rc)
        rc = pingo__db_number(db, err, &found, "SELECT id FROM place WHERE path = ? AND content = ?",
                              TEXT(o->path), HASH(&o->hash));
    if (!rc && found <= UINT32_MAX) /* a remark more would not be worth wider numbers */
        *id = (uint32_t)found;
    if (!rc && o->listing)
        rc = pingo__db_write(db, err,
                             "INSERT OR IGNORE INTO tree_listing(tree, listing) VALUES(?, ?)",
                             HASH(&o->hash), BLOB(o->listing, o->listing_length));
    return rc;
}

/* clang-format off */
#define PLACE(F, T)                                                                                \
    F(T, MAYBE, path, "path") F(T, OPT, size_bytes, "size_bytes") F(T, OPT, mtime_ms, "mtime_ms")  \
    F(T, OPT, seen_ms, "seen_ms") F(T, MAYBE, text, "text")
/* clang-format on */
PINGO__KIND(places, struct pingo_place, PLACE);

int pingo__store_place_get(struct pingo__store_db *db, uint32_t id, struct pingo__arena *arena,
                           struct pingo_place *place, struct pingo_error *err)
{
    int rc = pingo__db_row(db, err, &places, arena, place,
                           PINGO__SELECT(PLACE) " FROM place WHERE id = ?", INT(id));
    if (!place->path)
        *place = (struct pingo_place){NULL, -1, -1, -1, NULL};
    return rc;
}

/* It is there already: as it was forgotten, or as it should be. */
static int insert_known(struct pingo__store_db *db, const struct pingo__store_definition *d,
                        struct pingo_error *err)
{
    int rc = pingo__db_write(db, err,
                             "UPDATE definition SET description = ?2, places = ?3, forgotten = 0"
                             " WHERE hash = ?1 AND forgotten = 1",
                             HASH(&d->hash), BLOB(d->description, d->length),
                             BLOB(d->places, d->nplaces * sizeof *d->places));
    if (rc || pingo__store_db_has_changed(db))
        return rc;
    return pingo__store_definition_check(db, &d->hash, d->description, d->length, err);
}

int pingo__store_definition_insert(struct pingo__store_db *db,
                                   const struct pingo__store_definition *d, bool *is_known,
                                   struct pingo_error *err)
{
    bool is_same = false;
    int rc = 0;
    if (*is_known)
        rc = pingo__db_exists(db, err, &is_same,
                              "SELECT 1 FROM definition WHERE hash = ? AND forgotten = 0 AND"
                              " description = ?",
                              HASH(&d->hash), BLOB(d->description, d->length));
    if (!rc && !is_same)
        rc = pingo__db_write(
            db, err, "INSERT OR IGNORE INTO definition(hash, description, places) VALUES(?, ?, ?)",
            HASH(&d->hash), BLOB(d->description, d->length),
            BLOB(d->places, d->nplaces * sizeof *d->places));
    *is_known = is_same || (!rc && !pingo__store_db_has_changed(db));
    if (!rc && *is_known && !is_same)
        rc = insert_known(db, d, err);
    if (!rc && *is_known && d->places)
        rc = pingo__db_write(
            db, err, "UPDATE definition SET places = ?2 WHERE hash = ?1 AND places IS NOT ?2",
            HASH(&d->hash), BLOB(d->places, d->nplaces * sizeof *d->places));
    return rc;
}

int pingo__store_definition_places(struct pingo__store_db *db, const struct pingo_hash *hash,
                                   struct pingo__arena *arena, struct pingo__store_places *list,
                                   struct pingo_error *err)
{
    struct pingo__store_bytes bytes;
    int rc = pingo__db_row(db, err, &pingo__store_blobs, arena, &bytes,
                           "SELECT 0, places FROM definition WHERE hash = ?", HASH(hash));
    *list = (struct pingo__store_places){bytes.bytes, bytes.n / sizeof *list->ids};
    return rc;
}
