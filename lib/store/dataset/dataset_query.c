/* dataset_query.c - see dataset_query.h. */
#include "store/dataset/dataset_query.h"

#include "base/text.h"
#include "store/submission/graph.h"
#include "store/submission/labels.h"

/* ---- submissions ----------------------------------------------------------------------- */

#define LAST_ID "9223372036854775807"
/* Those that a query asks for. */
#define SUBMISSIONS(join, user, number, name)                                                      \
    " FROM workflow w" join " WHERE (" user " IS NULL OR w.user = " user                           \
    ") AND w.id BETWEEN " number " AND iif(" number " = 0, " LAST_ID ", " number ")"               \
    " AND (" name " IS NULL OR w.graph IN " PINGO__GRAPHS_NAMED(name) ")"

PINGO__FUNCTION(pingo__store_workflow_is_any(DB, const struct pingo_dataset_query *q, bool *is, ERR),
                return pingo__db_exists(db, err, is,
                                        "SELECT 1" SUBMISSIONS("", "?1", "?2", "?3") " LIMIT 1",
                                        TEXT(q->user), INT(q->workflow), TEXT(q->workflow_name)));

/* Their parts. */
#define PARTS(user, number, name)                                                                  \
    "(SELECT DISTINCT p.part, p.n" SUBMISSIONS(" JOIN graph_part p ON p.graph = w.graph", user,    \
                                               number, name) ")"

#define ITS_PARTS PARTS("?1", "?2", "?3")

/* A set of hashes costs some times what a dataset does that is looked at. */
PINGO__FUNCTION(pingo__store_dataset_of_many(DB, const struct pingo_dataset_query *q, bool *is, ERR),
                return pingo__db_exists(db, err, is,
                                        "SELECT 1 WHERE (SELECT 4 * sum(n) FROM " ITS_PARTS ") >"
                                        " (SELECT max(id) FROM dataset)",
                                        TEXT(q->user), INT(q->workflow), TEXT(q->workflow_name)));

PINGO__EACH(pingo__store_dataset_each_hash(DB, const struct pingo_dataset_query *q,
                                           const struct pingo__store_each *each, ERR),
            pingo__store_hashes, each->fn, each->context,
            "SELECT 0, n.hash FROM " ITS_PARTS " gp" PINGO__JOIN_NODES, TEXT(q->user),
            INT(q->workflow), TEXT(q->workflow_name));

/* ---- which ones ---------------------------------------------------------------------------- */

#define SIZE "(SELECT size_bytes FROM object WHERE id = d.object)"
#define ROWS(index, key, text, name, joins)                                                        \
    "SELECT 0, d.id, d.hash, d.last_used_ms, " key ", " text ", " name                             \
    " FROM dataset d" index joins " WHERE (?2 = 0 OR (?2 >> d.state & 1))"                         \
    " AND (?3 = 0 OR " SIZE " >= ?3) AND (?4 = 0 OR " SIZE " < ?4)"                                \
    " AND (?5 = 0 OR d.last_used_ms >= ?5) AND (?6 = 0 OR d.last_used_ms < ?6) AND "
#define ORDERED(order) " ORDER BY " order "4 DESC, 2 DESC"
#define CLAIMED "d.id IN (SELECT dataset FROM claim UNION SELECT dataset FROM hold)"

/* What is gone but claimed, all that is gone where that is asked for, and what is there: in the order of age the index
 * gives the first rows first, however many were deleted in years.  Last, for what comes before is merged twice. */
#define OF_THESE(key, text, name, joins, these)                                                    \
    ROWS("", key, text, name, joins)                                                               \
    "d.state = " DATASET_DELETED " AND NOT ?1 AND " CLAIMED these                                  \
    " UNION ALL " ROWS("", key, text, name,                                                        \
                       joins) "d.state = " DATASET_DELETED " AND ?1" these                         \
                              " UNION ALL " ROWS(" INDEXED BY dataset_there", key, text, name,     \
                                                 joins) "d.state <> " DATASET_DELETED these
#define OF_ANY(key, text, name, joins, order)                                                      \
    OF_THESE(key, text, name, joins, " AND ?7 IS NULL AND ?8 = 0 AND ?9 IS NULL AND ?10 IS NULL")  \
    ORDERED(order)
/* Without name, with it: */
#define BY_AGE(these)                                                                              \
    {                                                                                              \
        OF_THESE("0", "''", "NULL", "", these)                                                     \
        ORDERED(""), OF_THESE("0", "''", "n.name", NODE, these) ORDERED("")                        \
    }
