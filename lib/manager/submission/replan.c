/* replan.c - unfinished actions of a workflow are planned again.
 *
 * Of the graph only the part is read that such a plan can touch: the actions themselves, and upwards as far as
 * datasets are not there and nobody makes them.  Planner and apply.c see it as a workflow of its own, whose actions
 * stand in the order of the graph. */
#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "digest/digests.h"
#include "manager/submission/apply.h"
#include "manager/submission/workflow_manager.h"
#include "store/dataset/datasets.h"
#include "store/submission/driving.h"
#include "store/submission/workflows.h"
#include "workflow/workflow.h"

struct part {
    struct pingo__manager_context *c;
    const struct pingo__store_action_row *actions; /* to be planned again */
    size_t nactions, nlive;                        /* nlive: ancestors that wait for them */
    int64_t workflow, graph, user;
    bool has_turns;
    struct pingo__arena arena;
    struct pingo__map seen; /* positions */
    struct pingo__map ours; /* ids of actions */
    struct pingo__manager_member *members;
    size_t n, capacity;
    /* made of them: */
    struct pingo_workflow *view;
    struct pingo_digests *digests;
    struct pingo_plan_entry *entries;
    size_t *targets;
};

static void clear_part(struct part *p)
{
    pingo_digests_free(p->digests);
    pingo_workflow_free(p->view);
    pingo__map_clear(&p->ours);
    pingo__map_clear(&p->seen);
    pingo__arena_clear(&p->arena);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Does an action wait for one that is planned again?  Only where some wait for their turn: else whoever waits has the
 * hash of what it waits for, or one made of it, and there is no circle. */
static int waits_for_us(const struct part *p, int64_t action, bool *waits, struct pingo_error *err)
{
    struct pingo__manager_ours ours = {&p->ours, 0};
    *waits = false;
    return p->has_turns ? pingo__manager_waits_for(p->c, action, &ours, waits, err) : 0;
}

/* It makes what we need, unless it has come to wait for us, for its turn or by who joined us: then its plan is made
 * again with ours. */
static int look_at_live(struct part *p, struct pingo__manager_member *m, struct pingo_error *err)
{
    bool waits = false;
    m->known = PINGO_KNOWN_COMPUTING;
    int rc = waits_for_us(p, m->live, &waits, err);
    if (rc || !waits)
        return rc;
    struct pingo__store_action_row *row = pingo__arena_array(&p->arena, 1, sizeof *row);
    m->known = PINGO_KNOWN_DELETED;
    m->again = row;
    p->nlive++;
    return row ? pingo__store_action_get(p->c->db, m->live, &p->arena, row, err)
               : pingo__fail_memory(err);
}

/* What an ancestor is known as: being made, where this workflow does so.  Nobody joins another one's action that makes
 * an unmanaged output, nor one that waits for us. */
static int look(struct part *p, struct pingo__manager_member *m, struct pingo_error *err)
{
    struct pingo__store_dataset_known k;
    bool is_not = false;
    int rc =
        pingo__store_action_find_unfinished(p->c->db, p->workflow, m->node.position, &m->live, err);
    if (rc || m->live)
        return rc ? rc : look_at_live(p, m, err);
    rc = pingo__store_dataset_known(p->c->db, &m->node.hash, true, &k, err);
    m->known = k.known;
    if (rc || k.known <= PINGO_KNOWN_DELETED)
        return rc;
    if (k.known == PINGO_KNOWN_COMPUTING && m->node.output_path)
        is_not = true;
    else if (k.known == PINGO_KNOWN_COMPUTING)
        rc = waits_for_us(p, k.action, &is_not, err);
    if (is_not)
        m->known = PINGO_KNOWN_DELETED;
    return rc;
}

static int add_member(struct part *p, int64_t position, const struct pingo__store_action_row *again,
                      struct pingo_error *err)
{
    if (pingo__map_get(&p->seen, &position, sizeof position) != PINGO__MAP_NONE)
        return 0;
    if (!PINGO__ARENA_ROOM(&p->arena, p->members, p->n, p->capacity) ||
        !pingo__map_keep(&p->seen, &p->arena, &position, sizeof position, (uint32_t)p->n))
        return pingo__fail_memory(err);
    struct pingo__manager_member *m = &p->members[p->n++];
    *m = (struct pingo__manager_member){.again = again, .known = PINGO_KNOWN_DELETED};
    int rc = pingo__store_node_get(p->c->db, &(struct pingo__store_at){p->graph, position},
                                   &p->arena, &m->node, err);
    if (!rc && !m->node.name)
        return pingo__fail(err, PINGO_ECORRUPT, "workflow %lld has no action at %lld",
                           (long long)p->workflow, (long long)position);
    return rc || again ? rc : look(p, m, err);
}

/* What must compute leads to its parents. */
static int read_members(struct part *p, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < p->nactions; i++)
        if (!pingo__map_keep(&p->ours, &p->arena, &p->actions[i].id, sizeof(int64_t), (uint32_t)i))
            rc = pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < p->nactions; i++)
        rc = add_member(p, p->actions[i].position, &p->actions[i], err);
    for (size_t i = 0; !rc && i < p->n; i++) {
        struct pingo__manager_member m = p->members[i];
        if (m.known != PINGO_KNOWN_NOTHING && m.known != PINGO_KNOWN_DELETED)
            continue;
        struct pingo__store_position_list parents = {.arena = &p->arena};
        rc = pingo__store_node_parents(
            p->c->db, &(struct pingo__store_at){p->graph, m.node.position}, &parents, err);
        m.parents = parents.rows;
        m.nparents = parents.n;
        p->members[i] = m;
        for (size_t k = 0; !rc && k < m.nparents; k++)
            rc = add_member(p, m.parents[k], NULL, err);
    }
    return rc;
}

