/* settle.c - what became of an attempt that a container ran: its directory tells, and YARN explains. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "executor/hadoop/bundle.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"
#include "rules/effects.h"
#include "runner/record/job.h"

#define NODE_MS                                                                                    \
    30000 /* a node that does not answer, and is not said to be lost, is waited for so long */

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;

/* ---- looking -------------------------------------------------------------------------------------- */

static int saw(void *context, const char *name, const struct pingo__hdfs_status *status,
               struct pingo_error *err)
{
    struct pingo__executor_hadoop_sight *sight = context;
    enum pingo_runner_state lies = PINGO_RUNNER_NONE;
    (void)err;
    if (strcmp(name, "job") == 0)
        lies = PINGO_RUNNER_ARMED;
    else if (strcmp(name, "revoked") == 0)
        lies = PINGO_RUNNER_REVOKED;
    else if (strcmp(name, "outcome") == 0)
        lies = PINGO_RUNNER_ENDED;
    else if (strncmp(name, PINGO__HADOOP_STARTED, strlen(PINGO__HADOOP_STARTED)) == 0) {
        lies = PINGO_RUNNER_STARTED;
        pingo__executor_hadoop_owner_parse(name, &sight->owner);
    }
    sight->has_logs =
        sight->has_logs ||
        (!status->is_directory && (strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0));
    sight->lies = lies > sight->lies ? lies : sight->lies;
    return 0;
}

int pingo__executor_hadoop_see(hadoop *h, struct pingo_job_key key,
                               struct pingo__executor_hadoop_sight *sight, struct pingo_error *err)
{
    char path[PINGO__HADOOP_PATH_SIZE];
    *sight = (struct pingo__executor_hadoop_sight){.lies = PINGO_RUNNER_NONE};
    pingo__executor_hadoop_in_attempt(path, key, "");
    int rc = pingo__hdfs_list(h->hdfs, path, saw, sight, err);
    return rc == PINGO_ENOTFOUND ? 0 : rc;
}

int pingo__executor_hadoop_read(hadoop *h, struct pingo_job_key key,
                                struct pingo__executor_hadoop_sight *sight, struct pingo_error *err)
{
    char path[PINGO__HADOOP_PATH_SIZE];
    struct pingo__buffer bytes = {0};
    int rc = pingo__executor_hadoop_see(h, key, sight, err);
    if (rc || sight->lies != PINGO_RUNNER_ENDED)
        return rc;
    pingo__executor_hadoop_in_attempt(path, key, "outcome");
    rc = pingo__executor_hadoop_get(
        h, path, (struct pingo__hdfs_range){0, PINGO__RUNNER_OUTCOME_SIZE + 1}, &bytes, err);
    sight->end.size = sizeof sight->end;
    if (!rc && (bytes.length != PINGO__RUNNER_OUTCOME_SIZE ||
                !pingo__runner_outcome_decode(bytes.data, &sight->end)))
        pingo__executor_end(&sight->end, PINGO_END_LOST, "its outcome in HDFS does not read back");
    pingo__buffer_clear(&bytes);
    return rc;
}

/* `revoked` may be there already, and `job` may have come beside it, or come about now: then it goes, and what is seen
 * afterwards decides. */
int pingo__executor_hadoop_close_gate(hadoop *h, struct pingo_job_key key, bool *revoked,
                                      struct pingo_error *err)
{
    struct pingo__executor_hadoop_sight sight = {.lies = PINGO_RUNNER_NONE};
    char job[PINGO__HADOOP_PATH_SIZE], gone[PINGO__HADOOP_PATH_SIZE];
    int rc = 0;
    pingo__executor_hadoop_in_attempt(job, key, "job");
    pingo__executor_hadoop_in_attempt(gone, key, "revoked");
    for (bool is_marked = false; !rc && sight.lies == PINGO_RUNNER_NONE; is_marked = true) {
        if (is_marked)
            rc = pingo__hdfs_make(h->hdfs, gone, err);
        if (!rc)
            rc = pingo__hdfs_rename(h->hdfs, job, gone, err);
        if (!rc)
            sight.lies = PINGO_RUNNER_REVOKED;
        else if (rc == PINGO_EEXISTS)
            rc = pingo__hdfs_remove(h->hdfs, job, err);
        else if (rc == PINGO_ENOTFOUND)
            rc = 0;
        if (!rc && sight.lies == PINGO_RUNNER_NONE)
            rc = pingo__executor_hadoop_see(h, key, &sight, err);
    }
    *revoked = !rc && sight.lies < PINGO_RUNNER_STARTED;
    return rc;
}

