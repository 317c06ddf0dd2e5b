/* attempt.c - one attempt: its job, its inputs, the run, what comes of it, the outcome.
 *
 * Whatever happens behind the gate ends in an outcome, as long as HDFS takes one. */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"
#include "base/tree.h"
#include "base/world.h"
#include "executor/hadoop/node/node.h"

#define JOB_MOST (INT64_C(1) << 30) /* bytes */
#define FETCH_MOST_MS 600000  /* what does not answer is waited for so long: before the command, */
#define LEAVE_MOST_MS 1800000 /* and behind it, when all was done */
#define PREPARED "outcome.copy"
#define TOLD_MOST_MS 2000 /* and where we are to end */

struct attempt {
    struct pingo_job_key key;
    char name[PINGO__NAME_SIZE]; /* attempts/17.3 */
    char *dir, *staged;          /* on this machine */
    struct pingo__runner_errand errand;
    struct pingo__hdfs *data; /* which may be stopped, and serves this attempt alone */
    struct pingo_job_end end;
};

static void fail(struct attempt *a, enum pingo_end_reason reason, const char *what, const char *why)
{
    pingo__runner_fail(&a->end, reason, "%.60s%s%.130s", what, *why ? ": " : "", why);
}

/* ---- the bells --------------------------------------------------------------------------------- */

static void ring(struct pingo__executor_node *n, struct pingo_job_key key, bool ended)
{
    char name[PINGO__NAME_SIZE], bell[2][PINGO__HADOOP_PATH_SIZE];
    static const char *const names[] = {PINGO__HADOOP_STARTED, PINGO__HADOOP_ENDED};
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%lld.%lld", names[i], (long long)key.action,
                 (long long)key.epoch);
        pingo__executor_hadoop_in_bundle(bell[i], n->application, name);
    }
    if (!ended)
        pingo__hdfs_make(n->fs, bell[0], NULL);
    else if (pingo__hdfs_rename(n->fs, bell[0], bell[1], NULL) == PINGO_ENOTFOUND)
        pingo__hdfs_make(n->fs, bell[1], NULL);
}

/* ---- before the command ------------------------------------------------------------------------ */

static bool read_job(struct pingo__executor_node *n, struct attempt *a)
{
    struct pingo__buffer bytes = {0};
    struct pingo_error err = {0};
    char path[PINGO__HADOOP_PATH_SIZE];
    const struct pingo__executor_node_file file = {a->data, path, JOB_MOST, FETCH_MOST_MS};
    pingo__executor_hadoop_in_attempt(path, a->key, n->started);
    int rc = pingo__executor_node_read(n, &file, &bytes, &err);
    size_t length = bytes.length;
    a->errand.bytes = rc ? NULL : pingo__buffer_take(&bytes);
    int parsed = rc || !a->errand.bytes ? 0 : pingo__runner_errand_parse(&a->errand, length);
    pingo__buffer_clear(&bytes);
    if (rc)
        fail(a, rc == PINGO_EINTERRUPTED ? PINGO_END_KILLED : PINGO_END_NOT_STARTED,
             "its job cannot be read", err.message);
    else if (!a->errand.bytes || parsed == PINGO_ENOMEM)
        fail(a, PINGO_END_NOT_STARTED, "its job cannot be read", "out of memory");
    else if (parsed == PINGO_EVERSION)
        fail(a, PINGO_END_NOT_STARTED,
             "its job is written by another version of Pingo than the runner's", "");
    else if (parsed || !pingo__runner_key_is(a->errand.job.key, a->key))
        fail(a, PINGO_END_NOT_STARTED, "its job does not read back", "");
    else
        return true;
    return false;
}

static bool fetch(struct pingo__executor_node *n, struct attempt *a)
{
    struct pingo__executor_node_patience p = {.most_ms = FETCH_MOST_MS};
    const struct pingo_job_link *at = NULL;
    struct pingo_error err = {0};
    char what[96];
    int rc;
    do
        rc = pingo__executor_node_inputs_fetch(&n->inputs, &a->errand.job, a->data, &at, &err);
    while (rc && pingo__executor_node_again(n, rc, &p));
    if (!rc)
        return true;
    snprintf(what, sizeof what, "in/%.40s cannot be fetched", at ? at->name : "");
    if (rc == PINGO_EINTERRUPTED)
        fail(a, PINGO_END_KILLED, "it was ended while its inputs were fetched", "");
    else
        fail(a, rc == PINGO_ENOSPACE ? PINGO_END_NO_SPACE : PINGO_END_NOT_STARTED, what,
             err.message);
    return false;
}

