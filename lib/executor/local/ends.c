/* ends.c - where a client learns of ends: the journals, see client.h. */
#include "executor/local/client.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "executor/local/place.h"

int pingo__ends_open(struct pingo__local *local, struct pingo_error *err)
{
    char boot[PINGO__JOURNAL_BOOT_SIZE];
    if (local->has_journals)
        return 0;
    if (local->dir < 0) {
        int dir = pingo__place_open(local->store_dir, false, err);
        if (dir < 0)
            return dir;
        local->dir = dir;
    }
    int result = pingo__journal_boot_id(boot);
    if (result != 0)
        return pingo__fail_os(err, -result, "cannot be read", "/proc/sys/kernel/random/boot_id");
    pingo__journals_init(&local->journals, local->dir, boot);
    local->has_journals = local->rescan = true;
    return 0;
}

static void on_end(void *context, const struct pingo_job_end *end)
{
    struct pingo__local *local = context;
    struct pingo_job_end here = *end;
    memcpy(here.node, local->node, sizeof here.node);
    pingo_jobs_end(local->jobs, &here);
}

static int refused(const char *store_dir, int code, struct pingo_error *err)
{
    if (code == PINGO_ENOMEM)
        return pingo__fail_memory(err);
    return pingo__fail(err, code, "%s/executor: the journals cannot be read", store_dir);
}

/* What this client will start ends after now.  What ended before concerns it only where it adopts,
 * and then all is read; an old end is not taken for that of a new attempt in a store that was put
 * back to an earlier state. */
int pingo__ends_skip(struct pingo__local *local, struct pingo_error *err)
{
    int code = pingo__ends_open(local, err);
    if (code == PINGO_ENOTFOUND)
        return 0; /* nothing ever ran here: all journals will be new */
    if (code != 0)
        return code;
    code = pingo__journals_rescan(&local->journals);
    if (code != 0)
        return refused(local->store_dir, code, err);
    pingo__journals_skip(&local->journals);
    return 0;
}

int pingo__ends_read(struct pingo__local *local, struct pingo_error *err)
{
    int code = pingo__ends_open(local, err);
    if (code != 0)
        return code == PINGO_ENOTFOUND ? 0 : code; /* nothing ever ran here */
    if (local->rescan)
        code = pingo__journals_rescan(&local->journals);
    if (code == 0) {
        local->rescan = local->rung = false;
        local->looked_ms = uv_now(&local->loop);
        code = pingo__journals_read(&local->journals, on_end, local);
    }
    return code == 0 ? 0 : refused(local->store_dir, code, err);
}

int pingo__local_ends(const char *store_dir,
                      void (*fn)(void *context, const struct pingo_job_end *end), void *context,
                      struct pingo_error *err)
{
    struct pingo__journals all;
    struct pingo_error why = {0};
    char boot[PINGO__JOURNAL_BOOT_SIZE];
    int dir = pingo__place_open(store_dir, false, &why);
    if (dir < 0)
        return dir == PINGO_ENOTFOUND ? 0 : pingo__fail(err, dir, "%s", why.message);
    int code = pingo__journal_boot_id(boot) == 0 ? 0 : PINGO_EIO;
    pingo__journals_init(&all, dir, boot);
    if (code == 0)
        code = pingo__journals_rescan(&all);
    if (code == 0)
        code = pingo__journals_read(&all, fn, context);
    pingo__journals_clear(&all);
    close(dir);
    return code == 0 ? 0 : refused(store_dir, code, err);
}

static void on_adopted_end(void *context, const struct pingo_job_end *end)
{
    struct pingo__local *local = context;
    const struct pingo__local_job *job = pingo_jobs_find(local->jobs, end->key);
    if (job != NULL && job->adopting)
        on_end(local, end);
}

int pingo__ends_read_adopted(struct pingo__local *local, struct pingo_error *err)
{
    int code = pingo__local_ends(local->store_dir, on_adopted_end, local, err);
    local->rescan = true;
    return code == 0 ? pingo__ends_read(local, err) : code;
}

void pingo__ends_say(struct pingo__local *local, struct pingo_job_key key,
                     enum pingo_end_reason reason, const char *message)
{
    struct pingo_job_end end = {.size = sizeof end};
    memset(&end, 0, sizeof end);
    end.key = key;
    end.reason = reason;
    strncpy(end.message, message, sizeof end.message - 1);
    on_end(local, &end);
}

struct search {
    struct pingo_job_key key;
    bool found;
};

static void look_for(void *context, const struct pingo_job_end *end)
{
    struct search *search = context;
    if (end->key.action == search->key.action && end->key.epoch == search->key.epoch)
        search->found = true;
}

int pingo__ends_has(struct pingo__local *local, struct pingo_job_key key, bool *ended,
                    struct pingo_error *err)
{
    struct search search = {key, false};
    local->rescan = true;
    int code = pingo__ends_read(local, err);
    const struct pingo__local_job *job = pingo_jobs_find(local->jobs, key);
    if (code == 0 && job == NULL)
        code = pingo__local_ends(local->store_dir, look_for, &search, err);
    *ended = search.found || (job != NULL && pingo_jobs_has_ended(job));
    return code;
}
