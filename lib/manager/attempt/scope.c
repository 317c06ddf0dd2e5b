/* scope.c - see scope.h. */
#include "manager/attempt/scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "store/submission/users.h"
#include "store/submission/workflows.h"

#define FEW_WORKFLOWS 64 /* so many are asked one by one, else whatever has READY actions */
#define FEW_NEEDED 500   /* of one workflow, likewise */

struct pingo__manager_scope_part {
    struct pingo__store_ready at;
    bool whole;            /* all of it, else what is needed: */
    size_t first, nneeded; /* in needed */
};

void pingo__manager_scope_clear(struct pingo__manager_scope *scope)
{
    free(scope->workflows);
    pingo__arena_clear(&scope->arena);
    *scope = (struct pingo__manager_scope){.db = scope->db, .all = true};
}

int pingo__manager_scope_set(struct pingo__manager_scope *scope, const int64_t *workflows, size_t n,
                             struct pingo_error *err)
{
    int64_t *copy = NULL;
    size_t kept = 0;
    if (workflows) {
        copy = malloc((n + 1) * sizeof *copy);
        if (!copy)
            return pingo__fail_memory(err);
        if (n)
            memcpy(copy, workflows, n * sizeof *copy);
        qsort(copy, n, sizeof *copy, pingo__array_by_id);
        for (size_t i = 0; i < n; i++) /* what is named twice would be listed twice */
            if (kept == 0 || copy[kept - 1] != copy[i])
                copy[kept++] = copy[i];
    }
    free(scope->workflows);
    scope->workflows = copy;
    scope->n = kept;
    scope->all = !workflows;
    scope->known = false;
    scope->nset++;
    return 0;
}

static bool is_named(const struct pingo__manager_scope *s, int64_t workflow)
{
    return s->n && bsearch(&workflow, s->workflows, s->n, sizeof workflow, pingo__array_by_id);
}

/* Does it run, and is not paused?  part (may be NULL): where it stands. */
static int look_at(const struct pingo__manager_scope *s, int64_t workflow, bool *is_live,
                   struct pingo__manager_scope_part *part, struct pingo_error *err)
{
    struct pingo__store_workflow_row row = {.id = 0};
    int rc = pingo__store_workflow_get(s->db, workflow, NULL, &row, err);
    *is_live = !rc && row.state == PINGO_WORKFLOW_RUNNING && !row.paused;
    if (part) {
        part->at.priority = row.priority;
        part->at.queue = row.priority > 0 ? 0 : row.user_number;
    }
    return rc;
}

/* ---- refresh ------------------------------------------------------------------------------- */

static int compare(const struct pingo__store_ready *x, const struct pingo__store_ready *y)
{
    if (x->queue != y->queue)
        return x->queue > y->queue ? 1 : -1;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return (x->workflow > y->workflow) - (x->workflow < y->workflow);
}

static int in_order(const void *a, const void *b)
{
    const struct pingo__store_needed *x = a, *y = b;
    int by = compare(&x->at, &y->at);
    return by ? by : (x->action > y->action) - (x->action < y->action);
}

/* Sorted, each once. */
static void tidy_needed(struct pingo__manager_scope *s)
{
    size_t kept = 0;
    if (s->nneeded)
        qsort(s->needed, s->nneeded, sizeof *s->needed, in_order);
    for (size_t i = 0; i < s->nneeded; i++)
        if (kept == 0 || in_order(&s->needed[kept - 1], &s->needed[i]) != 0)
            s->needed[kept++] = s->needed[i];
    s->nneeded = kept;
}

static int read_needed(struct pingo__manager_scope *s, struct pingo_error *err)
{
    size_t capacity = 0;
    int rc = 0;
    struct pingo__store_needed_list of = {.arena = &s->arena};
    if (s->all) {
        rc = pingo__store_driving_needed(s->db, 0, &of, err);
        s->needed = of.rows;
        s->nneeded = of.n;
        return rc;
    }
    for (size_t i = 0; !rc && i < s->n; i++) {
        bool is_live = false;
        of.n = 0;
        rc = look_at(s, s->workflows[i], &is_live, NULL, err);
        if (!rc && is_live)
            rc = pingo__store_driving_needed(s->db, s->workflows[i], &of, err);
        for (size_t k = 0; !rc && k < of.n; k++) {
            if (!PINGO__ARENA_ROOM(&s->arena, s->needed, s->nneeded, capacity))
                return pingo__fail_memory(err);
            s->needed[s->nneeded++] = of.rows[k];
        }
    }
    return rc;
}

static int part_order(const void *a, const void *b)
{
    const struct pingo__manager_scope_part *x = a, *y = b;
    return compare(&x->at, &y->at);
}

