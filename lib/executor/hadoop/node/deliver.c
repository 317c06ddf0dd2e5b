/* deliver.c - the logs and the output of an attempt, from this machine to HDFS.
 *
 * What is there under its name is whole. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/names.h"
#include "base/parallel.h"
#include "base/path.h"
#include "executor/hadoop/node/node.h"

#define DELIVER_MOST_MS 1800000 /* what does not answer is waited for so long */

/* What is brought, and where to. */
struct parcel {
    char *path; /* of this machine; NULL: there is nothing to bring */
    char name[PINGO__HADOOP_PATH_SIZE];
    struct pingo__hdfs *fs;
    struct pingo_error err;
    int rc;
};

struct load {
    struct pingo__executor_node *n;
    const struct pingo_job_end *end;
    struct parcel parcels[3]; /* standard output and error; the output */
};

/* By way of NAME.copy. */
static void put(struct pingo__executor_node *n, struct parcel *p)
{
    char copy[PINGO__NAME_SIZE];
    pingo__name_copy(copy, p->name);
    p->rc = pingo__hdfs_put_tree(p->fs, p->path, p->name, copy, &p->err);
    if (p->rc)
        pingo__hdfs_remove(n->fs, copy, NULL);
}

/* A DataNode takes half a second for a file, however small; so all are brought at once, and the outcome, as it will be
 * if they arrive, with them. */
static int put_one(void *context, size_t i, struct pingo_error *err)
{
    struct load *load = context;
    (void)err;
    if (i == 3)
        pingo__executor_node_prepare(load->n, load->end);
    else if (load->parcels[i].path)
        put(load->n, &load->parcels[i]);
    return 0;
}

static void put_all(struct load *load)
{
    struct pingo__parallel all = {.n = 4, .threads = 4, .run = put_one, .context = load};
    struct pingo__executor_node_patience patience = {.most_ms = DELIVER_MOST_MS};
    int rc = pingo__parallel_run(&all, NULL);
    for (size_t i = 0; i < 3; i++) {
        struct parcel *p = &load->parcels[i];
        p->rc = rc ? rc : p->rc;
        while (p->rc && pingo__executor_node_again(load->n, p->rc, &patience)) {
            put(load->n, p);
            if (p->rc == PINGO_EEXISTS) /* the try before has done it, and heard no answer */
                p->rc = 0;
        }
    }
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

/* An empty one is not kept. */
static void pack_log(struct parcel *p, const struct pingo__runner_job *job, const char *log)
{
    struct stat st;
    pingo__executor_hadoop_in_attempt(p->name, job->key, log);
    p->path = pingo__path_child(job->attempt_dir, log);
    if (p->path && (lstat(p->path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)) {
        free(p->path);
        p->path = NULL;
    }
}

/* here: the output on this machine, of which nobody else knows the path. */
static void fail(struct pingo_job_end *end, int rc, const char *here, const char *why)
{
    bool is_refused = rc == PINGO_EINPUT || rc == PINGO_EINVAL;
    enum pingo_end_reason reason = is_refused                 ? PINGO_END_BAD_OUTPUT
                                   : rc == PINGO_ENOSPACE     ? PINGO_END_NO_SPACE
                                   : rc == PINGO_EINTERRUPTED ? PINGO_END_KILLED
                                                              : PINGO_END_LOST;
    if (strncmp(why, here, strlen(here)) == 0) {
        why += strlen(here);
        why += strspn(why, "/: ");
    }
    if (rc == PINGO_EINTERRUPTED)
        pingo__runner_fail(end, reason, "it was ended while its output was uploaded");
    else
        pingo__runner_fail(end, reason, "%s%.150s",
                           is_refused ? "" : "the output cannot be uploaded: ", why);
}

/* A log that cannot be kept fails nobody. */
void pingo__executor_node_deliver(struct pingo__executor_node *n,
                                  const struct pingo__runner_job *job, struct pingo__hdfs *data,
                                  struct pingo_job_end *end)
{
    struct load load = {.n = n, .end = end};
    struct parcel *output = &load.parcels[2];
    for (size_t i = 0; i < 3; i++)
        load.parcels[i].fs = i < 2 ? n->fs : data;
    if (job->output)
        pack_log(&load.parcels[0], job, "stdout");
    pack_log(&load.parcels[1], job, "stderr");
    if (pingo_job_end_is_success(end)) {
        pingo__name_staged(output->name, job->key.action, job->key.epoch);
        output->path = strdup(job->staged_path);
        output->rc = output->path ? 0 : PINGO_ENOMEM;
    }
    put_all(&load);
    int rc = output->rc;
    if (!rc && output->path && end->output_kind == PINGO_OUTPUT_DIRECTORY)
        rc = measure(n, data, output->name, &end->size_bytes, &output->err);
    if (rc)
        fail(end, rc, job->staged_path, output->err.message);
    for (size_t i = 0; i < 3; i++)
        free(load.parcels[i].path);
}
