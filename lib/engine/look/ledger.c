/* ledger.c - telling what was evicted; it is written where evictions and their regrets happen. */
#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "engine/look/page.h"
#include "store/decision/evictions.h"

int pingo_store_evictions(struct pingo_store *store, const struct pingo_eviction_query *query,
                          pingo_eviction_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_eviction_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_eviction_query, query, &q, err);
    struct pingo__store_eviction_query asked = {q.since_ms,     q.until_ms, q.hash,
                                                q.newest_first, 0,          PINGO__PAGE_ROWS};
    struct pingo__engine_page p = {q.newest_first ? "en" : "e", q.limit, q.after, .next = q.next};
    if (!rc && (q.since_ms < 0 || q.until_ms < 0))
        rc = pingo__fail(err, PINGO_EINVAL, "the query has a time that is none");
    rc = pingo__engine_page_begin(&p, rc, err);
    while (pingo__engine_page_goes_on(&p, rc)) {
        struct pingo__store_eviction_list list = {.arena = &p.arena};
        asked.at = p.at[0];
        rc = pingo__store_eviction_list(&store->db, &asked, &list, err);
        for (size_t i = 0; pingo__engine_page_takes(&p, rc, i, list.n); i++) {
            p.at[0] = list.rows[i].id;
            rc = fn(context, &list.rows[i].told) ? pingo__engine_stopped(err) : 0;
        }
    }
    return pingo__engine_page_end(&p, rc);
}
