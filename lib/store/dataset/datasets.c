/* datasets.c - see datasets.h. */
#include "store/dataset/datasets.h"

#include "store/dataset/objects.h"
#include "store/transition.h"

/* clang-format off */
/* A generation that is DELETED has no bytes, though another one may have them still. */
#define DATASET(F, T)                                                                              \
    F(T, INT, id, "d.id") F(T, HASH, hash, "d.hash") F(T, INT, generation, "d.generation")         \
    F(T, INT, state, "d.state") F(T, INT, current, "d.current") F(T, INT, managed, "d.managed")    \
    F(T, INT, pinned, "d.pinned") F(T, INT, action, "d.action") F(T, INT, owner, "d.owner")        \
    F(T, OPT, compute_ms, "d.compute_ms") F(T, OPT, made_ms, "d.made_ms")                          \
    F(T, OPT, last_used_ms, "d.last_used_ms") F(T, INT, object, "d.object")                        \
    F(T, INT, shared, "d.shared") F(T, INT, directory, "o.directory")                              \
    F(T, MAYBE, path, "iif(d.state <> " DATASET_DELETED ", o.path, NULL)")                         \
    F(T, OPT, stamp.numbers[0], "o.stamp_1") F(T, OPT, stamp.numbers[1], "o.stamp_2")              \
    F(T, OPT, size_bytes, "o.size_bytes") F(T, HASH, content, "o.content") F(T, INT, mark, "o.mark")
#define KNOWN(F, T)                                                                                \
    F(T, INT, id, "id") F(T, INT, state, "state") F(T, INT, current, "current")                    \
    F(T, INT, managed, "managed") F(T, INT, action, "action") F(T, INT, is_made, "made_ms IS NOT NULL")
#define CHANGED(F, T)                                                                              \
    F(T, INT, changed, "d.changed") F(T, HASH, hash, "d.hash") F(T, INT, state, "d.state")         \
    F(T, INT, managed, "d.managed") F(T, OPT, size_bytes, "o.size_bytes")                          \
    F(T, OPT, compute_ms,                                                                          \
      "(SELECT CAST(avg(c.compute_ms) AS INTEGER) FROM dataset c WHERE c.hash = d.hash)")
/* clang-format on */
PINGO__KIND(datasets, struct pingo__store_dataset_row, DATASET);
#define SELECT PINGO__SELECT(DATASET) " FROM "
#define OBJECT " LEFT JOIN object o ON o.id = d.object "
#define CLAIMED PINGO__DATASET_IS_CLAIMED("d.id")

/* Word for word as in the index dataset_leaving, or SQLite does not see that it fits. */
#define LEAVING DATASET_IS_LEAVING("d.state")
#define REMOVING DATASET_IS_REMOVING("d.state")
#define IN_USE "(d.current OR d.state <> " DATASET_DELETED " OR " CLAIMED ")"

bool pingo__store_dataset_is_whole(const struct pingo__store_dataset_row *row)
{
    return row->path && pingo__rules_dataset_is_whole(row->state);
}

int pingo__store_dataset_move(struct pingo__store_db *db, const struct pingo__store_dataset_row *row,
                              enum pingo_dataset_state to, struct pingo_error *err)
{
    return pingo__store_dataset_change(
        db, &(struct pingo__store_dataset_change){.row = row, .to = to}, NULL, err);
}

#define INSERT(or)                                                                                 \
    "INSERT" or " INTO dataset(id, hash, generation, state, current, managed, pinned, action)"     \
                " VALUES(?, ?, ?, ?, 0, ?, ?, ?)"
#define VALUES(generation)                                                                         \
    INT(r->id), HASH(&r->hash), INT(generation), INT(r->state), INT(r->managed), INT(r->pinned),   \
        REF(r->action)

/* Most are the first of their hash, which is tried before anybody looks. */
int pingo__store_dataset_insert(struct pingo__store_db *db, struct pingo__store_dataset_row *r,
                                struct pingo_error *err)
{
    struct pingo_event event = {
        .kind = PINGO_EVENT_DATASET, .to = (int)r->state, .hash = r->hash, .id = -1};
    int64_t generation = 1;
    int rc = pingo__db_write(db, err, INSERT(" OR IGNORE"), VALUES(generation));
    bool is_first = !rc && pingo__store_db_has_changed(db);
    if (!rc && !is_first)
        rc = pingo__db_number(db, err, &generation,
                              "SELECT max(generation) + 1 FROM dataset WHERE hash = ?",
                              HASH(&r->hash));
    if (!rc && !is_first)
        rc = pingo__db_write(db, err, INSERT(""), VALUES(generation));
    event.epoch = r->generation = generation;
    return rc ? rc : pingo__store_db_note(db, &event, err);
}

/* ---- reading ---------------------------------------------------------------------- */

