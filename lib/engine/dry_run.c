/* dry_run.c - text -> hashes or a plan; nothing is submitted. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/look/nearest.h"
#include "engine/request.h"
#include "manager/submission/apply.h"
#include "manager/submission/workflow_manager.h"

struct dry_run {
    struct pingo__engine_request r;
    struct pingo__arena arena;
    struct pingo_plan_options plan;
    struct pingo_plan_entry *entries;
    struct pingo_planned *planned; /* of each action, but for why */
    struct pingo_plan_totals totals;
};

static int save_memory(struct pingo__engine_request *r, struct pingo_error *err)
{
    if (!r->memory.n && !r->memory.nversions)
        return 0;
    int rc = pingo__store_db_begin(&r->store->db, err);
    return rc ? rc
              : pingo__store_db_end(&r->store->db,
                                    pingo__manager_content_memory_save(&r->memory, err), err);
}

static int parse_and_hash(struct pingo__engine_request *r, const struct pingo_document *document,
                          struct pingo_error *err)
{
    int rc = pingo__engine_request_parse(r, document, err);
    if (!rc)
        rc = pingo__engine_request_hash(r, err);
    return rc ? rc : save_memory(r, err);
}

/* With what a hash alone tells. */
static struct pingo_planned planned_of(const struct pingo__engine_request *r, size_t i)
{
    const struct pingo_action *a = pingo_workflow_action(r->workflow, i);
    return (struct pingo_planned){.id = a->id,
                                  .name = a->name,
                                  .hash = *pingo_digests_hash(r->digests, i),
                                  .reason_text = "",
                                  .expected_ms = -1,
                                  .expected_bytes = -1};
}

int pingo_store_hash(struct pingo_store *store, const struct pingo_document *document,
                     const struct pingo_submit_options *options, struct pingo_error *err)
{
    struct pingo__engine_request r;
    int rc = pingo__engine_request_open(&r, store, options, err);
    if (!rc)
        rc = parse_and_hash(&r, document, err);
    for (size_t i = 0; !rc && r.options.planned && i < pingo_workflow_count(r.workflow); i++) {
        struct pingo_planned planned = planned_of(&r, i);
        if (r.options.planned(r.options.context, &planned))
            rc = pingo__engine_stopped(err);
    }
    pingo__engine_request_close(&r);
    return rc;
}

/* Why it is computed or not, where more is known than the plan says: static, or in the arena. */
static int explain(struct dry_run *d, size_t i, struct pingo_error *err)
{
    const struct pingo_plan_entry *e = &d->entries[i];
    const struct pingo_hash *hash = pingo_digests_hash(d->r.digests, i);
    struct pingo_store *store = d->r.store;
    struct pingo_planned *p = &d->planned[i];
    struct pingo__store_dataset_known k;
    struct pingo__store_action_row row;
    const char *evicted;
    p->reason_text = pingo_plan_reason_text(p->reason);
    if (p->reason == PINGO_REASON_SAME_HASH)
        p->reason_text = pingo__arena_format(&d->arena, "the same as action %" PRId64,
                                             pingo_workflow_action(d->r.workflow, e->computes)->id);
    else if (p->reason == PINGO_REASON_DELETED &&
             (evicted = pingo__engine_evicted_text(store, hash, INT64_MAX, &d->arena)))
        p->reason_text = evicted;
    else if (p->reason == PINGO_REASON_COMPUTING &&
             pingo__store_dataset_known(&store->db, hash, false, &k, NULL) == 0 &&
             pingo__store_action_get(&store->db, k.action, &d->arena, &row, NULL) == 0 && row.id)
        p->reason_text =
            pingo__arena_format(&d->arena, "workflow %" PRId64 " computes it", row.workflow);
    return p->reason_text ? 0 : pingo__fail_memory(err);
}

/* What is told of each action, read in the open view. */
static int read_plan(struct dry_run *d, struct pingo_error *err)
{
    struct pingo_plan_totals *totals = &d->totals;
    int rc = 0;
    for (size_t i = 0; !rc && i < pingo_workflow_count(d->r.workflow); i++) {
        struct pingo_planned *p = &d->planned[i];
        *p = planned_of(&d->r, i);
        p->decision = (enum pingo_plan_decision)d->entries[i].decision;
        p->reason = (enum pingo_plan_reason)d->entries[i].reason;
        if (p->decision == PINGO_PLAN_COMPUTE) {
            rc = pingo__store_dataset_expect(&d->r.store->db, pingo_digests_hash(d->r.digests, i),
                                             &p->expected_ms, &p->expected_bytes, err);
            totals->unknown += p->expected_ms < 0;
            totals->expected_ms += p->expected_ms > 0 ? p->expected_ms : 0;
            totals->expected_bytes += p->expected_bytes > 0 ? p->expected_bytes : 0;
        }
        if (!rc)
            rc = explain(d, i, err);
    }
    return rc;
}

