/* usage.c - see usage.h. */
#include "store/decision/usage.h"

#include "rules/effects.h"
#include "store/dataset/datasets.h"

/* ---- counting ------------------------------------------------------------------------ */

#define BYTES(F, T)                                                                                \
    F(T, INT, size, "o.size_bytes") F(T, INT, managed, "d.managed") F(T, INT, shared, "d.shared")
#define SUM(F, T) F(T, INT, state, "state") F(T, INT, n, "ndatasets") F(T, INT, bytes, "bytes")
PINGO__ROW(objects, struct bytes, BYTES);
PINGO__ROW(sums, struct sum, SUM);

static int count_other(void *context, const void *row, struct pingo_error *err)
{
    (void)err;
    enum pingo_dataset_state *state = context;
    *state = pingo__rules_dataset_counted(*state, (enum pingo_dataset_state) * (const int64_t *)row);
    return 0;
}

/* With which state the others keep it; 0: there is none. */
static int state_of_others(struct pingo__store_db *db, int64_t dataset,
                           enum pingo_dataset_state *state, struct pingo_error *err)
{
    *state = 0;
    return pingo__db_each(db, err, &pingo__store_numbers, count_other, state,
                          "SELECT 0, e.state FROM dataset d CROSS JOIN dataset e ON"
                          " e.object = d.object AND e.shared = 1 WHERE d.id = ?1 AND"
                          " e.id <> ?1 AND e.managed = 1",
                          INT(dataset));
}

int pingo__store_usage_move(struct pingo__store_db *db, int64_t dataset,
                            enum pingo_dataset_state from, enum pingo_dataset_state to,
                            struct pingo_error *err)
{
    int64_t n[PINGO__DATASET_STATES] = {0}, bytes[PINGO__DATASET_STATES] = {0};
    struct bytes b;
    enum pingo_dataset_state others = 0;
    if (from == to ||
        (!pingo_dataset_state_takes_space(from) && !pingo_dataset_state_takes_space(to)))
        return 0;
    int rc = pingo__db_row(db, err, &objects, NULL, &b,
                           PINGO__SELECT(BYTES) " FROM dataset d CROSS JOIN object o"
                                                " ON o.id = d.object WHERE d.id = ?",
                           INT(dataset));
    if (!rc && b.shared)
        rc = state_of_others(db, dataset, &others, err);
    if (rc || !b.managed)
        return rc;
    n[from] = -1;
    n[to] = 1;
    bytes[pingo__rules_dataset_counted(from, others)] -= b.size;
    bytes[pingo__rules_dataset_counted(to, others)] += b.size;
    for (enum pingo_dataset_state state = 1; !rc && state < PINGO__DATASET_STATES; state++)
        if (pingo_dataset_state_takes_space(state) && (n[state] || bytes[state]))
            rc = pingo__db_write(db, err,
                                 "UPDATE usage SET ndatasets = ndatasets + ?2,"
                                 " bytes = bytes + ?3 WHERE state = ?1",
                                 INT(state), INT(n[state]), INT(bytes[state]));
    return rc;
}

/* ---- reading --------------------------------------------------------------------------- */

static int take_sum(void *context, const void *row, struct pingo_error *err)
{
    struct pingo__store_usage *u = context;
    const struct sum *s = row;
    (void)err;
    if (!pingo_dataset_state_name((enum pingo_dataset_state)s->state))
        return 0;
    u->ndatasets[s->state] = s->n;
    u->bytes[s->state] = s->bytes;
    return 0;
}

/* Bytes of such managed ones that are STORED, but for those that another generation keeps, or counts. */
#define STORED_BYTES(such, others)                                                                 \
    "(SELECT sum(o.size_bytes) FROM dataset d CROSS JOIN object o ON o.id = d.object WHERE " such  \
    " AND d.state = " DATASET_STORED                                                               \
    " AND d.managed = 1 AND (d.shared = 0 OR NOT " PINGO__DATASET_IS_SHARED_BY(                    \
        "(e.state = " DATASET_LEAF " OR (e.state = " DATASET_STORED " AND " others "))") "))"
/* clang-format off */
#define HELD(F, T)                                                                                 \
    F(T, INT, kept_bytes, STORED_BYTES("d.pinned = 1", "e.pinned = 1 AND e.id < d.id"))            \
    F(T, INT, claimed_bytes,                                                                       \
      STORED_BYTES("d.id IN (SELECT dataset FROM claim UNION SELECT dataset FROM hold) AND"        \
                   " d.pinned = 0", "(e.pinned = 1 OR (e.id < d.id AND"                            \
                   " " PINGO__DATASET_IS_CLAIMED("e.id") "))"))
/* Undeletable ones first: few or none. */
#define OTHERS(F, T)                                                                               \
    F(T, INT, undeletable_bytes, "(SELECT sum(o.size_bytes) FROM undeletable u CROSS JOIN dataset" \
      " d ON d.id = u.dataset CROSS JOIN object o ON o.id = d.object"                              \
      " WHERE d.state = " DATASET_DELETING ")")                                                    \
    F(T, INT, orphan_bytes, "(SELECT sum(bytes) FROM orphan)")                                     \
    F(T, INT, failed_bytes,                                                                        \
      "(SELECT sum(scratch_bytes) FROM attempt WHERE scratch_bytes IS NOT NULL)")
/* clang-format on */
PINGO__KIND(held_kind, struct pingo__store_held, HELD);
PINGO__KIND(others_kind, struct pingo__store_usage, OTHERS);

