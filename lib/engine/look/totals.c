/* totals.c - numbers for monitoring. */
#include "base/growing.h"
#include "engine/engine.h"
#include "store/action/totals.h"

/* A function that tells all rows of a list, which `read` reads. */
#define TELLS_ALL(function, callback, list_of, read)                                               \
    int function(struct pingo_store *store, callback fn, void *context, struct pingo_error *err)   \
    {                                                                                              \
        struct pingo__arena arena = {0};                                                           \
        struct list_of list = {.arena = &arena};                                                   \
        int rc = read(&store->db, &list, err);                                                     \
        for (size_t i = 0; !rc && i < list.n; i++)                                                 \
            rc = fn(context, &list.rows[i]) ? pingo__engine_stopped(err) : 0;                      \
        pingo__arena_clear(&arena);                                                                \
        return rc;                                                                                 \
    }
TELLS_ALL(pingo_store_totals, pingo_total_fn, pingo__store_total_list, pingo__store_totals)
TELLS_ALL(pingo_store_eviction_totals, pingo_eviction_total_fn, pingo__store_eviction_total_list,
          pingo__store_totals_evictions)
TELLS_ALL(pingo_store_executor_loads, pingo_executor_load_fn, pingo__store_executor_load_list,
          pingo__store_executor_loads)

int64_t pingo_store_waited_us(const struct pingo_store *store)
{
    return store->db.waited_ns / 1000;
}

int pingo_store_load(struct pingo_store *store, struct pingo_load *load, struct pingo_error *err)
{
    struct pingo_load own;
    int rc = pingo__growing_result_check(load, "pingo_load", err);
    if (!rc)
        rc = pingo__store_load(&store->db, &own, err);
    if (!rc)
        pingo__growing_result_put(load, &own, sizeof own);
    return rc;
}
