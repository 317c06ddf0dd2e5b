/* aside.c - what may take long for one job, on a thread beside the executor's: bytes that a DataNode takes or gives.
 *
 * What always holds: that thread sees of the job what lies in its arena alone, which it outlives where the job goes
 * meanwhile; all that is in an aside is the thread's until is_done, and the executor's afterwards. */
#include <stdlib.h>

#include "base/error.h"
#include "base/thread.h"
#include "executor/hadoop/mailbox.h"

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_aside aside_of;

static void *run(void *context)
{
    aside_of *a = context;
    a->rc = a->run(a->h, a, &a->why);
    a->is_done = true;
    pingo__executor_hadoop_box_wake(a->h->box);
    return NULL;
}

void pingo__executor_hadoop_aside_free(aside_of *a)
{
    if (a->clear)
        a->clear(a);
    pingo__arena_clear(&a->kept);
    free(a);
}

bool pingo__executor_hadoop_aside_has_room(hadoop *h, job_of *job,
                                           pingo__executor_hadoop_aside_fn *of, size_t most)
{
    size_t n = 0;
    for (const aside_of *a = h->asides; a; a = a->next)
        n += a->run == of && !a->is_done;
    job->waits_aside = n >= most;
    job->waits_for = of;
    job->waits_most = most;
    return !job->waits_aside;
}

bool pingo__executor_hadoop_aside_is_over(hadoop *h, job_of *job)
{
    return job->aside
               ? job->aside->is_done
               : !job->waits_aside ||
                     pingo__executor_hadoop_aside_has_room(h, job, job->waits_for, job->waits_most);
}

int pingo__executor_hadoop_aside_start(hadoop *h, job_of *job, aside_of *a, struct pingo_error *err)
{
    a->h = h;
    int failed = pingo__thread_start(&a->thread, run, a);
    if (failed) {
        pingo__executor_hadoop_aside_free(a);
        return pingo__fail_os(err, failed, "a thread", "executor hadoop");
    }
    a->next = h->asides;
    h->asides = a;
    job->aside = a;
    return 0;
}

aside_of *pingo__executor_hadoop_aside_take(hadoop *h, job_of *job, struct pingo_error *err)
{
    aside_of *a = job->aside, **at = &h->asides;
    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    job->aside = NULL;
    pthread_join(a->thread, NULL);
    if (a->rc)
        pingo__fail(err, a->rc, "%s", a->why.message);
    return a;
}

void pingo__executor_hadoop_aside_drop(job_of *job)
{
    job->aside->is_dropped = true;
    job->aside->kept = job->arena;
    job->aside = NULL;
    job->arena = (struct pingo__arena){0};
}

void pingo__executor_hadoop_asides_free(hadoop *h, bool all)
{
    for (aside_of **at = &h->asides, *a; (a = *at);) {
        if (!all && !(a->is_dropped && a->is_done)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        pthread_join(a->thread, NULL);
        pingo__executor_hadoop_aside_free(a);
    }
}
