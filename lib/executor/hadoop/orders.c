/* orders.c - what the scheduler wants of the thread.
 *
 * What always holds: an order that was taken is answered, and soon where HDFS answers: the ResourceManager is hardly
 * waited for; where the cluster does not answer, nothing has changed. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "base/world.h"
#include "executor/hadoop/bundle.h"
#include "executor/hadoop/rm.h"

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_order order_of;

static const struct pingo__executor_hadoop_kind *const kinds[] = {
    &pingo__executor_hadoop_commands, &pingo__executor_hadoop_mapreduce};
#define KINDS (sizeof kinds / sizeof *kinds)

/* What nobody knows is shown to one kind after the other; what one has kept of it is nothing to the next. */
bool pingo__executor_hadoop_show_to(job_of *job, const struct pingo__executor_hadoop_kind *kind)
{
    free(job->own);
    job->kind = kind;
    job->own = calloc(1, kind->own_size);
    return job->own;
}

static void start(hadoop *h, order_of *o)
{
    job_of *job = pingo_jobs_add(h->jobs, o->key);
    if (!job ||
        !pingo__executor_hadoop_show_to(job, kinds[strcmp(o->job.type, "command-line") != 0])) {
        pingo_jobs_remove(h->jobs, o->key);
        pingo__executor_hadoop_box_report(h->box, &(struct pingo__executor_hadoop_report){
                                                      .kind = PINGO__HADOOP_HAS_ENDED,
                                                      .key = o->key,
                                                      .end = {.size = sizeof(struct pingo_job_end),
                                                              .key = o->key,
                                                              .reason = PINGO_END_NOT_STARTED,
                                                              .message = "out of memory"}});
        return;
    }
    job->job = o->job;
    job->arena = o->arena;
    o->arena = (struct pingo__arena){0};
    job->handed_ms = pingo__world_monotonic_ms();
}

static void drop(hadoop *h, job_of *job)
{
    struct pingo_job_key key = pingo_jobs_key(job);
    free(job->own);
    if (job->aside)
        pingo__executor_hadoop_aside_drop(job);
    pingo__arena_clear(&job->arena);
    pingo_jobs_remove(h->jobs, key);
}

/* Of an attempt of which nothing is known but its key. */
static job_of *add_known(hadoop *h, struct pingo_job_key key)
{
    char name[PINGO__NAME_SIZE];
    job_of *job = pingo_jobs_add(h->jobs, key);
    if (!job)
        return NULL;
    struct pingo_job *j = &job->job;
    j->key = key;
    job->is_adopted = job->is_unread = true;
    pingo__name_attempt(name, key.action, key.epoch);
    j->attempt_dir = pingo__arena_format(&job->arena, "%s/%s", h->pool_dir, name);
    j->attempt_place = pingo__arena_format(&job->arena, "%s/%s", h->pool_place, name);
    pingo__name_staged(name, key.action, key.epoch);
    j->staged_path = pingo__arena_format(&job->arena, "%s/%s", h->pool_dir, name);
    j->staged_place = pingo__arena_format(&job->arena, "%s/%s", h->pool_place, name);
    if (j->attempt_dir && j->attempt_place && j->staged_path && j->staged_place)
        return job;
    drop(h, job);
    return NULL;
}

/* Commands last: what they leave in HDFS to say that it was given up must not stand where a MapReduce job runs. */
int pingo__executor_hadoop_revoke(hadoop *h, job_of *job, bool *revoked, struct pingo_error *err)
{
    int rc = 0;
    if (!job->is_unread)
        return job->kind->revoke(h, job, revoked, err);
    *revoked = true; /* unless somebody has it */
    for (size_t i = KINDS; !rc && *revoked && i > 0; i--)
        rc = pingo__executor_hadoop_show_to(job, kinds[i - 1])
                 ? kinds[i - 1]->revoke(h, job, revoked, err)
                 : pingo__fail_memory(err);
    return rc;
}

static void revoke(hadoop *h, order_of *o)
{
    job_of *job = pingo_jobs_find(h->jobs, o->key);
    bool is_new = !job;
    if (!job && !(job = add_known(h, o->key))) {
        o->rc = pingo__fail_memory(&o->why);
        return;
    }
    if (job->phase != PINGO__HADOOP_OVER)
        o->rc = pingo__executor_hadoop_revoke(h, job, &o->revoked, &o->why);
    bool is_over = !o->rc && o->revoked;
    if (is_over && job->is_unread)
        pingo_runner_forget(job->job.attempt_dir);
    if (is_over)
        job->kind->forget(h, job);
    if (is_over || is_new)
        drop(h, job);
}

