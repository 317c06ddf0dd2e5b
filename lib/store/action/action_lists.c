/* action_lists.c - reading actions: single rows, lists, counts; see actions.h. */
#include <stdio.h>
#include <string.h>

#include "store/action/actions.h"
#include "store/submission/graph.h"

/* clang-format off */
/* The first five are looked at before a row is read. */
#define ACTION(F, T)                                                                               \
    F(T, TEXT, type, "n.type") F(T, MAYBE, executor, "n.executor") F(T, INT, id, "a.id")           \
    F(T, MAYBE, resources, "n.resources") F(T, INT, nfailed, "n.retries - a.retries + a.growths")  \
    F(T, INT, workflow, "a.workflow") F(T, INT, position, "a.position")                            \
    F(T, INT, user_id, "n.user_id") F(T, TEXT, name, "n.name") F(T, HASH, hash, "a.hash")          \
    F(T, INT, dataset, "a.dataset") F(T, INT, joined, "a.joined") F(T, INT, state, "a.state")      \
    F(T, INT, epoch, "a.epoch") F(T, INT, owner, "a.owner") F(T, INT, waits, "a.waits")            \
    F(T, INT, priority, "a.priority") F(T, INT, rank, "a.rank") F(T, INT, forced, "a.forced")      \
    F(T, INT, wanted, "a.wanted") F(T, INT, retries, "a.retries") F(T, INT, tries, "a.tries")      \
    F(T, INT, refusals, "a.refusals") F(T, INT, not_before_ms, "a.not_before_ms")                  \
    F(T, INT, cpus, "n.cpus") F(T, INT, memory_mb, "n.memory_mb")                                  \
    F(T, INT, time_limit_s, "n.time_limit_s") F(T, INT, keep, "n.keep")                            \
    F(T, INT, sandbox, "n.sandbox") F(T, MAYBE, output_path, "n.output_path")                      \
    F(T, MAYBE, executor_options, "n.executor_options")                                            \
    F(T, INT, given_mb, "a.given_mb") F(T, INT, growths, "a.growths")                              \
    F(T, INT, user, "a.user") F(T, INT, queue, "a.queue")                                          \
    F(T, INT, has_lost, "a.lost IS NOT NULL") F(T, HASH, lost, "a.lost")                           \
    F(T, TEXT, message, "a.message") F(T, OPT, ended_ms, "a.ended_ms")
#define STATE(F, T)                                                                                \
    F(T, INT, id, "id") F(T, INT, state, "state") F(T, INT, epoch, "epoch")                        \
    F(T, INT, owner, "owner") F(T, INT, wanted, "wanted") F(T, INT, retries, "retries")            \
    F(T, INT, tries, "tries") F(T, INT, refusals, "refusals")
#define ID(F, T) F(T, INT, id, "a.id") F(T, INT, state, "a.state")
#define FOLLOWER(F, T) F(T, INT, id, "a.id") F(T, INT, what, "what")
/* clang-format on */
PINGO__KIND(actions, struct pingo__store_action_row, ACTION);
#define TYPE_COLUMN 1
#define EXECUTOR_COLUMN 2
#define ID_COLUMN 3
#define RESOURCES_COLUMN 4
#define NFAILED_COLUMN 5
#define SELECT PINGO__SELECT(ACTION) " FROM "
#define SELECT_ID PINGO__SELECT(ID) " FROM action a"
/* A row says what becomes of an action; what it is says its node. */
#define NODE PINGO__JOIN_WORKFLOW_NODE("CROSS")
#define UNFINISHED ACTION_IS_UNFINISHED("a.state")
#define B_UNFINISHED ACTION_IS_UNFINISHED("b.state")
#define J_UNFINISHED ACTION_IS_UNFINISHED("j.state")
#define CLAIMED ACTION_IS_CLAIMED("a.state")
#define T_OPEN ATTEMPT_IS_OPEN("t.state")
#define CHILDREN                                                                                   \
    "dependency d CROSS JOIN action a ON a.id = d.child" NODE "WHERE d.parent = ?1 AND "
