/* ending.c - how actions end otherwise than well: failure and kill, and all that follows.
 *
 * What always holds: an action that ends so takes its descendants with it, drops
 * its claims, and hands its joiners on, in one transaction; what another live
 * workflow needs is never killed.  A list of work stands for recursion. */
#include <search.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"
#include "manager/attempt/callback.h"
#include "manager/attempt/inputs.h"
#include "manager/submission/apply.h"
#include "manager/submission/workflow_manager.h"
#include "rules/effects.h"
#include "store/dataset/wishes.h"
#include "store/transition.h"
#include "store/submission/users.h"

struct ending {
    int64_t action;
    enum pingo_action_state to;
    const char *message; /* in the arena; NULL: none */
};

/* A joiner that is to compute, and is yet to be planned. */
struct promoted {
    int64_t action, workflow, dataset;
};

struct endings {
    struct pingo__manager_context *c;
    struct pingo__arena *arena;
    struct pingo__arena *scratch; /* the rows around one action: emptied after each */
    struct ending *list;
    size_t n, capacity;
    size_t ended;
    /* Workflows that had ended (killed ones) of which something ended now, or what had joined them: */
    int64_t *over;
    size_t nover, over_capacity, nlooked; /* nlooked: so many have been looked at since */
    int64_t live;                         /* one that had not */
    struct promoted *promoted;
    size_t npromoted, promoted_capacity;
};

static int push(struct endings *e, int64_t action, enum pingo_action_state to, const char *message,
                struct pingo_error *err)
{
    if (!PINGO__ARRAY_ROOM(e->list, e->capacity, e->n, 1))
        return pingo__fail_memory(err);
    e->list[e->n++] = (struct ending){action, to, message};
    return 0;
}

/* ---- joiners -------------------------------------------------------------------------------- */

static int is_live(struct endings *e, int64_t workflow, bool *is, struct pingo_error *err)
{
    struct pingo__store_workflow_row row;
    int rc = pingo__store_workflow_get(e->c->db, workflow, e->scratch, &row, err);
    *is = !rc && row.state == PINGO_WORKFLOW_RUNNING;
    return rc;
}

/* Whoever is planned before it finds that it makes this. */
static int promote(struct endings *e, struct pingo__store_action_row *j, struct pingo_error *err)
{
    struct pingo__store_dataset_row d = {
        .hash = j->hash,
        .state = pingo__rules_dataset_start(j->wanted, j->keep == PINGO_KEEP_NEVER),
        .managed = true,
        .pinned = j->keep == PINGO_KEEP_ALWAYS,
        .action = j->id};
    int64_t action;
    if (!PINGO__ARENA_ROOM(e->arena, e->promoted, e->npromoted, e->promoted_capacity))
        return pingo__fail_memory(err);
    int rc = pingo__store_next_ids(e->c->db, &action, &d.id, err);
    if (!rc)
        rc = pingo__store_dataset_insert(e->c->db, &d, err);
    j->dataset = d.id;
    e->promoted[e->npromoted++] = (struct promoted){j->id, j->workflow, d.id};
    return rc;
}

/* He may have released meanwhile what he had wanted. */
static int reuse(struct endings *e, const struct pingo__store_action_row *j, int64_t dataset,
                 struct pingo_error *err)
{
    struct pingo__store_dataset_row d;
    bool wanted = false;
    int rc = pingo__store_dataset_get(e->c->db, dataset, e->scratch, &d, err);
    if (!rc && j->wanted)
        rc = pingo__store_wish_stays(e->c->db, j->workflow, &j->hash, &wanted, err);
    if (!rc)
        rc = pingo__manager_reuse(e->c, &d, wanted, j->keep, err);
    return rc ? rc : pingo__manager_action_finish(e->c, j, dataset, e->scratch, err);
}

/* The rest join the one that computes it, or has. */
static int join_instead(struct endings *e, struct pingo__store_action_list *joiners,
                        const struct pingo__store_action_row *maker, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < joiners->n; i++) {
        struct pingo__store_action_row *j = &joiners->rows[i];
        if (!j->id || j == maker)
            continue;
        j->joined = maker->id;
        rc = pingo__store_action_set_target(e->c->db, j->id, 0, maker->id, err);
        if (!rc)
            rc = pingo_action_state_is_final(maker->state)
                     ? reuse(e, j, maker->dataset, err)
                     : pingo__manager_join(e->c, j, maker->dataset, err);
    }
    return rc;
}

