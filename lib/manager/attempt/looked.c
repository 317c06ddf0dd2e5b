/* looked.c - see looked.h. */
#include "manager/attempt/looked.h"

#include <string.h>

#include "manager/attempt/fitting.h"

#define LOOK_ANYWAY_MS 60000

struct pingo__manager_count {
    size_t executor;
    const char *name; /* as that of a counter */
    int64_t total;
};

static bool is_in_time(const struct pingo__manager_looked *l, int64_t now_ms)
{
    int64_t age_ms = now_ms - l->looked_ms;
    return age_ms >= 0 && age_ms < LOOK_ANYWAY_MS &&
           (l->next_ms == INT64_MAX || !pingo__store_action_is_due(l->next_ms, now_ms));
}

static bool is_counted_so(const struct pingo__manager_actions *m)
{
    for (size_t i = 0; i < m->looked.ncounts; i++) {
        const struct pingo__manager_count *c = &m->looked.counts[i];
        const char *licence = *c->name ? c->name : NULL;
        if (pingo__manager_executor_counted(&m->executors[c->executor], licence) != c->total)
            return false;
    }
    return true;
}

bool pingo__manager_looked_same(struct pingo__manager_actions *m)
{
    struct pingo__manager_looked *l = &m->looked;
    int64_t version = pingo__store_db_data_version(m->c->db);
    int64_t changes = pingo__store_db_changes(m->c->db);
    int64_t now_ms = pingo__manager_now_ms(m->c);
    l->known = l->known && version >= 0 && version == l->version && changes == l->changes &&
               m->scope.nset == l->nscopes && m->shared == l->shared && is_in_time(l, now_ms) &&
               is_counted_so(m);
    if (l->known)
        return true;
    l->version = version;
    l->changes = changes;
    l->nscopes = m->scope.nset;
    l->shared = m->shared;
    l->looked_ms = now_ms;
    return false;
}

/* false: no memory. */
static bool keep_counts(struct pingo__manager_looked *l, size_t executor,
                        const struct pingo__manager_counters *of)
{
    for (size_t i = 0; i < of->n; i++) {
        const char *name = of->rows[i].name;
        struct pingo__manager_count *c = &l->counts[l->ncounts];
        *c = (struct pingo__manager_count){
            executor, pingo__arena_text(&l->arena, name, strlen(name)), of->rows[i].total};
        if (!c->name)
            return false;
        l->ncounts++;
    }
    return true;
}

void pingo__manager_looked_keep(struct pingo__manager_actions *m, bool any, int64_t next_ms,
                                const struct pingo__manager_fitting *fitting)
{
    struct pingo__manager_looked *l = &m->looked;
    size_t n = 0;
    pingo__arena_reset(&l->arena);
    l->ncounts = 0;
    for (size_t i = 0; fitting->counters && i < m->nexecutors; i++)
        n += fitting->counters[i].n;
    l->counts = pingo__arena_array(&l->arena, n + 1, sizeof *l->counts);
    l->known = l->counts;
    for (size_t i = 0; l->known && fitting->counters && i < m->nexecutors; i++)
        l->known = keep_counts(l, i, &fitting->counters[i]);
    l->any = any;
    l->next_ms = next_ms;
}

void pingo__manager_looked_clear(struct pingo__manager_looked *l)
{
    pingo__arena_clear(&l->arena);
    *l = (struct pingo__manager_looked){.known = false};
}
