/* bundle.c - see bundle.h. */
#include "executor/hadoop/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/world.h"
#include "executor/bundles.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"
#include "runner/record/job.h"

#define LIBRARY "libcjson.so." /* any, as this process has it */
#define PROGRAM_MOST ((size_t)64 << 20)
#define LEAVE_MS                                                                                   \
    5000 /* an application whose attempts are all over ends by itself within this, or is ended */
#define STEP_MS 1000

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_bundle bundle_of;
typedef struct pingo__executor_hadoop_attempt attempt_of;

/* ---- on this machine ------------------------------------------------------------------------------- */

int pingo__executor_hadoop_bundle_keep(const hadoop *h, const bundle_of *b, struct pingo_error *err)
{
    const struct pingo__executor_bundle_list list = {b->id, b->keys, b->n};
    char name[PINGO__BUNDLE_SIZE];
    int rc = pingo__executor_bundle_save(h->pool_dir, &list, true, name);
    if (rc)
        pingo__fail_os(err, -rc, "a bundle cannot be kept", h->pool_dir);
    return rc ? (rc == -ENOMEM ? PINGO_ENOMEM : PINGO_EIO) : 0;
}

static void unkeep(const hadoop *h, const char *id)
{
    char name[PINGO__BUNDLE_SIZE];
    pingo__digest_short(id, strlen(id), name);
    pingo__executor_bundle_remove(h->pool_dir, name);
}

/* ---- in memory ------------------------------------------------------------------------------------- */

bundle_of *pingo__executor_hadoop_bundle_know(hadoop *h, const char *id,
                                              const struct pingo_job_key *keys, size_t n)
{
    bundle_of *b = calloc(1, sizeof *b + n * sizeof *keys);
    if (!b)
        return NULL;
    snprintf(b->id, sizeof b->id, "%s", id);
    b->keys = (struct pingo_job_key *)(b + 1);
    if (n)
        memcpy(b->keys, keys, n * sizeof *keys);
    b->n = n;
    b->news_ms = pingo__world_monotonic_ms();
    b->next = h->bundles;
    h->bundles = b;
    return b;
}

static void forget(hadoop *h, bundle_of *b)
{
    bundle_of **at = &h->bundles;
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    free(b->body);
    free(b);
}

static bundle_of *find(hadoop *h, const char *id)
{
    bundle_of *b = h->bundles;
    while (b && strcmp(b->id, id) != 0)
        b = b->next;
    return b;
}

/* Of no application: of another executor. */
static bundle_of *know_list(hadoop *h, const struct pingo__executor_bundle_list *list)
{
    bundle_of *b = find(h, list->head);
    return b || !pingo__executor_hadoop_is_application(list->head)
               ? b
               : pingo__executor_hadoop_bundle_know(h, list->head, list->keys, list->n);
}

static void know_found(void *context, const char *name,
                       const struct pingo__executor_bundle_list *list)
{
    (void)name;
    know_list(context, list);
}

void pingo__executor_hadoop_bundles_load(hadoop *h)
{
    h->unlisted = pingo__executor_bundles_each(h->pool_dir, know_found, h);
}

static bool holds(const bundle_of *b, struct pingo_job_key key)
{
    size_t i = 0;
    while (i < b->n && !pingo__runner_key_is(b->keys[i], key))
        i++;
    return i < b->n;
}

bundle_of *pingo__executor_hadoop_bundle_of(hadoop *h, struct pingo_job_key key)
{
    bundle_of *b = h->bundles;
    while (b && !holds(b, key))
        b = b->next;
    return b;
}

bool pingo__executor_hadoop_bundle_has_unread(const hadoop *h, const bundle_of *b)
{
    const job_of *job = pingo_jobs_next(h->jobs, NULL);
    while (job && !(job->is_unread && holds(b, pingo_jobs_key(job))))
        job = pingo_jobs_next(h->jobs, job);
    return job;
}

void pingo__executor_hadoop_bundle_bind(hadoop *h, job_of *job, bundle_of *bundle)
{
    attempt_of *own = job->own;
    bundle_of *before = own->bundle;
    own->bundle = bundle;
    if (bundle) {
        bundle->left++;
        bundle->is_forgotten = false;
        snprintf(job->application, sizeof job->application, "%s", bundle->id);
    }
    if (before && --before->left == 0) {
        before->is_forgotten = true;
        before->forgotten_ms = pingo__world_monotonic_ms();
        before->look_at_ms = h->step_at_ms = before->forgotten_ms + STEP_MS;
    }
}

/* ---- going ----------------------------------------------------------------------------------------- */

