/* follow.c - the thread: a round, and another one, until it is stopped.
 *
 * What always holds: a job that is not OVER is asked about again, whatever failed; where the cluster does not answer,
 * nobody's phase changes. */
#include "executor/hadoop/hadoop.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/world.h"
#include "executor/hadoop/bundle.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"

#define POLL_FIRST_MS 300
#define TROUBLE_FIRST_MS 500
#define TROUBLE_MOST_MS 15000
#define GATHER_MS 80         /* who is armed within this is submitted together, */
#define GATHER_MOST_MS 600   /* but nobody waits longer, */
#define ARMING_MOST_MS 10000 /* or so long for those that are being armed */
#define PATIENCE_MS 5000
#define IDLE_MS 3600000 /* where an order wakes us, and nothing else */

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;

/* ---- trouble -------------------------------------------------------------------------------------- */

static void recover(hadoop *h)
{
    if (h->trouble_told)
        pingo__executor_hadoop_log(h, "it answers again");
    h->trouble_told = false;
    h->troubles.next_ms = h->again_at_ms = h->trouble_ms = 0;
    h->trouble[0] = '\0';
}

/* true: this round is over. */
static bool is_in_the_way(hadoop *h, int rc, const struct pingo_error *why)
{
    bool away = pingo__executor_hadoop_is_away(rc);
    if (away)
        pingo__executor_hadoop_meet(h, why);
    return away || h->is_leaving;
}

/* ---- a round --------------------------------------------------------------------------------------- */

static void end_with(hadoop *h, job_of *job, enum pingo_end_reason reason, const char *message)
{
    struct pingo_job_end end = {.size = sizeof end};
    pingo__executor_end(&end, reason, message);
    pingo__executor_hadoop_ended(h, job, &end);
}

int pingo__executor_hadoop_end_job(hadoop *h, job_of *job, struct pingo_error *err)
{
    bool revoked = false;
    int rc = 0;
    if (job->is_unread || job->phase < PINGO__HADOOP_SUBMITTED)
        rc = pingo__executor_hadoop_revoke(h, job, &revoked, err);
    if (!rc && revoked)
        end_with(h, job, PINGO_END_KILLED, "");
    if (rc || revoked || job->is_unread)
        return rc;
    job->phase = PINGO__HADOOP_SUBMITTED;
    rc = job->kind->kill(h, job, err);
    if (!rc && !job->killed_ms)
        job->killed_ms = pingo__world_monotonic_ms();
    job->look_at_ms = 0;
    return rc;
}

int pingo__executor_hadoop_refuse(hadoop *h, job_of *job, const struct pingo_error *why,
                                  struct pingo_error *err)
{
    bool revoked = false;
    if (why->code == PINGO_EINVAL) {
        end_with(h, job, PINGO_END_EXITED, why->message);
        return 0;
    }
    int rc = job->kind->revoke(h, job, &revoked, err);
    if (rc)
        return rc;
    if (revoked)
        end_with(h, job, job->is_killed ? PINGO_END_KILLED : PINGO_END_NOT_STARTED, why->message);
    else
        job->phase = PINGO__HADOOP_SUBMITTED;
    return 0;
}

/* Is something done for it beside us, or to be? */
static bool is_aside(const job_of *job)
{
    return job->aside || job->waits_aside;
}

static int arm_or_submit(hadoop *h, job_of *job, struct pingo_error *err)
{
    struct pingo_error why = {0};
    bool arms = job->phase == PINGO__HADOOP_HANDED;
    int rc = (arms ? job->kind->arm : job->kind->submit)(h, job, &why);
    if (!rc && arms && !is_aside(job)) {
        job->phase = PINGO__HADOOP_ARMED;
        h->armed_ms = pingo__world_monotonic_ms();
        h->first_armed_ms = h->first_armed_ms ? h->first_armed_ms : h->armed_ms;
    }
    if (!rc || pingo__executor_hadoop_is_away(rc)) {
        if (rc && err)
            *err = why;
        return rc;
    }
    return job->phase < PINGO__HADOOP_SUBMITTED ? pingo__executor_hadoop_refuse(h, job, &why, err)
                                                : 0;
}

static bool is_due(hadoop *h, job_of *job, bool may_submit, int64_t now)
{
    if (job->phase == PINGO__HADOOP_OVER || now < job->stuck_until_ms)
        return false;
    if (job->is_killed && !job->killed_ms)
        return true;
    if (is_aside(job))
        return pingo__executor_hadoop_aside_is_over(h, job);
    return job->phase == PINGO__HADOOP_SUBMITTED ? job->look_at_ms <= now
                                                 : job->phase == PINGO__HADOOP_HANDED || may_submit;
}

