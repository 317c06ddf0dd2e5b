/* external.c - external actions: an embedder claims, starts and ends them itself. */
#include <string.h>

#include "base/error.h"
#include "engine/scheduler.h"
#include "executor/external/external.h"
#include "manager/job.h"
#include "store/transition.h"

static int no_external(struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EINVAL,
                       "this scheduler was not opened with options.external for external actions");
}

static void fill(struct pingo_external_job *out, const struct pingo_job *job,
                 const struct pingo__action_row *a)
{
    *out = (struct pingo_external_job){.key = job->key,
                                       .workflow = a->workflow,
                                       .id = a->user_id,
                                       .name = job->name,
                                       .description = job->payload ? job->payload : "",
                                       .hash = job->hash,
                                       .inputs = job->links,
                                       .ninputs = job->nlinks,
                                       .output_path = job->staged_path,
                                       .cpus = job->cpus,
                                       .memory_bytes = job->memory_bytes,
                                       .time_limit_ms = job->time_limit_ms};
}

int pingo_external_next(struct pingo_scheduler *s, const struct pingo_external_job **job,
                        struct pingo_error *err)
{
    const struct pingo_job *next;
    struct pingo__action_row a;
    struct pingo_external_job *out;
    int rc = 0;

    *job = NULL;
    if (!s->external)
        return no_external(err);
    while (!*job && rc >= 0 && (next = pingo__external_next(s->external))) {
        struct pingo__arena *arena = next->arena; /* lives as long as the job */

        out = pingo__arena_alloc(arena, sizeof *out);
        rc = out ? pingo__action_get(&s->store->db, next->key.action, arena, &a, err)
                 : pingo__fail_memory(err);
        if (rc == 1 && a.epoch == next->key.epoch && a.state == PINGO_ACTION_SUBMITTED) {
            fill(out, next, &a);
            *job = out;
        }
    }
    return rc < 0 ? rc : 0;
}

/* The gate: a compare-and-set in the store, so that a kill anywhere is seen. */
static int pass_gate(struct pingo_scheduler *s, struct pingo_job_key key,
                     struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__action_row a;
    int64_t now = pingo__now_ms(&s->context);
    int rc = pingo__action_get(&s->store->db, key.action, arena, &a, err);

    if (rc < 0)
        return rc;
    if (rc == 1 && a.epoch == key.epoch && a.state == PINGO_ACTION_RUNNING && a.owner == s->owner.id)
        return 0; /* adopted, and started before */
    if (rc == 0 || a.epoch != key.epoch || a.state != PINGO_ACTION_SUBMITTED)
        return pingo__fail(err, PINGO_ESTALE,
                           "the attempt was given up or killed; it must not be started");
    rc = pingo__action_move_owned(&s->store->db, &a, PINGO_ACTION_RUNNING, s->owner.id, err);
    if (rc == 1)
        rc = pingo__attempt_started(&s->store->db, key, now, err);
    return rc < 0 ? rc : 0;
}

int pingo_external_start(struct pingo_scheduler *s, struct pingo_job_key key,
                         struct pingo_error *err)
{
    struct pingo__arena arena;
    int rc;

    if (!s->external)
        return no_external(err);
    pingo__arena_init(&arena);
    rc = pingo__db_begin(&s->store->db, err);
    if (!rc)
        rc = pingo__db_end(&s->store->db, pass_gate(s, key, &arena, err), err);
    if (!rc && pingo__external_start(s->external, key))
        rc = pingo__fail(err, PINGO_ESTALE,
                         "the attempt was given up or killed; it must not be started");
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_external_end(struct pingo_scheduler *s, const struct pingo_job_end *end,
                       struct pingo_error *err)
{
    struct pingo_job_end full = *end;

    if (!s->external)
        return no_external(err);
    if (!full.ended_ms)
        full.ended_ms = pingo__now_ms(&s->context);
    if (!full.started_ms && full.wall_ms >= 0)
        full.started_ms = full.ended_ms - full.wall_ms;
    return pingo__external_end(s->external, &full);
}

int pingo_external_next_kill(struct pingo_scheduler *s, struct pingo_job_key *key)
{
    return s->external && pingo__external_next_kill(s->external, key);
}

int pingo_external_adopted(struct pingo_scheduler *s,
                           int (*fn)(void *context, const struct pingo_external_job *job),
                           void *context, struct pingo_error *err)
{
    struct pingo_job_key key;
    size_t at = 0, recovered = 0;
    int rc;

    if (!s->external)
        return no_external(err);
    rc = pingo__scheduler_register(s, err);
    if (!rc)
        rc = pingo__action_manager_recover(&s->actions, &recovered, err);
    while (!rc && pingo__external_adopted(s->external, &at, &key)) {
        struct pingo__arena arena;
        struct pingo__action_row a;
        struct pingo__prepared p = {.description = NULL};
        struct pingo_external_job job;

        pingo__arena_init(&arena);
        rc = pingo__action_get(&s->store->db, key.action, &arena, &a, err);
        if (rc == 1 && a.epoch == key.epoch) {
            rc = pingo__prepare(&s->context, &a, key.epoch, &arena, &p, err);
            if (!rc) {
                fill(&job, &p.job, &a);
                if (fn(context, &job))
                    rc = pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
            }
        } else if (rc >= 0) {
            rc = 0; /* killed meanwhile: it comes out of pingo_external_next_kill() */
        }
        pingo__prepared_clear(&p);
        pingo__arena_clear(&arena);
    }
    return rc;
}
