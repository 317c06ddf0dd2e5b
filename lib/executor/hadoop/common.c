/* common.c - what all kinds of jobs need of the thread: reports, the log, and what the ResourceManager said. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/world.h"
#include "executor/hadoop/rm.h"

#define POLL_FIRST_MS 300
#define PATIENT 8 /* the longer there was no news, the longer a pause: by this part of it */
#define STUCK_MS 5000
#define STUCK_TELL_MS 60000
#define TELL_MS 3000 /* trouble that lasts so long is told */

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_app app_of;
typedef struct pingo__executor_hadoop_report report_of;

/* ---- for all kinds -------------------------------------------------------------------------------- */

bool pingo__executor_hadoop_is_away(int rc)
{
    return rc == PINGO_EAWAY || rc == PINGO_ESTATE || rc == PINGO_EINTERRUPTED;
}

int64_t pingo__executor_hadoop_pause_ms(const hadoop *h, int64_t since_ms)
{
    int64_t pause = (pingo__world_monotonic_ms() - since_ms) / PATIENT;
    pause = pause < h->poll_ms ? pause : h->poll_ms;
    return pause > POLL_FIRST_MS ? pause : POLL_FIRST_MS;
}

void pingo__executor_hadoop_hurry(hadoop *h)
{
    int64_t now = pingo__world_monotonic_ms();
    h->news_ms = now;
    if (h->poll_at_ms > now + POLL_FIRST_MS)
        h->poll_at_ms = now + POLL_FIRST_MS;
}

void pingo__executor_hadoop_log(hadoop *h, const char *format, ...)
{
    report_of r = {.kind = PINGO__HADOOP_SAYS, .text = "hadoop: "};
    va_list arguments;
    size_t n = strlen(r.text);
    va_start(arguments, format);
    vsnprintf(r.text + n, sizeof r.text - n, format, arguments);
    va_end(arguments);
    pingo__executor_hadoop_box_report(h->box, &r);
}

void pingo__executor_hadoop_started(hadoop *h, job_of *job)
{
    const report_of r = {.kind = PINGO__HADOOP_HAS_STARTED, .key = pingo_jobs_key(job)};
    if (!job->is_started)
        pingo__executor_hadoop_box_report(h->box, &r);
    job->is_started = true;
}

/* A name has 31 bytes: a longer one loses what says nothing. */
void pingo__executor_hadoop_named(hadoop *h, job_of *job, const char *name)
{
    static const char head[] = "application_";
    report_of r = {.kind = PINGO__HADOOP_IS_NAMED, .key = pingo_jobs_key(job)};
    if (strlen(name) > 31 && strncmp(name, head, strlen(head)) == 0)
        name += strlen(head);
    snprintf(r.text, sizeof r.text, "%.31s", name);
    pingo__executor_hadoop_box_report(h->box, &r);
}

void pingo__executor_hadoop_tells(hadoop *h, job_of *job, char *json)
{
    const report_of r = {.kind = PINGO__HADOOP_TELLS, .key = pingo_jobs_key(job), .json = json};
    if (!json || !pingo__executor_hadoop_box_report(h->box, &r))
        free(json);
}

void pingo__executor_hadoop_ended(hadoop *h, job_of *job, struct pingo_job_end *end)
{
    if (job->phase == PINGO__HADOOP_OVER)
        return;
    end->size = sizeof *end;
    end->key = pingo_jobs_key(job);
    const report_of r = {.kind = PINGO__HADOOP_HAS_ENDED, .key = end->key, .end = *end};
    if (!pingo__executor_hadoop_box_report(h->box, &r))
        return; /* no memory: it is found again */
    job->phase = PINGO__HADOOP_OVER;
    pingo__executor_hadoop_hurry(h);
}

int pingo__executor_hadoop_get(hadoop *h, const char *path, struct pingo__hdfs_range range,
                               struct pingo__buffer *bytes, struct pingo_error *err)
{
    int rc = pingo__hdfs_get_bytes(h->hdfs, path, range, bytes, err);
    return rc == PINGO_EAWAY ? PINGO_EIO : rc;
}

void pingo__executor_hadoop_meet(hadoop *h, const struct pingo_error *why)
{
    int64_t now = pingo__world_monotonic_ms();
    if (h->is_leaving)
        return;
    h->trouble_ms = h->trouble_ms ? h->trouble_ms : now;
    h->again_at_ms = now + pingo_backoff_next(&h->troubles);
    snprintf(h->trouble, sizeof h->trouble, "%.299s", why->message);
    if (now - h->trouble_ms >= TELL_MS && !h->trouble_told) {
        pingo__executor_hadoop_log(h, "it does not answer, and its actions wait: %s", h->trouble);
        h->trouble_told = true;
    }
}