/* The nearest action known before, of what would be computed for the first time. */
static int find_nearest(const struct pingo__engine_request *r, size_t i, struct pingo_why *why,
                        struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo_description *own = NULL;
    struct pingo__digest_describer d = {.bytes = NULL};
    int rc = pingo__digest_describe(&d, r->digests, i, err);
    if (!rc)
        rc = pingo_description_decode(d.bytes, d.length, &own, err);
    if (!rc)
        rc = pingo__engine_nearest_tell(
            &(struct pingo__engine_subject){.store = r->store,
                                            .arena = arena,
                                            .own = own,
                                            .before = INT64_MAX,
                                            .originals = r->originals,
                                            .action = pingo_workflow_action(r->workflow, i)},
            why, err);
    pingo_description_free(own);
    pingo__digest_describer_clear(&d);
    return rc;
}

/* Outside the view: who is told may stop for long. */
static int tell_plan(struct dry_run *d, struct pingo_error *err)
{
    const struct pingo_submit_options *o = &d->r.options;
    int rc = 0;
    for (size_t i = 0; o->planned && !rc && i < pingo_workflow_count(d->r.workflow); i++) {
        struct pingo_planned *p = &d->planned[i];
        struct pingo_why why = {.id = p->id,
                                .name = p->name,
                                .hash = p->hash,
                                .decision = p->decision,
                                .reason = p->reason,
                                .reason_text = p->reason_text};
        struct pingo__arena arena = {0};
        if (o->why && p->decision == PINGO_PLAN_COMPUTE)
            p->why = &why;
        if (p->why && p->reason == PINGO_REASON_NEVER_COMPUTED)
            rc = find_nearest(&d->r, i, &why, &arena, err);
        if (!rc && o->planned(o->context, p))
            rc = pingo__engine_stopped(err);
        pingo__arena_clear(&arena);
    }
    return rc;
}

/* As a submission would find out. */
static int check_declared(const struct dry_run *d, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < pingo_workflow_count(d->r.workflow); i++)
        if (d->entries[i].decision == PINGO_PLAN_COMPUTE)
            rc = pingo__manager_declared_check(d->r.store->context.world,
                                               pingo_workflow_action(d->r.workflow, i), err);
    return rc;
}

/* *unread: some datasets must be read first. */
static int plan_in_view(struct dry_run *d, bool *unread, struct pingo_error *err)
{
    struct pingo__engine_request *r = &d->r;
    struct pingo__manager_lookup lookup = {
        .c = &r->store->context, .digests = r->digests, .arena = &d->arena, .suspects = &r->suspects};
    int rc = pingo__store_db_begin_read(&r->store->db, err);
    if (rc)
        return rc;
    d->plan.lookup = pingo__manager_workflow_lookup;
    d->plan.context = &lookup;
    rc = pingo_plan(r->workflow, r->digests, &d->plan, d->entries, err);
    if (!rc)
        d->totals.summary = pingo_plan_sum(d->entries, pingo_workflow_count(r->workflow));
    pingo__digest_describer_clear(&lookup.describer);
    *unread = !rc && pingo__manager_suspects_is_any_unread(&r->suspects);
    if (!rc && !*unread)
        rc = check_declared(d, err);
    if (!rc && !*unread)
        rc = read_plan(d, err);
    pingo__store_db_rollback(&r->store->db);
    return rc;
}

static int plan(struct dry_run *d, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(d->r.workflow);
    int rc = pingo__engine_request_plan_options(&d->r, &d->plan, err);
    if (rc)
        return rc;
    d->entries = malloc(n * sizeof *d->entries);
    d->planned = malloc(n * sizeof *d->planned);
    if (!d->entries || !d->planned)
        return pingo__fail_memory(err);
    for (bool unread = true; !rc && unread;) {
        rc = plan_in_view(d, &unread, err);
        if (!rc && unread)
            rc = pingo__engine_request_read_suspects(&d->r, err);
    }
    return rc;
}

int pingo_store_plan(struct pingo_store *store, const struct pingo_document *document,
                     const struct pingo_submit_options *options, struct pingo_plan_totals *totals,
                     struct pingo_error *err)
{
    struct dry_run d = {.entries = NULL};
    int rc = pingo__engine_request_open(&d.r, store, options, err);
    if (!rc)
        rc = pingo__growing_result_check(totals, "pingo_plan_totals", err);
    if (!rc)
        rc = parse_and_hash(&d.r, document, err);
    if (!rc && !d.r.options.force_outputs)
        rc = pingo__engine_outputs_check_there(store, d.r.workflow, false, err);
    if (!rc)
        rc = plan(&d, err);
    if (!rc)
        rc = tell_plan(&d, err);
    pingo__growing_result_put(totals, &d.totals, sizeof d.totals);
    free(d.planned);
    free(d.entries);
    pingo__engine_request_close(&d.r);
    pingo__arena_clear(&d.arena);
    return rc;
}
