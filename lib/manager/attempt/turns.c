/* turns.c - which user's action is claimed next, where a store has several users: plan/share.h, over rows.
 *
 * What always holds: nobody has more in hand than falls to him of the slots and a moment's work ahead of that, so that
 * what is armed never stands before who comes new; of what others turn out to be due, what has not started is taken
 * back.  A store of one user without a quota of slots knows nothing of this. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "manager/attempt/callback.h"
#include "manager/attempt/flight.h"
#include "plan/share.h"
#include "store/submission/users.h"

#define AHEAD_MS 200    /* of work beyond what falls to a user */
#define LIST 16         /* actions that are read of a queue at once */
#define UNKNOWN_MS 1000 /* what an action takes of a user of whom nothing has ended yet */

struct queue {
    int64_t id;
    const char *users; /* of a joint one; else NULL */
    struct pingo__store_action_list list;
    size_t at;    /* what of it was taken */
    bool is_last; /* the list goes to its end */
    bool had_unfit; /* something in it waits for what is rare: from the next list on, that is left out */
    bool is_fit; /* it is in this one */
};

struct turns {
    struct pingo__manager_actions *m;
    struct pingo__store_ready_query query;
    struct pingo__plan_sharer *users; /* in order of number; the first is nobody, for queue 0 */
    struct pingo__plan_rank_key *keys;
    struct queue **from; /* where a user's next action stands */
    size_t n;
    int64_t elsewhere; /* slots that are in other hands than ours */
    struct queue *queues;
    size_t nqueues;
};

/* ---- users ------------------------------------------------------------------------------------ */

static struct pingo__plan_sharer *find_user(const struct turns *t, int64_t user)
{
    return bsearch(&user, t->users, t->n, sizeof *t->users, pingo__array_by_id);
}

/* What is known of what ended of his; NULL: nothing. */
static struct pingo__manager_turn_mean *ended(const struct pingo__manager_actions *m, int64_t user)
{
    if (!m->nmeans)
        return NULL;
    return bsearch(&user, m->means, m->nmeans, sizeof *m->means, pingo__array_by_id);
}

static double mean_ms(const struct pingo__manager_actions *m, int64_t user)
{
    const struct pingo__manager_turn_mean *of = ended(m, user);
    return of ? of->wall_ms : UNKNOWN_MS;
}

static int read_users(struct turns *t, struct pingo_error *err)
{
    struct pingo__store_user_list list = {.arena = t->query.arena};
    int64_t now_ms = pingo__manager_now_ms(t->m->c), half_ms = 0;
    int rc = pingo__store_user_save(t->m->c->db, err);
    if (!rc)
        rc = pingo__store_user_list(t->m->c->db, &list, err);
    if (!rc)
        rc = pingo__store_user_half_life(t->m->c->db, &half_ms, err);
    t->n = list.n + 1;
    t->users = pingo__arena_array(t->query.arena, t->n, sizeof *t->users);
    t->keys = pingo__arena_array(t->query.arena, t->n, sizeof *t->keys);
    t->from = pingo__arena_array(t->query.arena, t->n, sizeof *t->from);
    if (rc || !t->users || !t->keys || !t->from)
        return rc ? rc : pingo__fail_memory(err);
    t->users[0] = (struct pingo__plan_sharer){.weight = 1};
    for (size_t i = 0; i < list.n; i++) {
        struct pingo__store_user_row *r = &list.rows[i];
        t->users[i + 1] = (struct pingo__plan_sharer){
            .user = r->id,
            .weight = r->weight,
            .running = r->running,
            .quota = r->slots > 0 ? r->slots : 0,
            .usage_ms = pingo__plan_share_decay(r->usage_ms, &r->as_of_ms, now_ms, half_ms)};
    }
    for (size_t i = 0; i < t->m->nflights; i++) { /* what runs has used something already */
        const struct pingo__manager_flight *f = t->m->flights[i];
        struct pingo__plan_sharer *u = f->started || f->was_told ? find_user(t, f->user) : NULL;
        if (u && f->was_told) /* it has ended; its row does not say so yet */
            u->running -= f->cpus;
        else if (u && u->user && now_ms > f->started_ms)
            u->usage_ms += (now_ms - f->started_ms) *
                           pingo__manager_executor_granted(&t->m->executors[f->executor], f->cpus);
    }
    return 0;
}

