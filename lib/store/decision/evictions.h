/* evictions.h - the ledger: what a decision let go, and what that cost later.
 *
 * What always holds: a row stays for ever.  It ends at most once: rescued (needed
 * before its bytes went) or regretted (made again).  Writing functions run inside a
 * write transaction. */
#ifndef PINGO__STORE_EVICTIONS_H
#define PINGO__STORE_EVICTIONS_H

#include <pingo/pool.h>

#include "store/db.h"

struct pingo__store_eviction_row {
    int64_t id, dataset;        /* dataset: the generation */
    int64_t workflow;           /* the last submission that the decision knew; 0: none */
    struct pingo_eviction told; /* its name where a list is read; else NULL */
};

/* id, the times from rescued_ms on and the name are not looked at. */
int pingo__store_eviction_insert(struct pingo__store_db *db,
                                 const struct pingo__store_eviction_row *row,
                                 struct pingo_error *err);
/* The generation is stored again: its open eviction was rescued. */
PINGO__WRITE(pingo__store_eviction_rescue(DB, int64_t dataset, int64_t now_ms, ERR),
             "UPDATE eviction SET rescued_ms = ?2 WHERE dataset = ?1 AND rescued_ms IS NULL AND "
             "regretted_ms IS NULL",
             INT(dataset), INT(now_ms));
/* A generation of the hash was made: the open eviction of that hash cost regret_ms (0 where it would have
 * been made again anyway: it was forced). */
int pingo__store_eviction_regret(struct pingo__store_db *db, const struct pingo_hash *hash,
                                 int64_t regret_ms, int64_t now_ms, struct pingo_error *err);

PINGO__STORE_LIST(pingo__store_eviction_list, struct pingo__store_eviction_row);
struct pingo__store_eviction_query {
    int64_t since_ms, until_ms;    /* evicted in [since, until); until 0: no end */
    const struct pingo_hash *hash; /* of it alone, or NULL */
    bool newest_first;
    int64_t at; /* behind the one with this number, in that order; 0: from the first one on */
    size_t limit;
};
int pingo__store_eviction_list(struct pingo__store_db *db,
                               const struct pingo__store_eviction_query *query,
                               struct pingo__store_eviction_list *list, struct pingo_error *err);
/* All, the oldest first; the name is not read. */
int pingo__store_eviction_each(DB, pingo__store_row_fn fn, void *context, ERR);
/* The last one for which a hash was missing at a time; row->id 0: there is none. */
struct pingo__store_missing {
    const struct pingo_hash *hash;
    int64_t at_ms;
};
int pingo__store_eviction_last(DB, const struct pingo__store_missing *missing,
                               struct pingo__arena *arena, struct pingo__store_eviction_row *row,
                               ERR);

#endif