/* One that cannot be read is ended as far as its gate can be closed. */
static int recognize(hadoop *h, job_of *job, struct pingo_error *err)
{
    bool found;
    int rc = pingo__executor_hadoop_recognize(h, job, &found, err);
    if (!rc && !found)
        end_with(h, job, job->is_killed ? PINGO_END_KILLED : PINGO_END_LOST,
                 "whoever ran it is gone");
    if (rc && !pingo__executor_hadoop_is_away(rc) && job->is_killed)
        pingo__executor_hadoop_end_job(h, job, NULL);
    return job->phase == PINGO__HADOOP_OVER ? 0 : rc;
}

static int go_on(hadoop *h, job_of *job, int64_t now, struct pingo_error *err)
{
    job->waits_aside = false;
    if (job->is_unread)
        return recognize(h, job, err);
    if (job->is_killed && !job->killed_ms)
        return pingo__executor_hadoop_end_job(h, job, err);
    if (job->phase < PINGO__HADOOP_SUBMITTED)
        return arm_or_submit(h, job, err);
    job->look_at_ms = now + POLL_FIRST_MS;
    int rc = job->kind->look(h, job, err);
    bool is_told = !*job->application || pingo__executor_hadoop_app(h, job->application);
    job->is_known = job->is_known || (is_told && !is_aside(job) && !job->is_dubious &&
                                      !pingo__executor_hadoop_is_away(rc));
    return rc;
}

static bool has_submitted(const hadoop *h)
{
    job_of *job = NULL;
    while ((job = pingo_jobs_next(h->jobs, job)) && job->phase != PINGO__HADOOP_SUBMITTED)
        ;
    return job;
}

/* PINGO_EAWAY and its like end it; what else cannot be done for one is no reason to have the others wait. */
static int pass(hadoop *h, bool may_submit, struct pingo_error *err)
{
    int64_t now = pingo__world_monotonic_ms();
    for (job_of *job = NULL; !h->is_leaving && (job = pingo_jobs_next(h->jobs, job));) {
        struct pingo_error why = {0};
        int rc = is_due(h, job, may_submit, now) ? go_on(h, job, now, &why) : 0;
        if (pingo__executor_hadoop_is_away(rc)) {
            *err = why;
            return rc;
        }
        if (rc)
            pingo__executor_hadoop_stuck(h, job, &why);
    }
    return 0;
}

/* Who came in time and is being armed is waited for, but not whose originals are sent. */
static bool gathers(const hadoop *h)
{
    int64_t now = pingo__world_monotonic_ms();
    bool arms = false;
    for (job_of *job = NULL; h->armed_ms && !arms && (job = pingo_jobs_next(h->jobs, job));)
        arms = job->phase == PINGO__HADOOP_HANDED && job->is_brought && is_aside(job) &&
               job->handed_ms < h->first_armed_ms + GATHER_MOST_MS;
    return h->armed_ms && now < h->first_armed_ms + (arms ? ARMING_MOST_MS : GATHER_MOST_MS) &&
           (arms || now < h->armed_ms + GATHER_MS);
}

static void round_of_all(hadoop *h)
{
    struct pingo_error why = {0};
    int64_t now = pingo__world_monotonic_ms();
    if (now < h->again_at_ms)
        return;
    h->step_at_ms = 0;
    pingo__executor_hadoop_asides_free(h, false);
    pingo__executor_hadoop_bundles_step(h);
    if (has_submitted(h) && now >= h->poll_at_ms &&
        is_in_the_way(h, pingo__executor_hadoop_poll(h, &why), &why))
        return;
    if (is_in_the_way(h, pass(h, false, &why), &why))
        return;
    if (!gathers(h)) {
        if (is_in_the_way(h, pass(h, true, &why), &why))
            return;
        h->armed_ms = h->first_armed_ms = 0;
    }
    recover(h);
}