/* ---- queues -------------------------------------------------------------------------------------- */

static bool has(const struct queue *q, int64_t user)
{
    return q->users ? pingo__store_joint_has(q->users, user) : q->id == user;
}

/* What others, or we, have claimed since stands in it no more. */
static int fill(struct turns *t, struct queue *q, struct pingo_error *err)
{
    if (q->at < q->list.n || q->is_last)
        return 0;
    struct pingo__store_ready_query query = t->query;
    struct pingo__manager_fitting *fitting = query.fits_context;
    query.queue = q->id;
    q->is_fit = q->had_unfit;
    query.fits = q->is_fit ? query.fits : NULL;
    query.limit = q->is_fit ? 1 : query.limit < LIST ? query.limit : LIST;
    fitting->how = PINGO__WEIGH_BARS; /* until it is its turn it holds nothing */
    int rc = pingo__manager_scope_list_ready(&t->m->scope, &query, &q->list, err);
    fitting->how = PINGO__WEIGH_TAKES;
    q->at = 0;
    q->is_last = rc || q->list.n < query.limit;
    return rc;
}

static int read_queues(struct turns *t, bool must_fit, struct pingo_error *err)
{
    struct pingo__store_joint_list joint = {.arena = t->query.arena};
    size_t capacity = 0;
    bool found = true;
    int rc = pingo__store_joint_list(t->m->c->db, &joint, err);
    for (int64_t id = INT64_MIN; !rc;) {
        rc = pingo__store_queue_next(t->m->c->db, &id, &found, err);
        if (rc || !found)
            break;
        if (!PINGO__ARENA_ROOM(t->query.arena, t->queues, t->nqueues, capacity))
            return pingo__fail_memory(err);
        struct queue *q = &t->queues[t->nqueues++];
        *q = (struct queue){.id = id, .had_unfit = must_fit};
        for (size_t i = 0; i < joint.n; i++)
            q->users = joint.rows[i].id == id && id ? joint.rows[i].users : q->users;
        rc = fill(t, q, err);
    }
    return rc;
}

/* What would be his next: of what stands in his queue, and in those that he has with others. */
static void look(struct turns *t, size_t user)
{
    struct pingo__plan_sharer *u = &t->users[user];
    u->next = NULL;
    for (size_t i = 0; i < t->nqueues; i++) {
        struct queue *q = &t->queues[i];
        if (q->at == q->list.n || !has(q, u->user))
            continue;
        const struct pingo__store_action_row *a = &q->list.rows[q->at];
        struct pingo__plan_rank_key key = {a->priority, a->workflow, a->rank, &a->hash};
        key.priority = !q->id && a->priority <= 0 ? 1 : a->priority; /* joined by one of those */
        if (u->next && pingo__plan_rank_compare(&key, u->next) > 0)
            continue;
        t->keys[user] = key;
        t->from[user] = q;
        u->next = &t->keys[user];
    }
}

static int64_t in_hand_elsewhere(const struct turns *t)
{
    int64_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += t->users[i].running;
    for (size_t i = 0; i < t->m->nflights; i++)
        n -= t->m->flights[i]->was_told ? 0 : t->m->flights[i]->cpus;
    return n > 0 ? n : 0;
}

/* must_fit: what waits for what is rare is nobody's next, else that is found out when it is his turn. */
static int open_turns(struct turns *t, struct pingo__manager_actions *m,
                      const struct pingo__store_ready_query *query, bool must_fit,
                      struct pingo_error *err)
{
    *t = (struct turns){.m = m, .query = *query};
    int rc = read_users(t, err);
    if (!rc)
        rc = read_queues(t, must_fit, err);
    t->elsewhere = rc ? 0 : in_hand_elsewhere(t);
    for (size_t i = 0; !rc && i < t->n; i++)
        look(t, i);
    return rc;
}

/* ---- what each may have in hand ------------------------------------------------------------------ */

