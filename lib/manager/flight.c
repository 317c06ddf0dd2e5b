/* flight.c - see flight.h; and what executors report between ticks. */
#include "manager/flight.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct pingo__flight *pingo__flight_find(struct pingo__action_manager *m, struct pingo_job_key key)
{
    uint32_t at = pingo__map_get(&m->by_key, &key, sizeof key);

    return at == PINGO__MAP_NONE ? NULL : m->flights[at];
}

int pingo__flight_add(struct pingo__action_manager *m, struct pingo_job_key key, size_t executor,
                      struct pingo_error *err)
{
    struct pingo__flight *f;

    if (pingo__flight_find(m, key))
        return 0;
    if (!pingo__array_room((void **)&m->flights, &m->cflights, m->nflights, 1, sizeof *m->flights))
        return pingo__fail_memory(err);
    f = calloc(1, sizeof *f);
    if (!f)
        return pingo__fail_memory(err);
    f->key = key;
    f->executor = executor;
    if (!pingo__map_insert(&m->by_key, &f->key, sizeof f->key, (uint32_t)m->nflights, NULL)) {
        free(f);
        return pingo__fail_memory(err);
    }
    m->flights[m->nflights++] = f;
    return 0;
}

void pingo__flight_remove(struct pingo__action_manager *m, struct pingo_job_key key)
{
    uint32_t at = pingo__map_remove(&m->by_key, &key, sizeof key);
    struct pingo__flight *f;

    if (at == PINGO__MAP_NONE)
        return;
    f = m->flights[at];
    if (at != --m->nflights) { /* the last one takes its place */
        m->flights[at] = m->flights[m->nflights];
        pingo__map_set(&m->by_key, &m->flights[at]->key, sizeof f->key, at);
    }
    free(f);
}

size_t pingo__executor_find(const struct pingo__action_manager *m, const char *name)
{
    for (size_t i = 0; i < m->nexecutors; i++)
        if (strcmp(m->executors[i].type->name, name) == 0)
            return i;
    return SIZE_MAX;
}

size_t pingo__executor_for(const struct pingo__action_manager *m, const char *action_type)
{
    for (size_t i = 0; i < m->nexecutors; i++)
        for (const char *const *t = m->executors[i].type->action_types; *t; t++)
            if (strcmp(*t, action_type) == 0)
                return i;
    return SIZE_MAX;
}

int pingo__end_add(struct pingo__action_manager *m, const struct pingo_job_end *end,
                   struct pingo_error *err)
{
    if (!pingo__array_room((void **)&m->ends, &m->cends, m->nends, 1, sizeof *m->ends))
        return pingo__fail_memory(err);
    m->ends[m->nends++] = *end;
    return 0;
}

int pingo__end_without_run(struct pingo__action_manager *m, struct pingo_job_key key,
                           enum pingo_end_reason reason, const char *message,
                           struct pingo_error *err)
{
    struct pingo_job_end end = {.key = key, .reason = reason};

    end.ended_ms = pingo__now_ms(m->c);
    memcpy(end.message, message, strnlen(message, sizeof end.message - 1));
    return pingo__end_add(m, &end, err);
}

bool pingo__end_is_valid(const struct pingo_job_end *e, char *wrong, size_t size)
{
    if (e->reason < PINGO_END_EXITED || e->reason > PINGO_END_BAD_OUTPUT)
        snprintf(wrong, size, "reason %d is none of PINGO_END_*", (int)e->reason);
    else if (e->reason == PINGO_END_EXITED && e->exit_code < 0)
        snprintf(wrong, size, "exit_code is %d", e->exit_code);
    else if (e->reason == PINGO_END_SIGNALED && (e->signal < 1 || e->signal > 64))
        snprintf(wrong, size, "signal is %d", e->signal);
    else if (e->output_kind < PINGO_OUTPUT_NONE || e->output_kind > PINGO_OUTPUT_DIRECTORY)
        snprintf(wrong, size, "output_kind %d is none of PINGO_OUTPUT_*", (int)e->output_kind);
    else if (e->output_kind != PINGO_OUTPUT_NONE && e->size_bytes < 0)
        snprintf(wrong, size, "size_bytes is %" PRId64, e->size_bytes);
    else if (e->started_ms < 0 || e->ended_ms < 0)
        snprintf(wrong, size, "it started at %" PRId64 " and ended at %" PRId64 " ms",
                 e->started_ms, e->ended_ms);
    else if (e->wall_ms < -1 || e->user_ms < -1 || e->system_ms < -1 || e->max_rss_bytes < -1)
        snprintf(wrong, size, "a time or a size is negative");
    else
        return true;
    return false;
}
