/* ends.c - where a client learns of ends: the journals, see client.h. */
#include "executor/local/client.h"

#include <unistd.h>

#include "base/error.h"
#include "executor/local/place.h"

static int open_journals(struct pingo__executor_local *local, struct pingo_error *err)
{
    if (local->has_journals)
        return 0;
    if (local->dir < 0) {
        int dir = pingo__executor_place_open(local->store_dir, false, err);
        if (dir < 0)
            return dir;
        local->dir = dir;
    }
    int rc = pingo__executor_journals_init(&local->journals, local->dir);
    if (rc != 0)
        return pingo__fail_os(err, -rc, "cannot be read", "/proc/sys/kernel/random/boot_id");
    local->has_journals = local->rescan = true;
    return 0;
}

static void on_end(void *context, const struct pingo_job_end *end)
{
    struct pingo__executor_local *local = context;
    pingo_jobs_end(local->jobs, end);
    if (end->reason == PINGO_END_NOT_STARTED)
        pingo__executor_trouble_look_at_pool(local);
}

static int refused(const char *store_dir, int rc, struct pingo_error *err)
{
    if (rc == PINGO_ENOMEM)
        return pingo__fail_memory(err);
    return pingo__fail(err, rc, "%s/executor: the journals cannot be read", store_dir);
}

/* What this client will start ends after now.  What ended before concerns it only where it adopts,
 * and then all is read; an old end is not taken for that of a new attempt in a store that was put
 * back to an earlier state. */
int pingo__executor_ends_skip(struct pingo__executor_local *local, struct pingo_error *err)
{
    int rc = open_journals(local, err);
    if (rc == PINGO_ENOTFOUND)
        return 0; /* nothing ever ran here: all journals will be new */
    if (rc != 0)
        return rc;
    rc = pingo__executor_journals_rescan(&local->journals);
    if (rc != 0)
        return refused(local->store_dir, rc, err);
    pingo__executor_journals_skip(&local->journals);
    return 0;
}

int pingo__executor_ends_read(struct pingo__executor_local *local, struct pingo_error *err)
{
    int rc = open_journals(local, err);
    if (rc != 0)
        return rc == PINGO_ENOTFOUND ? 0 : rc; /* nothing ever ran here */
    if (local->rescan)
        rc = pingo__executor_journals_rescan(&local->journals);
    if (rc == 0) {
        local->rescan = local->rung = false;
        local->looked_ms = uv_now(&local->loop);
        rc = pingo__executor_journals_read(&local->journals, on_end, local);
    }
    return rc == 0 ? 0 : refused(local->store_dir, rc, err);
}

int pingo__executor_local_ends(const char *store_dir, pingo__executor_end_fn fn, void *context,
                               struct pingo_error *err)
{
    struct pingo_error why = {0};
    int dir = pingo__executor_place_open(store_dir, false, &why);
    if (dir < 0)
        return dir == PINGO_ENOTFOUND ? 0 : pingo__fail(err, dir, "%s", why.message);
    int rc = pingo__executor_journals_scan(dir, fn, context);
    close(dir);
    return rc == 0 ? 0 : refused(store_dir, rc, err);
}

static void on_adopted_end(void *context, const struct pingo_job_end *end)
{
    struct pingo__executor_local *local = context;
    const struct pingo__executor_local_job *job = pingo_jobs_find(local->jobs, end->key);
    if (job && job->adopting)
        on_end(local, end);
}

int pingo__executor_ends_read_adopted(struct pingo__executor_local *local, struct pingo_error *err)
{
    int rc = pingo__executor_local_ends(local->store_dir, on_adopted_end, local, err);
    local->rescan = true;
    return rc == 0 ? pingo__executor_ends_read(local, err) : rc;
}

void pingo__executor_ends_say(struct pingo__executor_local *local, struct pingo_job_key key,
                              enum pingo_end_reason reason, const char *message)
{
    struct pingo_job_end end = {.size = sizeof end, .key = key};
    pingo__executor_end(&end, reason, message);
    on_end(local, &end);
}

int pingo__executor_ends_has(struct pingo__executor_local *local, struct pingo_job_key key,
                             bool *ended, struct pingo_error *err)
{
    local->rescan = true;
    int rc = pingo__executor_ends_read(local, err);
    const struct pingo__executor_local_job *job = pingo_jobs_find(local->jobs, key);
    *ended = job && pingo_jobs_has_ended(job);
    if (rc != 0 || job || local->dir < 0)
        return rc;
    rc = pingo__executor_journals_find(local->dir, key, ended);
    return rc == 0 ? 0 : refused(local->store_dir, rc, err);
}
