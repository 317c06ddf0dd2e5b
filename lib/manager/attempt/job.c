/* job.c - see job.h.  What is run comes from the canonical description alone,
 * so what was hashed is what runs; only places (paths) come from rows. */
#include "manager/attempt/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "digest/originals.h"
#include "manager/attempt/inputs.h"
#include "store/submission/workflows.h"

static int load(struct pingo__manager_context *c, const struct pingo__store_action_row *action,
                struct pingo__arena *arena, struct pingo__manager_prepared *p,
                struct pingo_error *err)
{
    p->originals.arena = p->claimed.arena = arena;
    int rc = pingo__store_definition_decoded(c->db, &action->hash, &p->description, err);
    if (!rc && !p->description)
        rc = pingo__fail(err, PINGO_ECORRUPT, "action %lld: its description is not in the store",
                         (long long)action->id);
    if (!rc)
        rc = pingo__store_action_original_list(c->db, action->id, &p->originals, err);
    if (!rc)
        rc = pingo__store_dataset_list_claimed(c->db, action->id, &p->claimed, err);
    return rc;
}

static int by_hash(const void *a, const void *b)
{
    return memcmp(&((const struct pingo__store_dataset_row *)a)->hash,
                  &((const struct pingo__store_dataset_row *)b)->hash, PINGO_HASH_SIZE);
}

/* NULL: it is not claimed. */
static const struct pingo__store_dataset_row *find_parent(const struct pingo__manager_prepared *p,
                                                          const struct pingo_described_parent *parent)
{
    struct pingo__store_dataset_row key = {.hash = parent->hash};
    return p->claimed.n ? bsearch(&key, p->claimed.rows, p->claimed.n, sizeof key, by_hash) : NULL;
}

/* What is copied must be what was hashed; of STAT that is not known, but seen before and afterwards. */
static struct pingo_job_link link_of(const struct pingo__store_action_original *o)
{
    return (struct pingo_job_link){.name = o->name,
                                   .target = o->path,
                                   .copy = true,
                                   .content = o->kind == PINGO__ORIGINAL_STAT ? NULL : &o->hash};
}

/* For an engine that finds them by itself. */
static int add_places(struct pingo__manager_context *c, struct pingo__arena *arena,
                      struct pingo__manager_prepared *p, struct pingo_error *err)
{
    const struct pingo_described_parent *parents;
    struct pingo_job *job = &p->job;
    char name[PINGO__NAME_SIZE];
    size_t n = 0;
    const char **places = pingo__arena_array(arena, job->nlinks + 1, sizeof *places);
    int rc = places ? 0 : pingo__fail_memory(err);
    parents = pingo_description_parents(p->description, &n);
    for (size_t i = 0; !rc && i < n; i++)
        rc = pingo__pool_uri(c->pool, arena, find_parent(p, &parents[i])->path, &places[i], err);
    pingo__name_attempt(name, job->key.action, job->key.epoch);
    if (!rc)
        rc = pingo__pool_uri(c->pool, arena, name, &job->attempt_place, err);
    pingo__name_staged(name, job->key.action, job->key.epoch);
    if (!rc)
        rc = pingo__pool_uri(c->pool, arena, name, &job->staged_place, err);
    job->places = places;
    return rc;
}

static int add_links(struct pingo__manager_context *c, struct pingo__arena *arena,
                     struct pingo__manager_prepared *p, struct pingo_error *err)
{
    size_t nparents = 0, n = 0;
    const struct pingo_described_parent *parents =
        pingo_description_parents(p->description, &nparents);
    struct pingo_job_link *links =
        pingo__arena_array(arena, nparents + p->originals.n + 1, sizeof *links);
    if (!links)
        return pingo__fail_memory(err);
    if (p->claimed.n)
        qsort(p->claimed.rows, p->claimed.n, sizeof *p->claimed.rows, by_hash);
    int rc = pingo__manager_datasets_ask(c, &p->claimed, !p->takes_places, err);
    for (size_t i = 0; !rc && i < nparents; i++) {
        const struct pingo__store_dataset_row *d = find_parent(p, &parents[i]);
        if (!d || !d->path)
            return pingo__fail(err, PINGO_ENOTFOUND, "action %lld: an input is not there",
                               (long long)p->action.id);
        links[n].name = parents[i].role ? parents[i].role : pingo__arena_format(arena, "%zu", i + 1);
        links[n].mark = d->directory ? d->mark : 0;
        rc = links[n].name ? pingo__pool_path(c->pool, arena, d->path, &links[n].target, err)
                           : pingo__fail_memory(err);
        if (rc == PINGO_ESTATE && p->takes_places) /* it has a place alone */
            rc = 0;
        n++;
    }
    for (size_t i = 0; i < p->originals.n; i++)
        if (p->originals.rows[i].kind != PINGO__ORIGINAL_TOOL)
            links[n++] = link_of(&p->originals.rows[i]);
    p->job.links = links;
    p->job.nlinks = n;
    return rc || !p->takes_places ? rc : add_places(c, arena, p, err);
}

enum { GPUS_MOST = 16, DEVICES = 4 + 2 * GPUS_MOST };

/* The devices of the GPUs that a machine may have: those that are there can be opened. */
static int add_devices(struct pingo__arena *arena, const char **readable, size_t *n,
                       struct pingo_error *err)
{
    static const char *const common[] = {"/dev/kfd", "/dev/nvidiactl", "/dev/nvidia-uvm",
                                         "/dev/nvidia-uvm-tools"};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        readable[(*n)++] = common[i];
    for (int i = 0; i < GPUS_MOST; i++) {
        char *nvidia = pingo__arena_format(arena, "/dev/nvidia%d", i);
        char *render = pingo__arena_format(arena, "/dev/dri/renderD%d", 128 + i);
        if (!nvidia || !render)
            return pingo__fail_memory(err);
        readable[(*n)++] = nvidia;
        readable[(*n)++] = render;
    }
    return 0;
}

