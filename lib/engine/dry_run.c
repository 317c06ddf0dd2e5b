/* dry_run.c - text -> hashes or a plan; nothing is submitted. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/look/nearest.h"
#include "engine/way.h"
#include "manager/submission/workflow_manager.h"
#include "store/datasets.h"

struct dry_run {
    struct pingo__engine_way w;
    struct pingo__arena arena;
    struct pingo_plan_options plan;
    struct pingo_plan_entry *entries;
    struct pingo_planned *list;
    struct pingo_plan_totals totals;
};

static int save_memory(struct pingo__engine_way *w, struct pingo_error *err)
{
    if (!w->memory.n && !w->memory.nversions)
        return 0;
    int rc = pingo__store_db_begin(&w->store->db, err);
    return rc ? rc
              : pingo__store_db_end(&w->store->db,
                                    pingo__manager_content_memory_save(&w->memory, err), err);
}

int pingo_store_hash(struct pingo_store *store, const char *text, size_t length,
                     const struct pingo_submit_options *options, pingo_planned_fn fn, void *context,
                     struct pingo_problems **problems, struct pingo_error *err)
{
    struct pingo__engine_way w;
    int rc = pingo__engine_way_open(&w, store, options, err);
    if (!rc)
        rc = pingo__engine_way_parse(&w, text, length, problems, err);
    if (!rc)
        rc = pingo__engine_way_hash(&w, err);
    if (!rc)
        rc = save_memory(&w, err);
    for (size_t i = 0; !rc && i < pingo_workflow_count(w.workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(w.workflow, i);
        struct pingo_planned planned = {.id = a->id,
                                        .name = a->name,
                                        .hash = *pingo_digests_hash(w.digests, i),
                                        .reason_text = "",
                                        .expected_ms = -1,
                                        .expected_bytes = -1};
        if (fn(context, &planned))
            rc = pingo__engine_stopped(err);
    }
    pingo__engine_way_close(&w);
    return rc;
}

/* *text: static, or in the arena. */
static int explain(struct pingo__engine_way *w, const struct pingo_plan_entry *e,
                   const struct pingo_hash *hash, struct pingo__arena *arena, const char **text,
                   struct pingo_error *err)
{
    struct pingo__store_dataset_known k;
    struct pingo__store_action_row row;
    char why[128];
    *text = pingo_plan_reason_text((enum pingo_plan_reason)e->reason);
    if (e->reason == PINGO_REASON_SAME_HASH)
        *text = pingo__manager_text(arena, "the same as action %" PRId64,
                                    pingo_workflow_action(w->workflow, e->computes)->id);
    else if (e->reason == PINGO_REASON_DELETED &&
             pingo__engine_evicted_text(w->store, hash, INT64_MAX, why, sizeof why))
        *text = pingo__manager_text(arena, "%s", why);
    else if (e->reason == PINGO_REASON_COMPUTING &&
             pingo__store_dataset_known(&w->store->db, hash, false, &k, NULL) == 0 &&
             pingo__store_action_get(&w->store->db, k.action, arena, &row, NULL) == 1)
        *text = pingo__manager_text(arena, "workflow %" PRId64 " computes it", row.workflow);
    return *text ? 0 : pingo__fail_memory(err);
}

/* What is told of each action, read in the open view. */
static int read_plan(struct dry_run *d, struct pingo_error *err)
{
    struct pingo__engine_way *w = &d->w;
    const struct pingo_plan_entry *entries = d->entries;
    struct pingo_plan_totals *totals = &d->totals;
    int rc = 0;
    for (size_t i = 0; !rc && i < pingo_workflow_count(w->workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(w->workflow, i);
        struct pingo_planned *p = &d->list[i];
        *p = (struct pingo_planned){.id = a->id,
                                    .name = a->name,
                                    .hash = *pingo_digests_hash(w->digests, i),
                                    .decision = (enum pingo_plan_decision)entries[i].decision,
                                    .reason = (enum pingo_plan_reason)entries[i].reason,
                                    .expected_ms = -1,
                                    .expected_bytes = -1};
        if (p->decision == PINGO_PLAN_COMPUTE) {
            rc = pingo__store_dataset_expect(&w->store->db, &p->hash, &p->expected_ms,
                                             &p->expected_bytes, err);
            totals->unknown += p->expected_ms < 0;
            totals->expected_ms += p->expected_ms > 0 ? p->expected_ms : 0;
            totals->expected_bytes += p->expected_bytes > 0 ? p->expected_bytes : 0;
        }
        if (!rc)
            rc = explain(w, &entries[i], &p->hash, &d->arena, &p->reason_text, err);
    }
    return rc;
}

/* Outside the view: who is told may stop for long. */
static int tell_plan(const struct pingo__engine_way *w, struct pingo_planned *list,
                     pingo_planned_fn fn, void *context, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; fn && !rc && i < pingo_workflow_count(w->workflow); i++) {
        struct pingo__engine_hashed hashed = {w->originals, w->digests, w->workflow, i};
        struct pingo__arena arena;
        pingo__arena_init(&arena);
        if (w->options.why && list[i].decision == PINGO_PLAN_COMPUTE) {
            struct pingo_why why;
            list[i].why = &why;
            rc = pingo__engine_nearest_planned(w->store, &hashed, &list[i], &arena, &why, err);
        }
        if (!rc && fn(context, &list[i]))
            rc = pingo__engine_stopped(err);
        pingo__arena_clear(&arena);
    }
    return rc;
}