/* ---- as a workflow ---------------------------------------------------------------------------- */

static int by_position(const void *a, const void *b)
{
    int64_t x = ((const struct pingo__manager_member *)a)->node.position;
    int64_t y = ((const struct pingo__manager_member *)b)->node.position;
    return x < y ? -1 : x > y;
}

/* The edges among the members, who stand in the order of the graph. */
static int make_view(struct part *p, struct pingo_error *err)
{
    size_t nparents = 0;
    bool enough = true;
    qsort(p->members, p->n, sizeof *p->members, by_position);
    for (size_t i = 0; enough && i < p->n; i++) {
        nparents += p->members[i].nparents;
        enough =
            pingo__map_set(&p->seen, &p->members[i].node.position, sizeof(int64_t), (uint32_t)i);
    }
    uint32_t *first = pingo__arena_array(&p->arena, p->n + 1, sizeof *first);
    uint32_t *parents = pingo__arena_array(&p->arena, nparents + 1, sizeof *parents);
    if (!enough || !first || !parents)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < p->n; i++) {
        first[i + 1] = first[i];
        for (size_t k = 0; k < p->members[i].nparents; k++) {
            int64_t position = p->members[i].parents[k];
            parents[first[i + 1]++] = pingo__map_get(&p->seen, &position, sizeof position);
        }
    }
    int rc = pingo__workflow_bare(p->n, first, parents, &p->view, err);
    for (size_t i = 0; !rc && i < p->n; i++) {
        const struct pingo__store_node *node = &p->members[i].node;
        struct pingo_action *action = &p->view->actions[i];
        action->id = node->user_id;
        action->name = node->name;
        action->output_path = node->output_path;
        action->keep = node->keep;
        action->is_managed = !node->output_path;
        action->retries = node->retries;
    }
    return rc;
}

static bool make_arrays(struct part *p)
{
    struct pingo_hash *hashes = pingo__arena_array(&p->arena, p->n, sizeof *hashes);
    p->entries = pingo__arena_array(&p->arena, p->n, sizeof *p->entries);
    p->targets = pingo__arena_array(&p->arena, p->nactions + p->nlive, sizeof *p->targets);
    if (!hashes || !p->entries || !p->targets)
        return false;
    for (size_t i = 0, k = 0; i < p->n; i++) {
        hashes[i] = p->members[i].node.hash;
        if (p->members[i].again)
            p->targets[k++] = i;
    }
    return pingo__digest_digests_restore(hashes, p->n, false, &p->digests, NULL) == 0;
}

/* ---- planning --------------------------------------------------------------------------------- */

static int look_up(void *context, const struct pingo_hash *hash, size_t action,
                   enum pingo_known *known, struct pingo_error *err)
{
    const struct part *p = context;
    (void)hash;
    (void)err;
    *known = p->members[action].known;
    return 0;
}