/* Ten minutes, longer than any delay that we set: who is to wait longer had a clock that was set back since. */
#define LATEST_MS 600000
#define AS_TEXT(number) #number
#define DIGITS(number) AS_TEXT(number)
#define IS_DUE(now)                                                                                \
    "(a.not_before_ms <= " now " OR a.not_before_ms > " now " + " DIGITS(LATEST_MS) ")"

/* The same, of the query that runs; first what needs no row of the table.  See passes(), due(). */
#define READY_IS_DUE " pingo_passes(a.id) AND pingo_due(a.not_before_ms)"
#define IN_A_QUEUE " a.priority DESC, a.workflow, a.rank DESC, a.hash"
#define HOLDER(F, T)                                                                               \
    F(T, TEXT, resources, "n.resources")                                                           \
    F(T, INT, nfailed, "n.retries - a.retries + a.growths")
PINGO__KIND(holders, struct pingo__store_holder, HOLDER);
PINGO__KIND(states, struct pingo__store_action_row, STATE);
PINGO__KIND(ids, struct pingo__store_action_state, ID);
PINGO__KIND(followers, struct pingo__store_follower, FOLLOWER);

int pingo__store_action_refresh(struct pingo__store_db *db, struct pingo__store_action_row *row,
                                struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool is_row = false;
    int rc = pingo__db_query(db, err, &stmt, PINGO__SELECT(STATE) " FROM action WHERE id = ?",
                             INT(row->id));
    row->id = 0;
    if (!rc)
        rc = pingo__store_db_next(db, stmt, &is_row, err);
    if (is_row) {
        rc = pingo__store_db_read(stmt, &states, NULL, row, err);
        sqlite3_reset(stmt);
    }
    return rc;
}

PINGO__GET(pingo__store_action_get(DB, int64_t id, struct pingo__arena *arena,
                                   struct pingo__store_action_row *row, ERR),
           actions, arena, row, SELECT "action a" NODE "WHERE a.id = ?", INT(id));

/* ---- READY ones ------------------------------------------------------------------ */

bool pingo__store_action_is_due(int64_t not_before_ms, int64_t now_ms)
{
    return not_before_ms <= now_ms || not_before_ms > now_ms + LATEST_MS;
}

/* Is an action to wait no longer?  The query learns when the next one is. */
static bool is_due(const struct pingo__store_ready_query *q, int64_t not_before_ms)
{
    if (pingo__store_action_is_due(not_before_ms, q->now_ms))
        return true;
    if (q->next_ms && not_before_ms < *q->next_ms)
        *q->next_ms = not_before_ms;
    return false;
}

static void passes(sqlite3_context *context, int n, sqlite3_value **values)
{
    const struct pingo__store_db *db = sqlite3_user_data(context);
    const struct pingo__store_ready_query *q = db->ready;
    (void)n;
    sqlite3_result_int(
        context, q && (!q->passes ||
                       q->passes(q->fits_context, sqlite3_value_int64(values[0]), (bool)q->fits)));
}

static void due(sqlite3_context *context, int n, sqlite3_value **values)
{
    const struct pingo__store_db *db = sqlite3_user_data(context);
    (void)n;
    sqlite3_result_int(context, db->ready && is_due(db->ready, sqlite3_value_int64(values[0])));
}

/* What queries for READY ones call. */
static int have_functions(struct pingo__store_db *db, struct pingo_error *err)
{
    if (!db->has_functions && (sqlite3_create_function(db->sqlite, "pingo_due", 1, SQLITE_UTF8, db,
                                                       due, NULL, NULL) != SQLITE_OK ||
                               sqlite3_create_function(db->sqlite, "pingo_passes", 1, SQLITE_UTF8,
                                                       db, passes, NULL, NULL) != SQLITE_OK))
        return pingo__store_db_fail(db, err, "making a function of SQL");
    db->has_functions = true;
    return 0;
}

static bool has_type(const char *const *types, const char *type, const char *executor)
{
    size_t n = executor ? strlen(executor) : 0;
    for (; *types; types++)
        if (executor ? strncmp(*types, executor, n) == 0 && (*types)[n] == '/' &&
                           strcmp(*types + n + 1, type) == 0
                     : strcmp(*types, type) == 0)
            return true;
    return false;
}