/* false: it is still wanted, or cannot go now. */
static bool let_go(hadoop *h, bundle_of *b)
{
    const struct pingo__executor_hadoop_app *app = pingo__executor_hadoop_app(h, b->id);
    struct pingo__executor_hadoop_app now;
    char path[PINGO__HADOOP_PATH_SIZE];
    if (!app && !pingo__executor_hadoop_ask(h, b->id, &now, NULL))
        app = &now;
    if (!app)
        return false;
    if (!pingo__executor_hadoop_is_final(app->state) &&
        (pingo__world_monotonic_ms() - b->forgotten_ms < LEAVE_MS ||
         pingo__executor_hadoop_rm_kill(h->rm, b->id, PINGO__HADOOP_GIVEN_UP, NULL) != 0))
        return false;
    pingo__executor_hadoop_in_bundle(path, b->id, "");
    if (pingo__hdfs_remove(h->hdfs, path, NULL) != 0)
        return false;
    unkeep(h, b->id);
    return true;
}

void pingo__executor_hadoop_bundles_step(hadoop *h)
{
    for (bundle_of *b = h->bundles, *next; b && !h->is_leaving; b = next) {
        int64_t now = pingo__world_monotonic_ms();
        next = b->next;
        if (b->left || !b->is_forgotten || pingo__executor_hadoop_bundle_has_unread(h, b))
            continue;
        if (b->look_at_ms <= now && let_go(h, b)) {
            forget(h, b);
            continue;
        }
        b->look_at_ms = b->look_at_ms > now ? b->look_at_ms : now + STEP_MS;
        if (!h->step_at_ms || b->look_at_ms < h->step_at_ms)
            h->step_at_ms = b->look_at_ms;
    }
}

static void trim_found(void *context, const char *name,
                       const struct pingo__executor_bundle_list *list)
{
    bundle_of *b = know_list(context, list);
    (void)name;
    if (b && b->left == 0)
        b->is_forgotten = true;
}

void pingo__executor_hadoop_bundles_trim(hadoop *h, const struct pingo_job_key *unsettled, size_t n)
{
    pingo__executor_bundles_trim(h->pool_dir, unsettled, n, trim_found, h);
    pingo__executor_hadoop_bundles_step(h);
}

void pingo__executor_hadoop_bundles_close(hadoop *h)
{
    while (h->bundles)
        forget(h, h->bundles);
    free(h->program.bytes);
    free(h->program.library);
    h->program = (struct pingo__executor_hadoop_program){.bytes = NULL};
}

void pingo__executor_hadoop_bundle_undo(hadoop *h, bundle_of *b)
{
    char path[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_bundle(path, b->id, "");
    if (!h->is_leaving)
        pingo__hdfs_remove(h->hdfs, path, NULL);
    unkeep(h, b->id);
    forget(h, b);
}

/* ---- what travels with it --------------------------------------------------------------------------- */

static int on_object(struct dl_phdr_info *object, size_t size, void *path)
{
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    (void)size;
    if (!slash || strncmp(slash + 1, LIBRARY, strlen(LIBRARY)) != 0)
        return 0;
    *(char **)path = realpath(object->dlpi_name, NULL); /* its name is a link */
    return 1;
}

/* Where cJSON is a part of this process' own programs, it is one of the runner too. */
static int read_library(struct pingo__executor_hadoop_program *p, struct pingo_error *err)
{
    char *path = NULL;
    bool is_there = dl_iterate_phdr(on_object, &path) != 0;
    if (is_there && !path)
        return pingo__fail(err, PINGO_EEXECUTOR, "%s cannot be found: %s", LIBRARY, strerror(errno));
    int rc = is_there
                 ? pingo__file_read_whole(AT_FDCWD, path, PROGRAM_MOST, &p->library, &p->nlibrary)
                 : 0;
    if (rc)
        rc = pingo__fail(err, PINGO_EEXECUTOR, "%s cannot be read: %s", path, strerror(-rc));
    free(path);
    return rc;
}

static int read_program(const hadoop *h, struct pingo__executor_hadoop_program *p,
                        struct pingo_error *err)
{
    const struct pingo_executor_context context = {.helper_dir = h->helper_dir};
    char *path = pingo_executor_context_program(&context, PINGO__HADOOP_PROGRAM);
    int rc = path ? pingo__file_read_whole(AT_FDCWD, path, PROGRAM_MOST, &p->bytes, &p->n) : -ENOMEM;
    if (rc)
        rc = path ? pingo__fail(err, PINGO_EEXECUTOR, "%s cannot be read: %s", path, strerror(-rc))
                  : pingo__fail_memory(err);
    free(path);
    return rc;
}

int pingo__executor_hadoop_bundle_program(hadoop *h, struct pingo_error *err)
{
    int rc = h->program.library ? 0 : read_library(&h->program, err);
    return rc || h->program.bytes ? rc : read_program(h, &h->program, err);
}