void pingo__executor_hadoop_stuck(hadoop *h, job_of *job, const struct pingo_error *why)
{
    struct pingo_job_key key = pingo_jobs_key(job);
    int64_t now = pingo__world_monotonic_ms();
    job->stuck_until_ms = now + STUCK_MS;
    if (h->stuck_told_ms && now - h->stuck_told_ms < STUCK_TELL_MS)
        return;
    h->stuck_told_ms = now;
    pingo__executor_hadoop_log(h, "attempt %lld.%lld cannot go on, and is tried again: %s",
                               (long long)key.action, (long long)key.epoch, why->message);
}

/* ---- applications ---------------------------------------------------------------------------------- */

const app_of *pingo__executor_hadoop_app(const hadoop *h, const char *id)
{
    for (size_t i = 0; i < h->napps; i++)
        if (strcmp(h->apps[i].id, id) == 0)
            return &h->apps[i];
    return NULL;
}

static void saw_app(void *context, const app_of *app)
{
    hadoop *h = context;
    app_of *known = (app_of *)(uintptr_t)pingo__executor_hadoop_app(h, app->id);
    if (!known && PINGO__ARRAY_ROOM(h->apps, h->apps_capacity, h->napps, 1)) {
        known = &h->apps[h->napps++];
        *known = (app_of){.state = PINGO__HADOOP_UNHEARD};
    }
    if (!known)
        return;
    if (known->state != app->state)
        pingo__executor_hadoop_hurry(h);
    *known = *app;
    known->heard_ms = pingo__world_monotonic_ms();
}

int pingo__executor_hadoop_ask(hadoop *h, const char *id, app_of *app, struct pingo_error *err)
{
    int rc = pingo__executor_hadoop_rm_look(h->rm, id, app, err);
    if (!rc)
        saw_app(h, app);
    return rc;
}

int pingo__executor_hadoop_new_app(hadoop *h, struct pingo__executor_hadoop_reply *reply,
                                   struct pingo_error *err)
{
    int rc = pingo__executor_hadoop_rm_new(h->rm, reply, err);
    if (!rc && reply->memory_mb > 0)
        h->largest_mb = reply->memory_mb;
    return rc;
}

/* Those that no job means go: the final ones, and those of which the list has told no more. */
static void forget_apps(hadoop *h, int64_t begun_ms)
{
    size_t n = 0;
    for (size_t i = 0; i < h->napps; i++) {
        bool is_meant =
            !pingo__executor_hadoop_is_final(h->apps[i].state) && h->apps[i].heard_ms >= begun_ms;
        for (job_of *job = NULL; !is_meant && (job = pingo_jobs_next(h->jobs, job));)
            is_meant =
                job->phase != PINGO__HADOOP_OVER && strcmp(job->application, h->apps[i].id) == 0;
        if (is_meant)
            h->apps[n++] = h->apps[i];
    }
    h->napps = n;
}

/* Who is not among those that wait or run is final, or gone: the ResourceManager is asked for each. */
static int ask_for_the_rest(hadoop *h, int64_t begun_ms, struct pingo_error *err)
{
    int rc = 0;
    for (job_of *job = NULL; !rc && (job = pingo_jobs_next(h->jobs, job));) {
        const app_of *app = pingo__executor_hadoop_app(h, job->application);
        app_of now;
        if (job->phase == PINGO__HADOOP_SUBMITTED && *job->application &&
            (!app || (app->heard_ms < begun_ms && !pingo__executor_hadoop_is_final(app->state))))
            rc = pingo__executor_hadoop_ask(h, job->application, &now, err);
    }
    return rc;
}

int pingo__executor_hadoop_poll(hadoop *h, struct pingo_error *err)
{
    const struct pingo__executor_hadoop_on on = {.app = saw_app, .context = h};
    int64_t begun = pingo__world_monotonic_ms();
    int rc = pingo__executor_hadoop_rm_list(h->rm, h->tag, &on, err);
    if (!rc)
        rc = ask_for_the_rest(h, begun, err);
    if (!rc)
        forget_apps(h, begun);
    int64_t now = pingo__world_monotonic_ms(),
            pause = pingo__executor_hadoop_pause_ms(h, h->news_ms);
    h->poll_at_ms = now + (pause > 3 * (now - begun) ? pause : 3 * (now - begun));
    return rc;
}
