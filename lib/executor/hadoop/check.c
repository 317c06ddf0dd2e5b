/* check.c - tries the settings: whether ResourceManager and HDFS are reached, and by an application of its own whether
 * attempts can run in a container.
 *
 * The application is what commands are run by, with one container that answers a question in HDFS.  Nothing stays. */
#include "executor/hadoop/hadoop.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/version.h>

#include "base/world.h"
#include "executor/hadoop/bundle.h"
#include "executor/hadoop/mapreduce.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"
#include "runner/record/probe.h"

#define STEP_MS 100 /* between two looks whether it is still wanted */
#define ASK_MS 500  /* between two questions what became of the application */

typedef struct pingo__executor_hadoop hadoop;

struct probing {
    hadoop *h;
    const struct pingo_check_options *o;
    int64_t until_ms;
    struct pingo__executor_hadoop_reply cluster; /* of the new application */
    char dir[PINGO__HADOOP_PATH_SIZE];           /* bundles/ID; "": there is none */
    char question[40];
    int64_t submitted_ms; /* wall clock; 0: it was not */
    struct pingo__executor_hadoop_app app;
};

static bool go_on(struct probing *x)
{
    if (x->o->is_wanted && !x->o->is_wanted(x->o->context))
        return false;
    poll(NULL, 0, STEP_MS);
    return pingo__world_monotonic_ms() < x->until_ms;
}

static enum pingo_check_result how_bad(int rc)
{
    return pingo__executor_hadoop_is_away(rc) ? PINGO_CHECK_UNKNOWN : PINGO_CHECK_WRONG;
}

/* ---- the ResourceManager ---------------------------------------------------------------------------- */

static bool is_reached(struct probing *x)
{
    struct pingo__buffer raw = {0};
    struct pingo__executor_hadoop_question q = {
        .method = "GET", .path = "/ws/v1/cluster/info", .raw = &raw};
    struct pingo__executor_hadoop_reply a;
    struct pingo_error why = {0};
    int rc = pingo__executor_hadoop_rm_ask(x->h->rm, &q, &a, &why);
    if (rc)
        pingo__executor_tell(x->o, how_bad(rc), "reach", "%s%s", why.message,
                             a.status == 401 ? "" : ": is it down, or is executor.hadoop.rm wrong?");
    else if (!*a.version || !a.started_ms)
        pingo__executor_tell(x->o, PINGO_CHECK_WRONG, "reach",
                             "%s answers, and is no ResourceManager (status %d)",
                             pingo__executor_hadoop_rm_name(x->h->rm), a.status);
    else
        pingo__executor_tell(x->o, PINGO_CHECK_WELL, "reach", "%s answers, of Hadoop %s; user %s",
                             pingo__executor_hadoop_rm_name(x->h->rm), a.version, x->h->user);
    bool well = !rc && *a.version && a.started_ms;
    const char *text = pingo__buffer_cstr(&raw);
    if (well && text && strstr(text, "NullRMStateStore"))
        pingo__executor_tell(
            x->o, PINGO_CHECK_NOTE, "recovery",
            "yarn.resourcemanager.recovery.enabled is off: when the ResourceManager is restarted, "
            "what runs is begun again");
    pingo__buffer_clear(&raw);
    return well;
}

static bool has_nodes(struct probing *x)
{
    struct pingo__executor_hadoop_question q = {.method = "GET", .path = "/ws/v1/cluster/nodes"};
    struct pingo__executor_hadoop_reply a;
    struct pingo_error why = {0};
    int rc = pingo__executor_hadoop_rm_ask(x->h->rm, &q, &a, &why);
    if (rc)
        pingo__executor_tell(x->o, how_bad(rc), "nodes", "%s", why.message);
    else if (a.status != 200) /* the application will tell */
        pingo__executor_tell(x->o, PINGO_CHECK_NOTE, "nodes",
                             "%s does not tell of its nodes (status %d)",
                             pingo__executor_hadoop_rm_name(x->h->rm), a.status);
    else if (a.nodes == 0)
        pingo__executor_tell(
            x->o, PINGO_CHECK_WRONG, "nodes",
            "no node runs: are the NodeManagers up, and their disks not full? (%s/cluster/nodes)",
            pingo__executor_hadoop_rm_name(x->h->rm));
    else
        pingo__executor_tell(x->o, PINGO_CHECK_WELL, "nodes", "%zu run", a.nodes);
    return !rc && (a.nodes > 0 || a.status != 200);
}