PINGO__GET(pingo__store_dataset_get(DB, int64_t id, struct pingo__arena *arena,
                                    struct pingo__store_dataset_row *row, ERR),
           datasets, arena, row, SELECT "dataset d" OBJECT "WHERE d.id = ?", INT(id));

PINGO__GET(pingo__store_dataset_current(DB, const struct pingo_hash *hash, struct pingo__arena *arena,
                                        struct pingo__store_dataset_row *row, ERR),
           datasets, arena, row, SELECT "dataset d" OBJECT "WHERE d.hash = ? AND d.current = 1",
           HASH(hash));

PINGO__GET(pingo__store_dataset_newest(DB, const struct pingo_hash *hash, struct pingo__arena *arena,
                                       struct pingo__store_dataset_row *row, ERR),
           datasets, arena, row,
           SELECT "dataset d" OBJECT
                  "WHERE d.id = coalesce((SELECT id FROM dataset WHERE hash = ?1 AND current = 1),"
                  " (SELECT id FROM dataset WHERE hash = ?1 ORDER BY generation DESC LIMIT 1))",
           HASH(hash));

PINGO__GET(pingo__store_dataset_made_with(DB, const struct pingo__store_dataset_made *made,
                                          struct pingo__arena *arena,
                                          struct pingo__store_dataset_row *row, ERR),
           datasets, arena, row,
           SELECT "dataset d" OBJECT "WHERE d.hash = ? AND o.content = ? AND"
                  " d.made_ms IS NOT NULL AND d.managed = 1 ORDER BY d.generation DESC LIMIT 1",
           HASH(&made->hash), HASH(&made->content));

static enum pingo_known known_of(enum pingo_dataset_state state)
{
    return state == PINGO_DATASET_LEAF            ? PINGO_KNOWN_LEAF
           : pingo__rules_dataset_is_kept(state)  ? PINGO_KNOWN_STORED
           : pingo__rules_dataset_is_whole(state) ? PINGO_KNOWN_RESCUABLE
                                                  : PINGO_KNOWN_DELETED;
}

struct generation {
    int64_t id, action;
    enum pingo_dataset_state state;
    bool current, managed, is_made;
};
PINGO__KIND(generations, struct generation, KNOWN);

struct asking {
    bool unmanaged;
    struct pingo__store_dataset_known *known;
};

/* What is there comes before what is being made (a forced repeat), that before what was. */
static int ask(void *context, const void *row, struct pingo_error *err)
{
    const struct asking *a = context;
    const struct generation *g = row;
    struct pingo__store_dataset_known *k = a->known;
    (void)err;
    if (!g->managed && !a->unmanaged)
        return 0;
    enum pingo_known now = pingo_dataset_state_is_pending(g->state) ? PINGO_KNOWN_COMPUTING
                           : g->current                             ? known_of(g->state)
                           : g->is_made                             ? PINGO_KNOWN_DELETED
                                                                    : PINGO_KNOWN_NOTHING;
    if (k->known == PINGO_KNOWN_NOTHING || (k->known == PINGO_KNOWN_DELETED && now > k->known))
        *k = (struct pingo__store_dataset_known){now, now > PINGO_KNOWN_DELETED ? g->id : 0,
                                                 g->action};
    return 0;
}

int pingo__store_dataset_known(struct pingo__store_db *db, const struct pingo_hash *hash,
                               bool unmanaged, struct pingo__store_dataset_known *k,
                               struct pingo_error *err)
{
    *k = (struct pingo__store_dataset_known){.known = PINGO_KNOWN_NOTHING};
    return pingo__db_each(db, err, &generations, ask, &((struct asking){unmanaged, k}),
                          PINGO__SELECT(KNOWN) " FROM dataset WHERE hash = ?"
                                               " ORDER BY current DESC, generation",
                          HASH(hash));
}

int pingo__store_dataset_expect(struct pingo__store_db *db, const struct pingo_hash *hash,
                                int64_t *compute_ms, int64_t *size_bytes, struct pingo_error *err)
{
    *compute_ms = *size_bytes = -1;
    int rc = pingo__db_number(db, err, compute_ms,
                              "SELECT CAST(avg(compute_ms) AS INTEGER) FROM dataset WHERE hash = ?",
                              HASH(hash));
    if (!rc)
        rc = pingo__db_number(db, err, size_bytes,
                              "SELECT o.size_bytes FROM dataset d JOIN object o ON o.id ="
                              " d.object WHERE d.hash = ? AND d.made_ms IS NOT NULL"
                              " ORDER BY d.generation DESC LIMIT 1",
                              HASH(hash));
    return rc;
}

/* ---- lists ------------------------------------------------------------------------------ */

/* For LIMIT: -1 is none. */
static int64_t limit_of(const struct pingo__store_dataset_list *l)
{
    return l->limit ? (int64_t)l->limit : -1;
}

