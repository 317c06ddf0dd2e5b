/* nothing.c - see nothing.h. */
#include "executor/nothing/nothing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

struct nothing {
    struct pingo_jobs *jobs;
    char node[64];
};

static int open_nothing(const struct pingo_executor_context *context, void **executor,
                        struct pingo_error *err)
{
    struct nothing *n = calloc(1, sizeof *n);
    const char *node = pingo_executor_context_text(context, "node");
    if (n)
        n->jobs = pingo_jobs_new(1);
    if (!n || !n->jobs) {
        free(n);
        return pingo__fail_memory(err);
    }
    memcpy(n->node, node, strnlen(node, sizeof n->node - 1));
    *executor = n;
    return 0;
}

static void close_nothing(void *executor)
{
    struct nothing *n = executor;
    pingo_jobs_free(n->jobs);
    free(n);
}

static int start_job(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct nothing *n = executor;
    struct pingo_job_end end = {.size = sizeof end, .key = job->key, .inputs_same = true};
    int fd = open(job->staged_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return pingo__fail_os(err, errno, "making", job->staged_path);
    close(fd);
    end.started_ms = end.ended_ms = (int64_t)time(NULL) * 1000;
    memcpy(end.node, n->node, sizeof end.node);
    int rc = pingo_job_end_output(&end, job->staged_path, err);
    if (!rc && !pingo_jobs_add(n->jobs, job->key))
        rc = pingo__fail_memory(err);
    if (!rc)
        pingo_jobs_end(n->jobs, &end);
    return rc;
}

/* It has ended already. */
static int revoke_job(void *executor, struct pingo_job_key key, const char *attempt_dir,
                      bool *revoked, struct pingo_error *err)
{
    struct nothing *n = executor;
    (void)attempt_dir;
    (void)err;
    *revoked = !pingo_jobs_find(n->jobs, key);
    return 0;
}

static int kill_job(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    (void)executor;
    (void)key;
    (void)err;
    return 0;
}

static int adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys, bool *found,
                 struct pingo_error *err)
{
    struct nothing *n = executor;
    (void)err;
    for (size_t i = 0; i < nkeys; i++)
        found[i] = pingo_jobs_find(n->jobs, keys[i]);
    return 0;
}

static int collect(void *executor, const struct pingo_executor_reports *reports,
                   struct pingo_error *err)
{
    struct nothing *n = executor;
    (void)err;
    pingo_jobs_tell(n->jobs, reports);
    return 0;
}

static void forget(void *executor, struct pingo_job_key key)
{
    struct nothing *n = executor;
    pingo_jobs_remove(n->jobs, key);
}

static int poll_fd(void *executor)
{
    (void)executor;
    return -1;
}

static int64_t timeout_ms(void *executor)
{
    struct nothing *n = executor;
    return pingo_jobs_count(n->jobs, true) ? 0 : -1;
}

static int64_t slots(void *executor)
{
    (void)executor;
    return 8;
}

static const char *const action_types[] = {"command-line", NULL};
static const struct pingo_executor_setting settings[] = {
    {.key = "node", .default_value = "nowhere", .help = "the machine that its attempts name"}};

const struct pingo_executor_type pingo__executor_nothing = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "nothing",
    .action_types = action_types,
    .open = open_nothing,
    .close = close_nothing,
    .start = start_job,
    .revoke = revoke_job,
    .kill = kill_job,
    .adopt = adopt,
    .collect = collect,
    .forget = forget,
    .poll_fd = poll_fd,
    .timeout_ms = timeout_ms,
    .slots = slots,
    .settings = settings,
    .nsettings = 1,
    .in_process = true,
};
