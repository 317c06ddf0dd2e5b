/* sizes.c - how much memory the largest node of a partition has: asked when an attempt has died of memory, and for some
 * minutes remembered. */
#include <string.h>

#include "base/array.h"
#include "base/world.h"
#include "executor/slurm/slurm.h"

#define WAIT_MS 5000
#define AGAIN_MS 60000
#define OLD_MS 600000
#define MEGABYTE INT64_C(1048576)

void pingo__executor_slurm_sized(struct pingo__executor_slurm *s,
                                 const struct pingo__executor_slurm_record *record)
{
    struct pingo__executor_slurm_sizes *z = &s->sizes;
    size_t i = 0;
    while (i < z->n && strcmp(z->list[i].name, record->partition) != 0)
        i++;
    if (i == z->n) {
        if (strlen(record->partition) >= sizeof z->list->name ||
            !PINGO__ARRAY_ROOM(z->list, z->capacity, z->n, 1))
            return;
        z->list[z->n] = (struct pingo__executor_slurm_partition){.memory_mb = 0};
        strcpy(z->list[z->n++].name, record->partition);
    }
    z->list[i].is_default = z->list[i].is_default || record->is_default;
    if (record->memory_mb > z->list[i].memory_mb)
        z->list[i].memory_mb = record->memory_mb;
}

static bool are_known(const struct pingo__executor_slurm_sizes *z)
{
    return z->had[PINGO__SLURM_NODES] && z->had[PINGO__SLURM_PARTITIONS];
}

/* Known for long, it is asked anew; where there was no answer, a little later. */
static void ask(struct pingo__executor_slurm *s)
{
    struct pingo__executor_slurm_sizes *z = &s->sizes;
    int64_t now = pingo__world_monotonic_ms();
    if (z->asked_ms && now < z->asked_ms + (are_known(z) ? OLD_MS : AGAIN_MS))
        return;
    z->n = 0;
    z->asked_ms = now;
    for (size_t kind = PINGO__SLURM_NODES; kind < PINGO__SLURM_KINDS; kind++) {
        z->had[kind] = false;
        z->wanted[kind] = true;
    }
}

bool pingo__executor_slurm_sizes_are_awaited(struct pingo__executor_slurm *s)
{
    ask(s);
    return !are_known(&s->sizes) && !s->in_trouble &&
           pingo__world_monotonic_ms() < s->sizes.asked_ms + WAIT_MS;
}

/* names: "a,b", and Slurm takes whichever is free first; NULL: the default, which v0.0.40 to v0.0.44 do not tell. */
static bool is_meant(const struct pingo__executor_slurm_sizes *z,
                     const struct pingo__executor_slurm_partition *p, const char *names)
{
    size_t n = strlen(p->name);
    if (!names)
        return p->is_default || z->n == 1;
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, p->name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

int64_t pingo__executor_slurm_memory_most(void *executor, const char *executor_options)
{
    struct pingo__executor_slurm *s = executor;
    struct pingo__executor_slurm_request request = {.name = NULL};
    struct pingo__arena arena = {0};
    int64_t most = 0;
    if (!s->handle)
        return 0;
    ask(s);
    if (!are_known(&s->sizes))
        return -1;
    pingo__executor_slurm_request_options(s->defaults, &arena, &request, NULL);
    if (executor_options)
        pingo__executor_slurm_request_options(executor_options, &arena, &request, NULL);
    for (size_t i = 0; i < s->sizes.n; i++)
        if (is_meant(&s->sizes, &s->sizes.list[i], request.options[PINGO__SLURM_PARTITION]) &&
            s->sizes.list[i].memory_mb > most)
            most = s->sizes.list[i].memory_mb;
    pingo__arena_clear(&arena);
    return most > PINGO__SLURM_RUNNER_MB ? (most - PINGO__SLURM_RUNNER_MB) * MEGABYTE : 0;
}
