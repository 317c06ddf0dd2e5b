/* flight.c - see flight.h; and what executors report between ticks. */
#include "manager/attempt/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

#define SETTLED_AT_ONCE 256 /* ends in one transaction */

struct pingo__manager_flight *pingo__manager_flight_find(struct pingo__manager_actions *m,
                                                         struct pingo_job_key key)
{
    uint32_t at = pingo__map_get(&m->by_key, &key, sizeof key);
    return at == PINGO__MAP_NONE ? NULL : m->flights[at];
}

int pingo__manager_flight_add(struct pingo__manager_actions *m, struct pingo_job_key key,
                              size_t executor, struct pingo_error *err)
{
    if (pingo__manager_flight_find(m, key))
        return 0;
    if (!PINGO__ARRAY_ROOM(m->flights, m->cflights, m->nflights, 1))
        return pingo__fail_memory(err);
    struct pingo__manager_flight *f = calloc(1, sizeof *f);
    if (!f)
        return pingo__fail_memory(err);
    f->key = key;
    f->executor = executor;
    f->removed_bytes = m->c->removed_bytes;
    if (!pingo__map_insert(&m->by_key, &f->key, sizeof f->key, (uint32_t)m->nflights, NULL)) {
        free(f);
        return pingo__fail_memory(err);
    }
    m->flights[m->nflights++] = f;
    return 0;
}

void pingo__manager_flight_remove(struct pingo__manager_actions *m, struct pingo_job_key key)
{
    uint32_t at = pingo__map_remove(&m->by_key, &key, sizeof key);
    if (at == PINGO__MAP_NONE)
        return;
    struct pingo__manager_flight *f = m->flights[at];
    if (at != --m->nflights) { /* the last one takes its place */
        m->flights[at] = m->flights[m->nflights];
        pingo__map_set(&m->by_key, &m->flights[at]->key, sizeof f->key, at);
    }
    free(f->news.closed);
    free(f->news.progress);
    free(f);
}

void pingo__manager_news_clear(struct pingo__manager_actions *m)
{
    for (size_t i = 0; m->has_news && i < m->nflights; i++) {
        free(m->flights[i]->news.closed);
        free(m->flights[i]->news.progress);
        m->flights[i]->news = (struct pingo__manager_news){.started = false};
    }
    m->has_news = false;
}

void pingo__manager_flight_count(const struct pingo__manager_actions *m, size_t *active,
                                 size_t *running, size_t *ending)
{
    *active = *running = *ending = 0;
    for (size_t i = 0; i < m->nflights; i++) {
        *active += !m->flights[i]->was_closed;
        *running += m->flights[i]->started;
        *ending += m->flights[i]->ending;
    }
}

size_t pingo__manager_executor_find(const struct pingo__manager_actions *m, const char *name)
{
    for (size_t i = 0; i < m->nexecutors; i++)
        if (strcmp(m->executors[i].type.name, name) == 0)
            return i;
    return SIZE_MAX;
}

size_t pingo__manager_executor_for(const struct pingo__manager_actions *m, const char *action_type,
                                   const char *named)
{
    const struct pingo_action_type *type = pingo__manager_type_find(m->c, action_type);
    size_t i;
    if (!named && m->preferred && !pingo__manager_type_is_embedders(type)) {
        i = pingo__manager_executor_find(m, m->preferred);
        if (i == SIZE_MAX || pingo__executor_type_runs(&m->executors[i].type, action_type))
            return i;
    }
    for (i = 0; i < m->nexecutors; i++)
        if ((!named || strcmp(m->executors[i].type.name, named) == 0) &&
            pingo__executor_type_runs(&m->executors[i].type, action_type))
            return i;
    return SIZE_MAX;
}

/* One text an executor and type: "EXECUTOR/TYPE", and "TYPE" where the executor is the one for such actions as name
 * none. */
static int add_types(struct pingo__manager_actions *m, size_t i, struct pingo_error *err)
{
    const char *name = m->executors[i].type.name;
    for (const char *const *t = m->executors[i].type.action_types; *t; t++) {
        char *named = pingo__arena_format(&m->texts, "%s/%s", name, *t);
        if (!named || !PINGO__ARRAY_ROOM(m->types, m->ctypes, m->ntypes, 3))
            return pingo__fail_memory(err);
        m->types[m->ntypes++] = named;
        if (pingo__manager_executor_for(m, *t, NULL) == i)
            m->types[m->ntypes++] = *t;
        m->types[m->ntypes] = NULL;
    }
    return 0;
}

int pingo__manager_actions_prefer(struct pingo__manager_actions *m, const char *executor,
                                  struct pingo_error *err)
{
    int rc = 0;
    pingo__manager_looked_clear(&m->looked);
    pingo__arena_clear(&m->texts);
    m->ntypes = 0;
    m->preferred = executor ? pingo__arena_format(&m->texts, "%s", executor) : NULL;
    if ((executor && !m->preferred) || !PINGO__ARRAY_ROOM(m->types, m->ctypes, 0, 1))
        return pingo__fail_memory(err);
    m->types[0] = NULL;
    for (size_t i = 0; !rc && i < m->nexecutors; i++)
        rc = add_types(m, i, err);
    return rc;
}

int pingo__manager_end_add(struct pingo__manager_actions *m, const struct pingo_job_end *end,
                           struct pingo_error *err)
{
    if (!PINGO__ARRAY_ROOM(m->ends, m->cends, m->nends, m->nwaiting + 1)) /* who waits comes back */
        return pingo__fail_memory(err);
    m->ends[m->nends++] = *end;
    return 0;
}

size_t pingo__manager_ends_next(const struct pingo__manager_actions *m)
{
    return m->nends < SETTLED_AT_ONCE ? m->nends : SETTLED_AT_ONCE;
}

void pingo__manager_end_take_back(struct pingo__manager_actions *m, struct pingo_job_key key,
                                  const struct pingo_job_end *looked_at)
{
    size_t i = 0;
    while (i < m->nwaiting && memcmp(&m->waiting[i].key, &key, sizeof key) != 0)
        i++;
    if (i == m->nwaiting)
        return;
    m->ends[m->nends++] = looked_at ? *looked_at : m->waiting[i]; /* there is room for who waits */
    m->waiting[i] = m->waiting[--m->nwaiting];
}

int pingo__manager_end_without_run(struct pingo__manager_actions *m, struct pingo_job_key key,
                                   enum pingo_end_reason reason, const char *message,
                                   struct pingo_error *err)
{
    struct pingo_job_end end = {.size = sizeof end, .key = key, .reason = reason};
    struct pingo__manager_flight *f = pingo__manager_flight_find(m, key);
    end.ended_ms = pingo__manager_now_ms(m->c);
    memcpy(end.message, message, strnlen(message, sizeof end.message - 1));
    if (f)
        f->has_ended = true;
    return pingo__manager_end_add(m, &end, err);
}

int pingo__manager_unclaim(struct pingo__manager_actions *m, int64_t action, struct pingo_error *err)
{
    struct pingo__store_action_row a;
    int rc = pingo__store_action_get(m->c->db, action, NULL, &a, err);
    if (rc || a.state != PINGO_ACTION_PROCESSING || a.owner != m->c->owner)
        return rc;
    return pingo__store_action_move(m->c->db, &a, PINGO_ACTION_READY, pingo__manager_now_ms(m->c),
                                    err);
}
