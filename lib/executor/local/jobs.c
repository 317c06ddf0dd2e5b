/* jobs.c - what this client waits for, see client.h. */
#include "executor/local/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void pingo__jobs_init(struct pingo__local_jobs *jobs)
{
    memset(jobs, 0, sizeof *jobs);
    pingo__map_init(&jobs->by_key);
}

void pingo__jobs_clear(struct pingo__local_jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++)
        free(jobs->list[i]);
    free(jobs->list);
    pingo__map_clear(&jobs->by_key);
    memset(jobs, 0, sizeof *jobs);
}

struct pingo__local_job *pingo__jobs_find(const struct pingo__local_jobs *jobs,
                                          struct pingo_job_key key)
{
    uint32_t index = pingo__map_get(&jobs->by_key, &key, sizeof key);
    return index == PINGO__MAP_NONE ? NULL : jobs->list[index];
}

struct pingo__local_job *pingo__jobs_add(struct pingo__local_jobs *jobs, struct pingo_job_key key)
{
    struct pingo__local_job *job = pingo__jobs_find(jobs, key);
    if (job != NULL)
        return job;
    if (!pingo__array_room((void **)&jobs->list, &jobs->capacity, jobs->n, 1, sizeof *jobs->list))
        return NULL;
    job = calloc(1, sizeof *job);
    if (job == NULL)
        return NULL;
    job->key = key;
    job->index = (uint32_t)jobs->n;
    if (!pingo__map_insert(&jobs->by_key, &job->key, sizeof job->key, job->index, NULL)) {
        free(job);
        return NULL;
    }
    jobs->list[jobs->n++] = job;
    return job;
}

void pingo__jobs_remove(struct pingo__local_jobs *jobs, struct pingo_job_key key)
{
    uint32_t index = pingo__map_remove(&jobs->by_key, &key, sizeof key);
    if (index == PINGO__MAP_NONE)
        return;
    struct pingo__local_job *job = jobs->list[index], *moved = jobs->list[--jobs->n];
    if (job->ended)
        jobs->ended--;
    if (moved != job) {
        jobs->list[index] = moved;
        moved->index = index;
        /* The key is in the map, so this takes no memory. */
        pingo__map_set(&jobs->by_key, &moved->key, sizeof moved->key, index);
    }
    free(job);
}

void pingo__jobs_on_end(void *context, const struct pingo_job_end *end)
{
    struct pingo__local_jobs *jobs = context;
    struct pingo__local_job *job = pingo__jobs_find(jobs, end->key);
    if (job == NULL || job->ended)
        return;
    job->ended = true;
    job->end = *end;
    jobs->ended++;
}
