/* feed.c - what changed, told to who follows it; and who was told, or is to be told, that submissions have ended. */
#include <pingo/feed.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "engine/look/page.h"
#include "store/feed.h"
#include "store/hooks.h"

enum { ROWS = 64 }; /* are read at a time */

struct following {
    struct pingo_store *store;
    int64_t *at;
    pingo_change_fn fn;
    void *context;
    int64_t last; /* when it began, or what is lost since */
};

static int tell(struct following *f, const struct pingo_change *change, struct pingo_error *err)
{
    *f->at = change->number;
    return f->fn(f->context, change) ? pingo__engine_stopped(err) : 0;
}

/* What lies between is not there any more: everything is to be looked at, and so is what came since. */
static int tell_all(struct following *f, struct pingo_error *err)
{
    struct pingo_change all = {.number = f->last,
                               .at_ms = pingo__manager_now_ms(&f->store->context),
                               .event = {.kind = PINGO_EVENT_MANY, .workflow = -1, .id = -1}};
    return tell(f, &all, err);
}

/* Those of a row that were not told yet. */
static int tell_row(struct following *f, const struct pingo__store_feed_row *row,
                    struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo_event *events;
    size_t n = 0;
    int rc = pingo__store_feed_read(row, arena, &events, &n, err);
    int64_t first = row->id - (int64_t)n + 1;
    if (!rc && first > *f->at + 1) {
        f->last = first - 1 > f->last ? first - 1 : f->last; /* fn may be slower than the ring */
        return tell_all(f, err);
    }
    for (size_t i = 0; !rc && i < n; i++)
        if (first + (int64_t)i > *f->at)
            rc = tell(f, &(struct pingo_change){first + (int64_t)i, row->at_ms, events[i]}, err);
    return rc;
}

static int tell_some(struct following *f, bool *more, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_feed_list list = {.arena = &arena};
    int rc = pingo__store_feed_list(&f->store->db, *f->at, ROWS, &list, err);
    for (size_t i = 0; !rc && i < list.n;) {
        rc = tell_row(f, &list.rows[i], &arena, err);
        i += *f->at >= list.rows[i].id;
    }
    *more = list.n == ROWS;
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_changes(struct pingo_store *store, int64_t *changes, struct pingo_error *err)
{
    return pingo__store_feed_last(&store->db, changes, err);
}

int pingo_store_data_version(struct pingo_store *store, int64_t *version, struct pingo_error *err)
{
    *version = pingo__store_db_data_version(&store->db);
    return *version < 0 ? pingo__fail(err, PINGO_EIO, "the store cannot be read") : 0;
}

int pingo_store_follow(struct pingo_store *store, int64_t *at, pingo_change_fn fn, void *context,
                       struct pingo_error *err)
{
    struct following f = {store, at, fn, context, 0};
    int rc = pingo__store_feed_last(&store->db, &f.last, err);
    if (rc || *at == f.last)
        return rc;
    if (*at < 0) {
        *at = f.last;
        return 0;
    }
    if (*at > f.last) /* an older state of the store is here */
        return tell_all(&f, err);
    for (bool more = true; !rc && more;)
        rc = tell_some(&f, &more, err);
    return rc;
}

/* ---- hooks ---------------------------------------------------------------------------------- */

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