int pingo__executor_hadoop_recognize(hadoop *h, job_of *job, bool *found, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc = 0;
    *found = false;
    if (job->stuck_until_ms && h->unlisted) /* not for the first time */
        pingo__executor_hadoop_bundles_load(h);
    for (size_t i = 0; !pingo__executor_hadoop_is_away(rc) && !*found && i < KINDS; i++) {
        int failed = pingo__executor_hadoop_show_to(job, kinds[i])
                         ? kinds[i]->adopt(h, job, found, &why)
                         : pingo__fail_memory(&why);
        rc = failed ? failed : rc; /* what one cannot read may be the next one's */
    }
    rc = *found ? 0 : rc;
    job->is_unread = rc;
    if (*found && job->phase < PINGO__HADOOP_SUBMITTED)
        job->phase = PINGO__HADOOP_SUBMITTED;
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

/* What is wrong with one keeps the others from nothing: it is looked at again until it can be read. */
static int adopt_one(hadoop *h, struct pingo_job_key key, bool *found, struct pingo_error *err)
{
    struct pingo_error why = {0};
    job_of *job = pingo_jobs_find(h->jobs, key);
    *found = job;
    if (job)
        return 0;
    if (!(job = add_known(h, key)))
        return pingo__fail_memory(err);
    int rc = pingo__executor_hadoop_recognize(h, job, found, &why);
    bool is_away = pingo__executor_hadoop_is_away(rc);
    if (rc && !is_away) {
        pingo__executor_hadoop_stuck(h, job, &why);
        job->phase = PINGO__HADOOP_SUBMITTED;
        *found = true;
    } else if (is_away || !*found) {
        drop(h, job);
    }
    return is_away ? pingo__fail(err, rc, "%s", why.message) : 0;
}

static void adopt(hadoop *h, order_of *o)
{
    pingo__executor_hadoop_bundles_load(h); /* who is dead now may have made some */
    for (size_t i = 0; !o->rc && i < o->nkeys; i++)
        o->rc = h->is_leaving ? PINGO_EAWAY : adopt_one(h, o->keys[i], &o->found[i], &o->why);
    pingo__executor_hadoop_hurry(h);
}

/* Where it cannot be done now the next rounds do it. */
static void end(hadoop *h, job_of *job)
{
    struct pingo_error why = {0};
    bool is_new = !job->is_killed && job->phase != PINGO__HADOOP_OVER;
    job->is_killed = true;
    int rc = is_new ? pingo__executor_hadoop_end_job(h, job, &why) : 0;
    if (pingo__executor_hadoop_is_away(rc))
        pingo__executor_hadoop_meet(h, &why);
    else if (rc)
        pingo__executor_hadoop_stuck(h, job, &why);
}

static void obey(hadoop *h, order_of *o)
{
    job_of *job = o->kind == PINGO__HADOOP_ADOPT || o->kind == PINGO__HADOOP_TRIM
                      ? NULL
                      : pingo_jobs_find(h->jobs, o->key);
    if (o->kind == PINGO__HADOOP_START)
        start(h, o);
    else if (o->kind == PINGO__HADOOP_REVOKE)
        revoke(h, o);
    else if (o->kind == PINGO__HADOOP_ADOPT)
        adopt(h, o);
    else if (o->kind == PINGO__HADOOP_KILL && job)
        end(h, job);
    else if (o->kind == PINGO__HADOOP_FORGET && job) {
        job->kind->forget(h, job);
        drop(h, job);
    } else if (o->kind == PINGO__HADOOP_TRIM)
        pingo__executor_hadoop_bundles_trim(h, o->keys, o->nkeys);
    if (pingo__executor_hadoop_is_away(o->rc)) {
        pingo__executor_hadoop_meet(h, &o->why);
        o->rc = PINGO_EAWAY;
    }
}

void pingo__executor_hadoop_take_orders(hadoop *h)
{
    order_of *order;
    pingo__executor_hadoop_rm_hurry(h->rm, true);
    while (!h->is_leaving && (order = pingo__executor_hadoop_box_take(h->box))) {
        obey(h, order);
        pingo__executor_hadoop_box_answer(h->box, order);
    }
    pingo__executor_hadoop_rm_hurry(h->rm, false);
}
