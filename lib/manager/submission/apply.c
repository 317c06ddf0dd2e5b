/* apply.c - see apply.h.
 *
 * What always holds: rows that others point to are inserted first (what
 * computes, then what joins, then dependencies and claims); an action is READY
 * exactly when it waits for nobody; a claim is made in the transaction in which
 * the dataset was seen. */
#include "manager/submission/apply.h"

#include <string.h>

#include "base/error.h"
#include "plan/rank.h"
#include "rules/effects.h"
#include "store/dataset/datasets.h"
#include "store/transition.h"
#include "store/submission/users.h"
#include "store/submission/workflows.h"

static const struct pingo_plan_entry *entry_of(const struct pingo__manager_apply *a, size_t i)
{
    return &a->entries[a->entries[i].computes];
}

static bool is_pending(const struct pingo__manager_apply *a, size_t i)
{
    return entry_of(a, i)->decision == PINGO_PLAN_COMPUTE ||
           entry_of(a, i)->decision == PINGO_PLAN_JOIN;
}

/* Does this position get a row of its own now? */
static bool gets_row(const struct pingo__manager_apply *a, size_t i)
{
    const struct pingo_plan_entry *e = &a->entries[i];
    if (e->decision != PINGO_PLAN_COMPUTE && e->decision != PINGO_PLAN_JOIN)
        return false;
    /* Planned again: equal actions beside the one that stands for them are not asked for. */
    return !a->members || (!a->members[i].again && e->computes == i && !a->members[i].live);
}

static enum pingo_dataset_state start_of(const struct pingo_action *action,
                                         const struct pingo_plan_entry *e)
{
    return pingo__rules_dataset_start((e->flags & PINGO_PLAN_WANTED) || !action->is_managed,
                                      action->keep == PINGO_KEEP_NEVER);
}

static int insert_dataset(struct pingo__manager_apply *a, size_t i, int64_t action, int64_t id,
                          struct pingo_error *err)
{
    const struct pingo_action *action_of = pingo_workflow_action(a->workflow, i);
    struct pingo__store_dataset_row row = {.id = id,
                                           .hash = *pingo_digests_hash(a->digests, i),
                                           .state = start_of(action_of, &a->entries[i]),
                                           .managed = action_of->is_managed,
                                           .pinned = action_of->keep == PINGO_KEEP_ALWAYS,
                                           .action = action};
    return pingo__store_dataset_insert(a->c->db, &row, err);
}

/* ---- who waits for whom --------------------------------------------------------------- */

/* The positions that stand for an action's parents, each once: the next one behind *k. */
static bool next_parent(struct pingo__manager_apply *a, const struct pingo_action *action,
                        size_t *k, uint32_t *parent)
{
    if (*k == 0)
        a->mark++;
    while (*k < action->nparents) {
        *parent = a->entries[action->parents[(*k)++].index].computes;
        if (a->marks[*parent] != a->mark) {
            a->marks[*parent] = a->mark;
            return true;
        }
    }
    return false;
}

/* How many of them are yet to be made. */
static int64_t count_pending(struct pingo__manager_apply *a, size_t i)
{
    const struct pingo_action *action = pingo_workflow_action(a->workflow, i);
    uint32_t parent;
    int64_t n = 0;
    for (size_t k = 0; next_parent(a, action, &k, &parent);)
        n += is_pending(a, parent);
    return n;
}

/* Of the submission itself. */
static int64_t queue_of(const struct pingo__manager_apply *a)
{
    return a->priority > 0 ? 0 : a->user;
}

/* A writer waits for its turn. */
static int bind_turn(struct pingo__manager_apply *a, const struct pingo__store_action_list *before,
                     int64_t row, struct pingo_error *err)
{
    int rc = 0;
    for (size_t k = 0; !rc && k < before->n; k++) {
        rc = pingo__store_dependency_insert(a->c->db, before->rows[k].id, row, false, err);
        if (!rc)
            rc = pingo__store_queue_join(a->c->db, before->rows[k].id, queue_of(a), err);
    }
    return rc;
}

