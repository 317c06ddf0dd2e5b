/* turns.c - see turns.h. */
#include "lab/simulate/turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* Of a task in one user's queue.  The task's own list goes through those of all users.  Places are the run's, and are
 * used again. */
struct pingo__lab_place {
    struct pingo__lab_task *task; /* NULL: it was taken in another's turn, and may be gone */
    struct pingo__lab_place *next;
    uint32_t user, submission;
    int64_t rank_ms;
    struct pingo_hash hash;
};

static struct pingo__plan_rank_key key_of(const struct pingo__lab_place *p)
{
    return (struct pingo__plan_rank_key){
        .workflow = p->submission, .rank_ms = p->rank_ms, .hash = &p->hash};
}

static int compare_places(const void *a, const void *b)
{
    struct pingo__plan_rank_key x = key_of(a), y = key_of(b);
    return pingo__plan_rank_compare(&x, &y);
}

/* ---- users ----------------------------------------------------------------------------- */

static int add_user(struct pingo__lab_run *r, const struct pingo_history_submission *s)
{
    struct pingo__lab_turns *t = r->turns;
    const struct pingo_simulation_options *o = r->options;
    struct pingo__plan_sharer *u = &t->users[s->user_index];
    u->user = s->user_index;
    u->weight = 1;
    t->more[s->user_index].told.user = s->user;
    for (size_t i = 0; i < o->nweights; i++)
        if (strcmp(o->weights[i].user, s->user) == 0)
            u->weight = o->weights[i].weight;
    t->n = s->user_index >= t->n ? (size_t)s->user_index + 1 : t->n;
    t->more[s->user_index].ready.compare = compare_places;
    return u->weight >= 1 && u->weight <= PINGO__SHARE_WEIGHT_MOST
               ? 0
               : pingo__fail(r->err, PINGO_EINVAL, "a weight is from 1 to %d",
                             PINGO__SHARE_WEIGHT_MOST);
}

int pingo__lab_turns_open(struct pingo__lab_run *r)
{
    size_t n = (size_t)r->workload->facts.nsubmissions + 1; /* users, at most */
    struct pingo__lab_turns *t = r->turns = pingo__arena_alloc(&r->arena, sizeof *t);
    int rc = 0;
    if (!t)
        return pingo__fail_memory(r->err);
    t->users = pingo__arena_array(&r->arena, n, sizeof *t->users);
    t->keys = pingo__arena_array(&r->arena, n, sizeof *t->keys);
    t->more = pingo__arena_array(&r->arena, n, sizeof *t->more);
    if (!t->users || !t->keys || !t->more)
        return pingo__fail_memory(r->err);
    for (uint32_t i = 0; rc == 0 && i < r->workload->facts.nsubmissions; i++) {
        struct pingo_history_submission s = {.size = sizeof s};
        pingo_history_submission(r->workload->history, i, &s);
        if (!t->users[s.user_index].weight)
            rc = add_user(r, &s);
    }
    return rc;
}

void pingo__lab_turns_clear(struct pingo__lab_run *r)
{
    struct pingo__lab_turns *t = r->turns;
    for (size_t i = 0; t && t->more && i < t->n; i++)
        pingo__lab_heap_clear(&t->more[i].ready);
}

/* ---- queues ----------------------------------------------------------------------------- */

static void count(struct pingo__lab_turns *t, uint32_t user, bool more)
{
    uint64_t *n = &t->more[user].nready;
    t->nready += more && !*n;
    *n = more ? *n + 1 : *n - 1;
    t->nready -= !more && !*n;
}

/* What was taken elsewhere goes; what is left first is what he would start. */
static void look(struct pingo__lab_turns *t, uint32_t user)
{
    struct pingo__lab_place *first;
    struct pingo__lab_heap *ready = &t->more[user].ready;
    while ((first = pingo__lab_heap_first(ready)) && !first->task) {
        pingo__lab_heap_pop(ready);
        first->next = t->spare;
        t->spare = first;
    }
    t->users[user].next = first ? &t->keys[user] : NULL;
    if (first)
        t->keys[user] = key_of(first);
}

static int stand(struct pingo__lab_run *r, struct pingo__lab_place *place)
{
    struct pingo__lab_turns *t = r->turns;
    if (!pingo__lab_heap_push(&t->more[place->user].ready, place))
        return pingo__fail_memory(r->err);
    count(t, place->user, true);
    look(t, place->user);
    return 0;
}

/* *place NULL: he has one already. */
static int add_place(struct pingo__lab_run *r, struct pingo__lab_task *task, uint32_t user,
                     struct pingo__lab_place **place)
{
    *place = NULL;
    for (struct pingo__lab_place *p = task->places; p; p = p->next)
        if (p->user == user)
            return 0;
    struct pingo__lab_place *p = r->turns->spare;
    if (p)
        r->turns->spare = p->next;
    else if (!(p = pingo__arena_alloc(&r->arena, sizeof *p)))
        return pingo__fail_memory(r->err);
    *p = (struct pingo__lab_place){.task = task,
                                   .next = task->places,
                                   .user = user,
                                   .submission = task->live->submission,
                                   .rank_ms = task->rank_ms};
    p->hash = *pingo_digests_hash(task->live->shape->digests, task->position);
    *place = task->places = p;
    return 0;
}

int pingo__lab_turns_ready(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    struct pingo__lab_place *own;
    int rc = add_place(r, task, task->live->user, &own);
    task->ready_ms = r->now_ms;
    task->is_ready = true;
    for (struct pingo__lab_place *p = task->places; rc == 0 && p; p = p->next)
        rc = stand(r, p);
    return rc;
}