/* Those of submissions, and those of a rare name, are found by the hashes that these mention. */
#define OF_HASHES(key, text, name, joins, order, hashes)                                           \
    ROWS("", key, text, name, joins)                                                               \
    "(?1 OR d.state <> " DATASET_DELETED " OR " CLAIMED ") AND d.hash IN " hashes ORDERED(order)
#define MADE_BY(user)                                                                              \
    "(" user " IS NULL OR EXISTS (SELECT 1 FROM action m JOIN workflow u ON u.id = m.workflow"     \
    " WHERE m.id = d.action AND u.user = " user "))"
#define OF_SUBMISSIONS(key, text, name, joins, order)                                              \
    OF_HASHES(key, text, name, joins, order,                                                       \
              "(SELECT n.hash FROM " PARTS("?7", "?8", "?9") " gp" PINGO__JOIN_NODES               \
                                                             ") AND " MADE_BY("?10"))
#define OF_NAME(key, text, name, joins, order)                                                     \
    OF_HASHES(key, text, name, joins, order, "(SELECT hash FROM node WHERE name = ?7)")

/* What an order needs of who made it; a name needs it all. */
#define ACTION " LEFT JOIN action a ON a.id = d.action"
#define WORKFLOW ACTION " LEFT JOIN workflow w ON w.id = a.workflow"
#define NODE WORKFLOW PINGO__JOIN_ITS_NODE("LEFT")
#define ORDERS(found, name, nothing, action, workflow)                                             \
    {                                                                                              \
        [PINGO_DATASETS_BY_AGE] = found("0", "''", name, nothing, ""),                             \
        [PINGO_DATASETS_BY_STATE] = found("d.state", "''", name, nothing, "5, "),                  \
        [PINGO_DATASETS_BY_SIZE] = found(SIZE, "''", name, nothing, "5 DESC, "),                   \
        [PINGO_DATASETS_BY_VALUE] = found("0", "''", name, nothing, ""),                           \
        [PINGO_DATASETS_BY_USER] = found("0", "ifnull(w.user, '')", name, workflow, "6, "),        \
        [PINGO_DATASETS_BY_WORKFLOW] = found("a.workflow", "''", name, action, "5 DESC, "),        \
        [PINGO_DATASETS_BY_NAME] = found("0", "ifnull(n.name, '')", name, NODE, "6, "),            \
    }
#define NORDERS (PINGO_DATASETS_BY_NAME + 1)

/* Of any, of submissions; without names, with them. */
static const char *const found[2][2][NORDERS] = {
    {ORDERS(OF_ANY, "NULL", "", ACTION, WORKFLOW), ORDERS(OF_ANY, "n.name", NODE, NODE, NODE)},
    {ORDERS(OF_SUBMISSIONS, "NULL", "", ACTION, WORKFLOW),
     ORDERS(OF_SUBMISSIONS, "n.name", NODE, NODE, NODE)}};
static const char *const named[NORDERS] = ORDERS(OF_NAME, "n.name", NODE, NODE, NODE);

/* A page that is not the first: the index begins where it does.  Then those that were never used: the last. */
static const char *const used_before[2] = BY_AGE(" AND d.last_used_ms <= ?7"),
                         *const never_used[2] = BY_AGE(" AND d.last_used_ms IS NULL");

/* Of those up to this one. */
#define MADE_CONTENT                                                                               \
    "iif(d.made_ms IS NULL OR e.made_ms IS NULL OR e.generation > d.generation, NULL, o.content)"
/* clang-format off */
#define FOUND_ROW(F, T)                                                                            \
    F(T, INT, id, ) F(T, HASH, hash, ) F(T, OPT, last_used_ms, )           \
    F(T, OPT, key, ) F(T, TEXT, text, ) F(T, MAYBE, name, )