/* ---- the end -------------------------------------------------------------------------------------- */

static void finish(hadoop *h, job_of *job, const struct pingo__executor_hadoop_sight *sight,
                   struct pingo_job_end *end)
{
    struct pingo__executor_hadoop_attempt *own = job->own;
    own->can_go =
        pingo_job_end_is_success(end) ? !sight->has_logs : sight->lies < PINGO_RUNNER_STARTED;
    snprintf(end->node, sizeof end->node, "%.63s", sight->owner.node);
    pingo__executor_hadoop_ended(h, job, end);
}

static int take_outcome(hadoop *h, job_of *job, const struct pingo__executor_hadoop_sight *sight)
{
    struct pingo_job_end end = sight->end;
    int by = pingo__rules_end_signal(&end); /* YARN and we send these two */
    if (job->is_killed && (by == SIGKILL || by == SIGTERM))
        pingo__executor_end(&end, PINGO_END_KILLED, "");
    finish(h, job, sight, &end);
    return 0;
}

/* *gone: the container runs no more: its node says so, or the node is gone itself, or silent for long. */
static int is_gone(hadoop *h, const struct pingo__executor_hadoop_sight *sight, int64_t over_ms,
                   bool *gone, struct pingo_error *err)
{
    struct pingo__executor_hadoop_reply a;
    char node[300], path[160];
    const struct pingo__executor_hadoop_owner *o = &sight->owner;
    *gone = !*o->container;
    if (*gone)
        return 0;
    snprintf(node, sizeof node, "%s:%d", o->node, o->web_port);
    snprintf(path, sizeof path, "/ws/v1/node/containers/%s", o->container);
    struct pingo__executor_hadoop_question of_it = {.method = "GET", .path = path};
    int rc = pingo__executor_hadoop_rm_ask_node(h->rm, node, &of_it, &a);
    bool is_known = !rc && a.status == 200 && *a.state;
    *gone = is_known ? strcmp(a.state, "DONE") == 0 || strcmp(a.state, "COMPLETE") == 0
                     : !rc && a.status == 404 && strcmp(a.exception, "NotFoundException") == 0;
    if (is_known || *gone)
        return 0; /* else it says nothing of it: it may not tell us, or is no NodeManager */
    const struct pingo__executor_hadoop_on on = {.node = node};
    struct pingo__executor_hadoop_question q = {
        .method = "GET", .path = "/ws/v1/cluster/nodes", .on = &on};
    snprintf(node, sizeof node, "%s:%d", o->node, o->port);
    rc = pingo__executor_hadoop_rm_ask(h->rm, &q, &a, err);
    bool is_lost = a.status == 200 && !a.has_node; /* else it does not tell of nodes */
    *gone = !rc && (is_lost || pingo__world_monotonic_ms() - over_ms > NODE_MS);
    return rc;
}

static void describe(const struct pingo__executor_hadoop_app *app, const char *what, char *text,
                     size_t size)
{
    static const char *const words[] = {
        "", "waits", "runs", "has ended", "has failed", "was killed", "is not known to YARN"};
    char said[sizeof app->diagnostics];
    int n = snprintf(text, size, "%.80s: application %.40s %s", what, app->id, words[app->state]);
    pingo__text_clean_to(said, size - (size_t)n - 2,
                         app->diagnostics); /* cut between two characters */
    if (*said)
        snprintf(text + n, size - (size_t)n, ": %s", said);
}