/* It has the directories that lib/runner expects. */
static int enter(struct pingo__executor_node *n, struct attempt *a)
{
    char staged[PINGO__NAME_SIZE];
    pingo__name_staged(staged, a->key.action, a->key.epoch);
    if (asprintf(&a->dir, "%s/%s", n->root, a->name) < 0)
        a->dir = NULL;
    if (asprintf(&a->staged, "%s/%s", n->root, staged) < 0)
        a->staged = NULL;
    if (!a->dir || !a->staged || mkdir(a->dir, 0755) != 0)
        return -1;
    a->errand.job.attempt_dir = a->dir;
    a->errand.job.staged_path = a->staged;
    return open(a->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- the run ----------------------------------------------------------------------------------- */

/* The disk of a node is not the pool's, and another node may have room. */
static void judge_disk(const struct pingo__executor_node *n, struct pingo_job_end *end)
{
    if (end->reason != PINGO_END_NO_SPACE)
        return;
    end->size_bytes = 0;
    pingo__runner_fail(end, PINGO_END_LOST, "the disk of %.80s was full", n->owner.node);
}

static void run(struct pingo__executor_node *n, struct attempt *a)
{
    int dir = enter(n, a);
    if (dir < 0) {
        fail(a, PINGO_END_LOST, "its directory cannot be made on the node", "");
        return;
    }
    bool is_ready = fetch(n, a);
    if (is_ready) {
        int64_t started_ms = a->end.started_ms;
        pingo__runner_alone_run(&n->alone, dir, &a->errand, &a->end);
        a->end.started_ms = started_ms;
    }
    judge_disk(n, &a->end);
    if (is_ready) {
        /* Of what lies here.  In HDFS contents have hashes of another kind, by its own checksums: who publishes the
         * output asks for them. */
        a->end.output_mark = 0;
        memset(&a->end.content, 0, sizeof a->end.content);
        a->end.inputs_same = true;
        pingo__executor_node_deliver(n, &a->errand.job, a->data, &a->end);
        pingo__runner_alone_leave(&n->alone, &a->end);
    }
    pingo__executor_node_inputs_check(&n->inputs);
    close(dir);
}

static void clear(struct attempt *a)
{
    if (a->dir)
        pingo__tree_remove(AT_FDCWD, a->dir);
    if (a->staged)
        pingo__tree_remove(AT_FDCWD, a->staged);
    free(a->dir);
    free(a->staged);
    pingo__runner_errand_clear(&a->errand);
    pingo__hdfs_close(a->data);
}

/* ---- the outcome ------------------------------------------------------------------------------- */

/* On a thread beside others. */
void pingo__executor_node_prepare(struct pingo__executor_node *n, const struct pingo_job_end *end)
{
    char path[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_attempt(path, end->key, PREPARED);
    pingo__runner_outcome_encode(end, n->prepared);
    n->is_prepared = pingo__hdfs_put_bytes(n->fs, path, n->prepared, sizeof n->prepared, NULL) == 0;
}

/* What was prepared takes its place, if that is still how it ended. */
static bool leave_prepared(struct pingo__executor_node *n, struct pingo_job_key key,
                           const char record[PINGO__RUNNER_OUTCOME_SIZE], const char *path)
{
    char from[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_attempt(from, key, PREPARED);
    bool is_there = n->is_prepared;
    n->is_prepared = false;
    if (is_there && memcmp(n->prepared, record, sizeof n->prepared) == 0 &&
        pingo__hdfs_rename(n->fs, from, path, NULL) == 0)
        return true;
    if (is_there)
        pingo__hdfs_remove(n->fs, from, NULL);
    return false;
}

/* Where HDFS is full, room may come: what was uploaded of the output is gone by now. */
int pingo__executor_node_leave(struct pingo__executor_node *n, const struct pingo_job_end *end,
                               struct pingo_error *err)
{
    struct pingo__executor_node_patience p = {
        .most_ms = pingo__runner_alone_told(&n->alone, 0) ? TOLD_MOST_MS : LEAVE_MOST_MS};
    char record[PINGO__RUNNER_OUTCOME_SIZE], path[PINGO__HADOOP_PATH_SIZE];
    int rc;
    pingo__runner_outcome_encode(end, record);
    pingo__executor_hadoop_in_attempt(path, end->key, "outcome");
    if (leave_prepared(n, end->key, record, path))
        return 0;
    do
        rc = pingo__hdfs_put_bytes(n->fs, path, record, sizeof record, err);
    while (rc && pingo__executor_node_again(n, rc == PINGO_ENOSPACE ? PINGO_EAWAY : rc, &p));
    return rc == PINGO_EEXISTS ? 0 : rc; /* by a try of ours that heard no answer */
}

bool pingo__executor_node_attempt(struct pingo__executor_node *n, struct pingo_job_key key)
{
    struct attempt a = {.key = key};
    struct pingo_error err = {0};
    a.end = (struct pingo_job_end){.size = sizeof a.end,
                                   .key = key,
                                   .started_ms = pingo__world_wall_ms(),
                                   .inputs_same = true}; /* those in HDFS are out of reach */
    pingo__name_attempt(a.name, key.action, key.epoch);
    ring(n, key, false);
    a.data = pingo__executor_node_open(n, &err);
    pingo__executor_node_watch_set(&n->watch, a.name, n->started, a.data);
    if (!a.data)
        fail(&a, PINGO_END_NOT_STARTED, "the pool cannot be opened", err.message);
    else if (read_job(n, &a))
        run(n, &a);
    pingo__executor_node_watch_set(&n->watch, NULL, NULL, NULL);
    a.end.ended_ms = a.end.ended_ms ? a.end.ended_ms : pingo__world_wall_ms();
    int rc = pingo__executor_node_leave(n, &a.end, &err);
    if (rc)
        warnx("%s: the outcome cannot be left: %s", a.name, err.message);
    else
        ring(n, key, true);
    clear(&a);
    return rc == 0 || rc == PINGO_ENOTFOUND || rc == PINGO_EEXISTS;
}
