/* deliver.c - the logs and the output of an attempt, from this machine to HDFS.
 *
 * The output goes there last, and under its name only when it is whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/names.h"
#include "base/world.h"
#include "executor/hadoop/node/node.h"

#define DELIVER_MOST_MS 1800000 /* what does not answer is waited for so long */

/* From this machine's path to a name in the pool, by way of NAME.copy; what an earlier try left there goes first. */
static int put(struct pingo__executor_node *n, struct pingo__hdfs *data, const char *path,
               const char *name, struct pingo_error *err)
{
    struct pingo__executor_node_patience p = {.most_ms = DELIVER_MOST_MS};
    char copy[PINGO__NAME_SIZE + 32];
    int rc;
    snprintf(copy, sizeof copy, "%s.copy", name);
    do {
        rc = pingo__hdfs_put_tree(data, path, name, copy, err);
        if (rc)
            pingo__hdfs_remove(n->fs, copy, NULL);
    } while (rc && pingo__executor_node_again(n, rc, &p));
    return rc;
}

/* With copies of what links led to it is larger than it was here. */
static int measure(struct pingo__executor_node *n, struct pingo__hdfs *data, const char *name,
                   int64_t *bytes, struct pingo_error *err)
{
    struct pingo__executor_node_patience p = {.most_ms = DELIVER_MOST_MS};
    struct pingo__hdfs_summary summary;
    int rc;
    do
        rc = pingo__hdfs_summary(data, name, &summary, err);
    while (rc && pingo__executor_node_again(n, rc, &p));
    if (!rc)
        *bytes = summary.bytes;
    return rc;
}

/* A log that cannot be kept fails nobody. */
static void put_log(struct pingo__executor_node *n, const struct pingo__runner_job *job,
                    const char *log)
{
    char attempt[PINGO__NAME_SIZE], name[PINGO__NAME_SIZE + 16], *path = NULL;
    struct stat st;
    pingo__name_attempt(attempt, job->key.action, job->key.epoch);
    snprintf(name, sizeof name, "%s/%s", attempt, log);
    if (asprintf(&path, "%s/%s", job->attempt_dir, log) < 0)
        return;
    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        put(n, n->fs, path, name, NULL);
    free(path);
}

/* here: the output on this machine, of which nobody else knows the path. */
static void fail(struct pingo_job_end *end, int rc, const char *here, const char *why)
{
    bool is_refused = rc == PINGO_EINPUT || rc == PINGO_EINVAL;
    end->reason = is_refused                 ? PINGO_END_BAD_OUTPUT
                  : rc == PINGO_ENOSPACE     ? PINGO_END_NO_SPACE
                  : rc == PINGO_EINTERRUPTED ? PINGO_END_KILLED
                                             : PINGO_END_LOST;
    end->output_kind = PINGO_OUTPUT_NONE;
    if (strncmp(why, here, strlen(here)) == 0)
        why += strlen(here);
    if (rc == PINGO_EINTERRUPTED)
        snprintf(end->message, sizeof end->message, "it was ended while its output was uploaded");
    else
        snprintf(end->message, sizeof end->message, "the output%s%.150s",
                 is_refused ? "" : " cannot be uploaded: ", why);
}

void pingo__executor_node_deliver(struct pingo__executor_node *n,
                                  const struct pingo__runner_job *job, struct pingo__hdfs *data,
                                  struct pingo_job_end *end)
{
    char staged[PINGO__NAME_SIZE];
    struct pingo_error err = {0};
    if (job->output)
        put_log(n, job, "stdout");
    put_log(n, job, "stderr");
    if (!pingo_job_end_is_success(end))
        return;
    pingo__name_staged(staged, job->key.action, job->key.epoch);
    int rc = put(n, data, job->staged_path, staged, &err);
    if (!rc && end->output_kind == PINGO_OUTPUT_DIRECTORY)
        rc = measure(n, data, staged, &end->size_bytes, &err);
    if (rc)
        fail(end, rc, job->staged_path, err.message);
}
