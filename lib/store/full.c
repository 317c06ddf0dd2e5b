/* full.c - see full.h. */
#include "store/full.h"

int pingo__full_note(struct pingo__db *db, int64_t action, int64_t bytes, int64_t *before,
                     struct pingo_error *err)
{
    int rc;

    *before = -1;
    rc = pingo__db_int(db, err, before, "SELECT bytes FROM disk_full WHERE action = ?", "i", action);
    if (rc >= 0)
        rc = pingo__db_run(db, err, "INSERT OR REPLACE INTO disk_full(action, bytes) VALUES(?, ?)",
                           "ii", action, bytes);
    return rc < 0 ? rc : 0;
}

int pingo__full_is_alone(struct pingo__db *db, int64_t action, int64_t since_ms,
                         struct pingo_error *err)
{
    int64_t one = 0;
    int rc = pingo__db_int(db, err, &one,
                           "SELECT 1 FROM attempt WHERE action <> ?1 AND state < 3 UNION ALL"
                           " SELECT 1 FROM attempt WHERE action <> ?1 AND ended_ms >= ?2 LIMIT 1",
                           "ii", action, since_ms);

    return rc < 0 ? rc : rc == 0;
}