/* Of equal actions one is planned again at a time: then the others, which are added to rest, find that it is made. */
static int plan(struct part *p, struct pingo__store_action_list *rest, struct pingo_error *err)
{
    struct pingo_plan_options options = {.version = 1,
                                         .targets = p->targets,
                                         .ntargets = p->nactions + p->nlive,
                                         .again = true,
                                         .lookup = look_up,
                                         .context = p};
    int rc = pingo_plan(p->view, p->digests, &options, p->entries, err);
    for (size_t i = 0; !rc && i < p->n; i++) {
        struct pingo_plan_entry *e = &p->entries[i];
        struct pingo__manager_member *m = &p->members[i];
        if (m->again && e->computes != i) {
            if (!m->live)
                rest->rows[rest->n++] = *m->again;
            m->again = NULL;
        } else if (m->again && !m->again->wanted) {
            /* A target of the plan, but not one of the user's. */
            e->flags &= (uint8_t)~PINGO_PLAN_WANTED;
        }
    }
    return rc;
}

static int apply(struct part *p, struct pingo_error *err)
{
    struct pingo__manager_apply a = {.c = p->c,
                                     .workflow = p->view,
                                     .digests = p->digests,
                                     .entries = p->entries,
                                     .arena = &p->arena,
                                     .number = p->workflow,
                                     .priority = p->actions->priority,
                                     .user = p->user,
                                     .graph = p->graph,
                                     .members = p->members,
                                     .ours = &p->ours,
                                     .now_ms = pingo__manager_now_ms(p->c)};
    int rc = pingo__manager_apply_plan(&a, err);
    if (!rc)
        rc = pingo__store_driving_changed(p->c->db, err);
    if (!rc && a.unfinished)
        rc = pingo__store_workflow_add_unfinished(p->c->db, p->workflow, a.unfinished, err);
    return rc;
}

/* rest: those that are left to be planned are added. */
static int replan_some(struct pingo__manager_context *c,
                       const struct pingo__store_action_row *actions, size_t n,
                       struct pingo__store_action_list *rest, struct pingo_error *err)
{
    struct part p = {.c = c, .actions = actions, .nactions = n, .workflow = actions->workflow};
    struct pingo__store_workflow_row row;
    int rc = pingo__store_workflow_get(c->db, p.workflow, &p.arena, &row, err);
    if (!rc && !row.id)
        rc = pingo__fail(err, PINGO_ECORRUPT, "workflow %lld is not in the store",
                         (long long)p.workflow);
    p.graph = row.graph;
    p.user = row.user_number;
    if (!rc)
        rc = pingo__store_dependency_has_turns(c->db, &p.has_turns, err);
    if (!rc)
        rc = read_members(&p, err);
    if (!rc)
        rc = make_view(&p, err);
    if (!rc && !make_arrays(&p))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = plan(&p, rest, err);
    if (!rc)
        rc = apply(&p, err);
    clear_part(&p);
    return rc;
}

/* Those of one workflow together, for many may need the same. */
static int replan_workflow(struct pingo__manager_context *c,
                           const struct pingo__store_action_row *actions, size_t n,
                           struct pingo_error *err)
{
    struct pingo__store_action_row *rest = malloc((2 * n + 1) * sizeof *rest), *next = rest;
    int rc = rest ? 0 : pingo__fail_memory(err);
    while (!rc && n) {
        struct pingo__store_action_list left = {.rows = next};
        rc = replan_some(c, actions, n, &left, err);
        if (!rc && left.n == n) { /* an ancestor of another stands for each of them */
            left.n = 0;
            rc = replan_some(c, actions, 1, &left, err);
            actions++;
            n--;
            continue;
        }
        actions = next;
        next = next == rest ? rest + n : rest;
        n = left.n;
    }
    free(rest);
    return rc;
}

static int by_workflow(const void *a, const void *b)
{
    const struct pingo__store_action_row *x = a, *y = b;
    if (x->workflow != y->workflow)
        return x->workflow < y->workflow ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

int pingo__manager_workflow_replan(struct pingo__manager_context *c,
                                   struct pingo__store_action_row *actions, size_t n,
                                   struct pingo_error *err)
{
    int rc = 0;
    if (n > 1)
        qsort(actions, n, sizeof *actions, by_workflow);
    for (size_t i = 0, k; !rc && i < n; i = k) {
        for (k = i + 1; k < n && actions[k].workflow == actions[i].workflow;)
            k++;
        rc = replan_workflow(c, &actions[i], k - i, err);
    }
    return rc;
}
