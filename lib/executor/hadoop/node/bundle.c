/* bundle.c - the list, and one attempt of it after the other.
 *
 * A rename of `job` is asked of HDFS until it says who has won: lib/hdfs settles by the number of the file what a lost
 * answer leaves open, unless then nobody answers any more; for that the name is looked for that nobody else gives. */

#include <err.h>

#include "base/backoff.h"
#include "base/error.h"
#include "base/world.h"
#include "executor/hadoop/node/node.h"

#define LIST_MOST (1 << 24)  /* bytes */
#define CLAIM_MOST_MS 120000 /* nobody waits for us yet */
#define REFUSALS_MOST 3      /* a DataNode that dies is told of so, too */
#define PAUSE_FIRST_MS 500
#define PAUSE_MOST_MS 15000

bool pingo__executor_node_again(struct pingo__executor_node *n, int rc,
                                struct pingo__executor_node_patience *p)
{
    int64_t now = pingo__world_monotonic_ms();
    bool may_pass = rc == PINGO_EAWAY || rc == PINGO_ESTATE ||
                    (rc == PINGO_EIO && p->refusals++ < REFUSALS_MOST);
    p->begun_ms = p->begun_ms ? p->begun_ms : now;
    if (!may_pass || now - p->begun_ms > p->most_ms)
        return false;
    return !pingo__runner_alone_told(
        &n->alone, (int)pingo__backoff_next(&p->pause_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS));
}

int pingo__executor_node_read(struct pingo__executor_node *n,
                              const struct pingo__executor_node_file *file,
                              struct pingo__buffer *bytes, struct pingo_error *err)
{
    struct pingo__executor_node_patience p = {.most_ms = file->most_ms};
    int rc;
    do {
        pingo__buffer_reset(bytes);
        rc = pingo__hdfs_get_bytes(file->fs, file->path,
                                   (struct pingo__hdfs_range){0, file->most_bytes}, bytes, err);
    } while (rc && pingo__executor_node_again(n, rc, &p));
    return rc;
}

/* ---- the list ---------------------------------------------------------------------------------- */

static int read_list(struct pingo__executor_node *n)
{
    struct pingo__buffer text = {0};
    struct pingo_error err = {0};
    char path[PINGO__HADOOP_PATH_SIZE];
    const struct pingo__executor_node_file file = {n->fs, path, LIST_MOST, CLAIM_MOST_MS};
    pingo__executor_hadoop_in_bundle(path, n->application, "list");
    int rc = pingo__executor_node_read(n, &file, &text, &err);
    if (!rc)
        rc = pingo__buffer_cstr(&text) ? pingo__executor_node_claims_read(&n->claims, text.data)
                                       : PINGO_ENOMEM;
    if (rc)
        warnx("%s/%s: %s", n->pool, path, err.code ? err.message : pingo_error_text(rc));
    pingo__buffer_clear(&text);
    return !rc                                              ? PINGO__HADOOP_DONE
           : rc == PINGO_EAWAY || rc == PINGO_ESTATE        ? PINGO__HADOOP_NO_HDFS
           : rc == PINGO_EUNSUPPORTED || rc == PINGO_ENOMEM ? PINGO__HADOOP_NO_PLACE
                                                            : PINGO__HADOOP_NO_BUNDLE;
}

/* ---- who has what ------------------------------------------------------------------------------ */

static int hear(void *context, const char *name, const struct pingo__hdfs_status *status,
                struct pingo_error *err)
{
    struct pingo__executor_node *n = context;
    struct pingo_job_key key;
    bool ended;
    (void)status;
    (void)err;
    if (pingo__executor_hadoop_bell_parse(name, &key, &ended))
        pingo__executor_node_claims_pass(&n->claims, key);
    return 0;
}

/* What others have need not be tried. */
static void hear_bells(struct pingo__executor_node *n)
{
    char path[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_bundle(path, n->application, "");
    pingo__hdfs_list(n->fs, path, hear, n, NULL);
}

/* 0: it is there; PINGO_ENOTFOUND. */
static int look_for(struct pingo__executor_node *n, const char *path, struct pingo_error *err)
{
    struct pingo__hdfs_status status;
    int rc = pingo__hdfs_status(n->fs, path, &status, err);
    return rc || status.exists ? rc : pingo__fail(err, PINGO_ENOTFOUND, "%s: is not there", path);
}

/* 0: it is ours; PINGO_ENOTFOUND: it is not. */
static int claim(struct pingo__executor_node *n, struct pingo_job_key key)
{
    struct pingo__executor_node_patience p = {.most_ms = CLAIM_MOST_MS};
    char from[PINGO__HADOOP_PATH_SIZE], to[PINGO__HADOOP_PATH_SIZE];
    struct pingo_error err = {0};
    bool unsure = false; /* an earlier try may have done it */
    int rc;
    pingo__executor_hadoop_in_attempt(from, key, "job");
    pingo__executor_hadoop_in_attempt(to, key, n->started);
    do {
        rc = pingo__hdfs_rename(n->fs, from, to, &err);
        if (rc == PINGO_ENOTFOUND && unsure && !n->is_again)
            rc = look_for(n, to, &err);
        unsure = unsure || (rc && rc != PINGO_ENOTFOUND);
    } while (rc && pingo__executor_node_again(n, rc, &p));
    if (rc && rc != PINGO_ENOTFOUND && rc != PINGO_EEXISTS)
        warnx("%s: %s", from, err.message);
    return rc == PINGO_EEXISTS ? PINGO_ENOTFOUND : rc;
}

/* ---- an earlier start of this container -------------------------------------------------------- */

/* Nobody runs it any more, and nobody else will: whoever waits for it need not wait for the end of the application. */
static void bury(struct pingo__executor_node *n, struct pingo_job_key key)
{
    struct pingo__executor_node_seen seen;
    struct pingo_job_end end = {.size = sizeof end,
                                .key = key,
                                .reason = PINGO_END_LOST,
                                .started_ms = pingo__world_wall_ms(),
                                .ended_ms = pingo__world_wall_ms(),
                                .message = "its container was started anew while it ran"};
    char attempt[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_attempt(attempt, key, "");
    if (!pingo__executor_node_see(n->fs, attempt, n->started, &seen) && seen.ours && !seen.outcome)
        pingo__executor_node_leave(n, &end, NULL);
}

static void bury_all(struct pingo__executor_node *n)
{
    for (size_t i = 0; i < n->claims.n; i++)
        bury(n, n->claims.keys[i]);
}

/* ---- all of it --------------------------------------------------------------------------------- */

int pingo__executor_node_bundle(struct pingo__executor_node *n)
{
    struct pingo_job_key key;
    int rc = read_list(n);
    if (rc)
        return rc;
    pingo__executor_node_claims_divide(&n->claims, n->owner.container, n->containers);
    if (n->is_again)
        bury_all(n);
    while (!rc && !pingo__runner_alone_told(&n->alone, 0) &&
           pingo__executor_node_claims_next(&n->claims, &key)) {
        int claimed = claim(n, key);
        if (!claimed && !pingo__executor_node_attempt(n, key))
            rc = PINGO__HADOOP_NO_HDFS;
        else if (claimed == PINGO_ENOTFOUND)
            hear_bells(n);
        else if (claimed)
            rc = PINGO__HADOOP_NO_HDFS;
    }
    return rc;
}
