/* callback.c - see callback.h: what happens in the transaction.  What is found out before it, and what is
 * cleaned up after it, is in settling.c; what a failure does in failing.c; how an action ends otherwise than
 * well in ending.c. */
#include "manager/attempt/callback.h"

#include <string.h>

#include "manager/dataset/outside.h"
#include "rules/effects.h"
#include "store/decision/evictions.h"
#include "store/action/summary.h"
#include "store/transition.h"
#include "store/submission/users.h"
#include "store/dataset/wishes.h"

/* What the new generation replaces: it goes as soon as nobody claims it; of an unmanaged output nothing is
 * left to go. */
static int retire(struct pingo__manager_context *c, const struct pingo__store_dataset_row *d,
                  const struct pingo__store_dataset_row *former, struct pingo_error *err)
{
    if (!d->managed)
        return pingo__manager_outside_retire(c, d->path, d->id, err);
    return former->id && pingo__rules_dataset_is_kept(former->state)
               ? pingo__store_dataset_move(c->db, former, PINGO_DATASET_STORED_TO_DELETE, err)
               : 0;
}

/* Who wanted it may have released it while it was made, and who wanted an earlier generation, which was lost or never
 * came to be, may not.  It is mostly its own submission that wants it. */
static int as_wanted(struct pingo__manager_context *c, const struct pingo__store_action_row *a,
                     bool is_again, enum pingo_dataset_state *to, struct pingo_error *err)
{
    bool stays = false;
    int64_t other = 0;
    if (*to != PINGO_DATASET_LEAF && !is_again)
        return 0;
    int rc = a->wanted ? pingo__store_wish_stays(c->db, a->workflow, &a->hash, &stays, err) : 0;
    if (!rc && !stays)
        rc = pingo__store_wish_find(c->db, &a->hash, &other, err);
    if (stays || other)
        *to = PINGO_DATASET_LEAF;
    else if (*to == PINGO_DATASET_LEAF)
        *to = PINGO_DATASET_STORED;
    return rc;
}

static int publish_dataset(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo_job_end *e = &s->end;
    struct pingo__store_dataset_row d, former;
    int rc = pingo__store_dataset_get(s->c->db, s->p.action.dataset, s->arena, &d, err);
    if (!rc)
        rc = pingo__store_dataset_current(s->c->db, &d.hash, s->arena, &former, err);
    if (rc)
        return rc;
    d.pinned = d.pinned || former.pinned;
    enum pingo_dataset_state to = pingo__rules_dataset_made(d.state, former.state, d.pinned);
    rc = d.managed ? as_wanted(s->c, &s->p.action, d.generation > 1, &to, err) : 0;
    if (rc)
        return rc;
    d.epoch = e->key.epoch;
    d.action = e->key.action;
    d.path = s->object;
    d.directory = s->root.directory;
    d.stamp = s->root.stamp;
    /* The user may make a file of their own executable. */
    d.mark = d.managed || d.directory ? e->output_mark : 0;
    d.size_bytes = e->size_bytes;
    d.content = e->content;
    d.compute_ms = e->wall_ms;
    d.made_ms = e->ended_ms;
    rc = pingo__store_dataset_publish(s->c->db, &d, former.id, to, err);
    if (!rc)
        rc = retire(s->c, &d, &former, err);
    /* What it would have cost anyway is no regret, nor is what was made elsewhere, in no known time. */
    int64_t regret_ms = s->p.action.forced || d.compute_ms < 0 ? 0 : d.compute_ms;
    if (!rc && former.id) /* else nothing of it was there to be evicted */
        rc = pingo__store_eviction_regret(s->c->db, &d.hash, regret_ms, pingo__manager_now_ms(s->c),
                                          err);
    if (!rc && former.id && memcmp(&former.content, &d.content, sizeof d.content) != 0)
        pingo__manager_log(
            s->c, PINGO_LOG_WARNING,
            "action %s: made again with other content than before: it, or what it descends "
            "from, is not deterministic, or was adopted",
            s->p.action.name);
    return rc;
}

int pingo__manager_callback_succeed(struct pingo__manager_settling *s, struct pingo_error *err)
{
    struct pingo__store_action_list joiners = {.arena = s->arena};
    int rc = publish_dataset(s, err);
    if (!rc) /* own state first: whoever looks at the children sees a finished parent */
        rc = pingo__manager_action_finish(s->c, &s->p.action, s->p.action.dataset, s->arena, err);
    if (!rc)
        rc = pingo__store_action_list(s->c->db, PINGO__ACTIONS_JOINERS, s->p.action.id, &joiners,
                                      err);
    for (size_t i = 0; !rc && i < joiners.n; i++)
        rc = pingo__manager_action_finish(s->c, &joiners.rows[i], s->p.action.dataset, s->arena,
                                          err);
    s->outcome = PINGO__SETTLED_PUBLISHED;
    return rc;
}

static int apply_to_action(struct pingo__manager_settling *s, struct pingo_error *err)
{
    struct pingo__store_action_row *now = &s->p.action;
    int rc = now->id ? pingo__store_action_refresh(s->c->db, now, err) : 0;
    if (!rc && s->lost && !s->current)
        return pingo__manager_callback_give_up(s, err);
    if (rc || !now->id || !pingo__manager_is_in_epoch(now, s->end.key.epoch))
        return rc;
    if (!s->current) /* it was not when we looked at its output */
        return pingo__manager_callback_again(s, &(struct pingo__manager_again){.tries = 0}, err);
    if (s->object && !s->refused && pingo_job_end_is_success(&s->end)) {
        rc = pingo__manager_callback_succeed(s, err);
        return rc ? rc : pingo__manager_memory_learn(s, err);
    }
    return pingo__manager_callback_fail(s, err);
}

int pingo__manager_callback_apply(struct pingo__manager_settling *s, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_attempt_row attempt;
    s->arena = &arena;
    s->outcome = PINGO__SETTLED_OLD;
    int rc = pingo__store_attempt_get(s->c->db, s->end.key, &arena, &attempt, err);
    bool is_open = !rc && attempt.key.action && attempt.state != PINGO__ATTEMPT_ENDED;
    if (is_open) {
        struct pingo__store_ended ended = {.end = &s->end,
                                           .failure = &s->failure,
                                           .workflow = s->p.action.workflow,
                                           .id = s->p.action.user_id,
                                           .executor = attempt.executor,
                                           .handed_ms = attempt.handed_ms,
                                           .started_ms = attempt.started_ms};
        s->outcome = s->p.action.id ? PINGO__SETTLED_DROPPED : PINGO__SETTLED_OLD;
        rc = apply_to_action(s, err);
        if (!rc) /* the action first: what is handed out has an open attempt */
            rc = pingo__store_attempt_end(s->c->db, &ended, err);
        if (!rc && s->p.action.id && s->end.wall_ms > 0 && s->end.reason != PINGO_END_NOT_STARTED)
            rc = pingo__store_user_add(s->c->db, s->p.action.user, 0, s->end.wall_ms * s->slots,
                                       err);
    }
    if (!rc && is_open && s->outcome == PINGO__SETTLED_FAILED) /* its scratch stays, and counts */
        rc = pingo__store_attempt_set_scratch(s->c->db, s->end.key, 0, err);
    pingo__arena_clear(&arena);
    return rc;
}
