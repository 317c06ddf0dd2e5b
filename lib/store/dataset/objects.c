/* objects.c - see objects.h. */
#include "store/dataset/objects.h"

int pingo__store_object_insert(struct pingo__store_db *db, struct pingo__store_dataset_row *r,
                               struct pingo_error *err)
{
    int rc = pingo__db_write(
        db, err,
        "INSERT INTO object(path, directory, stamp_1, stamp_2, mark, size_bytes, content,"
        " action, epoch) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        TEXT(r->path), INT(r->directory), INT(r->stamp.numbers[0]), INT(r->stamp.numbers[1]),
        INT(r->mark), INT(r->size_bytes), HASH(&r->content), INT(r->action), INT(r->epoch));
    r->object = sqlite3_last_insert_rowid(db->sqlite);
    return rc;
}

/* ---- what could not be removed ----------------------------------------------------------------- */

#define FIRST_WAIT_MS INT64_C(10000)

int pingo__store_undeletable_note(struct pingo__store_db *db, int64_t dataset, const char *message,
                                  int64_t *wait_ms, struct pingo_error *err)
{
    int64_t now_ms = pingo__store_db_now_ms(db);
    int64_t not_before_ms = now_ms;
    int rc = pingo__db_number(db, err, &not_before_ms,
                              "INSERT INTO undeletable(dataset, tries, not_before_ms, message)"
                              " VALUES(?1, 1, ?2 + ?4, ?3) ON CONFLICT(dataset) DO UPDATE SET"
                              " tries = tries + 1, message = ?3,"
                              " not_before_ms = ?2 + min(?5, ?4 << min(tries, 20))"
                              " RETURNING not_before_ms",
                              INT(dataset), INT(now_ms), TEXT(message), INT(FIRST_WAIT_MS),
                              INT(PINGO__UNDELETABLE_LONGEST_MS));
    *wait_ms = not_before_ms - now_ms;
    return rc;
}
