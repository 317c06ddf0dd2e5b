/* looked.c - what the last look for READY actions found: it is known until something changes.
 *
 * What always holds: the answer is kept only as long as all that it came from is as it was: the rows of the store, of
 * which others' changes and ours are counted; what the executors have of what is counted; types, scope and shares; and
 * the time, until the next action becomes due.  Of those that could not start it is known what each asks for, so that
 * its row need not be read again, only as long as it stayed READY since: who claims it, and whatever another process
 * does, makes it unknown.  All the same everything is found anew once a minute. */
#include <stdlib.h>

#include "manager/attempt/action_manager.h"

#define LOOK_ANYWAY_MS 60000

void pingo__manager_looked_clear(struct pingo__manager_looked *l)
{
    for (size_t i = 0; i < l->npages; i++)
        free(l->pages[i]);
    free(l->pages);
    pingo__arena_clear(&l->kept);
    pingo__arena_clear(&l->arena);
    *l = (struct pingo__manager_looked){.version = -1};
}

static bool is_counted_so(const struct pingo__manager_actions *m)
{
    for (size_t i = 0; m->looked.counters && i < m->nexecutors; i++) {
        const struct pingo__manager_counters *c = &m->looked.counters[i];
        for (size_t k = 0; k < c->n; k++)
            if (pingo__manager_counters_total(c, c->rows[k].name) != c->rows[k].total)
                return false;
    }
    return true;
}

bool pingo__manager_looked_same(struct pingo__manager_actions *m)
{
    struct pingo__manager_looked *l = &m->looked;
    int64_t version = pingo__store_db_data_version(m->c->db);
    int64_t changes = pingo__store_db_changes(m->c->db);
    int64_t now_ms = pingo__manager_now_ms(m->c), age_ms = now_ms - l->since_ms;
    if (version < 0 || version != l->version || age_ms < 0 || age_ms >= LOOK_ANYWAY_MS) {
        pingo__manager_looked_clear(l);
        l->version = version;
        l->since_ms = now_ms;
    }
    l->known = l->known && changes == l->changes && m->scope.nset == l->nscopes &&
               m->shared == l->shared &&
               (l->next_ms == INT64_MAX || !pingo__store_action_is_due(l->next_ms, now_ms)) &&
               is_counted_so(m);
    if (l->known)
        return true;
    l->changes = changes;
    l->nscopes = m->scope.nset;
    l->shared = m->shared;
    l->next_ms = INT64_MAX;
    l->counters = NULL;
    pingo__arena_reset(&l->arena);
    return false;
}