/* Each process has its own of an executor whose jobs are in its hands; all others' are the store's. */
static bool has_slots_of_its_own(const struct pingo__manager_actions *m)
{
    bool found = false;
    for (size_t i = 0; i < m->nexecutors; i++)
        found = found || m->executors[i].type.in_process;
    return found;
}

/* What runs in its hands counts for it as jobs, and here by its cpus. */
static int64_t beside_jobs(const struct pingo__manager_actions *m)
{
    int64_t n = 0;
    for (size_t i = 0; i < m->nflights; i++) {
        const struct pingo__manager_flight *f = m->flights[i];
        if (m->executors[f->executor].type.in_process && f->started && !f->has_ended && f->cpus > 1)
            n += f->cpus - 1;
    }
    return n;
}

static void allot(struct turns *t)
{
    struct pingo__manager_actions *m = t->m;
    int64_t slots = 0;
    for (size_t i = 0; i < m->nexecutors; i++)
        slots += pingo__manager_executor_slots(&m->executors[i]);
    if (m->max_jobs && slots > m->max_jobs)
        slots = m->max_jobs;
    if (has_slots_of_its_own(m))
        slots += t->elsewhere + beside_jobs(m);
    pingo__plan_share_allot(t->users + 1, t->n - 1, slots);
    for (size_t i = 1; i < t->n; i++) {
        struct pingo__plan_sharer *u = &t->users[i];
        u->most = u->part;
        if (u->part) /* most of many users have none */
            u->most += (int64_t)((double)u->part * AHEAD_MS / (mean_ms(m, u->user) + 0.5));
    }
}

/* ---- claim ------------------------------------------------------------------------------------------ */

int pingo__manager_turns_ask(struct pingo__manager_actions *m, struct pingo_error *err)
{
    return m->shared ? 0 : pingo__store_user_matters(m->c->db, &m->shared, err);
}

/* In the turn of this user; 0: before all shares, and it counts for its own. */
static int hand(struct turns *t, struct pingo__store_action_row *a, int64_t user,
                struct pingo_error *err)
{
    int rc = 0;
    if (user && a->user != user) {
        a->user = user;
        rc = pingo__store_queue_take(t->m->c->db, a->id, user, err);
    }
    if (!rc)
        rc = pingo__manager_action_claim(t->m->c, a, err);
    struct pingo__plan_sharer *u = find_user(t, a->user);
    if (!rc && u && a->state == PINGO_ACTION_PROCESSING)
        u->running += pingo__store_slots_of(a->cpus);
    return rc;
}

static int take(struct turns *t, size_t user, struct pingo__store_action_list *claimed,
                struct pingo_error *err)
{
    struct queue *q = t->from[user];
    struct pingo__store_action_row *a = &q->list.rows[q->at++];
    bool fits = true;
    int rc = 0;
    if (a->resources)
        rc = t->query.fits(t->query.fits_context, a, &fits, err);
    q->had_unfit = q->had_unfit || !fits;
    if (!rc && fits)
        rc = hand(t, a, t->users[user].user, err);
    if (!rc && a->state == PINGO_ACTION_PROCESSING)
        claimed->rows[claimed->n++] = *a;
    t->m->ntaken += !rc && a->state == PINGO_ACTION_FINISHED;
    if (!rc)
        rc = fill(t, q, err);
    for (size_t i = 0; !rc && i < t->n; i++)
        if (has(q, t->users[i].user))
            look(t, i);
    return rc;
}

int pingo__manager_turns_claim(struct pingo__manager_actions *m,
                               const struct pingo__store_ready_query *query,
                               struct pingo__store_action_list *claimed, struct pingo_error *err)
{
    struct turns t;
    int rc = open_turns(&t, m, query, false, err);
    claimed->n = 0;
    claimed->rows = pingo__arena_array(query->arena, query->limit + 1, sizeof *claimed->rows);
    if (!rc && !claimed->rows)
        rc = pingo__fail_memory(err);
    while (!rc && claimed->n + m->ntaken < query->limit) {
        allot(&t); /* anew: who has nothing more leaves his part to others */
        size_t user = pingo__plan_share_next(t.users, t.n);
        if (user == SIZE_MAX)
            break;
        rc = take(&t, user, claimed, err);
    }
    return rc;
}

