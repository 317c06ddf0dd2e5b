/* counters.c - see counters.h. */
#include "manager/attempt/counters.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "workflow/resources.h"

/* What a try of an action asks for: GPUs first. */
struct asked {
    struct pingo_counter *list;
    size_t n;
};

static int read(struct pingo__manager_counters *c, const char *resources, int64_t n,
                struct asked *asked, struct pingo_error *err)
{
    struct pingo__workflow_resources r = {.gpus = 0};
    int rc = pingo__workflow_resources_take(&r, resources, n, c->arena, err);
    asked->n = 0;
    asked->list = rc ? NULL : pingo__arena_array(c->arena, r.nlicences + 1, sizeof *asked->list);
    if (!asked->list)
        return rc ? rc : pingo__fail_memory(err);
    if (r.gpus > 0)
        asked->list[asked->n++] = (struct pingo_counter){"", r.gpus};
    for (size_t i = 0; i < r.nlicences; i++)
        asked->list[asked->n++] = r.licences[i];
    return 0;
}

int64_t pingo__manager_counters_total(const struct pingo__manager_counters *c, const char *name)
{
    return c->total(c->context, *name ? name : NULL);
}

/* The row of a counter; NULL: no memory. */
static struct pingo__manager_counter *find(struct pingo__manager_counters *c, const char *name)
{
    uint32_t at = PINGO__MAP_NONE;
    if (!PINGO__ARENA_ROOM(c->arena, c->rows, c->n, c->capacity))
        return NULL;
    c->by_name.arena = c->arena;
    if (!pingo__map_insert(&c->by_name, name, strlen(name), (uint32_t)c->n, &at))
        return NULL;
    if (at != PINGO__MAP_NONE)
        return &c->rows[at];
    c->rows[c->n] = (struct pingo__manager_counter){
        .name = name, .total = pingo__manager_counters_total(c, name)};
    return &c->rows[c->n++];
}

static int hold(struct pingo__manager_counters *c, const struct asked *asked,
                struct pingo_error *err)
{
    for (size_t i = 0; i < asked->n; i++) {
        struct pingo__manager_counter *row = find(c, asked->list[i].name);
        if (!row)
            return pingo__fail_memory(err);
        row->held += asked->list[i].n;
    }
    return 0;
}

static int know(struct pingo__manager_counters *c, struct pingo_error *err)
{
    struct pingo__store_holder_list list = {.arena = c->arena};
    int rc = pingo__store_action_list_holders(c->db, c->executor, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        struct asked asked;
        rc = read(c, list.rows[i].resources, 1 + list.rows[i].nfailed, &asked, err);
        if (!rc)
            rc = hold(c, &asked, err);
    }
    c->is_known = true;
    return rc;
}

static struct pingo__manager_ask weigh_one(const struct pingo__manager_counter *row, int64_t n)
{
    struct pingo__manager_ask one = {PINGO__WAITS, row, n, 0};
    if (row->total < 0)
        one.fit = PINGO__FITS;
    else if (n > row->total)
        one.fit = PINGO__NEVER_FITS;
    else if (n <= row->total - row->held) {
        one.fit = row->barred ? PINGO__WAITS : PINGO__FITS;
        one.behind = row->barred;
    }
    return one;
}

/* The worst of all: what lacks is worse than what is kept for others. */
static int weigh(struct pingo__manager_counters *c, const struct asked *asked,
                 struct pingo__manager_ask *ask, struct pingo_error *err)
{
    for (size_t i = 0; i < asked->n; i++) {
        const struct pingo__manager_counter *row = find(c, asked->list[i].name);
        if (!row)
            return pingo__fail_memory(err);
        struct pingo__manager_ask one = weigh_one(row, asked->list[i].n);
        if (one.fit > ask->fit ||
            (one.fit == PINGO__WAITS && ask->behind && !one.behind && ask->fit == PINGO__WAITS))
            *ask = one;
    }
    return 0;
}

/* Behind whom it waits, so do all that ask for the same. */
static void bar(struct pingo__manager_counters *c, const struct pingo__store_action_row *row,
                const struct asked *asked, const struct pingo__manager_ask *answer)
{
    for (size_t i = 0; i < asked->n; i++) {
        struct pingo__manager_counter *of = find(c, asked->list[i].name);
        if (!of->barred)
            of->barred = answer->behind ? answer->behind : row->id;
    }
}

int pingo__manager_counters_weigh(struct pingo__manager_counters *c,
                                  const struct pingo__store_action_row *row,
                                  enum pingo__manager_weighing how,
                                  struct pingo__manager_ask *answer, struct pingo_error *err)
{
    struct asked asked;
    *answer = (struct pingo__manager_ask){.fit = PINGO__FITS};
    int rc = read(c, row->resources, 1 + row->nfailed, &asked, err);
    if (!rc && asked.n && !c->is_known)
        rc = know(c, err);
    if (!rc)
        rc = weigh(c, &asked, answer, err);
    if (!rc && how == PINGO__WEIGH_TAKES && answer->fit == PINGO__FITS)
        rc = hold(c, &asked, err);
    if (!rc && how != PINGO__WEIGH_ASKS && answer->fit == PINGO__WAITS)
        bar(c, row, &asked, answer);
    return rc;
}

const char *pingo__manager_ask_text(struct pingo__arena *arena, const struct pingo__manager_ask *ask)
{
    const char *name = ask->counter->name;
    return *name ? pingo__arena_format(arena, "%" PRId64 " of the licence \"%s\"", ask->asked, name)
                 : pingo__arena_format(arena, "%" PRId64 " GPU%s", ask->asked,
                                       ask->asked == 1 ? "" : "s");
}