/* What computes must be able to read its originals; a submission would find that out. */
static int check_declared(const struct pingo__engine_way *w, const struct pingo_plan_entry *entries,
                          struct pingo_error *err)
{
    const struct pingo__world *world = w->store->context.world;
    for (size_t i = 0; i < pingo_workflow_count(w->workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(w->workflow, i);
        for (size_t k = 0; entries[i].decision == PINGO_PLAN_COMPUTE && k < a->ninputs; k++) {
            struct stat st;
            if (a->inputs[k].path && a->inputs[k].sha256 &&
                world->stat(world->context, AT_FDCWD, a->inputs[k].path, 0, &st) != 0)
                return pingo__fail(err, PINGO_EINPUT,
                                   "%s: input \"%s\" of action %" PRId64
                                   " (%s) is not there, and the action must be computed",
                                   a->inputs[k].path, a->inputs[k].name, a->id, a->name);
        }
    }
    return 0;
}

/* 1: some datasets must be read first. */
static int plan_in_view(struct dry_run *d, struct pingo_error *err)
{
    struct pingo__engine_way *w = &d->w;
    struct pingo__manager_lookup lookup = {
        .c = &w->store->context, .digests = w->digests, .arena = &d->arena, .suspects = &w->suspects};
    int rc = pingo__store_db_begin_read(&w->store->db, err);
    if (rc)
        return rc;
    rc = pingo_plan(w->workflow, w->digests, &d->plan, pingo__manager_workflow_lookup, &lookup,
                    d->entries, &d->totals.summary, err);
    if (!rc && pingo__manager_suspects_is_any_unread(&w->suspects))
        rc = 1;
    if (!rc)
        rc = check_declared(w, d->entries, err);
    if (!rc)
        rc = read_plan(d, err);
    pingo__store_db_rollback(&w->store->db);
    return rc;
}

static int plan(struct dry_run *d, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(d->w.workflow);
    int rc = pingo__engine_way_plan_options(&d->w, &d->plan, err);
    if (rc)
        return rc;
    d->entries = malloc(n * sizeof *d->entries);
    d->list = malloc(n * sizeof *d->list);
    if (!d->entries || !d->list)
        return pingo__fail_memory(err);
    while ((rc = plan_in_view(d, err)) == 1 &&
           (rc = pingo__engine_way_read_suspects(&d->w, err)) == 0)
        ;
    return rc;
}

int pingo_store_plan(struct pingo_store *store, const char *text, size_t length,
                     const struct pingo_submit_options *options, pingo_planned_fn fn, void *context,
                     struct pingo_plan_totals *totals, struct pingo_problems **problems,
                     struct pingo_error *err)
{
    struct dry_run d;
    memset(&d, 0, sizeof d);
    pingo__arena_init(&d.arena);
    int rc = pingo__engine_way_open(&d.w, store, options, err);
    if (!rc)
        rc = pingo__growing_result_check(totals, "pingo_plan_totals", err);
    if (!rc)
        rc = pingo__engine_way_parse(&d.w, text, length, problems, err);
    if (!rc)
        rc = pingo__engine_way_hash(&d.w, err);
    if (!rc)
        rc = save_memory(&d.w, err);
    if (!rc && !d.w.options.force_outputs)
        rc = pingo__engine_outputs_check_there(store, d.w.workflow, false, err);
    if (!rc)
        rc = plan(&d, err);
    if (!rc)
        rc = tell_plan(&d.w, d.list, fn, context, err);
    pingo__growing_result_put(totals, &d.totals, sizeof d.totals);
    free(d.list);
    free(d.entries);
    pingo__engine_way_close(&d.w);
    pingo__arena_clear(&d.arena);
    return rc;
}
