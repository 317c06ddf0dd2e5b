/* lookup.c - what the planner is told of the store: of its rows, and of what lies in the pool. */
#include "digest/digests.h"
#include "manager/submission/workflow_manager.h"

/* What the store says is there may have vanished from the pool: then it is not reused. */
static int look_at_pool(struct pingo__manager_lookup *l, const struct pingo_hash *hash,
                        struct pingo__store_dataset_known *k, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    enum pingo__manager_presence is = PINGO__GONE;
    bool is_other = false;
    int rc = pingo__store_dataset_get(l->c->db, k->id, l->arena, &row, err);
    if (!rc && row.id)
        rc = pingo__manager_dataset_look(l->c, &row, &is, err);
    if (!rc && is == PINGO__SUSPECT)
        rc = pingo__manager_suspects_judge(l->suspects, &row, &is_other, err);
    if (rc || is == PINGO__THERE || (is == PINGO__SUSPECT && !is_other))
        return rc;
    k->known = PINGO_KNOWN_DELETED;
    l->found_lost = true;
    if (!l->writes)
        return 0;
    rc = pingo__manager_dataset_lost(l->c, &row, err);
    return rc ? rc : pingo__store_dataset_known(l->c->db, hash, false, k, err);
}

int pingo__manager_workflow_lookup(void *context, const struct pingo_hash *hash, size_t action,
                                   enum pingo_known *known, struct pingo_error *err)
{
    struct pingo__manager_lookup *l = context;
    struct pingo__store_dataset_known k;
    size_t length = 0;
    const void *description =
        l->digests ? pingo_digests_description(l->digests, action, &length) : NULL;
    int rc = pingo__store_dataset_known(l->c->db, hash, false, &k, err);
    if (!rc && description && k.known != PINGO_KNOWN_NOTHING)
        rc = pingo__store_definition_check(l->c->db, hash, description, length, err);
    if (!rc && k.known >= PINGO_KNOWN_STORED && k.known <= PINGO_KNOWN_RESCUABLE)
        rc = look_at_pool(l, hash, &k, err);
    *known = k.known;
    return rc;
}

/* What was lost is marked so, and its bytes removed, only by a plan that holds. */
int pingo__manager_workflow_plan(struct pingo__manager_submit *s,
                                 struct pingo__manager_lookup *lookup,
                                 struct pingo_plan_entry *entries,
                                 struct pingo_plan_summary *summary, struct pingo_error *err)
{
    int rc = pingo_plan(s->workflow, s->digests, &s->plan, pingo__manager_workflow_lookup, lookup,
                        entries, summary, err);
    if (rc || !lookup->found_lost || pingo__manager_suspects_is_any_unread(s->suspects))
        return rc;
    lookup->writes = true;
    return pingo_plan(s->workflow, s->digests, &s->plan, pingo__manager_workflow_lookup, lookup,
                      entries, summary, err);
}