/* What an action without memoryMB takes that YARN rounds up; not told where the ResourceManager does not tell. */
static void tell_rounding(struct probing *x)
{
    static const char key[] = "\"value\":\"";
    struct pingo__buffer raw = {0};
    struct pingo__executor_hadoop_question q = {
        .method = "GET", .path = "/conf?name=yarn.scheduler.minimum-allocation-mb", .raw = &raw};
    struct pingo__executor_hadoop_reply a;
    const struct pingo_job none = {.cpus = 1};
    int64_t memory = pingo__executor_hadoop_container_mb(&none);
    int rc = pingo__executor_hadoop_rm_ask(x->h->rm, &q, &a, NULL);
    const char *text = rc ? NULL : pingo__buffer_cstr(&raw), *at = text ? strstr(text, key) : NULL;
    int64_t least = at ? strtoll(at + strlen(key), NULL, 10) : 0;
    int64_t given = least > 0 && least < INT32_MAX ? (memory + least - 1) / least * least : memory;
    if (given > memory)
        pingo__executor_tell(x->o, PINGO_CHECK_NOTE, "memory",
                             "an action without memoryMB asks for %" PRId64 " MB and takes %" PRId64
                             ": YARN rounds up to multiples of %" PRId64
                             " (yarn.scheduler.minimum-allocation-mb); an application's master of "
                             "%" PRId64 " MB, too",
                             memory, given, least, x->h->am_memory_mb);
    pingo__buffer_clear(&raw);
}

static bool has_queue(struct probing *x)
{
    const char *queue = x->h->queue ? x->h->queue : "default";
    const struct pingo__executor_hadoop_on on = {.queue = queue};
    struct pingo__executor_hadoop_question q = {
        .method = "GET", .path = "/ws/v1/cluster/scheduler", .on = &on};
    struct pingo__executor_hadoop_reply a;
    int rc = pingo__executor_hadoop_rm_ask(x->h->rm, &q, &a, NULL);
    enum pingo__executor_hadoop_queue found = a.queue;
    if (rc || !*a.queues)
        found = PINGO__HADOOP_QUEUE_FINE; /* it is not told: the application will */
    if (found == PINGO__HADOOP_QUEUE_NONE)
        pingo__executor_tell(
            x->o, PINGO_CHECK_WRONG, "queue",
            "there is no queue %s; there are: %s.  Set executor.hadoop.queue, or queue in "
            "executorOptions",
            queue, a.queues);
    else if (found == PINGO__HADOOP_QUEUE_STOPPED)
        pingo__executor_tell(x->o, PINGO_CHECK_WRONG, "queue", "the queue %s is stopped", queue);
    else if (found == PINGO__HADOOP_QUEUE_PARENT)
        pingo__executor_tell(
            x->o, PINGO_CHECK_WRONG, "queue",
            "%s has queues below it, and takes no applications itself; there are: %s", queue,
            a.queues);
    return found == PINGO__HADOOP_QUEUE_FINE;
}

/* ---- HDFS ------------------------------------------------------------------------------------------- */

static bool make_place(struct probing *x)
{
    struct pingo_error why = {0};
    char path[PINGO__HADOOP_PATH_SIZE];
    int rc = pingo__executor_hadoop_rm_new(x->h->rm, &x->cluster, &why);
    if (rc) {
        pingo__executor_tell(x->o, how_bad(rc), "submission", "%s%s", why.message,
                             strstr(why.message, "REST is disabled")
                                 ? ": yarn.webapp.enable-rest-app-submissions has to be true"
                                 : "");
        return false;
    }
    snprintf(x->question, sizeof x->question, "%016" PRIx64,
             pingo__world_token(pingo__world_real()));
    pingo__executor_hadoop_in_bundle(x->dir, x->cluster.id, "");
    pingo__executor_hadoop_in_bundle(path, x->cluster.id, "question");
    rc = pingo__hdfs_put_bytes(x->h->hdfs, path, x->question, strlen(x->question), &why);
    if (rc)
        pingo__executor_tell(x->o, how_bad(rc), "pool", "%s cannot be written here: %s",
                             x->h->pool_place, why.message);
    else
        pingo__executor_tell(x->o, PINGO_CHECK_WELL, "pool", "%s is written from here",
                             x->h->pool_place);
    return !rc;
}