int pingo__manager_turns_any(struct pingo__manager_actions *m,
                             const struct pingo__store_ready_query *query, bool *any,
                             struct pingo_error *err)
{
    struct turns t;
    int rc = open_turns(&t, m, query, false, err);
    *any = false;
    if (rc)
        return rc;
    allot(&t);
    *any = pingo__plan_share_next(t.users, t.n) != SIZE_MAX;
    return 0;
}

/* ---- make way ---------------------------------------------------------------------------------------- */

/* Somebody to whom a slot falls has nothing in hand, and had nothing for a moment: what is armed ahead of anybody's
 * part stands before him.  (Whose short actions have all ended has his next ones in hand in this very round.) */
static bool is_anybody_new(const struct turns *t)
{
    int64_t now_ms = pingo__manager_elapsed_ms(t->m->c);
    for (size_t i = 1; i < t->n; i++) {
        const struct pingo__plan_sharer *u = &t->users[i];
        const struct pingo__manager_turn_mean *of = ended(t->m, u->user);
        if (u->next && !u->running && u->part > 0 && (!of || now_ms - of->ended_ms > AHEAD_MS))
            return true;
    }
    return false;
}

int pingo__manager_turns_make_way(struct pingo__manager_actions *m,
                                  const struct pingo__store_ready_query *query,
                                  struct pingo_error *err)
{
    struct turns t;
    size_t narmed = 0;
    for (size_t i = 0; i < m->nflights; i++)
        narmed += !m->flights[i]->started && !m->flights[i]->has_ended;
    if (!narmed)
        return 0;
    struct pingo_job_key *keys = pingo__arena_array(query->arena, narmed, sizeof *keys);
    size_t n = 0;
    int rc = keys ? open_turns(&t, m, query, true, err) : pingo__fail_memory(err);
    if (rc)
        return rc;
    allot(&t);
    bool is_new = is_anybody_new(&t);
    for (size_t i = m->nflights; i-- > 0;) {
        const struct pingo__manager_flight *f = m->flights[i];
        struct pingo__plan_sharer *u = find_user(&t, f->user);
        if (f->started || f->has_ended || f->is_first || !u || !u->user ||
            u->running <= (is_new ? u->part : 2 * u->most)) /* what goes up and down is let be */
            continue;
        u->running -= f->cpus;
        keys[n++] = f->key;
    }
    return n ? pingo__manager_take_back(m, keys, n, err) : 0;
}

/* ---- notes --------------------------------------------------------------------------------------------- */

void pingo__manager_turns_note(struct pingo__manager_actions *m,
                               const struct pingo__store_action_row *action)
{
    struct pingo__manager_flight *f =
        pingo__manager_flight_find(m, (struct pingo_job_key){action->id, action->epoch});
    if (!f)
        return;
    f->user = action->user;
    f->is_first = !action->queue;
    f->cpus = pingo__store_slots_of(action->cpus);
}

void pingo__manager_turns_learn(struct pingo__manager_actions *m,
                                const struct pingo__manager_settling *s)
{
    /* What nobody knows is taken for the mean. */
    double wall_ms = s->end.wall_ms < 0 ? m->mean_wall_ms : (double)s->end.wall_ms;
    int64_t user = s->p.action.user;
    struct pingo__manager_turn_mean *of = ended(m, user);
    m->mean_wall_ms += (wall_ms - m->mean_wall_ms) / 8;
    if (!of) {
        if (!PINGO__ARRAY_ROOM(m->means, m->cmeans, m->nmeans, 1))
            return; /* then it is not known */
        for (of = &m->means[m->nmeans++]; of > m->means && of[-1].user > user; of--)
            *of = of[-1];
        *of = (struct pingo__manager_turn_mean){user, 0, wall_ms};
    }
    of->ended_ms = pingo__manager_elapsed_ms(m->c);
    of->wall_ms += (wall_ms - of->wall_ms) / 8;
}