/* Of dataset d with its object b, and of e, all generations of its hash: */
#define STATUS(F, T)                                                                               \
    F(T, HASH, told.hash, "d.hash") F(T, INT, told.generation, "d.generation")                     \
    F(T, INT, told.state, "d.state") F(T, INT, told.is_current, "d.current")                       \
    F(T, INT, told.is_managed, "d.managed") F(T, INT, pinned, "d.pinned")                          \
    F(T, OPT, told.size_bytes, "b.size_bytes") F(T, HASH, told.content, "b.content")               \
    F(T, MAYBE, told.path, "iif(d.state <> " DATASET_DELETED ", b.path, NULL)")                    \
    F(T, OPT, told.made_ms, "d.made_ms") F(T, OPT, told.last_used_ms, "d.last_used_ms")            \
    F(T, OPT, told.compute_ms, "CAST(avg(e.compute_ms) AS INTEGER)")                               \
    F(T, INT, told.claims, "(SELECT count(*) FROM claim WHERE dataset = d.id)")                    \
    F(T, INT, told.was_different, "min(" MADE_CONTENT ") <> max(" MADE_CONTENT ")")                \
    F(T, TEXT, told.name, "n.name") F(T, TEXT, told.user, "w.user")                                \
    F(T, INT, told.workflow, "a.workflow") F(T, MAYBE, told.adopted_from, "d.adopted_from")        \
    F(T, INT, node, "n.id") F(T, INT, has_labels, "EXISTS (SELECT 1 FROM label WHERE node = n.id)")
/* clang-format on */
PINGO__KIND(found_rows, struct pingo__store_dataset_found, FOUND_ROW);
struct status {
    struct pingo_dataset_status told;
    bool pinned, has_labels;
    int64_t node;
};
PINGO__KIND(statuses, struct status, STATUS);

#define ASKED(q)                                                                                   \
    INT(((q)->all || (q)->states >> PINGO_DATASET_DELETED & 1)), INT((q)->states),                 \
        INT((q)->min_bytes), INT((q)->below_bytes), INT((q)->since_ms), INT((q)->until_ms)

#define RARE 1000

/* One name, which few actions have: of one that many have, the first in the order are found sooner among all. */
static int is_rare(struct pingo__store_db *db, const struct pingo_dataset_query *q, bool *is,
                   struct pingo_error *err)
{
    int64_t n = RARE;
    int rc = 0;
    if (q->nnames == 1 && !pingo__text_is_glob(q->names[0]))
        rc = pingo__db_number(db, err, &n,
                              "SELECT count(*) FROM (SELECT 1 FROM node WHERE name = ? LIMIT ?)",
                              TEXT(q->names[0]), INT(RARE));
    *is = n < RARE;
    return rc;
}

int pingo__store_dataset_each_found(struct pingo__store_db *db, const struct pingo_dataset_query *q,
                                    const int64_t *from, const struct pingo__store_each *each,
                                    struct pingo_error *err)
{
    bool of_submissions = q->user || q->workflow || q->workflow_name || q->maker,
         has_names = q->nnames > 0, is_of_few = false;
    int rc = of_submissions ? 0 : is_rare(db, q, &is_of_few, err);
    if (rc || is_of_few)
        return rc ? rc
                  : pingo__db_each(db, err, &found_rows, each->fn, each->context, named[q->order],
                                   ASKED(q), TEXT(q->names[0]));
    if (!from || of_submissions || q->order != PINGO_DATASETS_BY_AGE)
        return pingo__db_each(db, err, &found_rows, each->fn, each->context,
                              found[of_submissions][has_names][q->order], ASKED(q), TEXT(q->user),
                              INT(q->workflow), TEXT(q->workflow_name), TEXT(q->maker));
    if (*from >= 0)
        rc = pingo__db_each(db, err, &found_rows, each->fn, each->context, used_before[has_names],
                            ASKED(q), INT(*from));
    if (!rc)
        rc = pingo__db_each(db, err, &found_rows, each->fn, each->context, never_used[has_names],
                            ASKED(q));
    return rc;
}

int pingo__store_dataset_status(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                                struct pingo_dataset_status *status, struct pingo_error *err)
{
    struct pingo__store_text_list labels = {.arena = arena};
    struct status s = {.node = 0};
    int rc = pingo__db_row(
        db, err, &statuses, arena, &s,
        PINGO__SELECT(STATUS) " FROM dataset d LEFT JOIN object b ON b.id = d.object" NODE
                              "CROSS JOIN dataset e ON e.hash = d.hash LEFT JOIN object o"
                              " ON o.id = e.object WHERE d.id = ?",
        INT(id));
    if (!rc && s.has_labels)
        rc = pingo__store_labels_read(db, s.node, &labels, err);
    *status = s.told;
    status->keep = s.pinned ? PINGO_KEEP_ALWAYS : PINGO_KEEP_DEFAULT;
    status->value_ms = -1;
    status->labels = labels.rows;
    status->nlabels = labels.n;
    return rc;
}
