/* datasets.h - generations of datasets, and the claims on them.
 *
 * All writing functions run inside a write transaction; states change in store/transition.h alone. */
#ifndef PINGO__STORE_DATASETS_H
#define PINGO__STORE_DATASETS_H

#include "base/stamp.h"
#include "store/db.h"

/* In a query: has a dataset of this number a claim, or does somebody read it? */
#define PINGO__DATASET_IS_CLAIMED(id)                                                              \
    "EXISTS (SELECT 1 FROM claim WHERE claim.dataset = " id " UNION ALL"                           \
    " SELECT 1 FROM hold WHERE hold.dataset = " id ")"
/* Does another generation e, such a one, have the bytes of d? */
#define PINGO__DATASET_IS_SHARED_BY(such)                                                          \
    "EXISTS (SELECT 1 FROM dataset e WHERE e.object = d.object AND e.shared = 1 AND"               \
    " e.id <> d.id AND " such ")"

struct pingo__store_dataset_row {
    int64_t id;
    struct pingo_hash hash;
    int64_t generation;
    enum pingo_dataset_state state;
    bool current, managed, pinned;
    int64_t action;                            /* that makes it or did */
    int64_t owner;                             /* of PROCESSING and DELETING; 0 */
    int64_t compute_ms, made_ms, last_used_ms; /* -1: not yet */
    /* Its object: objects.h. */
    int64_t object; /* 0: none yet */
    bool shared;    /* with other generations */
    const char *path; /* below the pool, absolute when unmanaged; NULL: the generation has no bytes (any more) */
    bool directory;
    struct pingo__stamp stamp; /* of its root, to see that it is still there */
    int64_t size_bytes;        /* -1 */
    struct pingo_hash content;
    int64_t mark;  /* pingo__digest_content_mark(), as it was published; 0: not known */
    int64_t epoch; /* to publish: of the attempt that made it */
};

/* Do its bytes lie whole at its path, as far as the row knows?  Then a hold keeps them there. */
bool pingo__store_dataset_is_whole(const struct pingo__store_dataset_row *row);
/* The common change: to another state, with no owner.  Nothing happens where it was not in its state any more. */
int pingo__store_dataset_move(struct pingo__store_db *db, const struct pingo__store_dataset_row *row,
                              enum pingo_dataset_state to, struct pingo_error *err);
/* A generation that will be made: id, hash, state, managed, pinned, action are given; row->generation becomes the
 * next. */
int pingo__store_dataset_insert(struct pingo__store_db *db, struct pingo__store_dataset_row *row,
                                struct pingo_error *err);
/* Path in the arena; row->id 0: there is none. */
int pingo__store_dataset_get(DB, int64_t id, struct pingo__arena *arena,
                             struct pingo__store_dataset_row *row, ERR);
int pingo__store_dataset_current(DB, const struct pingo_hash *hash, struct pingo__arena *arena,
                                 struct pingo__store_dataset_row *row, ERR);
/* The newest generation that was made with this content. */
struct pingo__store_dataset_made {
    struct pingo_hash hash, content;
};
int pingo__store_dataset_made_with(DB, const struct pingo__store_dataset_made *made,
                                   struct pingo__arena *arena, struct pingo__store_dataset_row *row,
                                   ERR);
/* The current generation; where none is, the newest. */
int pingo__store_dataset_newest(DB, const struct pingo_hash *hash, struct pingo__arena *arena,
                                struct pingo__store_dataset_row *row, ERR);
/* What the planner asks. */
struct pingo__store_dataset_known {
    enum pingo_known known;
    int64_t id;     /* the generation that is current or being computed; 0: none */
    int64_t action; /* who computes it or did */
};
/* unmanaged: such outputs count as well (a plan is made again); else they are never there. */
int pingo__store_dataset_known(struct pingo__store_db *db, const struct pingo_hash *hash,
                               bool unmanaged, struct pingo__store_dataset_known *k,
                               struct pingo_error *err);

PINGO__WRITE(pingo__store_dataset_set_pinned(DB, int64_t id, bool pinned, ERR),
             "UPDATE dataset SET pinned = ?2 WHERE id = ?1", INT(id), INT(pinned));
/* All generations, that which is being made among them. */
PINGO__WRITE(pingo__store_dataset_unpin(DB, const struct pingo_hash *hash, ERR),
             "UPDATE dataset SET pinned = 0 WHERE hash = ? AND pinned = 1", HASH(hash));
PINGO__WRITE(pingo__store_dataset_touch(DB, int64_t id, int64_t now_ms, ERR),
             "UPDATE dataset SET last_used_ms = ?2 WHERE id = ?1", INT(id), INT(now_ms));

/* It is nobody's. */
PINGO__WRITE(pingo__store_dataset_let_go(DB, int64_t id, ERR),
             "UPDATE dataset SET owner = NULL WHERE id = ?1", INT(id));
/* Takes what is DELETING and nobody's.  is_ours false: another was faster. */
PINGO__CHANGE(pingo__store_dataset_adopt(DB, int64_t id, int64_t owner, bool *is_ours, ERR), is_ours,
              "UPDATE dataset SET owner = ?2 WHERE id = ?1 AND"
              " state = " DATASET_DELETING " AND (owner IS NULL OR owner = ?2)",
              INT(id), INT(owner));

