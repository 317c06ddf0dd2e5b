/* jobs.c - for executors: the jobs that one has in hand, by key, and their ends until they were taken.
 *
 * What always holds: each job is in the tree, by its key, and in the list, in the order in which they came; what an
 * executor keeps of a job stays where it is until the job is removed. */
#include <search.h>
#include <stddef.h>
#include <stdlib.h>

#include <pingo/executor.h>

#include "base/growing.h"

struct job {
    struct pingo_job_key key; /* first: the tree compares by it */
    struct job *before, *after;
    bool ended;
    struct pingo_job_end end;
    _Alignas(max_align_t) char own[];
};

struct pingo_jobs {
    size_t size;  /* of what is kept of each */
    void *by_key; /* of tsearch() */
    struct job *first, *last;
    size_t n, nended;
};

static struct job *job_of(const void *own)
{
    return (struct job *)((char *)(uintptr_t)own - offsetof(struct job, own));
}

static int by_key(const void *a, const void *b)
{
    const struct pingo_job_key *x = a, *y = b;
    return x->action != y->action ? (x->action < y->action ? -1 : 1)
                                  : (x->epoch > y->epoch) - (x->epoch < y->epoch);
}

static struct job *find(const struct pingo_jobs *jobs, struct pingo_job_key key)
{
    struct job *const *at = tfind(&key, &jobs->by_key, by_key);
    return at ? *at : NULL;
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
    if (jobs)
        tdestroy(jobs->by_key, free);
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
    job = calloc(1, sizeof *job + jobs->size);
    if (job)
        job->key = key;
    if (!job || !tsearch(job, &jobs->by_key, by_key)) {
        free(job);
        return NULL;
    }
    jobs->n++;
    job->before = jobs->last;
    *(jobs->last ? &jobs->last->after : &jobs->first) = job;
    jobs->last = job;
    return job->own;
}

void pingo_jobs_remove(struct pingo_jobs *jobs, struct pingo_job_key key)
{
    struct job *job = find(jobs, key);
    if (!job)
        return;
    tdelete(job, &jobs->by_key, by_key);
    jobs->n--;
    jobs->nended -= job->ended;
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