static bool fits(struct probing *x)
{
    const struct pingo_job none = {.cpus = 1};
    int64_t most = x->cluster.memory_mb, memory = pingo__executor_hadoop_container_mb(&none);
    if (most > 0 && x->h->am_memory_mb > most)
        pingo__executor_tell(x->o, PINGO_CHECK_WRONG, "memory",
                             "executor.hadoop.amMemory is %" PRId64
                             " MB, and YARN gives at most %" PRId64 " MB",
                             x->h->am_memory_mb, most);
    else if (most > 0 && memory > most)
        pingo__executor_tell(x->o, PINGO_CHECK_NOTE, "memory",
                             "an action without memoryMB asks for %" PRId64
                             " MB, and YARN gives at most %" PRId64 " MB: say memoryMB",
                             memory, most);
    return most <= 0 || x->h->am_memory_mb <= most;
}

static int submit(struct probing *x, struct pingo_error *why)
{
    hadoop *h = x->h;
    struct pingo_job job = {.key = {0, 0}, .name = "check", .cpus = 1, .memory_bytes = 64 << 20};
    const char *const words[] = {"--probe", h->pool_place, x->dir, NULL};
    x->submitted_ms = pingo__world_wall_ms();
    return pingo__executor_hadoop_bundle_try(h, x->cluster.id, &job, words, why);
}

/* Until it is over. */
static bool follow(struct probing *x)
{
    struct pingo_error why = {0};
    int64_t due = 0;
    while (!pingo__executor_hadoop_is_final(x->app.state)) {
        int64_t now = pingo__world_monotonic_ms();
        if (!go_on(x)) {
            pingo__executor_tell(x->o, PINGO_CHECK_UNKNOWN, "job",
                                 "application %s %s%s%s; it is ended", x->cluster.id,
                                 x->app.state == PINGO__HADOOP_RUNS ? "still runs"
                                                                    : "waits to be started",
                                 *x->app.diagnostics ? ": " : "", x->app.diagnostics);
            return false;
        }
        if (now < due)
            continue;
        due = now + ASK_MS;
        pingo__executor_hadoop_ask(x->h, x->cluster.id, &x->app, &why);
    }
    return true;
}

/* ---- what came of it ---------------------------------------------------------------------------------- */

static void tell_nothing_came(struct probing *x)
{
    const char *said = x->app.diagnostics;
    int code = pingo__executor_hadoop_exit_code(said);
    if (strstr(said, "Could not find or load main class"))
        pingo__executor_tell(
            x->o, PINGO_CHECK_WRONG, "shell",
            "the distributed shell is not on its class path: set executor.hadoop.amClasspath to "
            "where hadoop-yarn-applications-distributedshell and Hadoop's other jars lie on the "
            "nodes");
    else if (code == PINGO__HADOOP_NO_HDFS)
        pingo__executor_tell(x->o, PINGO_CHECK_WRONG, "pool",
                             "a container does not reach %s: is that name known on "
                             "the nodes, and the port open there?",
                             x->h->pool_place);
    else if (code == PINGO__HADOOP_NO_PLACE)
        pingo__executor_tell(
            x->o, PINGO_CHECK_WRONG, "runner",
            "pingo-hadoop-runner cannot run on the node: it needs libcurl.so.4 there, and room");
    else if (code == 126 || code == 127)
        pingo__executor_tell(
            x->o, PINGO_CHECK_WRONG, "runner",
            "pingo-hadoop-runner cannot be executed on the node: is it of another kind of machine, "
            "or its C library older?  %s",
            said);
    else if (x->app.state == PINGO__HADOOP_SUCCEEDED)
        pingo__executor_tell(
            x->o, PINGO_CHECK_WRONG, "pool",
            "the application ended, and its answer is not in %s: is executor.hadoop.fs (%s) the "
            "same file system?",
            x->h->pool_place, x->h->fs);
    else if (code < 0) /* nothing of ours has run */
        pingo__executor_tell(
            x->o, PINGO_CHECK_WRONG, "job",
            "application %s failed: does executor.hadoop.fs (%s) lead the nodes to the pool?  %s",
            x->cluster.id, x->h->fs, said);
    else
        pingo__executor_tell(x->o, PINGO_CHECK_WRONG, "job", "application %s failed: %s",
                             x->cluster.id, said);
}