/* Mean compute time over all generations, size of the newest one made; -1. */
int pingo__store_dataset_expect(struct pingo__store_db *db, const struct pingo_hash *hash,
                                int64_t *compute_ms, int64_t *size_bytes, struct pingo_error *err);

struct pingo__store_dataset_list {
    struct pingo__arena *arena; /* given: for the rows */
    size_t limit;               /* given: how many at most; 0: all */
    struct pingo__store_dataset_row *rows;
    size_t n;
};
/* STORED_TO_DELETE without claims. */
int pingo__store_dataset_list_deletable(DB, struct pingo__store_dataset_list *list, ERR);
/* PROCESSING and DELETING ones of an owner. */
int pingo__store_dataset_list_leaving(DB, int64_t owner, struct pingo__store_dataset_list *list,
                                      ERR);
/* DELETING and nobody's, but for those that could not be removed and whose time has not come; and (owner other than
 * -1) what is DELETING or PROCESSING by this owner. */
int pingo__store_dataset_list_left(DB, int64_t owner, int64_t now_ms,
                                   struct pingo__store_dataset_list *list, ERR);
/* In order of id, after the given one: current ones and others with bytes or claims. */
int pingo__store_dataset_list_after(DB, int64_t after, struct pingo__store_dataset_list *list, ERR);
/* Managed ones of them that are longer than this. */
int pingo__store_dataset_list_longer(DB, int64_t bytes, struct pingo__store_dataset_list *list, ERR);
/* Claimed by an action. */
int pingo__store_dataset_list_claimed(DB, int64_t action, struct pingo__store_dataset_list *list,
                                      ERR);
/* Unmanaged ones that lie at this path. */
int pingo__store_dataset_list_at(DB, const char *path, struct pingo__store_dataset_list *list, ERR);
/* Other generations that have the bytes of one; none for most. */
int pingo__store_dataset_list_sharers(struct pingo__store_db *db,
                                      const struct pingo__store_dataset_row *row,
                                      struct pingo__store_dataset_list *list,
                                      struct pingo_error *err);
/* How many generations list_after() gives in all. */
int pingo__store_dataset_count(DB, int64_t *n, ERR);
/* A current generation whose state changed; compute_ms: mean over all generations of its hash. */
struct pingo__store_dataset_changed {
    int64_t changed; /* the number of the change: greater than those before */
    struct pingo_hash hash;
    enum pingo_dataset_state state;
    bool managed;
    int64_t size_bytes, compute_ms; /* -1 */
};
/* Each current generation that changed after a change (-1: all), in the order of the changes. */
int pingo__store_dataset_each_changed(DB, int64_t after, pingo__store_row_fn fn, void *context, ERR);

PINGO__WRITE(pingo__store_claim_insert(DB, int64_t dataset, int64_t action, ERR),
             "INSERT OR IGNORE INTO claim(dataset, action) VALUES(?, ?)", INT(dataset), INT(action));
int pingo__store_claim_drop(struct pingo__store_db *db, int64_t action, struct pingo_error *err);
PINGO__WRITE(pingo__store_claim_drop_one(DB, int64_t dataset, int64_t action, ERR),
             "DELETE FROM claim WHERE dataset = ? AND action = ?", INT(dataset), INT(action));
/* A living process reads it; dropped with the owner's row. */
PINGO__WRITE(pingo__store_hold_insert(DB, int64_t dataset, int64_t owner, ERR),
             "INSERT OR IGNORE INTO hold(dataset, owner) VALUES(?, ?)", INT(dataset), INT(owner));

/* A dataset that was made before Pingo was taken from path by its user.  Nobody knows what it cost: compute_ms stays
 * NULL. */
PINGO__WRITE(pingo__store_adopted_note(DB, int64_t dataset, const char *path, ERR),
             "UPDATE dataset SET adopted_from = ?, compute_ms = NULL WHERE id = ?", TEXT(path),
             INT(dataset));
/* The dataset of an action.  *path: in the arena; NULL where the action made it. */
static inline PINGO__GET(pingo__store_adopted_from(DB, int64_t action, struct pingo__arena *arena,
                                                   const char **path, ERR),
                         pingo__store_texts, arena, path,
                         "SELECT 0, adopted_from FROM dataset WHERE id = (SELECT dataset FROM"
                         " action WHERE id = ?) AND adopted_from IS NOT NULL",
                         INT(action));

/* ---- lost ones, whose readers are still to be planned again ---- */

/* Where any claims it. */
PINGO__WRITE(pingo__store_lost_note(DB, int64_t dataset, ERR),
             "INSERT OR IGNORE INTO lost(dataset) SELECT ?1 WHERE EXISTS"
             " (SELECT 1 FROM claim WHERE dataset = ?1)",
             INT(dataset));
PINGO__WRITE(pingo__store_lost_forget(DB, int64_t dataset, ERR),
             "DELETE FROM lost WHERE dataset = ?", INT(dataset));
PINGO__EXISTS(pingo__store_lost_is_noted(DB, int64_t dataset, bool *is, ERR), is,
              "SELECT 1 FROM lost WHERE dataset = ?", INT(dataset));
/* One of those that are noted; lost->dataset 0: there is none. */
struct pingo__store_lost {
    int64_t dataset;
    struct pingo_hash hash;
};
int pingo__store_lost_next(DB, struct pingo__store_lost *lost, ERR);

#endif