int pingo__store_usage_read(struct pingo__store_db *db, struct pingo__store_usage *u,
                            struct pingo__store_held *held, struct pingo_error *err)
{
    int rc = pingo__db_row(db, err, &others_kind, NULL, u, PINGO__SELECT(OTHERS), NONE);
    if (!rc)
        rc = pingo__db_each(db, err, &sums, take_sum, u, PINGO__SELECT(SUM) " FROM usage", NONE);
    if (!rc && held)
        rc = pingo__db_row(db, err, &held_kind, NULL, held, PINGO__SELECT(HELD), NONE);
    return rc;
}

int64_t pingo__store_usage_of(const struct pingo__store_usage *u,
                              bool (*holds)(enum pingo_dataset_state state))
{
    int64_t bytes = 0;
    for (int state = 0; state < PINGO__DATASET_STATES; state++)
        bytes += holds((enum pingo_dataset_state)state) ? u->bytes[state] : 0;
    return bytes;
}

int64_t pingo__store_usage_used(const struct pingo__store_usage *u)
{
    return pingo__store_usage_of(u, pingo__rules_dataset_is_kept) + u->undeletable_bytes +
           u->orphan_bytes + u->failed_bytes;
}

int64_t pingo__store_usage_candidates(const struct pingo__store_usage *u,
                                      const struct pingo__store_held *held)
{
    return u->bytes[PINGO_DATASET_STORED] - held->kept_bytes - held->claimed_bytes;
}

int64_t pingo__store_usage_part(int64_t bytes, int64_t thousandths)
{
    return !thousandths ? bytes : bytes / 1000 * thousandths + bytes % 1000 * thousandths / 1000;
}

void pingo__store_usage_scale(struct pingo__store_usage *u, struct pingo__store_held *held,
                              int64_t thousandths)
{
    int64_t *const others[] = {&u->undeletable_bytes, &u->orphan_bytes, &u->failed_bytes,
                               held ? &held->kept_bytes : NULL, held ? &held->claimed_bytes : NULL};
    for (int state = 0; state < PINGO__DATASET_STATES; state++)
        u->bytes[state] = pingo__store_usage_part(u->bytes[state], thousandths);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i])
            *others[i] = pingo__store_usage_part(*others[i], thousandths);
}

/* ---- what a decision may not take -------------------------------------------------------------- */

/* As long as such a one stays, d frees nothing. */
#define IS_KEPT                                                                                    \
    "d.shared = 1 AND " PINGO__DATASET_IS_SHARED_BY(                                               \
        "(e.state = " DATASET_LEAF " OR (e.state = " DATASET_STORED                                \
        " AND e.pinned = 1) OR (e.state <> " DATASET_DELETED                                       \
        " AND " PINGO__DATASET_IS_CLAIMED("e.id") "))")

#define CANDIDATE(F, T)                                                                            \
    F(T, INT, dataset, "d.id") F(T, HASH, hash, "d.hash") F(T, INT, generation, "d.generation")
PINGO__KIND(candidates, struct pingo__store_candidate, CANDIDATE);
#define SELECT PINGO__SELECT(CANDIDATE) " FROM dataset d "

PINGO__EACH(pingo__store_candidate_each_held(DB, pingo__store_row_fn fn, void *context, ERR),
            candidates, fn, context,
            SELECT "WHERE d.pinned = 1 AND d.state = " DATASET_STORED
                   " AND d.managed = 1 UNION ALL " SELECT "WHERE d.id IN"
                   " (SELECT dataset FROM claim UNION SELECT dataset FROM hold)"
                   " AND d.pinned = 0 AND d.state = " DATASET_STORED
                   " AND d.managed = 1 UNION ALL " SELECT
                   "INDEXED BY dataset_shared WHERE d.state = " DATASET_STORED " AND " IS_KEPT,
            NONE);

PINGO__FUNCTION(pingo__store_candidate_is_kept(DB, int64_t dataset, bool *kept, ERR),
                return pingo__db_exists(db, err, kept,
                                        "SELECT 1 FROM dataset d WHERE d.id = ? AND " IS_KEPT,
                                        INT(dataset)));

PINGO__EACH(pingo__store_candidate_each_old_leaf(DB, int64_t before_ms, pingo__store_row_fn fn,
                                                 void *context, ERR),
            candidates, fn, context,
            SELECT "WHERE d.state = " DATASET_LEAF
                   " AND d.last_used_ms < ? AND d.pinned = 0 AND d.managed = 1 AND"
                   " NOT " PINGO__DATASET_IS_CLAIMED("d.id") " ORDER BY d.last_used_ms, d.id",
            INT(before_ms));

/* Bytes that stay with such a one, or go with it and are counted there. */
#define IS_COUNTED_ELSEWHERE                                                                       \
    PINGO__DATASET_IS_SHARED_BY("(" DATASET_IS_KEPT("e.state") " OR (" DATASET_IS_LEAVING(         \
        "e.state") " AND (e.id < d.id OR " PINGO__DATASET_IS_CLAIMED("e.id") ")))")
#define IS_LEAVING DATASET_IS_LEAVING("d.state")
#define IS_HELD_UP                                                                                 \
    "(NOT " DATASET_IS_REMOVING("d.state") " AND " PINGO__DATASET_IS_CLAIMED("d.id") ")"

PINGO__FUNCTION(pingo__store_candidate_leaving(DB, int64_t *bytes, ERR), *bytes = 0;
                return pingo__db_number(
                    db, err, bytes,
                    "SELECT sum(o.size_bytes) FROM dataset d CROSS JOIN object o ON o.id = d.object"
                    " WHERE " IS_LEAVING " AND d.managed = 1 AND NOT " IS_HELD_UP
                    " AND NOT EXISTS (SELECT 1 FROM undeletable u WHERE u.dataset = d.id)"
                    " AND (d.shared = 0 OR NOT " IS_COUNTED_ELSEWHERE ")",
                    NONE));
