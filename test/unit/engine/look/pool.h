/* pool.h - what becomes of a chain of three datasets: evicted, regretted, told by name. */
#ifndef TEST_ENGINE_LOOK_POOL_H
#define TEST_ENGINE_LOOK_POOL_H

#include "unit/engine/box.h"

#include "store/dataset/datasets.h"
#include "store/decision/evictions.h"
#include "store/transition.h"

static inline struct pingo_hash hash_of(struct box *b, int64_t workflow, const char *action)
{
    struct pingo_hash hash;
    struct pingo_error err;
    char number[24];

    snprintf(number, sizeof number, "%lld", (long long)workflow);
    well(pingo_store_resolve_dataset(b->store, number, action, &hash, &err), &err);
    return hash;
}

/* As a decision does it: a row in the ledger, and on its way out; the next tick takes the bytes. */
static inline void evict(struct box *b, int64_t workflow, const char *action, int64_t at_ms)
{
    struct pingo_hash hash = hash_of(b, workflow, action);
    struct pingo__store_eviction_row row = {.workflow = workflow,
                                            .told = {.hash = hash,
                                                     .evicted_ms = at_ms,
                                                     .algorithm = "lru",
                                                     .score = 1.5,
                                                     .remake_ms = 20,
                                                     .reason = "last used long ago"}};
    struct pingo__store_dataset_row d;
    struct pingo__arena arena = {0};
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_dataset_current(&b->store->db, &hash, &arena, &d, &err), &err);
    row.dataset = d.id;
    row.told.size_bytes = d.size_bytes;
    well(pingo__store_eviction_insert(&b->store->db, &row, &err), &err);
    if (d.state == PINGO_DATASET_LEAF) {
        well(pingo__store_dataset_move(&b->store->db, &d, PINGO_DATASET_STORED, &err), &err);
        d.state = PINGO_DATASET_STORED;
    }
    well(pingo__store_dataset_move(&b->store->db, &d, PINGO_DATASET_STORED_TO_DELETE, &err), &err);
    well(pingo__store_dataset_get(&b->store->db, d.id, &arena, &d, &err), &err);
    assert_int_equal(d.state, PINGO_DATASET_STORED_TO_DELETE);
    well(pingo__store_db_end(&b->store->db, 0, &err), &err);
    pingo__arena_clear(&arena);
}

static inline void regret(struct box *b, const struct pingo_hash *hash, int64_t regret_ms,
                          int64_t at_ms)
{
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_db_end(
             &b->store->db,
             pingo__store_eviction_regret(&b->store->db, hash, regret_ms, at_ms, &err), &err),
         &err);
}

static inline struct pingo_report *report(struct box *b, int64_t since_ms, int64_t until_ms,
                                          size_t limit)
{
    struct pingo_report_options options = {
        .version = 1, .since_ms = since_ms, .until_ms = until_ms, .limit = limit};
    struct pingo_report *r = NULL;
    struct pingo_error err;

    well(pingo_store_report(b->store, &options, &r, &err), &err);
    assert_non_null(r);
    return r;
}

/* Names of datasets, in order, each with its state: "a1 STORED, a2 LEAF". */
struct names {
    char text[1024];
    struct pingo_dataset_status last;
    size_t n;
};

static inline int add_name(void *context, const struct pingo_dataset_status *s)
{
    struct names *n = context;
    size_t length = strlen(n->text);

    snprintf(n->text + length, sizeof n->text - length, "%s%s", n->n++ ? " " : "", s->name);
    n->last = *s;
    n->last.name = n->last.user = n->last.path = NULL;
    return 0;
}

/* a1, of which a2 is made, of which a3 is made. */
#define CHAIN W(A(1, ) "," A(2, P(FROM(1))) "," A(3, P(FROM(2))))

#endif
