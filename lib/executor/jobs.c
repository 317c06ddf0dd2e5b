/* jobs.c - for executors: the jobs that one has in hand, by key, and their ends until they were taken.
 *
 * What always holds: each job is in the map and, at its index, in the array; the list has them in the order in which
 * they came; what an executor keeps of a job stays where it is until the job is removed. */
#include <stddef.h>
#include <stdlib.h>

#include <pingo/executor.h>

#include "base/array.h"
#include "base/growing.h"
#include "base/map.h"

struct job {
    struct job *before, *after;
    struct pingo_job_key key;
    uint32_t index;
    bool ended;
    struct pingo_job_end end;
    _Alignas(max_align_t) char own[];
};

struct pingo_jobs {
    size_t size; /* of what is kept of each */
    struct pingo__map by_key;
    struct job **list, *first, *last;
    size_t n, capacity, nended;
};

static struct job *job_of(const void *own)
{
    return (struct job *)((char *)(uintptr_t)own - offsetof(struct job, own));
}

static struct job *find(const struct pingo_jobs *jobs, struct pingo_job_key key)
{
    uint32_t at = pingo__map_get(&jobs->by_key, &key, sizeof key);
    return at == PINGO__MAP_NONE ? NULL : jobs->list[at];
}

struct pingo_jobs *pingo_jobs_new(size_t size)
{
    struct pingo_jobs *jobs = calloc(1, sizeof *jobs);
    if (jobs)
        jobs->size = size;
    return jobs;
}

void pingo_jobs_free(struct pingo_jobs *jobs)
{
    if (!jobs)
        return;
    for (size_t i = 0; i < jobs->n; i++)
        free(jobs->list[i]);
    free(jobs->list);
    pingo__map_clear(&jobs->by_key);
    free(jobs);
}

void *pingo_jobs_find(const struct pingo_jobs *jobs, struct pingo_job_key key)
{
    struct job *job = find(jobs, key);
    return job ? job->own : NULL;
}

void *pingo_jobs_add(struct pingo_jobs *jobs, struct pingo_job_key key)
{
    struct job *job = find(jobs, key);
    if (job)
        return job->own;
    if (!PINGO__ARRAY_ROOM(jobs->list, jobs->capacity, jobs->n, 1) ||
        !(job = calloc(1, sizeof *job + jobs->size)))
        return NULL;
    job->key = key;
    job->index = (uint32_t)jobs->n;
    if (!pingo__map_insert(&jobs->by_key, &job->key, sizeof job->key, job->index, NULL)) {
        free(job);
        return NULL;
    }
    jobs->list[jobs->n++] = job;
    job->before = jobs->last;
    *(jobs->last ? &jobs->last->after : &jobs->first) = job;
    jobs->last = job;
    return job->own;
}

void pingo_jobs_remove(struct pingo_jobs *jobs, struct pingo_job_key key)
{
    uint32_t index = pingo__map_remove(&jobs->by_key, &key, sizeof key);
    if (index == PINGO__MAP_NONE)
        return;
    struct job *job = jobs->list[index], *moved = jobs->list[--jobs->n];
    jobs->nended -= job->ended;
    if (moved != job) {
        jobs->list[index] = moved;
        moved->index = index;
        /* The key is in the map, so this takes no memory. */
        pingo__map_set(&jobs->by_key, &moved->key, sizeof moved->key, index);
    }
    *(job->before ? &job->before->after : &jobs->first) = job->after;
    *(job->after ? &job->after->before : &jobs->last) = job->before;
    free(job);
}

void *pingo_jobs_next(const struct pingo_jobs *jobs, const void *previous)
{
    struct job *job = previous ? job_of(previous)->after : jobs->first;
    return job ? job->own : NULL;
}

struct pingo_job_key pingo_jobs_key(const void *own)
{
    return job_of(own)->key;
}

bool pingo_jobs_has_ended(const void *own)
{
    return job_of(own)->ended;
}

size_t pingo_jobs_count(const struct pingo_jobs *jobs, bool ended)
{
    return ended ? jobs->nended : jobs->n - jobs->nended;
}

void pingo_jobs_end(struct pingo_jobs *jobs, const struct pingo_job_end *end)
{
    struct job *job = find(jobs, end->key);
    if (!job || job->ended)
        return;
    job->ended = true;
    pingo__growing_result_take(end, &job->end, sizeof job->end);
    if (end->size < sizeof end->size) /* the scheduler says what is wrong */
        job->end = (struct pingo_job_end){.key = end->key};
    jobs->nended++;
}

void pingo_jobs_tell(struct pingo_jobs *jobs, const struct pingo_executor_reports *reports)
{
    size_t left = jobs->nended; /* they are mostly the first */
    for (struct job *job = jobs->first, *next; left; job = next) {
        next = job->after;
        left -= job->ended;
        if (job->ended)
            reports->ended(reports->context, &job->end);
    }
}
