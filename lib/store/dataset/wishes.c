/* wishes.c - see wishes.h. */
#include "store/dataset/wishes.h"

#include "store/submission/graph.h"

int pingo__store_wish_insert_target(struct pingo__store_db *db, int64_t workflow, int64_t position,
                                    const struct pingo_hash *hash, struct pingo_error *err)
{
    int rc = pingo__db_write(db, err, "UPDATE workflow SET wishes = 2 WHERE id = ? AND wishes <> 2",
                             INT(workflow));
    if (!rc)
        rc = pingo__db_write(
            db, err, "INSERT OR IGNORE INTO target(workflow, position, hash) VALUES(?, ?, ?)",
            INT(workflow), INT(position), HASH(hash));
    return rc;
}

int pingo__store_wish_find(struct pingo__store_db *db, const struct pingo_hash *hash,
                           int64_t *workflow, struct pingo_error *err)
{
    *workflow = 0;
    /* Of each graph the newest, which an index finds at once, however many there are. */
    int rc = pingo__db_number(
        db, err, workflow,
        "SELECT x FROM (SELECT (SELECT w.id FROM workflow w WHERE"
        " w.graph = gp.graph AND w.wishes = 1" PINGO__WISHES_STILL
        " ORDER BY w.id DESC LIMIT 1) AS x FROM node n INDEXED BY node_result" PINGO__JOIN_PARTS
        "WHERE n.hash = ?1 AND n.leaf = 1 ORDER BY n.id DESC, gp.graph DESC)"
        " WHERE x IS NOT NULL LIMIT 1",
        HASH(hash));
    if (!rc && !*workflow)
        rc = pingo__db_number(db, err, workflow,
                              "SELECT w.id FROM target t JOIN workflow w ON w.id = t.workflow"
                              " WHERE t.hash = ?1 AND w.wishes = 2" PINGO__WISHES_STILL
                              " ORDER BY t.workflow DESC LIMIT 1",
                              HASH(hash));
    return rc;
}

int pingo__store_wish_release_workflow(struct pingo__store_db *db, int64_t workflow,
                                       struct pingo_error *err)
{
    int rc = pingo__db_write(db, err, "UPDATE workflow SET wishes = 0 WHERE id = ?", INT(workflow));
    if (!rc)
        rc = pingo__db_write(db, err, "DELETE FROM released WHERE workflow = ?", INT(workflow));
    return rc;
}

/* ---- what is superseded --------------------------------------------------------------- */

#define NAMED                                                                                      \
    " FROM document d JOIN graph g ON g.document = d.id JOIN workflow w ON w.graph = g.id"         \
    " WHERE d.name = ?1"

int pingo__store_wish_newest(struct pingo__store_db *db, const char *name, int64_t *newest,
                             int64_t *finished, struct pingo_error *err)
{
    *newest = *finished = 0;
    int rc = pingo__db_number(db, err, newest, "SELECT max(w.id)" NAMED, TEXT(name));
    return rc ? rc
              : pingo__db_number(db, err, finished,
                                 "SELECT max(w.id)" NAMED " AND w.state = " WORKFLOW_FINISHED,
                                 TEXT(name));
}

#define OLDER NAMED " AND w.id < ?2 AND w.ended_ms IS NOT NULL"

PINGO__LIST(pingo__store_wish_list_older(DB, const char *name, int64_t before,
                                         struct pingo__store_hash_list *list, ERR),
            pingo__store_hashes, list,
            "SELECT 0, n.hash FROM graph_part gp" PINGO__JOIN_NODES
            "AND n.leaf = 1 WHERE gp.graph IN (SELECT w.graph" OLDER
            " AND w.wishes = 1) UNION SELECT 0, t.hash FROM target t WHERE"
            " t.workflow IN (SELECT w.id" OLDER " AND w.wishes = 2)",
            TEXT(name), INT(before));

PINGO__FUNCTION(pingo__store_wish_release_older(DB, const char *name, int64_t before, ERR),
                return pingo__db_write(db, err,
                                       "UPDATE workflow SET wishes = 0 WHERE wishes <> 0 AND id IN"
                                       " (SELECT w.id" OLDER ")",
                                       TEXT(name), INT(before)));
