/* undeletable.c - see undeletable.h. */
#include "store/dataset/undeletable.h"

#define FIRST_WAIT_MS INT64_C(10000)

int pingo__store_undeletable_note(struct pingo__store_db *db, int64_t dataset, const char *message,
                                  int64_t *wait_ms, struct pingo_error *err)
{
    int64_t now_ms = db->world->now_ns(db->world->context) / 1000000;
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

int pingo__store_undeletable_forget(struct pingo__store_db *db, int64_t dataset,
                                    struct pingo_error *err)
{
    return pingo__db_write(db, err, "DELETE FROM undeletable WHERE dataset = ?", INT(dataset));
}

int pingo__store_orphan_note(struct pingo__store_db *db, const char *name, int64_t bytes,
                             struct pingo_error *err)
{
    return pingo__db_write(db, err, "INSERT OR REPLACE INTO orphan(name, bytes) VALUES(?, ?)",
                           TEXT(name), INT(bytes));
}

int pingo__store_orphan_forget(struct pingo__store_db *db, const char *name, struct pingo_error *err)
{
    return pingo__db_write(db, err, "DELETE FROM orphan WHERE name = ?", TEXT(name));
}

int pingo__store_orphan_list(struct pingo__store_db *db, struct pingo__store_text_list *list,
                             struct pingo_error *err)
{
    return pingo__db_list(db, err, &pingo__store_texts, list, "SELECT 0, name FROM orphan", NONE);
}
