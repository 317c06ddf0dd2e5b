/* edges.h - the parents of every action that a store has hashed, read in one pass. */
#ifndef PINGO__MANAGER_EDGES_H
#define PINGO__MANAGER_EDGES_H

#include "base/arena.h"
#include "store/db.h"

struct pingo__edges {
    struct pingo_hash *hashes; /* rising */
    uint32_t *buckets; /* where the hashes begin that begin with these bits; one more at the end */
    unsigned shift;    /* of the first 64 bits of a hash, to its bucket */
    uint32_t *first;   /* where the parents of each begin; one more at the end */
    uint32_t *parents; /* places in hashes */
    uint32_t n, nread;
    size_t hashes_capacity, first_capacity, nparents, parents_capacity;
};

/* Inside a transaction.  edges: zeroed before; cleared by the caller, also after failure. */
int pingo__edges_load(struct pingo__db *db, struct pingo__edges *edges, struct pingo_error *err);
void pingo__edges_clear(struct pingo__edges *edges);
/* Has the memory fetched in which these will be looked for. */
void pingo__edges_prefetch(const struct pingo__edges *edges, const struct pingo_hash *hashes,
                           size_t n);
/* The hashes of the parents of an action, *n of them, in the arena.  Errors: PINGO_ECORRUPT (no description). */
int pingo__edges_parents(const struct pingo__edges *edges, const struct pingo_hash *hash,
                         struct pingo__arena *arena, const struct pingo_hash **parents, size_t *n,
                         struct pingo_error *err);

#endif