/* Until something is due. */
static int64_t pause_of(const hadoop *h)
{
    int64_t now = pingo__world_monotonic_ms(), due = INT64_MAX;
    bool follows = false;
    int64_t wait_ms = !h->armed_ms ? POLL_FIRST_MS : gathers(h) ? GATHER_MS : 0; /* to submit */
    for (job_of *job = NULL; (job = pingo_jobs_next(h->jobs, job));) {
        if (job->phase == PINGO__HADOOP_OVER || is_aside(job)) /* what is done aside wakes us */
            continue;
        int64_t at = job->phase == PINGO__HADOOP_SUBMITTED ? job->look_at_ms : now + wait_ms;
        at = at > job->stuck_until_ms ? at : job->stuck_until_ms;
        follows = follows || job->phase == PINGO__HADOOP_SUBMITTED;
        due = at < due ? at : due;
    }
    if (follows && h->poll_at_ms < due)
        due = h->poll_at_ms;
    if (h->step_at_ms && h->step_at_ms < due)
        due = h->step_at_ms;
    if (due == INT64_MAX)
        return IDLE_MS;
    if (due < h->again_at_ms)
        due = h->again_at_ms;
    return due > now ? due - now : 0;
}

/* What who leaves waits for: what he has handed over to be submitted, and a first word of what others have left, of
 * which he would else learn nothing, however often he comes; but for what is stuck, and in trouble for what goes on all
 * the same. */
static size_t count_open(const hadoop *h)
{
    int64_t now = pingo__world_monotonic_ms();
    size_t n = 0;
    for (job_of *job = NULL; (job = pingo_jobs_next(h->jobs, job));)
        n += now >= job->stuck_until_ms && (!*h->trouble || (job->aside && !job->aside->is_done)) &&
             (job->phase < PINGO__HADOOP_SUBMITTED ||
              (job->phase == PINGO__HADOOP_SUBMITTED && job->is_adopted && !job->is_known));
    return n;
}

void *pingo__executor_hadoop_follow(void *context)
{
    hadoop *h = context;
    struct pingo__executor_hadoop_mailbox *box = h->box;
    while (!h->is_leaving) {
        pingo__executor_hadoop_take_orders(h);
        round_of_all(h);
        pingo__executor_hadoop_box_say(box, count_open(h), h->trouble);
        pingo__executor_hadoop_box_await(box, PINGO__HADOOP_ORDERED, NULL, pause_of(h));
    }
    pingo__executor_hadoop_asides_free(h, true);
    if (!pingo__executor_hadoop_box_ended(box))
        pingo__executor_hadoop_free(h); /* nobody waits for it */
    pingo__executor_hadoop_box_leave(box);
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------------ */

static int open_ways(hadoop *h, const char *rm, struct pingo_error *err)
{
    struct pingo__hdfs_options options = {.patience_ms = PATIENCE_MS};
    h->troubles = (struct pingo_backoff){.first_ms = TROUBLE_FIRST_MS, .most_ms = TROUBLE_MOST_MS};
    int rc = pingo__executor_hadoop_rm_open(rm, h->user ? h->user : "",
                                            pingo__executor_hadoop_box_bells(h->box), &h->rm, err);
    return rc ? rc : pingo__hdfs_open(h->pool_place, &options, &h->hdfs, err);
}

int pingo__executor_hadoop_new(const struct pingo_executor_context *context,
                               struct pingo__executor_hadoop_mailbox *box, hadoop **out,
                               struct pingo_error *err)
{
    struct pingo_error why = {0};
    hadoop *h = calloc(1, sizeof *h);
    int rc = h && (h->jobs = pingo_jobs_new(sizeof(job_of))) ? 0 : pingo__fail_memory(err);
    if (!rc)
        rc = pingo__executor_hadoop_read_settings(h, context, err);
    if (!rc)
        rc = pingo__executor_hadoop_originals_new(&h->originals, err);
    if (!rc) {
        h->box = box;
        rc = *h->unset ? 0 : open_ways(h, pingo_executor_context_text(context, "rm"), &why);
        if (rc == PINGO_EINVAL) { /* a setting: who wants something run hears it */
            snprintf(h->unset, sizeof h->unset, "%.250s", why.message);
            rc = 0;
        } else if (rc && err) {
            *err = why;
        }
    }
    *out = rc ? NULL : h;
    if (rc)
        pingo__executor_hadoop_free(h);
    return rc;
}

void pingo__executor_hadoop_free(hadoop *h)
{
    if (!h)
        return;
    pingo__executor_hadoop_bundles_close(h);
    for (job_of *job = NULL; h->jobs && (job = pingo_jobs_next(h->jobs, job));) {
        free(job->own);
        pingo__arena_clear(&job->arena);
    }
    pingo_jobs_free(h->jobs);
    pingo__executor_hadoop_rm_close(h->rm);
    pingo__hdfs_close(h->hdfs);
    pingo__executor_hadoop_originals_free(h->originals);
    pingo__arena_clear(&h->texts);
    free(h->apps);
    free(h);
}