/* Does another one who makes it wait for one of them, for its turn? */
static int waits_for_any(struct endings *e, int64_t other,
                         const struct pingo__store_action_list *joiners, bool *waits,
                         struct pingo_error *err)
{
    struct pingo__map ids = {0};
    int rc = 0;
    for (size_t i = 0; !rc && i < joiners->n; i++)
        if (!pingo__map_keep(&ids, e->scratch, &joiners->rows[i].id, sizeof(int64_t), (uint32_t)i))
            rc = pingo__fail_memory(err);
    if (!rc)
        rc = pingo__manager_waits_for(e->c, other, &(struct pingo__manager_ours){&ids, 0}, waits,
                                      err);
    pingo__map_clear(&ids);
    return rc;
}

/* Where somebody repeats it, it may be there, or be made besides: none of them computes it then. */
static int hand_to(struct endings *e, struct pingo__store_action_list *joiners,
                   struct pingo__store_action_row *first, struct pingo_error *err)
{
    struct pingo__store_dataset_known k;
    struct pingo__store_action_row maker = {.id = 0};
    bool waits = false;
    int rc = pingo__store_dataset_known(e->c->db, &first->hash, false, &k, err);
    if (!rc && k.known > PINGO_KNOWN_DELETED)
        rc = pingo__store_action_get(e->c->db, k.action, e->scratch, &maker, err);
    if (!rc && maker.id)
        rc = waits_for_any(e, maker.id, joiners, &waits, err);
    if (!rc && maker.id && !waits) {
        maker.dataset = k.id;
        return join_instead(e, joiners, &maker, err);
    }
    if (!rc)
        rc = promote(e, first, err);
    return rc ? rc : join_instead(e, joiners, first, err);
}

/* Equal actions of one workflow are one computation and end together.  Of the others, the oldest of a live workflow
 * (the lowest id in it) is planned again, with its own resources and retries, unless another one makes it. */
static int hand_on(struct endings *e, const struct pingo__store_action_row *a,
                   const struct ending *how, struct pingo_error *err)
{
    struct pingo__store_action_list joiners = {.arena = e->scratch};
    struct pingo__store_action_row *first = NULL;
    int rc = pingo__store_action_list(e->c->db, PINGO__ACTIONS_JOINERS, a->id, &joiners, err);
    for (size_t i = 0; !rc && i < joiners.n; i++) {
        struct pingo__store_action_row *j = &joiners.rows[i];
        bool is_other = j->workflow != a->workflow;
        bool live = is_other && e->npromoted && /* as most: with the one before */
                    j->workflow == e->promoted[e->npromoted - 1].workflow;
        if (is_other && !live)
            rc = is_live(e, j->workflow, &live, err);
        if (rc)
            return rc;
        if (!live) {
            rc = push(e, j->id, j->workflow == a->workflow ? how->to : PINGO_ACTION_CANCELLED,
                      how->message, err);
            j->id = 0;
        } else if (!first || j->workflow < first->workflow ||
                   (j->workflow == first->workflow && j->user_id < first->user_id)) {
            first = j;
        }
    }
    return rc || !first ? rc : hand_to(e, &joiners, first, err);
}

static int plan_promoted(struct endings *e, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    size_t n = e->npromoted;
    struct pingo__store_action_row *rows = pingo__arena_array(&arena, n, sizeof *rows);
    int rc = rows ? 0 : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++) {
        rc = pingo__store_action_get(e->c->db, e->promoted[i].action, &arena, &rows[i], err);
        rows[i].dataset = e->promoted[i].dataset;
    }
    if (!rc)
        rc = pingo__manager_workflow_replan(e->c, rows, n, err);
    pingo__arena_clear(&arena);
    e->npromoted = 0;
    return rc;
}

/* ---- one action ------------------------------------------------------------------------------ */