/* How many of what is needed, from one on, are of this workflow and stand in this queue. */
static size_t count_alike(const struct pingo__manager_scope *s, size_t first,
                          const struct pingo__store_ready *at)
{
    size_t n = 0;
    while (first + n < s->nneeded && s->needed[first + n].at.workflow == at->workflow &&
           s->needed[first + n].at.queue == at->queue)
        n++;
    return n;
}

static bool is_whole(const struct pingo__manager_scope *s, int64_t workflow)
{
    for (size_t i = 0; i < s->nparts; i++)
        if (s->parts[i].whole && s->parts[i].at.workflow == workflow)
            return true;
    return false;
}

/* A workflow stands in the queue of its user; what others wait for too, in joint ones, or before all. */
static void add_parts(struct pingo__manager_scope *s, struct pingo__manager_scope_part part,
                      const struct pingo__store_joint_list *joint)
{
    int64_t own = part.at.queue;
    s->parts[s->nparts++] = part;
    for (size_t i = 0; own && i < joint->n; i++) {
        part.at.queue = joint->rows[i].id;
        if (!part.at.queue || pingo__store_joint_has(joint->rows[i].users, own))
            s->parts[s->nparts++] = part;
    }
}

/* Where few workflows are named: these, and those of which something is needed. */
static int make_parts(struct pingo__manager_scope *s, struct pingo_error *err)
{
    struct pingo__store_joint_list joint = {.arena = &s->arena};
    int rc = pingo__store_joint_list(s->db, &joint, err);
    s->parts =
        pingo__arena_array(&s->arena, s->n * (joint.n + 2) + s->nneeded + 1, sizeof *s->parts);
    if (!s->parts)
        return rc ? rc : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < s->n; i++) {
        struct pingo__manager_scope_part part = {.at.workflow = s->workflows[i], .whole = true};
        bool is_live = false;
        rc = look_at(s, part.at.workflow, &is_live, &part, err);
        if (is_live)
            add_parts(s, part, &joint);
    }
    for (size_t i = 0, n; !rc && i < s->nneeded; i += n) {
        const struct pingo__store_needed *of = &s->needed[i];
        n = count_alike(s, i, &of->at);
        if (!is_whole(s, of->at.workflow))
            s->parts[s->nparts++] = (struct pingo__manager_scope_part){of->at, false, i, n};
    }
    qsort(s->parts, s->nparts, sizeof *s->parts, part_order);
    return rc;
}

int pingo__manager_scope_refresh(struct pingo__manager_scope *s, bool *changed,
                                 struct pingo_error *err)
{
    struct pingo__store_driving_mark mark;
    int rc = pingo__store_driving_mark(s->db, &mark, err);
    bool same = s->known && memcmp(&mark, &s->mark, sizeof mark) == 0;
    if (changed)
        *changed = !same;
    if (rc || same)
        return rc;
    s->known = false;
    s->needed = NULL;
    s->parts = NULL;
    s->nneeded = s->nparts = 0;
    pingo__arena_reset(&s->arena);
    rc = read_needed(s, err);
    if (!rc) {
        tidy_needed(s);
        rc = !s->all && s->n <= FEW_WORKFLOWS ? make_parts(s, err) : 0;
    }
    s->mark = mark;
    s->known = !rc;
    return rc;
}

int pingo__manager_scope_prepare(struct pingo__manager_scope *s, bool *any_held,
                                 struct pingo_error *err)
{
    *any_held = true;
    int rc = s->all ? pingo__store_driving_any_held(s->db, any_held, err) : 0;
    return rc || !*any_held ? rc : pingo__manager_scope_refresh(s, NULL, err);
}

/* ---- what may be claimed --------------------------------------------------------------------- */