/* Started, no outcome, and its application is final. */
static int lose(hadoop *h, job_of *job, const struct pingo__executor_hadoop_sight *sight,
                const struct pingo__executor_hadoop_app *app, struct pingo_error *err)
{
    struct pingo__executor_hadoop_attempt *own = job->own;
    struct pingo_job_end end = {.size = sizeof end};
    struct pingo__executor_hadoop_sight again;
    char text[sizeof end.message], path[PINGO__HADOOP_PATH_SIZE];
    bool gone = false;
    if (!own->over_ms)
        own->over_ms = pingo__world_monotonic_ms();
    int rc = is_gone(h, sight, own->over_ms, &gone, err);
    /* Who leaves waits no longer for one whose node says that it runs all the same. */
    job->is_dubious = !gone && pingo__world_monotonic_ms() - own->over_ms <= NODE_MS;
    if (!rc && gone) /* it may have left its outcome meanwhile: then that is read */
        rc = pingo__executor_hadoop_see(h, pingo_jobs_key(job), &again, err);
    if (rc || !gone || again.lies == PINGO_RUNNER_ENDED)
        return rc;
    describe(app, "it left no outcome", text, sizeof text);
    bool is_alone = own->bundle && own->bundle->n == 1;
    if (pingo__executor_hadoop_was_memory(app->diagnostics) &&
        (is_alone || (*sight->owner.container && strstr(app->diagnostics, sight->owner.container))))
        pingo__executor_end(&end, PINGO_END_MEMORY_LIMIT,
                            "YARN ended it: it used more memory than its container has");
    else if (job->is_killed)
        pingo__executor_end(&end, PINGO_END_KILLED, "");
    else
        pingo__executor_end(&end, PINGO_END_LOST, text);
    /* A NodeManager that was started again knows nothing of what still runs there: that finds this, and ends. */
    pingo__executor_hadoop_in_attempt(path, pingo_jobs_key(job), "kill");
    pingo__hdfs_make(h->hdfs, path, NULL);
    finish(h, job, sight, &end);
    return 0;
}

/* Why its containers did nothing, where their exit status says it. */
static const char *advice(const struct pingo__executor_hadoop_app *app)
{
    switch (pingo__executor_hadoop_exit_code(app->diagnostics)) {
    case PINGO__HADOOP_NO_HDFS:
        return "its container does not reach HDFS under the pool's URL";
    case PINGO__HADOOP_NO_BUNDLE:
        return "its container does not find what it is to run";
    case PINGO__HADOOP_NO_PLACE:
        return "its node lacks libcurl, or room";
    default:
        return strstr(app->diagnostics, "Could not find or load main class")
                   ? "the distributed shell is not on the class path: executor.hadoop.amClasspath"
                   : "it never began";
    }
}

static int give_up(hadoop *h, job_of *job, const struct pingo__executor_hadoop_app *app,
                   struct pingo_error *err)
{
    struct pingo__executor_hadoop_sight none = {.lies = PINGO_RUNNER_REVOKED};
    struct pingo_job_end end = {.size = sizeof end};
    char text[sizeof end.message];
    bool revoked = false;
    int rc = pingo__executor_hadoop_close_gate(h, pingo_jobs_key(job), &revoked, err);
    if (rc || !revoked)
        return rc;
    describe(app, advice(app), text, sizeof text);
    pingo__executor_end(&end, job->is_killed ? PINGO_END_KILLED : PINGO_END_NOT_STARTED,
                        job->is_killed ? "" : text);
    finish(h, job, &none, &end);
    return 0;
}

int pingo__executor_hadoop_settle(hadoop *h, job_of *job,
                                  const struct pingo__executor_hadoop_app *app,
                                  const struct pingo__executor_hadoop_sight *sight,
                                  struct pingo_error *err)
{
    struct pingo_job_end end = {.size = sizeof end, .reason = PINGO_END_NOT_STARTED};
    bool is_final = pingo__executor_hadoop_is_final(app->state), revoked = false;
    int rc = 0;
    if (sight->lies == PINGO_RUNNER_ENDED)
        return take_outcome(h, job, sight);
    if (sight->lies == PINGO_RUNNER_STARTED)
        pingo__executor_hadoop_started(h, job);
    if (sight->lies == PINGO_RUNNER_REVOKED)
        rc = pingo__executor_hadoop_close_gate(h, pingo_jobs_key(job), &revoked, err);
    if (rc)
        return rc;
    if (revoked) {
        pingo__executor_end(&end, job->is_killed ? PINGO_END_KILLED : PINGO_END_NOT_STARTED,
                            job->is_killed ? "" : "it was given up before it began");
        finish(h, job, sight, &end);
    } else if (is_final && sight->lies == PINGO_RUNNER_STARTED) {
        return lose(h, job, sight, app, err);
    } else if (is_final) {
        return give_up(h, job, app, err);
    }
    return 0;
}
