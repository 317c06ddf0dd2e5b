/* mapreduce.c - MapReduce jobs as a kind of job; see mapreduce.h. */
#include "executor/hadoop/mapreduce.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/program.h"
#include "base/text.h"
#include "base/tree.h"
#include "base/world.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"

#define CHECK_MS 60000

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_mapreduce_own own_of;

static const char *missing(const hadoop *h)
{
    return !h->client_classpath ? "executor.hadoop.client is not set: the class path of Hadoop's "
                                  "client on this machine"
           : !h->conf_dir
               ? "executor.hadoop.conf is not set: the directory with the cluster's core-site.xml"
               : NULL;
}

static int arm(hadoop *h, job_of *job, struct pingo_error *err)
{
    const char *lacks = missing(h);
    own_of *own = job->own;
    if (lacks)
        return pingo__fail(err, PINGO_EUNSUPPORTED, "%s", lacks);
    own->may_be_armed = true;
    return pingo__executor_hadoop_mapreduce_arm(h, job, err);
}

static int submit(hadoop *h, job_of *job, struct pingo_error *err)
{
    int rc = pingo__executor_hadoop_mapreduce_start(h, job, err);
    if (!rc && !job->waits_aside)
        job->phase = PINGO__HADOOP_SUBMITTED;
    return rc;
}

/* ---- what runs ---------------------------------------------------------------------------------------- */

/* A property in job.xml of the near directory.  *text is empty where there is none. */
static void find_near(job_of *job, const char *name, struct pingo__buffer *text)
{
    char *xml = pingo__executor_hadoop_near_text(job, "job.xml");
    if (xml)
        pingo__executor_hadoop_xml_find(xml, name, text);
    free(xml);
}

/* By the ResourceManager's clock, as it was told, and by ours since then. */
static bool is_overdue(job_of *job, const struct pingo__executor_hadoop_app *app)
{
    struct pingo__buffer text = {0};
    own_of *o = job->own;
    if (app->state != PINGO__HADOOP_RUNS)
        return false;
    if (o->limit_ms == 0) {
        find_near(job, "pingo.time.limit.ms", &text);
        const char *digits = pingo__buffer_cstr(&text);
        if (!digits || !pingo__text_to_int64(digits, 1, INT64_MAX / 2, &o->limit_ms))
            o->limit_ms = INT64_MAX;
        pingo__buffer_clear(&text);
    }
    return app->ran_ms + pingo__world_monotonic_ms() - app->heard_ms > o->limit_ms;
}

static int look(hadoop *h, job_of *job, struct pingo_error *err)
{
    own_of *o = job->own;
    if (!o->is_submitted) {
        int rc = pingo__executor_hadoop_mapreduce_follow(h, job, err);
        if (rc || !o->is_submitted || job->phase == PINGO__HADOOP_OVER)
            return rc;
    }
    int rc = o->is_seen ? 0 : pingo__executor_hadoop_mapreduce_compare(h, job, err);
    if (rc || !o->is_seen)
        return rc;
    const struct pingo__executor_hadoop_app *app = pingo__executor_hadoop_app(h, job->application);
    if (job->phase == PINGO__HADOOP_OVER || !app || app->state == PINGO__HADOOP_UNHEARD)
        return 0;
    struct pingo__executor_hadoop_app now = *app;
    if (now.state == PINGO__HADOOP_RUNS || now.state == PINGO__HADOOP_SUCCEEDED)
        pingo__executor_hadoop_started(h, job);
    if (pingo__executor_hadoop_is_final(now.state))
        return pingo__executor_hadoop_mapreduce_conclude(h, job, &now, err);
    if (now.percent != o->percent) {
        struct pingo__buffer told = {0};
        o->percent = now.percent;
        pingo__buffer_format(&told, "{\"percent\":%lld}", (long long)now.percent);
        pingo__executor_hadoop_tells(h, job, pingo__buffer_take(&told));
    }
    o->is_overdue = o->is_overdue || is_overdue(job, &now);
    if (job->is_killed || o->is_overdue)
        return pingo__executor_hadoop_rm_kill(
            h->rm, job->application,
            job->is_killed ? PINGO__HADOOP_GIVEN_UP : PINGO__HADOOP_OVERDUE, err);
    return 0;
}

/* ---- given up, ended, found again ------------------------------------------------------------------------ */

static int give_up(hadoop *h, job_of *job, bool *revoked, struct pingo_error *err)
{
    struct pingo_runner_report report = {.size = sizeof report};
    int rc = pingo_runner_look(job->job.attempt_dir, &report, err);
    (void)h;
    *revoked = !rc && report.state == PINGO_RUNNER_NONE; /* this thread alone would arm it */
    return rc || *revoked ? rc : pingo_runner_revoke(job->job.attempt_dir, revoked, err);
}

