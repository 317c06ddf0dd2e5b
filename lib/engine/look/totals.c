/* totals.c - numbers for monitoring. */
#include <pingo/summary.h>

#include "base/growing.h"
#include "engine/engine.h"
#include "store/action/totals.h"

int pingo_store_totals(struct pingo_store *store, pingo_total_fn fn, void *context,
                       struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_total_list list = {.arena = &arena};
    int rc = pingo__store_totals(&store->db, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__store_total *r = &list.rows[i];
        struct pingo_total t = {.executor = r->executor,
                                .category = (enum pingo_failure_category)r->category,
                                .ended = r->n,
                                .wall_ms = r->wall_ms,
                                .cpu_ms = r->cpu_ms,
                                .wait_ms = r->wait_ms};
        if (fn(context, &t))
            rc = pingo__engine_stopped(err);
    }
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_eviction_totals(struct pingo_store *store, pingo_eviction_total_fn fn,
                                void *context, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_eviction_total_list list = {.arena = &arena};
    int rc = pingo__store_totals_evictions(&store->db, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__store_eviction_total *r = &list.rows[i];
        struct pingo_eviction_total t = {.algorithm = r->algorithm,
                                         .nevictions = r->n,
                                         .evicted_bytes = r->bytes,
                                         .nregretted = r->regretted,
                                         .regret_ms = r->regret_ms};
        if (fn(context, &t))
            rc = pingo__engine_stopped(err);
    }
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_executor_loads(struct pingo_store *store, pingo_executor_load_fn fn, void *context,
                               struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_executor_load_list list = {.arena = &arena};
    int rc = pingo__store_executor_loads(&store->db, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__store_executor_load *r = &list.rows[i];
        if (fn(context, &(struct pingo_executor_load){r->executor, r->armed, r->running}))
            rc = pingo__engine_stopped(err);
    }
    pingo__arena_clear(&arena);
    return rc;
}

int64_t pingo_store_waited_us(const struct pingo_store *store)
{
    return store->db.waited_ns / 1000;
}

int pingo_store_load(struct pingo_store *store, struct pingo_load *load, struct pingo_error *err)
{
    struct pingo__store_load l = {0};
    int rc = pingo__growing_result_check(load, "pingo_load", err);
    if (!rc)
        rc = pingo__store_load(&store->db, &l, err);
    if (rc)
        return rc;
    struct pingo_load all = {.nworkflows = l.workflows,
                             .npaused = l.paused,
                             .slots = l.slots,
                             .waiting = l.waiting,
                             .ready = l.ready,
                             .processing = l.processing,
                             .submitted = l.submitted,
                             .running = l.running};
    pingo__growing_result_put(load, &all, sizeof all);
    return 0;
}