int pingo__lab_turns_join(struct pingo__lab_run *r, struct pingo__lab_task *task, uint32_t user)
{
    struct pingo__lab_place *place;
    size_t n = 0, capacity = 0;
    struct pingo__lab_task **todo = NULL;
    if (task->live->user == user)
        return 0;
    if (!PINGO__ARRAY_ROOM(todo, capacity, n, 1))
        return pingo__fail_memory(r->err);
    int rc = 0;
    todo[n++] = task;
    while (rc == 0 && n) {
        struct pingo__lab_task *of = todo[--n];
        const struct pingo_action *a =
            pingo_workflow_action(of->live->shape->workflow, of->position);
        if (of->is_taken)
            continue;
        if (of->joined) {
            todo[n++] = of->joined;
            continue;
        }
        rc = add_place(r, of, user, &place);
        if (rc || !place)
            continue;
        rc = of->is_ready ? stand(r, place) : 0;
        if (rc == 0 && !PINGO__ARRAY_ROOM(todo, capacity, n, a->nparents))
            rc = pingo__fail_memory(r->err);
        for (size_t i = 0; rc == 0 && i < a->nparents; i++) {
            struct pingo__lab_task *parent = of->live->task_at[a->parents[i].index];
            if (parent && (parent->computes || parent->joined))
                todo[n++] = parent;
        }
    }
    free(todo);
    return rc;
}

/* Waits of many may be more than there is: then as much as there is. */
static void add(int64_t *sum, int64_t ms)
{
    if (__builtin_add_overflow(*sum, ms, sum))
        *sum = INT64_MAX;
}

/* ---- turns ------------------------------------------------------------------------------- */

/* What he has used by now, what runs included, as the engine sees it. */
static void use(struct pingo__lab_run *r, uint32_t user)
{
    struct pingo__lab_turner *m = &r->turns->more[user];
    struct pingo__plan_sharer *u = &r->turns->users[user];
    int64_t as_of_ms = m->as_of_ms;
    u->usage_ms =
        pingo__plan_share_decay(m->usage_ms, &as_of_ms, r->now_ms, PINGO__SHARE_HALF_LIFE_MS) +
        (int64_t)((uint64_t)u->running * (uint64_t)r->now_ms - m->started_ms);
}

static void take(struct pingo__lab_run *r, struct pingo__lab_task *task, uint32_t user)
{
    struct pingo__lab_turns *t = r->turns;
    struct pingo_simulation_user *told = &t->more[user].told;
    int64_t wait_ms = r->now_ms - task->ready_ms;
    for (struct pingo__lab_place *p = task->places, *next; p; p = next) {
        next = p->next;
        p->task = NULL;
        count(t, p->user, false);
        look(t, p->user);
    }
    task->places = NULL;
    task->is_taken = true;
    task->user = user;
    t->users[user].running++;
    t->more[user].started_ms += (uint64_t)r->now_ms;
    told->nstarts++;
    add(&told->wait_ms, wait_ms);
    told->longest_wait_ms = wait_ms > told->longest_wait_ms ? wait_ms : told->longest_wait_ms;
}

struct pingo__lab_task *pingo__lab_turns_next(struct pingo__lab_run *r)
{
    struct pingo__lab_turns *t = r->turns;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->users[i].next)
            use(r, i);
    size_t user = pingo__plan_share_next(t->users, t->n);
    if (user == SIZE_MAX)
        return NULL;
    struct pingo__lab_place *first = pingo__lab_heap_first(&t->more[user].ready);
    struct pingo__lab_task *task = first->task;
    take(r, task, (uint32_t)user);
    return task;
}

void pingo__lab_turns_ended(struct pingo__lab_run *r, const struct pingo__lab_task *task)
{
    struct pingo__lab_turner *m = &r->turns->more[task->user];
    r->turns->users[task->user].running--;
    m->started_ms -= (uint64_t)(task->end_ms - task->ms);
    /* What was used before grows old, as of the time of the last step. */
    m->usage_ms = task->ms + pingo__plan_share_decay(m->usage_ms, &m->as_of_ms, r->now_ms,
                                                     PINGO__SHARE_HALF_LIFE_MS);
    m->told.compute_ms += task->ms;
    m->told.end_ms = r->now_ms;
}

void pingo__lab_turns_pass(struct pingo__lab_run *r, int64_t at_ms)
{
    struct pingo__lab_turns *t = r->turns;
    for (size_t i = 0; t->nready == t->n && i < t->n; i++)
        t->more[i].shared_ms += (at_ms - r->now_ms) * t->users[i].running;
}

/* Jain, Chiu and Hawe, A quantitative measure of fairness, DEC TR-301, 1984. */
int pingo__lab_turns_tell(struct pingo__lab_run *r)
{
    struct pingo__lab_turns *t = r->turns;
    struct pingo_simulation_result *all = r->result;
    double sum = 0, squares = 0;
    all->nusers = (uint32_t)t->n;
    for (size_t i = 0; i < t->n; i++) {
        struct pingo_simulation_user *u = &t->more[i].told;
        double x = (double)t->more[i].shared_ms / (double)t->users[i].weight;
        u->weight = t->users[i].weight;
        u->shared_ms = t->more[i].shared_ms;
        sum += x;
        squares += x * x;
        add(&all->wait_ms, u->wait_ms);
        if (u->longest_wait_ms > all->longest_wait_ms)
            all->longest_wait_ms = u->longest_wait_ms;
        if (r->options->user && r->options->user(r->options->context, u) != 0)
            return pingo__fail(r->err, PINGO_EINTERRUPTED, "the run was stopped by its caller");
    }
    all->jain = squares > 0 ? sum * sum / ((double)t->n * squares) : -1;
    return 0;
}
