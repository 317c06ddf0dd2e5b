/* arm.c - a bundle's way out: its attempts are armed, each aside, its script lies in HDFS, YARN is asked to run it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "executor/bundles.h"
#include "executor/hadoop/bundle.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"
#include "runner/record/attempt.h"

#define UPLOADS 8 /* at once, of what is armed: each waits for a NameNode and a DataNode in turn */
#define LOOK_FIRST_MS 300
#define ID_MS 60000 /* then another ResourceManager may have come */

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_bundle bundle_of;
typedef struct pingo__executor_hadoop_attempt attempt_of;

/* ---- arming ---------------------------------------------------------------------------------------- */

struct arming {
    struct pingo__executor_hadoop_aside aside;
    struct pingo_job_key key;
    struct pingo__buffer errand;
};

/* The job as the node reads it: with places for paths. */
static int make_errand(const hadoop *h, const job_of *job, struct pingo__buffer *b,
                       struct pingo_error *err)
{
    struct pingo_job j = job->job;
    struct pingo_job_link *links = calloc(j.nlinks + 1, sizeof *links);
    if (!links)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < j.nlinks; i++) {
        links[i] = j.links[i];
        links[i].mark = 0;
        links[i].copy = false; /* it is fetched */
        links[i].target = j.places[i];
    }
    j.links = links;
    j.attempt_dir = j.attempt_place;
    j.staged_path = j.staged_place;
    j.readable = NULL;
    pingo__runner_errand_put(b, &j, &h->runner);
    free(links);
    return b->failed ? pingo__fail_memory(err) : 0;
}

