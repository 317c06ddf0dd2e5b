/* hooks.c - who was told, or is to be told, that submissions have ended. */
#include <pingo/feed.h>

#include "base/growing.h"
#include "engine/engine.h"
#include "engine/look/page.h"
#include "store/hooks.h"

const char *pingo_hook_state_name(enum pingo_hook_state state)
{
    static const char *const names[] = {NULL, "pending", "delivered", "given up"};
    return state >= PINGO_HOOK_PENDING && state <= PINGO_HOOK_GIVEN_UP ? names[state] : NULL;
}

const char *pingo_hook_way_name(enum pingo_hook_way way)
{
    return way == PINGO_HOOK_COMMAND ? "command" : way == PINGO_HOOK_URL ? "url" : NULL;
}

int pingo_store_hooks(struct pingo_store *store, const struct pingo_hook_query *query,
                      pingo_hook_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_hook_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_hook_query, query, &q, err);
    struct pingo__engine_page p = {"hk", q.limit, q.after, .next = q.next};
    rc = pingo__engine_page_begin(&p, rc, err);
    while (pingo__engine_page_goes_on(&p, rc)) {
        struct pingo__store_hook_range range = {p.at[0], PINGO__PAGE_ROWS, q.states};
        struct pingo__store_hook_list list = {.arena = &p.arena};
        rc = pingo__store_hook_list_of(&store->db, &range, &list, err);
        for (size_t i = 0; pingo__engine_page_takes(&p, rc, i, list.n); i++) {
            p.at[0] = list.rows[i].told.number;
            rc = fn(context, &list.rows[i].told) ? pingo__engine_stopped(err) : 0;
        }
    }
    return pingo__engine_page_end(&p, rc);
}