/* *pinned: by who skipped it. */
static int drop_dataset(struct endings *e, const struct pingo__store_action_row *a, bool *pinned,
                        struct pingo_error *err)
{
    struct pingo__store_dataset_row d = {.pinned = false};
    int rc = a->dataset ? pingo__store_dataset_get(e->c->db, a->dataset, e->scratch, &d, err) : 0;
    *pinned = d.pinned;
    if (!rc && a->dataset && pingo_dataset_state_is_pending(d.state))
        rc = pingo__store_dataset_move(e->c->db, &d, PINGO_DATASET_DELETED, err);
    return rc;
}

static int end_followers(struct endings *e, const struct pingo__store_action_row *a,
                         const struct ending *how, struct pingo_error *err)
{
    struct pingo__store_follower_list followers = {.arena = e->scratch};
    struct pingo__store_action_list waiters = {.arena = e->scratch};
    bool has[PINGO__ACTIONS_WAITERS + 1] = {false};
    char *message =
        pingo__arena_format(e->arena, "action %lld (%s) %s", (long long)a->user_id, a->name,
                            how->to == PINGO_ACTION_FAILED   ? "failed"
                            : how->to == PINGO_ACTION_KILLED ? "was killed"
                                                             : "was cancelled");
    int rc = message ? pingo__store_action_list_followers(e->c->db, a->id, &followers, err)
                     : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < followers.n; i++) {
        has[followers.rows[i].what] = true;
        if (followers.rows[i].what == PINGO__ACTIONS_READERS)
            rc = push(e, followers.rows[i].id, PINGO_ACTION_CANCELLED, message, err);
    }
    if (!rc && has[PINGO__ACTIONS_WAITERS])
        rc = pingo__store_action_list(e->c->db, PINGO__ACTIONS_WAITERS, a->id, &waiters, err);
    for (size_t i = 0; !rc && i < waiters.n; i++)
        rc = pingo__manager_action_wait_is_over(e->c, &waiters.rows[i], err);
    return rc || !has[PINGO__ACTIONS_JOINERS] ? rc : hand_on(e, a, how, err);
}

static int note_over(struct endings *e, int64_t workflow, struct pingo_error *err)
{
    bool live = workflow == e->live;
    size_t n = e->nover - e->nlooked;
    if (n && lfind(&workflow, e->over + e->nlooked, &n, sizeof workflow, pingo__array_by_id))
        return 0;
    int rc = live ? 0 : is_live(e, workflow, &live, err);
    if (rc || live) {
        e->live = workflow;
        return rc;
    }
    if (!PINGO__ARENA_ROOM(e->arena, e->over, e->nover, e->over_capacity))
        return pingo__fail_memory(err);
    e->over[e->nover++] = workflow;
    return 0;
}

/* It may have been the last that needed what it joined. */
static int note_joined(struct endings *e, int64_t joined, struct pingo_error *err)
{
    struct pingo__store_action_row row = {.id = 0};
    int rc = joined ? pingo__store_action_get(e->c->db, joined, e->scratch, &row, err) : 0;
    return rc || !row.id ? rc : note_over(e, row.workflow, err);
}

static int end_one(struct endings *e, const struct ending *how, struct pingo_error *err)
{
    struct pingo__store_action_row a;
    int rc = pingo__store_action_get(e->c->db, how->action, e->scratch, &a, err);
    if (rc || !a.id || pingo_action_state_is_final(a.state))
        return rc;
    bool is_done = false;
    enum pingo_action_state to = pingo__rules_action_end(a.state, how->to);
    rc = pingo__store_action_change(
        e->c->db,
        &(struct pingo__store_action_change){.row = &a,
                                             .to = to,
                                             .is_new_epoch = to != PINGO_ACTION_FAILED,
                                             .now_ms = pingo__manager_now_ms(e->c),
                                             .message = how->message},
        &is_done, err);
    e->ended += is_done;
    if (!rc && pingo__rules_action_is_handed(a.state))
        rc = pingo__store_attempt_unwant(e->c->db, a.id, err);
    if (!rc)
        rc = pingo__store_claim_drop(e->c->db, a.id, err);
    if (!rc)
        rc = drop_dataset(e, &a, &(bool){false}, err);
    if (!rc)
        rc = end_followers(e, &a, &(struct ending){a.id, to, how->message}, err);
    if (!rc)
        rc = note_joined(e, a.joined, err);
    return rc ? rc : note_over(e, a.workflow, err);
}