/* NULL where it names none. */
static const char *name_of(sqlite3_stmt *stmt, int column)
{
    return (const char *)sqlite3_column_text(stmt, column);
}

/* Is this row of a query for READY ones asked for, as far as is known before it is read? */
static bool may_be(sqlite3_stmt *stmt, const struct pingo__store_ready_query *q)
{
    struct pingo__store_asking asking = {.action = sqlite3_column_int64(stmt, ID_COLUMN),
                                         .type = name_of(stmt, TYPE_COLUMN),
                                         .executor = name_of(stmt, EXECUTOR_COLUMN),
                                         .resources = name_of(stmt, RESOURCES_COLUMN),
                                         .nfailed = sqlite3_column_int64(stmt, NFAILED_COLUMN)};
    if (!has_type(q->types, asking.type, asking.executor)) {
        if (q->foreign)
            q->foreign(q->fits_context, asking.action);
        return false;
    }
    return (!q->wanted || q->wanted(q->context, asking.action)) &&
           (!asking.resources || !q->fits || !q->waits(q->fits_context, &asking));
}

/* Adds rows of a query for READY ones until there are limit, and closes it. */
static int add_ready(struct pingo__store_db *db, sqlite3_stmt *stmt,
                     const struct pingo__store_ready_query *q,
                     struct pingo__store_action_list *list, struct pingo_error *err)
{
    const struct pingo__store_ready_query *outer = db->ready;
    bool is_row = true;
    int rc = 0;
    db->ready = q;
    while (!rc && list->n < q->limit && !(rc = pingo__store_db_next(db, stmt, &is_row, err)) &&
           is_row)
        if (may_be(stmt, q)) {
            struct pingo__store_action_row *row = &list->rows[list->n];
            bool fits = true;
            rc = pingo__store_db_read(stmt, &actions, q->arena, row, err);
            if (!rc && row->resources && q->fits)
                rc = q->fits(q->fits_context, row, &fits, err);
            list->n += fits;
        }
    sqlite3_reset(stmt);
    db->ready = outer;
    return rc;
}

#define SELECT_READY SELECT "action a" NODE "WHERE a.state = " ACTION_READY " AND"

int pingo__store_action_add_ready(struct pingo__store_db *db,
                                  const struct pingo__store_ready_query *q,
                                  struct pingo__store_action_list *list, struct pingo_error *err)
{
    static const char *const texts[] = {
        [0] = SELECT_READY READY_IS_DUE " ORDER BY a.queue," IN_A_QUEUE,
        [1] = SELECT_READY " a.queue = ?1 AND" READY_IS_DUE " ORDER BY" IN_A_QUEUE,
        [3] = SELECT_READY " a.queue = ?1 AND a.priority = ?2 AND a.workflow = ?3 AND" READY_IS_DUE
                           " ORDER BY a.rank DESC, a.hash"};
    struct pingo__store_bind binds[] = {INT(q->queue), INT(q->priority), INT(q->workflow), NONE};
    size_t n = q->workflow ? 3 : q->queue != PINGO__QUEUE_ANY;
    sqlite3_stmt *stmt = NULL;
    binds[n] = NONE;
    int rc = have_functions(db, err);
    if (!rc)
        rc = pingo__store_db_select(db, &(const struct pingo__store_sql){texts[n], binds}, &stmt,
                                    err);
    return rc ? rc : add_ready(db, stmt, q, list, err);
}

bool pingo__store_action_is_ready(const struct pingo__store_action_row *a,
                                  const struct pingo__store_ready_query *q)
{
    return a->state == PINGO_ACTION_READY && has_type(q->types, a->type, a->executor) &&
           is_due(q, a->not_before_ms);
}

/* ---- lists ----------------------------------------------------------------------- */

