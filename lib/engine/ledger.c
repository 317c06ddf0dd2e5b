/* ledger.c - telling what was evicted; it is written where evictions and their regrets happen. */
#include <pingo/pool.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "store/evictions.h"

#define PAGE 256

static int tell(const struct pingo__eviction_row *r, pingo_eviction_fn fn, void *context,
                struct pingo_error *err)
{
    struct pingo_eviction e = {.hash = r->hash,
                               .name = r->name,
                               .evicted_ms = r->evicted_ms,
                               .algorithm = r->algorithm,
                               .score = r->score,
                               .size_bytes = r->size_bytes,
                               .remake_ms = r->remake_ms,
                               .reason = r->reason,
                               .rescued_ms = r->rescued_ms,
                               .regretted_ms = r->regretted_ms,
                               .regret_ms = r->regret_ms};

    return fn(context, &e) ? pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller") : 0;
}

int pingo_store_evictions(struct pingo_store *store, const struct pingo_ledger_options *options,
                          pingo_eviction_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_ledger_options own, *o = &own;
    size_t told = 0, n = PAGE;
    int64_t at = 0;
    int rc = PINGO__OPTIONS_TAKE(pingo_ledger_options, options, o, err);
    struct pingo__eviction_filter filter = {o->since_ms, o->until_ms, o->hash};

    if (!rc && (o->since_ms < 0 || o->until_ms < 0))
        rc = pingo__fail(err, PINGO_EINVAL, "the options have a time that is none");
    while (!rc && n == PAGE && (!o->limit || told < o->limit)) {
        struct pingo__arena arena;
        struct pingo__eviction_list list;

        pingo__arena_init(&arena);
        rc = (o->newest_first ? pingo__eviction_list_before : pingo__eviction_list_after)(
            &store->db, at, &filter, PAGE, &arena, &list, err);
        for (size_t i = 0; !rc && i < list.n && (!o->limit || told < o->limit); i++, told++)
            rc = tell(&list.rows[i], fn, context, err);
        n = list.n;
        if (n)
            at = list.rows[n - 1].id;
        pingo__arena_clear(&arena);
    }
    return rc;
}