static void tell_answer(struct probing *x, const struct pingo__runner_probe *p)
{
    if (strcmp(p->question, x->question) != 0)
        pingo__executor_tell(x->o, PINGO_CHECK_WRONG, "pool",
                             "%s reads something else in %s than was written here", p->host,
                             x->h->pool_place);
    else
        pingo__executor_tell(x->o, PINGO_CHECK_WELL, "pool",
                             "a container on %s reads and writes it", p->host);
    if (strcmp(p->version, PINGO_VERSION) != 0)
        pingo__executor_tell(
            x->o, PINGO_CHECK_WRONG, "runner",
            "pingo-hadoop-runner is of version %s, and this is %s: they have to be the same",
            p->version, PINGO_VERSION);
    pingo__executor_tell_machine(x->o, p->host, p, x->submitted_ms);
}

static void judge(struct probing *x)
{
    char path[PINGO__HADOOP_PATH_SIZE], text[PINGO__RUNNER_PROBE_SIZE] = "";
    struct pingo__buffer answer = {0};
    struct pingo__runner_probe p;
    struct pingo_error why = {0};
    pingo__executor_hadoop_in_bundle(path, x->cluster.id, "answer");
    int rc = pingo__hdfs_get_bytes(x->h->hdfs, path, (struct pingo__hdfs_range){0, sizeof text - 1},
                                   &answer, &why);
    if (!rc && answer.length)
        memcpy(text, answer.data, answer.length);
    pingo__buffer_clear(&answer);
    if (rc && rc != PINGO_ENOTFOUND)
        pingo__executor_tell(x->o, how_bad(rc), "pool", "%s", why.message);
    else if (rc || !pingo__runner_probe_parse(text, &p))
        tell_nothing_came(x);
    else {
        pingo__executor_tell(x->o, PINGO_CHECK_WELL, "job", "YARN has run application %s",
                             x->cluster.id);
        tell_answer(x, &p);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static void run(struct probing *x)
{
    struct pingo_error why = {0};
    if (!is_reached(x) || !has_nodes(x))
        return;
    tell_rounding(x);
    if (!has_queue(x) || !make_place(x) || !fits(x))
        return;
    int rc = submit(x, &why);
    if (rc)
        pingo__executor_tell(x->o, how_bad(rc), "job", "YARN takes no application: %s", why.message);
    else if (follow(x))
        judge(x);
    pingo__executor_hadoop_mapreduce_check(x->h, x->o);
}

static void leave(struct probing *x)
{
    if (x->submitted_ms && !pingo__executor_hadoop_is_final(x->app.state))
        pingo__executor_hadoop_rm_kill(x->h->rm, x->cluster.id, PINGO__HADOOP_GIVEN_UP, NULL);
    if (*x->dir)
        pingo__hdfs_remove(x->h->hdfs, x->dir, NULL);
}

int pingo__executor_hadoop_check(const struct pingo_executor_context *context,
                                 const struct pingo_check_options *options, struct pingo_error *err)
{
    struct probing x = {.o = options};
    struct pingo__executor_hadoop_mailbox *box;
    int rc = pingo__executor_hadoop_box_new(&box, err);
    if (rc)
        return rc;
    rc = pingo__executor_hadoop_new(context, box, &x.h, err);
    x.until_ms = pingo__world_monotonic_ms() + options->limit_ms;
    if (!rc && *x.h->unset)
        pingo__executor_tell(x.o, PINGO_CHECK_WRONG, "settings", "%s", x.h->unset);
    else if (!rc) {
        run(&x);
        leave(&x);
    }
    pingo__executor_hadoop_free(x.h);
    pingo__executor_hadoop_box_leave(box);
    pingo__executor_hadoop_box_leave(box);
    return rc;
}