#define SELECT_HOLDER PINGO__SELECT(HOLDER) " FROM "
PINGO__LIST(pingo__store_action_list_holders(DB, const char *executor,
                                             struct pingo__store_holder_list *list, ERR),
            holders, list,
            SELECT_HOLDER "attempt t CROSS JOIN action a ON a.id = t.action" NODE "WHERE " T_OPEN
                          " AND t.told IS NULL AND t.executor = ?1 AND n.resources IS NOT NULL"
                          " UNION ALL " SELECT_HOLDER "action a" NODE "WHERE " CLAIMED
                          " AND a.state = " ACTION_PROCESSING " AND coalesce(n.executor, ?1) = ?1"
                          " AND n.resources IS NOT NULL",
            TEXT(executor));

static const char *const lists[] = {
    [PINGO__ACTIONS_JOINERS] =
        SELECT "action a" NODE "WHERE a.joined = ?1 AND " UNFINISHED " ORDER BY a.id",
    [PINGO__ACTIONS_READERS] = SELECT CHILDREN "d.data = 1 AND " UNFINISHED " ORDER BY d.child",
    [PINGO__ACTIONS_WAITERS] = SELECT CHILDREN "d.data = 0 AND " UNFINISHED " ORDER BY d.child",
    [PINGO__ACTIONS_PARENTS] =
        SELECT "dependency d CROSS JOIN action a ON a.id = d.parent" NODE
               "WHERE d.child = ?1 AND d.data = 1 AND " UNFINISHED " ORDER BY d.parent",
    [PINGO__ACTIONS_CLAIMANTS] = SELECT "claim c CROSS JOIN action a ON a.id = c.action" NODE
                                        "WHERE c.dataset = ?1 ORDER BY c.action",
    [PINGO__ACTIONS_OWNED] =
        SELECT "action a" NODE "WHERE a.owner = ?1 AND " CLAIMED " ORDER BY a.id",
    [PINGO__ACTIONS_STRAY] =
        SELECT "action a INDEXED BY action_handed" NODE "WHERE " CLAIMED
               " AND iif(a.state = " ACTION_PROCESSING
               ", NOT EXISTS (SELECT 1 FROM owner o WHERE o.id = a.owner), NOT EXISTS (SELECT 1"
               " FROM attempt t WHERE t.action = a.id AND t.epoch = a.epoch AND " T_OPEN "))",
    [PINGO__ACTIONS_RARE] = SELECT "action a" NODE "WHERE a.state = " ACTION_READY " AND" IS_DUE(
        "?1") " AND n.resources IS NOT NULL ORDER BY a.queue," IN_A_QUEUE " LIMIT 10000",
};

int pingo__store_action_list(struct pingo__store_db *db, enum pingo__store_actions which, int64_t of,
                             struct pingo__store_action_list *list, struct pingo_error *err)
{
    const struct pingo__store_bind one[] = {INT(of), NONE};
    const struct pingo__store_sql sql = {lists[which], which == PINGO__ACTIONS_STRAY ? NULL : one};
    return pingo__store_db_list(db, &sql, PINGO__STORE_INTO(&actions, list), err);
}

_Static_assert(PINGO__ACTIONS_JOINERS == 0 && PINGO__ACTIONS_READERS == 1 &&
                   PINGO__ACTIONS_WAITERS == 2,
               "so the query says");
PINGO__LIST(pingo__store_action_list_followers(DB, int64_t action,
                                               struct pingo__store_follower_list *list, ERR),
            followers, list,
            "SELECT 0, a.id, 2 - d.data FROM dependency d CROSS JOIN action a ON a.id = d.child"
            " WHERE d.parent = ?1 AND " UNFINISHED " UNION ALL SELECT 0, a.id, 0 FROM action a"
            " WHERE a.joined = ?1 AND " UNFINISHED " ORDER BY 2",
            INT(action));

