/* lacks.c - see lacks.h. */
#include "engine/look/lacks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "executor/registry.h"

struct pingo__engine_behind {
    int64_t action, before, workflow; /* before: its row; the submission of that */
    const char *name, *text;          /* of that, and what it waits for */
};

/* As the local executor says. */
static int64_t local_total(void *context, const char *licence)
{
    const struct pingo__engine_lacks *l = context;
    char *gpus = NULL;
    int64_t n = 0;
    if (licence)
        n = pingo__executor_counters_find(l->licences, licence);
    else if (pingo_store_get(l->store, PINGO__LOCAL_GPUS, &gpus, NULL) == 0)
        pingo__text_to_int64(gpus, 0, INT64_MAX, &n);
    free(gpus);
    return n;
}

static struct pingo__manager_counters counters_of(struct pingo__engine_lacks *l)
{
    return (struct pingo__manager_counters){.db = &l->store->db,
                                            .arena = &l->arena,
                                            .executor = PINGO_EXECUTOR_DEFAULT,
                                            .total = local_total,
                                            .context = l};
}

int pingo__engine_lacks_open(struct pingo__engine_lacks *l, struct pingo_store *store,
                             struct pingo_error *err)
{
    l->store = store;
    l->counters = counters_of(l);
    int rc = pingo_store_get(store, "executor", &l->executor, err);
    return rc ? rc : pingo_store_get(store, PINGO__LOCAL_LICENCES, &l->licences, err);
}

void pingo__engine_lacks_close(struct pingo__engine_lacks *l)
{
    free(l->executor);
    free(l->licences);
    pingo__map_clear(&l->places);
    pingo__arena_clear(&l->arena);
}

/* Which executor of the library's own runs actions of this type?  NULL: none. */
static const char *builtin_for(const char *type)
{
    const struct pingo_executor_type *t;
    for (size_t i = 0; (t = pingo__executor_nth(i)); i++)
        if (pingo__executor_type_runs(t, type))
            return t->name;
    return NULL;
}

const char *pingo__engine_executor_of(const struct pingo__engine_lacks *l,
                                      const struct pingo__store_action_row *row)
{
    const struct pingo_action_type *type = pingo__manager_type_find(&l->store->context, row->type);
    if (row->joined || row->executor)
        return row->joined ? NULL : row->executor;
    if (pingo__manager_type_is_embedders(type) || pingo__executor_is_default(l->executor))
        return builtin_for(row->type);
    return l->executor;
}

static bool is_counted(struct pingo__engine_lacks *l, const struct pingo__store_action_row *row)
{
    const char *executor = row->resources ? pingo__engine_executor_of(l, row) : NULL;
    return executor && pingo__executor_is_default(executor);
}

static const char *text_of(struct pingo__arena *arena, const struct pingo__manager_ask *ask)
{
    return pingo__arena_format(arena, "%s: %" PRId64 " of %" PRId64 " held",
                               pingo__manager_ask_text(arena, ask), ask->counter->held,
                               ask->counter->total);
}

/* What row waits for by itself, or behind whom; what it asks for is kept for it. */
static int look_at(struct pingo__engine_lacks *l, struct pingo__manager_counters *c,
                   const struct pingo__store_action_row *row, struct pingo__engine_behind *b,
                   struct pingo_error *err)
{
    struct pingo__manager_ask ask;
    int rc = pingo__manager_counters_weigh(c, row, PINGO__WEIGH_BARS, &ask, err);
    if (rc || ask.fit != PINGO__WAITS)
        return rc;
    b->action = row->id;
    b->before = ask.behind;
    b->workflow = row->workflow;
    b->name = row->name;
    b->text = ask.behind ? "" : text_of(&l->arena, &ask);
    return b->text ? 0 : pingo__fail_memory(err);
}

/* Those who wait for something rare, in the order in which they would be claimed. */
static int look(struct pingo__engine_lacks *l, struct pingo_error *err)
{
    struct pingo__store_action_list list = {.arena = &l->arena};
    struct pingo__manager_counters c = counters_of(l);
    int rc = pingo__store_action_list(&l->store->db, PINGO__ACTIONS_RARE,
                                      pingo__manager_now_ms(&l->store->context), &list, err);
    l->behind = rc ? NULL : pingo__arena_array(&l->arena, list.n + 1, sizeof *l->behind);
    if (!rc && !l->behind)
        rc = pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        struct pingo__engine_behind b = {.action = 0};
        if (is_counted(l, &list.rows[i]))
            rc = look_at(l, &c, &list.rows[i], &b, err);
        if (rc || !b.action)
            continue;
        l->behind[l->nbehind] = b;
        if (!pingo__map_insert(&l->places, &l->behind[l->nbehind].action, sizeof b.action,
                               (uint32_t)l->nbehind, NULL))
            rc = pingo__fail_memory(err);
        l->nbehind++;
    }
    l->has_looked = !rc;
    return rc;
}

static const struct pingo__engine_behind *find(const struct pingo__engine_lacks *l, int64_t action)
{
    uint32_t at = pingo__map_get(&l->places, &action, sizeof action);
    return at == PINGO__MAP_NONE ? NULL : &l->behind[at];
}

int pingo__engine_lacks_tell(struct pingo__engine_lacks *l,
                             const struct pingo__store_action_row *row, struct pingo__arena *arena,
                             const char **message, struct pingo_error *err)
{
    struct pingo__manager_ask ask;
    if (!is_counted(l, row))
        return 0;
    int rc = pingo__manager_counters_weigh(&l->counters, row, PINGO__WEIGH_ASKS, &ask, err);
    if (rc || ask.fit == PINGO__NEVER_FITS)
        return rc;
    if (ask.fit == PINGO__WAITS) {
        const char *text = text_of(arena, &ask);
        *message = text ? pingo__arena_format(arena, "waits for %s", text) : NULL;
        return *message ? 0 : pingo__fail_memory(err);
    }
    rc = l->has_looked ? 0 : look(l, err);
    const struct pingo__engine_behind *b = rc ? NULL : find(l, row->id);
    const struct pingo__engine_behind *before = b && b->before ? find(l, b->before) : NULL;
    if (!before)
        return rc;
    *message = before->workflow == row->workflow
                   ? pingo__arena_format(arena, "waits behind action \"%s\", which waits for %s",
                                         before->name, before->text)
                   : pingo__arena_format(arena,
                                         "waits behind action \"%s\" of submission %" PRId64
                                         ", which waits for %s",
                                         before->name, before->workflow, before->text);
    return *message ? 0 : pingo__fail_memory(err);
}
