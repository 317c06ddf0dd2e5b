/* edges.c - the parents of every action that a store has hashed, read in one pass.
 *
 * Looked up one by one, a million descriptions cost more than all else of a
 * history.  Read in the order of their hashes, they are a scan; and as hashes are
 * spread evenly, the first bits of one tell its place among them, but for a few. */
#include "manager/edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "store/history.h"

#define WAITING 256

void pingo__edges_clear(struct pingo__edges *e)
{
    free(e->hashes);
    free(e->buckets);
    free(e->first);
    free(e->parents);
    memset(e, 0, sizeof *e);
}

static uint64_t head_of(const struct pingo_hash *hash)
{
    uint64_t head = 0;

    for (size_t i = 0; i < 8; i++)
        head = head << 8 | hash->bytes[i];
    return head;
}

static int no_description(struct pingo_error *err)
{
    return pingo__fail(err, PINGO_ECORRUPT, "an action has no description in the store");
}

static uint32_t bucket_of(const struct pingo__edges *e, const struct pingo_hash *hash)
{
    return (uint32_t)(head_of(hash) >> e->shift);
}

/* Buckets for hashes that are all there: about as many as hashes, each a piece of the array. */
static bool make_buckets(struct pingo__edges *e)
{
    unsigned bits = 1;

    while (bits < 31 && UINT32_C(1) << bits < e->n)
        bits++;
    e->shift = 64 - bits;
    e->buckets = calloc(((size_t)1 << bits) + 1, sizeof *e->buckets);
    if (!e->buckets)
        return false;
    for (uint32_t i = 0; i < e->n; i++)
        e->buckets[bucket_of(e, &e->hashes[i]) + 1] = i + 1;
    for (size_t i = 1; i <= (size_t)1 << bits; i++)
        if (!e->buckets[i])
            e->buckets[i] = e->buckets[i - 1];
    return true;
}

/* The place of a hash: true and *at.  Halving, as a bucket may be large where hashes are not spread evenly. */
static bool find(const struct pingo__edges *e, const struct pingo_hash *hash, uint32_t *at)
{
    uint32_t bucket = bucket_of(e, hash), begin = e->buckets[bucket], end = e->buckets[bucket + 1];

    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        int order = memcmp(e->hashes[middle].bytes, hash->bytes, PINGO_HASH_SIZE);

        if (order == 0) {
            *at = middle;
            return true;
        }
        if (order < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return false;
}

void pingo__edges_prefetch(const struct pingo__edges *e, const struct pingo_hash *hashes, size_t n)
{
    n = n < WAITING ? n : WAITING; /* what is far ahead would be gone again */
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&e->buckets[bucket_of(e, &hashes[i])]);
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&e->hashes[e->buckets[bucket_of(e, &hashes[i])]]);
}

/* ---- two scans: hashes, then parents -------------------------------------------------- */

static int add_hash(void *context, const struct pingo_hash *hash, const void *bytes, size_t length,
                    struct pingo_error *err)
{
    struct pingo__edges *e = context;

    (void)bytes;
    (void)length;
    if (!pingo__array_room((void **)&e->hashes, &e->hashes_capacity, e->n, 1, sizeof *e->hashes) ||
        !pingo__array_room((void **)&e->first, &e->first_capacity, (size_t)e->n + 1, 1,
                           sizeof *e->first))
        return pingo__fail_memory(err);
    e->hashes[e->n++] = *hash;
    return 0;
}

/* Parents whose places are still to be found, some at a time: each lies somewhere else in memory, and to
 * wait for one after the other takes longer than all the rest. */
struct waiting {
    struct pingo__edges *edges;
    struct pingo_hash hashes[WAITING];
    size_t n;
};

static int find_waiting(struct waiting *w, struct pingo_error *err)
{
    struct pingo__edges *e = w->edges;

    if (w->n >= UINT32_MAX - e->nparents ||
        !pingo__array_room((void **)&e->parents, &e->parents_capacity, e->nparents, w->n + 1,
                           sizeof *e->parents))
        return pingo__fail_memory(err);
    pingo__edges_prefetch(e, w->hashes, w->n);
    for (size_t i = 0; i < w->n; i++)
        if (!find(e, &w->hashes[i], &e->parents[e->nparents + i]))
            return no_description(err);
    e->nparents += w->n;
    w->n = 0;
    return 0;
}

static int add_parents(void *context, const struct pingo_hash *hash, const void *bytes,
                       size_t length, struct pingo_error *err)
{
    struct waiting *w = context;
    struct pingo__edges *e = w->edges;
    struct pingo_description *description = NULL;
    const struct pingo_described_parent *parents;
    size_t n = 0;
    int rc = pingo_description_decode(bytes, length, &description, err);

    (void)hash;
    if (rc)
        return rc;
    e->first[e->nread++] = (uint32_t)(e->nparents + w->n);
    parents = pingo_description_parents(description, &n);
    for (size_t i = 0; !rc && i < n; i++) {
        w->hashes[w->n++] = parents[i].hash;
        if (w->n == WAITING)
            rc = find_waiting(w, err);
    }
    pingo_description_free(description);
    return rc;
}

int pingo__edges_load(struct pingo__db *db, struct pingo__edges *e, struct pingo_error *err)
{
    struct waiting w = {.edges = e};
    int rc = pingo__history_definitions(db, add_hash, e, err);

    if (!rc && e->n && !make_buckets(e))
        rc = pingo__fail_memory(err);
    if (!rc && e->n)
        rc = pingo__history_definitions(db, add_parents, &w, err);
    if (!rc && e->n)
        rc = find_waiting(&w, err);
    if (!rc && e->n)
        e->first[e->n] = (uint32_t)e->nparents;
    return rc;
}

int pingo__edges_parents(const struct pingo__edges *e, const struct pingo_hash *hash,
                         struct pingo__arena *arena, const struct pingo_hash **parents, size_t *n,
                         struct pingo_error *err)
{
    struct pingo_hash *copies;
    uint32_t at = 0;

    if (!find(e, hash, &at))
        return no_description(err);
    *n = e->first[at + 1] - e->first[at];
    copies = pingo__arena_array(arena, *n + 1, sizeof *copies);
    for (size_t i = 0; copies && i < *n; i++)
        copies[i] = e->hashes[e->parents[e->first[at] + i]];
    *parents = copies;
    return copies ? 0 : pingo__fail_memory(err);
}