PINGO__LIST(pingo__store_action_list_unneeded(DB, int64_t workflow,
                                              struct pingo__store_action_state_list *list, ERR),
            ids, list,
            SELECT_ID " WHERE a.workflow = ?1 AND " UNFINISHED " AND a.id NOT IN (WITH RECURSIVE"
                      " needed(id) AS (SELECT a.id FROM (SELECT ?1 AS id UNION SELECT id FROM"
                      " workflow WHERE unfinished > 0 AND (state <> " WORKFLOW_RUNNING
                      " OR paused = 1)) h CROSS JOIN action a ON a.workflow = h.id CROSS JOIN"
                      " action j ON j.joined = a.id CROSS JOIN workflow w ON w.id = j.workflow"
                      " WHERE j.workflow <> ?1 AND w.state = " WORKFLOW_RUNNING " AND " J_UNFINISHED
                      " AND " UNFINISHED " UNION SELECT a.id FROM needed b"
                      " CROSS JOIN dependency d ON d.child = b.id AND d.data = 1 CROSS JOIN"
                      " action a ON a.id = d.parent WHERE " UNFINISHED
                      " UNION SELECT a.joined FROM needed b CROSS JOIN action a ON a.id = b.id"
                      " WHERE a.joined IS NOT NULL AND " UNFINISHED
                      ") SELECT id FROM needed) ORDER BY a.position, a.id",
            INT(workflow));

PINGO__LIST(pingo__store_action_list_latest(DB, const struct pingo__store_page *page,
                                            struct pingo__store_action_list *list, ERR),
            actions, list,
            SELECT "action a" NODE
                   "WHERE a.workflow = ?1 AND a.position >= ?2 AND a.position < ?2 + ?3"
                   " AND NOT EXISTS (SELECT 1 FROM action b WHERE b.workflow = ?1 AND"
                   " b.position = a.position AND b.id > a.id) ORDER BY a.position",
            INT(page->workflow), INT(page->from), INT(page->n));

PINGO__LIST(pingo__store_action_list_at(DB, int64_t workflow, int64_t position,
                                        struct pingo__store_action_list *list, ERR),
            actions, list,
            SELECT "action a" NODE "WHERE a.workflow = ? AND a.position = ? ORDER BY a.id DESC",
            INT(workflow), INT(position));

PINGO__LIST(pingo__store_lost_readers(DB, int64_t dataset, size_t limit,
                                      struct pingo__store_action_list *list, ERR),
            actions, list,
            SELECT "claim c CROSS JOIN action a ON a.id = c.action" NODE
                   "WHERE c.dataset = ? AND " UNFINISHED
                   " AND NOT " ACTION_IS_HANDED("a.state") " ORDER BY c.action LIMIT ?",
            INT(dataset), INT(limit));

PINGO__GET(pingo__store_action_name(DB, const struct pingo_hash *hash, struct pingo__arena *arena,
                                    const char **name, ERR),
           pingo__store_texts, arena, name,
           "SELECT 0, n.name FROM dataset d CROSS JOIN action a ON"
           " a.id = d.action" NODE "WHERE d.hash = ? ORDER BY d.generation DESC LIMIT 1",
           HASH(hash));

/* Where the node x was first: submission and position.  None below x was first at a later place, so the last that an
 * action could know is found in some steps, however many came since; where few have its name, those are looked at
 * sooner.  Who has no row yet knows all. */
#define FIRST_PLACE_OF(x)                                                                          \
    "(SELECT (SELECT min(id) FROM workflow WHERE graph = gp.graph), gp.first + " x " - gp.part"    \
    " FROM graph_part gp WHERE gp.part = (SELECT max(id) FROM part WHERE id <= " x ")"             \
    " ORDER BY gp.graph LIMIT 1)"
#define NODES_KNOWN                                                                                \
    "known(node, step) AS (SELECT 0, 1 << 40 UNION ALL SELECT node + step * (" FIRST_PLACE_OF(     \
        "(node + step)") " <= (SELECT workflow, position FROM action WHERE id = ?2"                \
                         " UNION ALL SELECT ?2, 0 LIMIT 1)), step / 2 FROM known WHERE step > 0)"