PINGO__LIST(pingo__store_dataset_list_deletable(DB, struct pingo__store_dataset_list *l, ERR),
            datasets, l,
            SELECT "dataset d" OBJECT "WHERE d.state = " DATASET_STORED_TO_DELETE " AND " LEAVING
                   " AND NOT " CLAIMED " ORDER BY d.id LIMIT ?",
            INT(limit_of(l)));

PINGO__LIST(pingo__store_dataset_list_leaving(DB, int64_t owner,
                                              struct pingo__store_dataset_list *l, ERR),
            datasets, l,
            SELECT "dataset d" OBJECT "WHERE " REMOVING " AND " LEAVING
                   " AND d.owner = ? ORDER BY d.id",
            INT(owner));

PINGO__LIST(pingo__store_dataset_list_left(DB, int64_t owner, int64_t now_ms,
                                           struct pingo__store_dataset_list *l, ERR),
            datasets, l,
            SELECT "dataset d" OBJECT "LEFT JOIN undeletable u ON u.dataset = d.id WHERE " REMOVING
                   " AND " LEAVING " AND (d.owner = ?1 OR (d.owner IS NULL AND"
                   " d.state = " DATASET_DELETING " AND coalesce(not_before_ms, 0) - ?2 NOT BETWEEN"
                   " 1 AND ?4)) ORDER BY d.id LIMIT ?3",
            INT(owner), INT(now_ms), INT(limit_of(l)), INT(PINGO__UNDELETABLE_LONGEST_MS));

PINGO__LIST(pingo__store_dataset_list_after(DB, int64_t after, struct pingo__store_dataset_list *l,
                                            ERR),
            datasets, l,
            SELECT "dataset d" OBJECT "WHERE d.id > ?1 AND " IN_USE " ORDER BY d.id LIMIT ?2",
            INT(after), INT(limit_of(l)));

PINGO__LIST(pingo__store_dataset_list_longer(DB, int64_t bytes, struct pingo__store_dataset_list *l,
                                             ERR),
            datasets, l,
            SELECT "dataset d" OBJECT "WHERE o.size_bytes > ?1 AND d.managed = 1 AND " IN_USE,
            INT(bytes));

PINGO__LIST(pingo__store_dataset_list_claimed(DB, int64_t action,
                                              struct pingo__store_dataset_list *l, ERR),
            datasets, l,
            SELECT "claim c JOIN dataset d ON d.id = c.dataset" OBJECT
                   "WHERE c.action = ? ORDER BY d.id",
            INT(action));

PINGO__LIST(pingo__store_dataset_list_at(DB, const char *path, struct pingo__store_dataset_list *l,
                                         ERR),
            datasets, l,
            SELECT "object o CROSS JOIN dataset d ON d.object = o.id"
                   " WHERE o.path = ? AND d.managed = 0 AND d.state <> " DATASET_DELETED,
            TEXT(path));

int pingo__store_dataset_list_sharers(struct pingo__store_db *db,
                                      const struct pingo__store_dataset_row *row,
                                      struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    l->n = 0;
    return !row->shared
               ? 0
               : pingo__db_list(db, err, &datasets, l,
                                SELECT "dataset d" OBJECT "WHERE d.object = ? AND d.shared = 1"
                                       " AND d.id <> ? AND d.state <> " DATASET_DELETED
                                       " ORDER BY d.id",
                                INT(row->object), INT(row->id));
}

PINGO__FUNCTION(pingo__store_dataset_count(DB, int64_t *n, ERR), *n = 0;
                return pingo__db_number(db, err, n, "SELECT count(*) FROM dataset d WHERE " IN_USE,
                                        NONE));

PINGO__KIND(changes, struct pingo__store_dataset_changed, CHANGED);

PINGO__EACH(pingo__store_dataset_each_changed(DB, int64_t after, pingo__store_row_fn fn,
                                              void *context, ERR),
            changes, fn, context,
            PINGO__SELECT(CHANGED) " FROM dataset d" OBJECT
                                   "WHERE d.changed > 0 AND d.changed > ? AND d.current = 1"
                                   " ORDER BY d.changed",
            INT(after));

int pingo__store_claim_drop(struct pingo__store_db *db, int64_t action, struct pingo_error *err)
{
    bool any = false;
    int rc = pingo__db_exists(db, err, &any, "SELECT 1 FROM claim WHERE action = ?", INT(action));
    if (any) /* a DELETE of several rows makes a table of their keys first, also of none */
        rc = pingo__db_write(db, err, "DELETE FROM claim WHERE action = ?", INT(action));
    return rc;
}

/* ---- lost ones ------------------------------------------------------------------------------ */

#define LOST(F, T) F(T, INT, dataset, "l.dataset") F(T, HASH, hash, "d.hash")
PINGO__KIND(losts, struct pingo__store_lost, LOST);

PINGO__GET(pingo__store_lost_next(DB, struct pingo__store_lost *lost, ERR), losts, NULL, lost,
           PINGO__SELECT(LOST) " FROM lost l CROSS JOIN dataset d ON d.id = l.dataset LIMIT 1",
           NONE);