static int run(struct endings *e, struct pingo_error *err)
{
    int rc = 0;
    while (!rc && e->n) {
        struct ending how = e->list[--e->n];
        rc = end_one(e, &how, err);
        pingo__arena_reset(e->scratch);
    }
    return rc || !e->npromoted ? rc : plan_promoted(e, err);
}

/* ---- what nobody needs any more of a killed workflow ---------------------------------------- */

static int kill_in(struct endings *e, int64_t workflow, struct pingo_error *err)
{
    struct pingo__store_action_state_list list = {.arena = e->arena};
    int rc = pingo__store_action_list_unneeded(e->c->db, workflow, &list, err);
    if (!rc)
        rc = pingo__store_workflow_kill(e->c->db, workflow, pingo__manager_now_ms(e->c), err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        struct pingo__store_action_row now = {.id = list.rows[i].id};
        rc = pingo__store_action_refresh(e->c->db, &now, err);
        if (rc || pingo_action_state_is_final(now.state)) /* as most: with those before them */
            continue;
        rc = push(e, now.id, pingo__rules_action_kill(list.rows[i].state), "killed", err);
        if (!rc)
            rc = run(e, err);
    }
    return rc;
}

/* What killed workflows had left running for what has ended now goes as well, unless another live one needs it. */
static int kill_left(struct endings *e, struct pingo_error *err)
{
    int rc = 0;
    while (!rc && e->nlooked < e->nover)
        rc = kill_in(e, e->over[e->nlooked++], err);
    return rc;
}

