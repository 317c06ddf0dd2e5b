/* wake.c - see callback.h: an action has one action less to wait for. */
#include "manager/attempt/callback.h"

int pingo__manager_action_wait_is_over(struct pingo__manager_context *c,
                                       const struct pingo__store_action_row *a,
                                       struct pingo_error *err)
{
    int64_t waits = 0;
    int rc = pingo__store_action_wait_done(c->db, a->id, &waits, err);
    if (rc || waits > 0 || a->state != PINGO_ACTION_WAITING)
        return rc;
    return pingo__store_action_move(c->db, a, PINGO_ACTION_READY, pingo__manager_now_ms(c), err);
}

int pingo__manager_wake_children(struct pingo__manager_context *c, int64_t parent, int64_t dataset,
                                 struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_list readers = {.arena = arena}, waiters = {.arena = arena};
    int rc = pingo__store_action_list(c->db, PINGO__ACTIONS_READERS, parent, &readers, err);
    for (size_t i = 0; !rc && i < readers.n; i++) {
        rc = pingo__store_claim_insert(c->db, dataset, readers.rows[i].id, err);
        if (!rc)
            rc = pingo__manager_action_wait_is_over(c, &readers.rows[i], err);
    }
    if (!rc)
        rc = pingo__store_action_list(c->db, PINGO__ACTIONS_WAITERS, parent, &waiters, err);
    for (size_t i = 0; !rc && i < waiters.n; i++)
        rc = pingo__manager_action_wait_is_over(c, &waiters.rows[i], err);
    return rc;
}

int pingo__manager_action_finish(struct pingo__manager_context *c,
                                 const struct pingo__store_action_row *a, int64_t dataset,
                                 struct pingo__arena *arena, struct pingo_error *err)
{
    int rc =
        pingo__store_action_move(c->db, a, PINGO_ACTION_FINISHED, pingo__manager_now_ms(c), err);
    if (!rc)
        rc = pingo__store_claim_drop(c->db, a->id, err);
    return rc ? rc : pingo__manager_wake_children(c, a->id, dataset, arena, err);
}