static int kill_it(hadoop *h, job_of *job, struct pingo_error *err)
{
    const own_of *o = job->own;
    if (!o->is_submitted)
        pingo__executor_hadoop_mapreduce_interrupt(job);
    return *job->application
               ? pingo__executor_hadoop_rm_kill(h->rm, job->application, PINGO__HADOOP_GIVEN_UP, err)
               : 0;
}

static int adopt(hadoop *h, job_of *job, bool *found, struct pingo_error *err)
{
    struct pingo_runner_report report = {.size = sizeof report};
    struct pingo__buffer name = {0};
    bool revoked;
    int rc = pingo_runner_look(job->job.attempt_dir, &report, err);
    (void)h;
    *found = !rc && (report.state == PINGO_RUNNER_STARTED || report.state == PINGO_RUNNER_ENDED);
    if (rc || report.state != PINGO_RUNNER_ARMED)
        return rc;
    find_near(job, "mapreduce.job.tags", &name);
    *found = name.length > 0;
    pingo__buffer_clear(&name);
    return *found ? 0 : pingo_runner_revoke(job->job.attempt_dir, &revoked, err);
}

static void forget(hadoop *h, job_of *job)
{
    static const char *const ours[] = {"job.xml", "job.xml.part", "jars", "submitted", "over"};
    const own_of *own = job->own;
    if (!own->may_be_armed && !job->is_adopted)
        return;
    char *far = pingo__executor_hadoop_far(h, job, "");
    int dir = open(job->job.attempt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; dir >= 0 && i < sizeof ours / sizeof *ours; i++)
        pingo__tree_remove(dir, ours[i]);
    if (dir >= 0)
        close(dir);
    pingo_runner_forget(job->job.attempt_dir);
    if (far)
        pingo__hdfs_remove(h->hdfs, far, NULL);
}

/* ---- the check ----------------------------------------------------------------------------------------------- */

void pingo__executor_hadoop_mapreduce_check(hadoop *h, const struct pingo_check_options *options)
{
    const char *lacks = missing(h);
    struct pingo__arena arena = {0};
    struct pingo__program_end end;
    if (lacks) {
        options->found(options->context, PINGO_CHECK_NOTE, "mapreduce", lacks);
        return;
    }
    const char *argv[] = {"/bin/sh",
                          "-c",
                          "exec \"$0\" -cp \"$1\" org.apache.hadoop.util.VersionInfo",
                          h->java ? h->java : "java",
                          pingo__arena_format(&arena, "%s:%s", h->conf_dir, h->client_classpath),
                          NULL};
    const char *path = getenv("PATH");
    const char *env[] = {pingo__arena_format(&arena, "PATH=%s", path ? path : "/usr/bin:/bin"),
                         "LANG=C.UTF-8", NULL};
    char said[200] = "";
    if (!argv[4] || !env[0] ||
        pingo__program_run(&(struct pingo__program){.path = "/bin/sh",
                                                    .argv = argv,
                                                    .env = env,
                                                    .timeout_ms = CHECK_MS,
                                                    .max_bytes = 65536},
                           &end) != 0) {
        pingo__arena_clear(&arena);
        return;
    }
    bool well = end.reason == PINGO__PROGRAM_EXITED && end.number == 0;
    const char *text = pingo__buffer_cstr(well ? &end.out : &end.errors);
    char *message = pingo__arena_format(
        &arena, well ? "MapReduce jobs are submitted by %.*s" : "Hadoop's client does not run: %.*s",
        (int)strcspn(text ? text : "", "\n"), text ? text : "");
    pingo__executor_hadoop_exception(text ? text : "", said, sizeof said);
    if (!well && *said)
        message = pingo__arena_format(&arena, "Hadoop's client does not run: %s", said);
    options->found(options->context, well ? PINGO_CHECK_WELL : PINGO_CHECK_WRONG, "mapreduce",
                   message ? message : "out of memory");
    pingo__buffer_clear(&end.out);
    pingo__buffer_clear(&end.errors);
    pingo__arena_clear(&arena);
}

const struct pingo__executor_hadoop_kind pingo__executor_hadoop_mapreduce = {
    .own_size = sizeof(own_of),
    .arm = arm,
    .submit = submit,
    .look = look,
    .revoke = give_up,
    .kill = kill_it,
    .adopt = adopt,
    .forget = forget,
};
