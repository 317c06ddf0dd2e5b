/* job.c - memory for action types that render a job. */
#include <pingo/executor.h>

#include "base/arena.h"

char *pingo_job_text(struct pingo_job *job, const char *text, size_t length)
{
    return job->arena ? pingo__arena_text(job->arena, text, length) : NULL;
}

void *pingo_job_memory(struct pingo_job *job, size_t size)
{
    return job->arena ? pingo__arena_alloc(job->arena, size) : NULL;
}