static int put_job(hadoop *h, struct pingo__executor_hadoop_aside *aside, struct pingo_error *err)
{
    struct arming *a = (struct arming *)aside;
    char path[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_attempt(path, a->key, "job");
    int rc = pingo__hdfs_put_bytes(h->hdfs, path, a->errand.data, a->errand.length, err);
    return rc == PINGO_EEXISTS ? 0 : rc; /* by an earlier try of ours */
}

/* It may have come when all else of the attempt was gone. */
static void clear(struct pingo__executor_hadoop_aside *aside)
{
    struct arming *a = (struct arming *)aside;
    char path[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_attempt(path, a->key, "");
    if (aside->is_dropped && !aside->h->is_leaving)
        pingo__hdfs_remove(aside->h->hdfs, path, NULL);
    pingo__buffer_clear(&a->errand);
}

/* An id for the next application; one that nobody uses costs nothing.  Nothing is armed before the ResourceManager has
 * answered. */
static int have_id(hadoop *h, struct pingo_error *err)
{
    struct pingo__executor_hadoop_reply cluster;
    int64_t now = pingo__world_monotonic_ms();
    if (*h->next.id && now - h->next.since_ms < ID_MS)
        return 0;
    int rc = pingo__executor_hadoop_new_app(h, &cluster, err);
    if (rc)
        return rc;
    h->next.since_ms = now;
    h->next.memory_mb = cluster.memory_mb;
    h->next.vcores = cluster.vcores;
    memcpy(h->next.id, cluster.id, sizeof h->next.id);
    return 0;
}

/* More than the largest container can have it never gets. */
static int check_size(const hadoop *h, const job_of *job, struct pingo_error *err)
{
    long long memory = (long long)pingo__executor_hadoop_container_mb(&job->job);
    if (h->next.memory_mb > 0 && memory > h->next.memory_mb)
        return pingo__fail(err, PINGO_EINVAL,
                           "it needs a container of %lld MB (its memoryMB, and %d for the runner), "
                           "and YARN gives at most %lld MB: "
                           "yarn.scheduler.maximum-allocation-mb",
                           memory, PINGO__HADOOP_RUNNER_MB, (long long)h->next.memory_mb);
    if (h->next.vcores > 0 && job->job.cpus > h->next.vcores)
        return pingo__fail(err, PINGO_EINVAL,
                           "it needs %lld vcores, and YARN gives a container at most %lld: "
                           "yarn.scheduler.maximum-allocation-vcores",
                           (long long)job->job.cpus, (long long)h->next.vcores);
    return 0;
}

int pingo__executor_hadoop_arm(hadoop *h, job_of *job, struct pingo_error *err)
{
    attempt_of *own = job->own;
    if (job->aside) {
        struct pingo__executor_hadoop_aside *a = pingo__executor_hadoop_aside_take(h, job, err);
        int rc = a->rc;
        pingo__executor_hadoop_aside_free(a);
        return rc;
    }
    int rc = have_id(h, err);
    if (!rc)
        rc = check_size(h, job, err);
    if (rc || !pingo__executor_hadoop_aside_has_room(h, job, put_job, UPLOADS))
        return rc;
    struct arming *a = calloc(1, sizeof *a);
    if (!a)
        return pingo__fail_memory(err);
    *a = (struct arming){.aside = {.run = put_job, .clear = clear}, .key = job->job.key};
    rc = make_errand(h, job, &a->errand, err);
    if (rc) {
        pingo__buffer_clear(&a->errand);
        free(a);
        return rc;
    }
    own->may_be_armed = true;
    return pingo__executor_hadoop_aside_start(h, job, &a->aside, err);
}

/* ---- submitting ------------------------------------------------------------------------------------- */

static int put_file(hadoop *h, const char *id, const char *what, const struct pingo__buffer *text,
                    struct pingo_error *err)
{
    char path[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_bundle(path, id, what);
    return text->failed ? pingo__fail_memory(err)
                        : pingo__hdfs_put_bytes(h->hdfs, path, text->data, text->length, err);
}

/* s: of what the script is, too. */
static int put_script(hadoop *h, struct pingo__executor_hadoop_submission *s,
                      const char *const *words, const char *token, struct pingo_error *err)
{
    struct pingo__buffer text = {0};
    struct pingo__hdfs_status script;
    char path[PINGO__HADOOP_PATH_SIZE];
    int rc = pingo__executor_hadoop_bundle_program(h, err);
    if (!rc)
        pingo__executor_hadoop_script(&text, words, token, &h->program);
    if (!rc)
        rc = put_file(h, s->id, "script", &text, err);
    pingo__executor_hadoop_in_bundle(path, s->id, "script");
    if (!rc)
        rc = pingo__hdfs_status(h->hdfs, path, &script, err);
    if (!rc && (!script.exists || script.length != (int64_t)text.length))
        rc = pingo__fail(err, PINGO_EIO, "%s is not what was written there", path);
    if (!rc) {
        s->script_bytes = script.length;
        s->script_mtime_ms = script.mtime_ms;
    }
    pingo__buffer_clear(&text);
    return rc;
}

/* Of one container, as a job needs it. */
static struct pingo__executor_hadoop_submission submission_of(
    const hadoop *h, const char *id, const struct pingo_job *job,
    const struct pingo__executor_hadoop_options *options)
{
    return (struct pingo__executor_hadoop_submission){
        .id = id,
        .tag = h->tag,
        .queue = options->queue ? options->queue : h->queue,
        .node_label = options->node_label,
        .priority = options->priority,
        .classpath = h->am_classpath,
        .master_mb = h->am_memory_mb,
        .memory_mb = pingo__executor_hadoop_container_mb(job),
        .vcores = job->cpus > 0 ? job->cpus : 1,
        .containers = 1};
}

/* The script of a runner with these words lies in HDFS, and *body is what YARN is asked. */
static int make_body(hadoop *h, const struct pingo__executor_hadoop_submission *wanted,
                     const char *const *words, char **body, struct pingo_error *err)
{
    struct pingo__executor_hadoop_submission s = *wanted;
    struct pingo__buffer text = {0};
    char *token = NULL, *for_master = NULL, *url = NULL,
         *path = pingo__hdfs_path(h->hdfs, "bundles");
    *body = NULL;
    int rc = path ? pingo__hdfs_token(h->hdfs, "yarn", &token, err) : pingo__fail_memory(err);
    if (!rc && token)
        rc = pingo__hdfs_token_for_hadoop(token, h->nameservice, &for_master, err);
    if (!rc)
        rc = put_script(h, &s, words, token, err);
    if (!rc && asprintf(&url, "%s%s/%s/script", h->fs, path, s.id) < 0) {
        url = NULL;
        rc = pingo__fail_memory(err);
    }
    if (!rc) {
        s.script = url;
        s.token = for_master;
        pingo__executor_hadoop_body(&text, &s);
        *body = pingo__buffer_take(&text);
        rc = *body ? 0 : pingo__fail_memory(err);
    }
    free(token);
    free(for_master);
    free(path);
    free(url);
    return rc;
}

int pingo__executor_hadoop_bundle_try(hadoop *h, const char *id, const struct pingo_job *job,
                                      const char *const *words, struct pingo_error *err)
{
    const struct pingo__executor_hadoop_options options = {.priority = -1};
    struct pingo__executor_hadoop_submission s = submission_of(h, id, job, &options);
    char *body;
    s.name = "pingo: check";
    int rc = make_body(h, &s, words, &body, err);
    if (!rc)
        rc = pingo__executor_hadoop_rm_submit(h->rm, body, err);
    free(body);
    return rc;
}

static void name_of(const job_of *job, size_t n, char name[128])
{
    char more[32] = "";
    if (n > 1)
        snprintf(more, sizeof more, " and %zu more", n - 1);
    snprintf(name, 128, "pingo: %.80s%s", job->job.name ? job->job.name : "", more);
}

static int ask_for(hadoop *h, bundle_of *b, const job_of *job, struct pingo_error *err)
{
    const attempt_of *own = job->own;
    struct pingo__executor_hadoop_submission s = submission_of(h, b->id, &job->job, &own->options);
    struct pingo__buffer list = {0};
    char name[128], containers[24];
    const char *const words[] = {"--bundle", h->pool_place, b->id, containers, NULL};
    name_of(job, b->n, name);
    s.name = name;
    s.containers = (int64_t)b->n < h->containers ? (int64_t)b->n : h->containers;
    snprintf(containers, sizeof containers, "%lld", (long long)s.containers);
    pingo__executor_bundle_put(&list, b->keys, b->n);
    int rc = put_file(h, b->id, "list", &list, err);
    pingo__buffer_clear(&list);
    return rc ? rc : make_body(h, &s, words, &b->body, err);
}

static int submit(hadoop *h, bundle_of *b, job_of **jobs, size_t n, struct pingo_error *err)
{
    int rc = pingo__executor_hadoop_rm_submit(h->rm, b->body, err);
    if (rc && !pingo__executor_hadoop_is_away(rc))
        return rc;
    if (!rc) {
        free(b->body);
        b->body = NULL;
    } /* else it may have arrived: who looks will ask */
    for (size_t i = 0; i < n; i++) {
        pingo__executor_hadoop_bundle_bind(h, jobs[i], b);
        jobs[i]->phase = PINGO__HADOOP_SUBMITTED;
        pingo__executor_hadoop_named(h, jobs[i], b->id);
    }
    b->news_ms = pingo__world_monotonic_ms();
    b->look_at_ms = b->news_ms + LOOK_FIRST_MS;
    pingo__executor_hadoop_hurry(h);
    return 0;
}

int pingo__executor_hadoop_bundle_make(hadoop *h, job_of **jobs, size_t n, struct pingo_error *err)
{
    struct pingo_job_key *keys = calloc(n, sizeof *keys);
    int rc = keys ? have_id(h, err) : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        keys[i] = jobs[i]->job.key;
    bundle_of *b = rc ? NULL : pingo__executor_hadoop_bundle_know(h, h->next.id, keys, n);
    free(keys);
    if (rc)
        return rc;
    h->next.id[0] = '\0';
    rc = b ? pingo__executor_hadoop_bundle_keep(h, b, err) : pingo__fail_memory(err);
    if (!rc)
        rc = ask_for(h, b, jobs[0], err);
    if (!rc)
        rc = submit(h, b, jobs, n, err);
    if (rc && b)
        pingo__executor_hadoop_bundle_undo(h, b);
    return rc;
}