static size_t first_needed(const struct pingo__manager_scope *s,
                           const struct pingo__manager_scope_part *part)
{
    struct pingo__store_needed key = {.at = part->at, .action = INT64_MIN};
    size_t low = 0, high = s->nneeded;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (in_order(&s->needed[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct some {
    const struct pingo__store_needed *needed;
    size_t n;
};

static bool is_needed(const void *context, int64_t action)
{
    const struct some *some = context;
    if (!some->n)
        return false;
    struct pingo__store_needed key = some->needed[0];
    key.action = action;
    return bsearch(&key, some->needed, some->n, sizeof key, in_order);
}

static int rank_order(const void *a, const void *b)
{
    const struct pingo__store_action_row *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    return memcmp(&x->hash, &y->hash, sizeof x->hash);
}

/* Few actions of a workflow that may have very many READY ones: each is asked. */
static int add_few(struct pingo__store_db *db, const struct pingo__store_ready_query *q,
                   const struct some *some, struct pingo__store_action_list *list,
                   struct pingo_error *err)
{
    struct pingo__store_action_row *rows = pingo__arena_array(q->arena, some->n, sizeof *rows);
    size_t n = 0;
    int rc = rows ? 0 : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < some->n; i++) {
        rc = pingo__store_action_get(db, some->needed[i].action, q->arena, &rows[n], err);
        n += !rc && pingo__store_action_is_ready(&rows[n], q);
    }
    if (n)
        qsort(rows, n, sizeof *rows, rank_order);
    for (size_t i = 0; !rc && i < n && list->n < q->limit; i++) {
        bool fits = true;
        if (rows[i].resources && q->fits)
            rc = q->fits(q->fits_context, &rows[i], &fits, err);
        if (fits)
            list->rows[list->n++] = rows[i];
    }
    return rc;
}

static int add_part(struct pingo__manager_scope *s, struct pingo__store_ready_query *q,
                    const struct pingo__manager_scope_part *part,
                    struct pingo__store_action_list *list, struct pingo_error *err)
{
    struct some some = {s->needed + part->first, part->nneeded};
    if (!part->whole && !some.n)
        return 0;
    q->queue = part->at.queue;
    q->priority = part->at.priority;
    q->workflow = part->at.workflow;
    q->wanted = part->whole ? NULL : is_needed;
    q->context = &some;
    int rc = !part->whole && some.n <= FEW_NEEDED
                 ? add_few(s->db, q, &some, list, err)
                 : pingo__store_action_add_ready(s->db, q, list, err);
    q->context = NULL; /* it was here */
    return rc;
}

/* What may be claimed of a workflow that has READY actions; it may be nothing. */
static int find_part(struct pingo__manager_scope *s, struct pingo__manager_scope_part *part,
                     struct pingo_error *err)
{
    int rc = 0;
    part->whole = false;
    if (s->all || is_named(s, part->at.workflow))
        rc = look_at(s, part->at.workflow, &part->whole, NULL, err);
    part->first = first_needed(s, part);
    part->nneeded = count_alike(s, part->first, &part->at);
    return rc;
}

/* Where a scope is not cut into parts: of the workflows that have READY actions in a queue. */
static int list_queue(struct pingo__manager_scope *s, struct pingo__store_ready_query *q,
                      int64_t queue, struct pingo__store_action_list *list, struct pingo_error *err)
{
    struct pingo__store_ready at = {queue, INT64_MAX, -1};
    int rc = 0;
    while (!rc && list->n < q->limit) {
        bool has_next = false;
        rc = pingo__store_ready_next(s->db, &at, &has_next, err);
        if (rc || !has_next)
            break;
        struct pingo__manager_scope_part part = {.at = at};
        rc = find_part(s, &part, err);
        if (!rc)
            rc = add_part(s, q, &part, list, err);
    }
    return rc;
}

int pingo__manager_scope_list_ready(struct pingo__manager_scope *s,
                                    const struct pingo__store_ready_query *query,
                                    struct pingo__store_action_list *list, struct pingo_error *err)
{
    struct pingo__store_ready_query q = *query;
    int64_t queue = query->queue;
    bool any_held = true, any_queue = queue == PINGO__QUEUE_ANY, found = true;
    int rc = pingo__manager_scope_prepare(s, &any_held, err);
    list->n = 0;
    list->rows = pingo__arena_array(q.arena, q.limit + 1, sizeof *list->rows);
    if (!rc && !list->rows)
        rc = pingo__fail_memory(err);
    if (!rc && !any_held) /* the common case: all of all */
        return pingo__store_action_add_ready(s->db, &q, list, err);
    for (size_t i = 0; !rc && i < s->nparts && list->n < q.limit; i++)
        if (any_queue || s->parts[i].at.queue == queue)
            rc = add_part(s, &q, &s->parts[i], list, err);
    while (!rc && !s->parts && list->n < q.limit && found) {
        if (any_queue)
            rc = pingo__store_queue_next(s->db, &queue, &found, err);
        if (!rc && found)
            rc = list_queue(s, &q, queue, list, err);
        found = found && any_queue;
    }
    return rc;
}

int pingo__manager_scope_has(struct pingo__manager_scope *s, int64_t workflow, int64_t action,
                             bool *has, struct pingo_error *err)
{
    int rc = 0;
    *has = false;
    if (s->all || is_named(s, workflow))
        rc = look_at(s, workflow, has, NULL, err);
    for (size_t i = 0; !rc && !*has && i < s->nneeded; i++)
        *has = s->needed[i].action == action;
    return rc;
}