int pingo__manager_action_end(struct pingo__manager_context *c,
                              const struct pingo__store_action_row *action,
                              enum pingo_action_state to, const char *message,
                              struct pingo_error *err)
{
    struct pingo__arena arena = {0}, scratch = {0};
    struct endings e = {.c = c, .arena = &arena, .scratch = &scratch};
    int rc = push(&e, action->id, to, message, err);
    if (!rc)
        rc = run(&e, err);
    if (!rc)
        rc = kill_left(&e, err);
    free(e.list);
    pingo__arena_clear(&scratch);
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- what nobody needs any more ------------------------------------------------------------ */

static int is_unneeded(struct endings *e, const struct pingo__store_action_row *a, bool *is,
                       struct pingo_error *err)
{
    struct pingo__store_follower_list followers = {.arena = e->scratch};
    *is = pingo__rules_action_is_idle(a->state) && !a->wanted && !a->forced && !a->output_path;
    int rc = *is ? pingo__store_action_list_followers(e->c->db, a->id, &followers, err) : 0;
    *is = *is && !rc && !followers.n;
    return rc;
}

/* It, and what it joined.  Those whose parents are looked at next are in the list, which is not run. */
static int cancel_unneeded(struct endings *e, struct pingo__store_action_row a, const char *message,
                           struct pingo_error *err)
{
    bool is = false;
    int rc = is_unneeded(e, &a, &is, err);
    while (!rc && is) {
        int64_t joined = a.joined;
        is = false;
        rc = pingo__manager_action_end(e->c, &a, PINGO_ACTION_CANCELLED, message, err);
        if (!rc)
            rc = push(e, a.id, 0, NULL, err);
        if (!rc && joined)
            rc = pingo__store_action_get(e->c->db, joined, e->scratch, &a, err);
        if (!rc && joined && a.id)
            rc = is_unneeded(e, &a, &is, err);
    }
    return rc;
}

int pingo__manager_action_cancel_unneeded(struct pingo__manager_context *c,
                                          const struct pingo__store_action_row *finished,
                                          const char *message, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct endings e = {.c = c, .arena = &arena, .scratch = &arena};
    int rc = push(&e, finished->id, 0, NULL, err);
    while (!rc && e.n) {
        struct pingo__store_action_list parents = {.arena = &arena};
        rc = pingo__store_action_list(c->db, PINGO__ACTIONS_PARENTS, e.list[--e.n].action, &parents,
                                      err);
        for (size_t i = 0; !rc && i < parents.n; i++)
            rc = cancel_unneeded(&e, parents.rows[i], message, err);
    }
    bool live = true;
    if (!rc)
        rc = is_live(&e, finished->workflow, &live, err);
    if (!rc && !live) /* nor does what runs: tried again, it would wait for ever */
        rc = pingo__manager_workflow_kill_actions(c, finished->workflow, NULL, NULL, err);
    free(e.list);
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- its turn has come ------------------------------------------------------------------------- */

/* Gone, also where a look would have to wait, or does not tell. */
static int look(struct endings *e, int64_t dataset, enum pingo__manager_presence *is,
                struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    int rc = pingo__store_dataset_get(e->c->db, dataset, e->arena, &row, err);
    if (!rc && !pingo__pool_is_remote(e->c->pool))
        pingo__manager_dataset_look(e->c, &row, is, NULL);
    return rc;
}

int pingo__manager_action_claim(struct pingo__manager_context *c, struct pingo__store_action_row *a,
                                struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct endings e = {.c = c, .arena = &arena, .scratch = &arena};
    struct pingo__store_action_list joiners = {.arena = &arena}, itself = {.rows = a, .n = 1};
    struct pingo__store_action_row maker = {.id = 0};
    struct pingo__store_dataset_known k = {.known = PINGO_KNOWN_NOTHING};
    enum pingo__manager_presence is = PINGO__GONE;
    bool pinned = false;
    int rc = a->forced ? 0 : pingo__store_dataset_known(c->db, &a->hash, false, &k, err);
    if (!rc && k.known > PINGO_KNOWN_DELETED && k.known != PINGO_KNOWN_COMPUTING)
        rc = look(&e, k.id, &is, err);
    if (!rc && is == PINGO__THERE)
        rc = pingo__store_action_get(c->db, k.action, &arena, &maker, err);
    if (!rc && !maker.id)
        rc = pingo__store_action_hand(c->db, a, PINGO_ACTION_PROCESSING, c->owner, err);
    if (!rc && maker.id) {
        maker.dataset = k.id;
        rc = drop_dataset(&e, a, &pinned, err);
        if (!rc)
            rc = join_instead(&e, &itself, &maker, err);
        if (!rc)
            rc = pingo__store_action_list(c->db, PINGO__ACTIONS_JOINERS, a->id, &joiners, err);
        if (!rc)
            rc = join_instead(&e, &joiners, &maker, err);
        if (!rc && pinned)
            rc = pingo__store_dataset_set_pinned(c->db, k.id, true, err);
        a->state = PINGO_ACTION_FINISHED;
    }
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- kill ----------------------------------------------------------------------------------------- */

/* One action, and what waits for its dataset. */
static int kill_one(struct endings *e, int64_t workflow, int64_t action, struct pingo_error *err)
{
    struct pingo__store_action_row row;
    bool is_needed = false;
    int rc = pingo__store_action_get(e->c->db, action, e->arena, &row, err);
    if (!rc && row.id)
        rc = pingo__store_action_is_needed(e->c->db, action, workflow, &is_needed, err);
    if (!rc && is_needed)
        rc = pingo__fail(err, PINGO_ESTATE,
                         "action %lld (%s) is needed by another workflow that runs; it goes on",
                         (long long)row.user_id, row.name);
    if (!rc)
        rc = push(e, action, PINGO_ACTION_KILLED, "killed", err);
    return rc ? rc : run(e, err);
}

int pingo__manager_workflow_kill_actions(struct pingo__manager_context *c, int64_t workflow,
                                         const struct pingo__store_number_list *actions,
                                         size_t *killed, struct pingo_error *err)
{
    struct pingo__arena arena = {0}, scratch = {0};
    struct endings e = {.c = c, .arena = &arena, .scratch = &scratch};
    bool is_refused = false;
    int rc = actions ? 0 : kill_in(&e, workflow, err);
    for (size_t i = 0; !rc && actions && i < actions->n; i++) {
        rc = kill_one(&e, workflow, actions->rows[i], err);
        is_refused = is_refused || rc == PINGO_ESTATE;
        rc = rc == PINGO_ESTATE ? 0 : rc;
    }
    if (!rc)
        rc = kill_left(&e, err);
    if (killed)
        *killed = e.ended;
    bool is_nothing = !rc && is_refused && !e.ended; /* err says why */
    free(e.list);
    pingo__arena_clear(&scratch);
    pingo__arena_clear(&arena);
    return is_nothing ? PINGO_ESTATE : rc;
}
