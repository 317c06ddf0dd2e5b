/* tags.c - see tags.h. */
#include "store/tags.h"

#include "base/error.h"

int pingo__store_tag_set(struct pingo__store_db *db, int64_t workflow, const char *tag,
                         struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "UPDATE workflow SET tag = ?2 WHERE id = ?1", INT(workflow),
                           TEXT(tag));
    return rc < 0 ? rc : 0;
}

int pingo__store_tag_find(struct pingo__store_db *db, const char *tag, int64_t *workflow,
                          struct pingo_error *err)
{
    return pingo__db_int(db, err, workflow,
                         "SELECT id FROM workflow WHERE tag = ? ORDER BY id DESC LIMIT 1",
                         TEXT(tag));
}

int pingo__store_tag_get(struct pingo__store_db *db, int64_t workflow, struct pingo__arena *arena,
                         const char **tag, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt, "SELECT tag FROM workflow WHERE id = ? AND tag IS NOT NULL", INT(workflow));
    *tag = NULL;
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    *tag = pingo__store_column_copy(stmt, 0, arena);
    sqlite3_reset(stmt);
    return *tag ? 1 : pingo__fail_memory(err);
}