PINGO__LIST(
    pingo__store_action_list_like(DB, const struct pingo__store_action_like *like,
                                  struct pingo__store_action_list *list, ERR),
    actions, list,
    "WITH RECURSIVE " NODES_KNOWN ", near AS (SELECT user_id, hash FROM node"
    " WHERE name = ?1 AND id <= iif((SELECT count(*) FROM (SELECT 1 FROM node WHERE name = ?1"
    " LIMIT 500)) < 500, 1 << 62, (SELECT max(node) FROM known)) ORDER BY id DESC LIMIT 500),"
    " made AS NOT MATERIALIZED (SELECT user_id, d.action FROM near CROSS JOIN dataset d"
    " ON d.hash = near.hash AND d.generation = (SELECT max(generation) FROM dataset"
    " WHERE hash = near.hash AND action < ?2)) " SELECT "action a" NODE "WHERE a.id IN"
    " (SELECT action FROM made WHERE user_id = ?3 LIMIT 3) OR a.id IN"
    " (SELECT action FROM made LIMIT 20) ORDER BY a.id DESC",
    TEXT(like->name), INT(like->before), INT(like->user_id));

PINGO__LIST(pingo__store_action_list_outputs(DB, struct pingo__store_text_list *list, ERR),
            pingo__store_texts, list,
            "SELECT DISTINCT 0, n.output_path FROM dataset d CROSS JOIN action a ON"
            " a.id = d.action" NODE "WHERE d.managed = 0 AND d.object IS NULL AND " UNFINISHED,
            NONE);

#define WRITERS                                                                                    \
    "SELECT b.id FROM json_each(?1) p CROSS JOIN node n ON n.output_path = "                       \
    "p.value" PINGO__JOIN_PARTS "CROSS JOIN workflow v ON v.graph = gp.graph AND v.unfinished > 0" \
    " CROSS JOIN action b ON b.workflow = v.id AND b.position = " PINGO__NODE_POSITION             \
    " WHERE " B_UNFINISHED
#define READERS                                                                                    \
    "SELECT d.child FROM writer CROSS JOIN dependency d ON d.parent = writer.id AND d.data"
#define LAY_THERE                                                                                  \
    "object o CROSS JOIN dataset d ON d.object = o.id CROSS JOIN claim c ON c.dataset = d.id"

PINGO__LIST(pingo__store_action_list_at_output(DB, const char *paths, const char *real,
                                               struct pingo__store_action_list *list, ERR),
            actions, list,
            "WITH writer(id) AS (" WRITERS ") " SELECT "action a" NODE
            "WHERE a.id IN (SELECT id FROM writer UNION " READERS " UNION"
            " SELECT c.action FROM " LAY_THERE " WHERE o.path = ?2 AND d.managed = 0)"
            " AND " UNFINISHED " ORDER BY a.id",
            TEXT(paths), TEXT(real));

/* ---- counts ------------------------------------------------------------------------- */

#define READY_TYPE(F, T)                                                                           \
    F(T, TEXT, type, "n.type") F(T, MAYBE, executor, "n.executor") F(T, INT, n, "count(*)")
PINGO__ROW(ready_types, struct type, READY_TYPE);

struct foreign {
    const char *const *types;
    struct pingo__store_foreign *found;
};

static int add_foreign(void *context, const void *row, struct pingo_error *err)
{
    const struct foreign *f = context;
    const struct type *t = row;
    (void)err;
    if (has_type(f->types, t->type, t->executor)) {
        f->found->others += t->n;
        return 0;
    }
    f->found->n += t->n;
    snprintf(f->found->what, sizeof f->found->what,
             t->executor ? "executor \"%s\"" : "actions of type \"%s\"",
             t->executor ? t->executor : t->type);
    return 0;
}

int pingo__store_action_count_foreign(struct pingo__store_db *db, int64_t workflow,
                                      const char *const *types, struct pingo__store_foreign *found,
                                      struct pingo_error *err)
{
    *found = (struct pingo__store_foreign){0};
    return pingo__db_each(
        db, err, &ready_types, add_foreign, &((struct foreign){types, found}),
        PINGO__SELECT(READY_TYPE) " FROM action a" NODE "WHERE a.state = " ACTION_READY
                                  " AND iif(?1, a.workflow = ?1, w.state = " WORKFLOW_RUNNING
                                  " AND w.paused = 0) GROUP BY n.type, n.executor",
        INT(workflow));
}