/* Dependencies on what is pending, claims on what is there. */
static int bind_inputs(struct pingo__manager_apply *a, size_t i, int64_t row,
                       struct pingo_error *err)
{
    const struct pingo_action *action = pingo_workflow_action(a->workflow, i);
    uint32_t parent;
    int rc = 0;
    for (size_t k = 0; !rc && next_parent(a, action, &k, &parent);) {
        struct pingo__store_dataset_known known;
        if (is_pending(a, parent)) {
            rc = pingo__store_dependency_insert(a->c->db, a->rows[parent], row, true, err);
            continue;
        }
        rc = pingo__store_dataset_known(a->c->db, pingo_digests_hash(a->digests, parent),
                                        a->members, &known, err);
        if (!rc)
            rc = pingo__store_claim_insert(a->c->db, known.id, row, err);
    }
    return rc;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void describe_row(const struct pingo__manager_apply *a, size_t i,
                         struct pingo__store_action_row *row)
{
    const struct pingo_action *action = pingo_workflow_action(a->workflow, i);
    memset(row, 0, sizeof *row);
    row->workflow = a->number;
    row->position = a->members ? a->members[i].node.position : (int64_t)i;
    row->user_id = action->id;
    row->hash = *pingo_digests_hash(a->digests, i);
    row->priority = a->priority;
    row->user = a->user;
    row->queue = queue_of(a);
    row->forced = (a->entries[i].flags & PINGO_PLAN_FORCED) != 0;
    row->wanted = (a->entries[i].flags & PINGO_PLAN_WANTED) != 0;
    row->retries = action->retries;
    row->keep = action->keep;
    row->reason = a->members ? -1 : a->entries[i].reason;
}

static int insert_row(struct pingo__manager_apply *a, const struct pingo__store_action_row *row,
                      struct pingo_error *err)
{
    int64_t before = 0;
    int rc = a->members ? pingo__store_action_state_before(a->c->db, row, &before, err) : 0;
    if (before)
        a->by_state[before]--;
    a->by_state[row->state]++;
    a->unfinished++;
    return rc ? rc : pingo__store_action_insert(a->c->db, row, err);
}

static bool is_computing(const struct pingo__manager_apply *a, size_t i)
{
    return a->entries[i].decision == PINGO_PLAN_COMPUTE && gets_row(a, i);
}

/* In the order of their hashes, so that the pages of the indexes are met one after the other; their numbers are in the
 * order of the actions. */
static int insert_datasets(struct pingo__manager_apply *a, int64_t beyond, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(a->workflow);
    int rc = 0;
    for (size_t k = 0; !rc && k < n; k++) {
        size_t i = a->order ? a->order[k].position : k;
        if (is_computing(a, i))
            rc = insert_dataset(a, i, a->rows[i], a->rows[i] + beyond, err);
    }
    return rc;
}

static int insert_computing(struct pingo__manager_apply *a, const int64_t *rank_ms,
                            struct pingo_error *err)
{
    size_t n = pingo_workflow_count(a->workflow);
    const int64_t beyond =
        a->next_dataset - a->next_action; /* a dataset's number that of its action */
    for (size_t i = 0; i < n; i++)
        if (is_computing(a, i))
            a->rows[i] = a->next_action++;
    a->next_dataset = a->next_action + beyond;
    int rc = insert_datasets(a, beyond, err);
    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo__store_action_row row;
        struct pingo__store_action_list before;
        if (!is_computing(a, i))
            continue;
        describe_row(a, i, &row);
        row.id = a->rows[i];
        row.dataset = row.id + beyond;
        row.rank = rank_ms[i];
        rc = pingo__manager_apply_behind(a, i, &before, err);
        row.waits = count_pending(a, i) + (int64_t)before.n;
        row.state = pingo__rules_action_start(row.waits);
        if (!rc)
            rc = insert_row(a, &row, err);
        if (!rc)
            rc = bind_turn(a, &before, row.id, err);
        if (!rc)
            rc = pingo__manager_apply_originals(a, i, row.id, err);
    }
    return rc;
}

static int pin(struct pingo__manager_context *c, const struct pingo__store_dataset_row *row,
               enum pingo_keep keep, struct pingo_error *err)
{
    return keep == PINGO_KEEP_ALWAYS && row->id && !row->pinned
               ? pingo__store_dataset_set_pinned(c->db, row->id, true, err)
               : 0;
}