/* Where it is confined: the tools that it declared, what the store's setting lists, and GPUs if it asks for some. */
static int add_readable(const struct pingo__manager_context *c, struct pingo__arena *arena,
                        struct pingo__manager_prepared *p, struct pingo_error *err)
{
    size_t n = 0, nlisted = 0;
    p->job.confine = p->action.sandbox == PINGO_SANDBOX_DEFAULT
                         ? c->sandbox
                         : p->action.sandbox == PINGO_SANDBOX_ON;
    while (p->job.confine && c->sandbox_read && c->sandbox_read[nlisted])
        nlisted++;
    const char **readable =
        pingo__arena_array(arena, nlisted + p->originals.n + DEVICES + 1, sizeof *readable);
    if (!readable)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < nlisted; i++)
        readable[n++] = c->sandbox_read[i];
    for (size_t i = 0; i < p->originals.n; i++)
        if (p->originals.rows[i].kind == PINGO__ORIGINAL_TOOL && p->originals.rows[i].path)
            readable[n++] = p->originals.rows[i].path;
    int rc = p->job.confine && p->job.gpus ? add_devices(arena, readable, &n, err) : 0;
    readable[n] = NULL;
    p->job.readable = readable;
    return rc;
}

/* A damaged row may say anything. */
static int64_t times(int64_t n, int64_t unit)
{
    return n < 0 || n > INT64_MAX / unit ? 0 : n * unit;
}

static int take_resources(const struct pingo__store_action_row *action, struct pingo__arena *arena,
                          struct pingo__workflow_resources *r, struct pingo_error *err)
{
    *r = (struct pingo__workflow_resources){
        .cpus = action->cpus, .memory_mb = action->memory_mb, .time_limit_s = action->time_limit_s};
    return pingo__workflow_resources_take(r, action->resources, 1 + action->nfailed, arena, err);
}

int pingo__manager_time_limit(const struct pingo__store_action_row *action,
                              struct pingo__arena *arena, int64_t *ms, struct pingo_error *err)
{
    struct pingo__workflow_resources r;
    int rc = take_resources(action, arena, &r, err);
    *ms = rc ? 0 : times(r.time_limit_s, 1000);
    return rc;
}

static int add_resources(struct pingo__manager_prepared *p, struct pingo__arena *arena,
                         struct pingo_error *err)
{
    struct pingo__workflow_resources *r = &p->resources;
    struct pingo_job *job = &p->job;
    int rc = take_resources(&p->action, arena, r, err);
    job->cpus = r->cpus > 0 ? r->cpus : 1;
    job->memory_bytes = times(r->memory_mb, 1048576);
    job->time_limit_ms = times(r->time_limit_s, 1000);
    job->gpus = r->gpus > 0 ? r->gpus : 0;
    job->licences = r->licences;
    job->nlicences = r->nlicences;
    return rc;
}

/* The environment with PINGO_GPUS. */
static int add_gpus(struct pingo_job *job, struct pingo__arena *arena, struct pingo_error *err)
{
    size_t n = 0;
    while (job->env[n])
        n++;
    const char **env = pingo__arena_array(arena, n + 2, sizeof *env);
    char *gpus = pingo__arena_format(arena, "PINGO_GPUS=%" PRId64, job->gpus);
    if (!env || !gpus)
        return pingo__fail_memory(err);
    memcpy(env, job->env, n * sizeof *env);
    env[n] = gpus;
    job->env = env;
    return 0;
}

int pingo__manager_prepare(struct pingo__manager_context *c,
                           const struct pingo__store_action_row *action, struct pingo__arena *arena,
                           struct pingo__manager_prepared *p, struct pingo_error *err)
{
    const struct pingo_action_type *type = pingo__manager_type_find(c, action->type);
    struct pingo_job *job = &p->job;
    *p = (struct pingo__manager_prepared){.action = *action, .takes_places = p->takes_places};
    if (!type || !type->render)
        return pingo__fail(err, PINGO_EUNSUPPORTED, "action type \"%s\" is not known here",
                           action->type);
    int rc = load(c, action, arena, p, err);
    if (rc)
        return rc;
    job->key = (struct pingo_job_key){action->id, action->epoch};
    job->store_id = c->store_id;
    job->name = action->name;
    job->type = action->type;
    job->workflow = action->workflow;
    job->id = action->user_id;
    job->priority = action->priority;
    job->executor_options = action->executor_options;
    rc = pingo__store_workflow_user(c->db, action->workflow, arena, &job->user, err);
    if (!rc && action->epoch > 1)
        rc = pingo__store_attempt_count_before(c->db, job->key, &job->attempt, err);
    if (rc)
        return rc;
    job->attempt++;
    job->hash = action->hash;
    job->arena = arena;
    rc = add_resources(p, arena, err);
    if (!rc)
        rc = pingo__pool_attempt_dir(c->pool, arena, job->key, &job->attempt_dir, err);
    if (!rc)
        rc = pingo__pool_staged_path(c->pool, arena, job->key, &job->staged_path, err);
    if (!rc)
        rc = add_links(c, arena, p, err);
    if (!rc)
        rc = add_readable(c, arena, p, err);
    job->inputs = pingo_description_inputs(p->description, &job->ninputs);
    if (!rc)
        rc = pingo__manager_type_render(type, p->description, job, err);
    return rc || !job->gpus || !job->env ? rc : add_gpus(job, arena, err);
}

void pingo__manager_prepared_clear(struct pingo__manager_prepared *p)
{
    pingo_description_free(p->description);
    p->description = NULL;
}