int pingo__manager_join(struct pingo__manager_context *c,
                        const struct pingo__store_action_row *joiner, int64_t dataset,
                        struct pingo_error *err)
{
    enum pingo_dataset_state to =
        pingo__rules_dataset_start(joiner->wanted, joiner->keep == PINGO_KEEP_NEVER);
    struct pingo__store_dataset_row row;
    int rc = pingo__store_dataset_get(c->db, dataset, NULL, &row, err);
    if (!rc && row.id && pingo__rules_dataset_is_raised(row.state, to))
        rc = pingo__store_dataset_move(c->db, &row, to, err);
    if (!rc)
        rc = pin(c, &row, joiner->keep, err);
    return rc ? rc : pingo__store_queue_join(c->db, joiner->joined, joiner->queue, err);
}

static int insert_joining(struct pingo__manager_apply *a, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(a->workflow);
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo__store_action_row row, maker;
        struct pingo__store_dataset_known k;
        if (a->entries[i].decision != PINGO_PLAN_JOIN || !gets_row(a, i))
            continue;
        describe_row(a, i, &row);
        row.id = a->rows[i] = a->next_action++;
        row.state = PINGO_ACTION_WAITING;
        if (entry_of(a, i)->decision == PINGO_PLAN_JOIN) {
            rc = pingo__store_dataset_known(a->c->db, &row.hash, false, &k, err);
            row.joined = k.action;
        } else {
            row.joined = a->rows[a->entries[i].computes];
            rc = pingo__store_action_get(a->c->db, row.joined, NULL, &maker, err);
            k.id = maker.dataset;
        }
        if (!rc)
            rc = insert_row(a, &row, err);
        if (!rc)
            rc = pingo__manager_join(a->c, &row, k.id, err);
    }
    return rc;
}

int pingo__manager_reuse(struct pingo__manager_context *c,
                         const struct pingo__store_dataset_row *row, bool wanted,
                         enum pingo_keep keep, struct pingo_error *err)
{
    enum pingo_dataset_state to = pingo__rules_dataset_reused(row->state, wanted);
    int rc = row->state != to ? pingo__store_dataset_move(c->db, row, to, err) : 0;
    if (!rc)
        rc = pin(c, row, keep, err);
    if (!rc)
        rc = pingo__store_dataset_touch(c->db, row->id, pingo__manager_now_ms(c), err);
    return rc;
}

static int reuse(struct pingo__manager_apply *a, size_t i, struct pingo_error *err)
{
    bool wanted = (a->entries[i].flags & PINGO_PLAN_WANTED) != 0;
    struct pingo__store_dataset_row row;
    int rc = pingo__store_dataset_current(a->c->db, pingo_digests_hash(a->digests, i), a->arena,
                                          &row, err);
    return rc || !row.id ? rc
                         : pingo__manager_reuse(a->c, &row, wanted,
                                                pingo_workflow_action(a->workflow, i)->keep, err);
}

/* A dataset that is not needed, but to be kept: it stays where it is there, or will be; it is not made for that. */
static int keep_skipped(struct pingo__manager_apply *a, size_t i, struct pingo_error *err)
{
    struct pingo__store_dataset_known known;
    struct pingo__store_dataset_row row = {.id = 0};
    int rc =
        pingo__store_dataset_known(a->c->db, pingo_digests_hash(a->digests, i), false, &known, err);
    if (rc || known.known <= PINGO_KNOWN_DELETED)
        return rc;
    if (known.known != PINGO_KNOWN_COMPUTING)
        return reuse(a, i, err);
    rc = pingo__store_dataset_get(a->c->db, known.id, NULL, &row, err);
    return rc ? rc : pin(a->c, &row, PINGO_KEEP_ALWAYS, err);
}

static int apply_reuse(struct pingo__manager_apply *a, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(a->workflow);
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        enum pingo_keep keep = pingo_workflow_action(a->workflow, i)->keep;
        if (a->entries[i].decision == PINGO_PLAN_REUSE)
            rc = reuse(a, i, err);
        else if (a->entries[i].decision == PINGO_PLAN_SKIP && keep == PINGO_KEEP_ALWAYS &&
                 !a->members)
            rc = keep_skipped(a, i, err);
    }
    return rc;
}

/* An action that is planned again keeps its row: it computes now, and waits for what its new plan says. */
static int bind_again(struct pingo__manager_apply *a, size_t i, struct pingo_error *err)
{
    const struct pingo__store_action_row *row = a->members[i].again;
    struct pingo__store_action_change change = {
        .row = row, .is_new_epoch = true, .now_ms = a->now_ms};
    struct pingo__store_action_list before;
    int64_t dataset = row->dataset, waits = 0;
    int rc = pingo__store_dependency_clear(a->c->db, row->id, err);
    if (!rc)
        rc = pingo__store_claim_drop(a->c->db, row->id, err);
    if (!rc && !dataset) { /* a joiner: it had none of its own */
        dataset = a->next_dataset++;
        rc = insert_dataset(a, i, row->id, dataset, err);
    }
    if (!rc && row->joined)
        rc = pingo__manager_apply_originals(a, i, row->id, err);
    if (!rc && (dataset != row->dataset || row->joined))
        rc = pingo__store_action_set_target(a->c->db, row->id, dataset, 0, err);
    if (!rc)
        rc = bind_inputs(a, i, row->id, err);
    if (!rc)
        rc = pingo__manager_apply_behind(a, i, &before, err);
    if (!rc)
        rc = bind_turn(a, &before, row->id, err);
    if (!rc)
        rc = pingo__store_action_count_waits(a->c->db, row->id, &waits, err);
    change.to = pingo__rules_action_start(waits);
    if (!rc)
        rc = pingo__store_action_change(a->c->db, &change, NULL, err);
    return rc;
}

static int lead_writers(struct pingo__manager_apply *a, size_t i, struct pingo_error *err)
{
    const struct pingo_action *action = pingo_workflow_action(a->workflow, i);
    uint32_t parent;
    int rc = 0;
    for (size_t k = 0; !rc && next_parent(a, action, &k, &parent);) {
        const struct pingo_action *maker = pingo_workflow_action(a->workflow, parent);
        if (!maker->is_managed)
            rc = pingo__manager_apply_before(a, maker->output_path, a->rows[i], err);
    }
    return rc;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static int rank(struct pingo__manager_apply *a, int64_t *rank_ms, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(a->workflow);
    int64_t *expected_ms = pingo__arena_array(a->arena, n, sizeof *expected_ms);
    int rc = expected_ms ? 0 : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++) {
        int64_t size = -1;
        expected_ms[i] = -1;
        if (a->entries[i].decision == PINGO_PLAN_COMPUTE &&
            a->entries[i].known != PINGO_KNOWN_NOTHING)
            rc = pingo__store_dataset_expect(a->c->db, pingo_digests_hash(a->digests, i),
                                             &expected_ms[i], &size, err);
    }
    if (!rc)
        pingo__plan_rank_paths(a->workflow, a->entries, expected_ms, rank_ms);
    return rc;
}

int pingo__manager_apply_plan(struct pingo__manager_apply *a, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(a->workflow);
    int64_t *rank_ms = pingo__arena_array(a->arena, n, sizeof *rank_ms);
    a->rows = pingo__arena_array(a->arena, n, sizeof *a->rows);
    a->marks = pingo__arena_array(a->arena, n, sizeof *a->marks);
    if (!rank_ms || !a->rows || !a->marks)
        return pingo__fail_memory(err);
    for (size_t i = 0; a->members && i < n; i++)
        a->rows[i] = a->members[i].again ? a->members[i].again->id : a->members[i].live;
    int rc = pingo__store_next_ids(a->c->db, &a->next_action, &a->next_dataset, err);
    if (!rc)
        rc = rank(a, rank_ms, err);
    if (!rc)
        rc = apply_reuse(a, err);
    if (!rc)
        rc = insert_computing(a, rank_ms, err);
    if (!rc)
        rc = insert_joining(a, err);
    if (!rc)
        pingo__store_db_set_next_action(a->c->db, a->next_action);
    if (!rc && a->unfinished)
        rc = pingo__store_progress_add(a->c->db, a->number, a->by_state, err);
    for (size_t i = 0; !rc && i < n; i++)
        if (is_computing(a, i))
            rc = bind_inputs(a, i, a->rows[i], err);
    for (size_t i = 0; !rc && a->members && i < n; i++)
        if (a->members[i].again)
            rc = bind_again(a, i, err);
    for (size_t i = 0; !rc && a->members && i < n; i++)
        if (a->members[i].again || is_computing(a, i))
            rc = lead_writers(a, i, err);
    /* Who joined it may have had a better place than its own workflow's: so has what it waits for now. */
    for (size_t i = 0; !rc && a->members && i < n; i++)
        if (a->members[i].again)
            rc = pingo__store_queue_lead(a->c->db, a->members[i].again->id, err);
    return rc;
}
