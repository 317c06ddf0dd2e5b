/* history_query.c - what happened, in any period, at any resolution.
 *
 * Submissions that share their actions and flags share their sums as well: these
 * are made once, when first needed, so that a question costs what is distinct in
 * the history and one step a submission.  Source: thesis section 2.2.1. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "decision/history/history.h"

#define NONE PINGO_HISTORY_NONE

struct sums {
    bool made, has; /* has: it mentions what is asked for */
    struct pingo_history_row row;
};

struct asked {
    const struct pingo_history *h;
    struct pingo_history_query query;
    uint32_t action, user, workflow; /* NONE: all */
    int64_t step_ms;                 /* of a row; 0: rows are not times */
    struct sums *sums;               /* of each content */
    struct pingo__arena arena;       /* of rows: they are keys of the map and do not move */
    struct pingo__map map;
    struct bucket **buckets;
    uint32_t nbuckets;
    size_t capacity;
    bool is_undated; /* something was evicted, nobody knows when, and the question asks */
};

struct bucket {
    int64_t key; /* first moment, or number of the name */
    struct pingo_history_row row;
};

double pingo_history_reuse_rate(const struct pingo_history_row *row)
{
    uint64_t known = row->ncomputed + row->njoined + row->nreused + row->nskipped;
    return known ? (double)(known - row->ncomputed) / (double)known : -1;
}

/* Sums of hostile sizes stay at the end of the range. */
static void add(int64_t *sum, int64_t more)
{
    if (more > 0)
        *sum = *sum > INT64_MAX - more ? INT64_MAX : *sum + more;
}

static void add_row(struct pingo_history_row *to, const struct pingo_history_row *from)
{
    to->nmentions += from->nmentions;
    to->ncomputed += from->ncomputed;
    to->njoined += from->njoined;
    to->nreused += from->nreused;
    to->nskipped += from->nskipped;
    add(&to->spent_ms, from->spent_ms);
    add(&to->saved_ms, from->saved_ms);
    add(&to->made_bytes, from->made_bytes);
}

static void count(const struct pingo_history *h, uint32_t action, uint8_t flags,
                  struct pingo_history_row *row)
{
    const struct pingo__decision_history_facts *facts = &h->facts[action];
    unsigned outcome = flags & PINGO_HISTORY_OUTCOME;
    row->nmentions++;
    row->ncomputed += outcome == PINGO_HISTORY_COMPUTED;
    row->njoined += outcome == PINGO_HISTORY_JOINED;
    row->nreused += outcome == PINGO_HISTORY_REUSED;
    row->nskipped += outcome == PINGO_HISTORY_SKIPPED;
    if (outcome == PINGO_HISTORY_COMPUTED) {
        add(&row->spent_ms, facts->compute_ms);
        add(&row->made_bytes, facts->size_bytes);
    } else if (outcome != PINGO_HISTORY_UNKNOWN) {
        add(&row->saved_ms, facts->compute_ms);
    }
}

static const struct sums *sums_of(struct asked *q, uint32_t content)
{
    struct pingo__decision_history_content c = pingo__decision_history_content(q->h, content);
    struct sums *s = &q->sums[content];
    if (s->made)
        return s;
    for (uint32_t i = 0; i < c.n; i++)
        if (q->action == NONE || c.actions[i] == q->action)
            count(q->h, c.actions[i], c.flags[i], &s->row);
    s->has = s->row.nmentions > 0;
    s->made = true;
    return s;
}

/* The bucket with a key; NULL: no memory. */
static struct bucket *bucket_of(struct asked *q, int64_t key)
{
    uint32_t found = pingo__map_get(&q->map, &key, sizeof key);
    if (found != PINGO__MAP_NONE)
        return q->buckets[found];
    if (!PINGO__ARRAY_ROOM(q->buckets, q->capacity, q->nbuckets, 1))
        return NULL;
    struct bucket *b = pingo__arena_alloc(&q->arena, sizeof *b);
    if (!b)
        return NULL;
    b->key = key;
    if (!pingo__map_insert(&q->map, &b->key, sizeof b->key, q->nbuckets, NULL))
        return NULL;
    q->buckets[q->nbuckets++] = b;
    return b;
}

static bool in_period(const struct asked *q, int64_t at_ms)
{
    return at_ms >= q->query.since_ms && (q->query.until_ms == 0 || at_ms < q->query.until_ms);
}

static bool is_asked(const struct asked *q, const struct pingo__decision_history_item *item)
{
    return (q->user == NONE || item->user == q->user) &&
           (q->workflow == NONE || item->workflow == q->workflow);
}

static int64_t key_of(const struct asked *q, const struct pingo__decision_history_item *item,
                      int64_t at_ms)
{
    switch (q->query.by) {
    case PINGO_HISTORY_BY_WORKFLOW:
        return item->workflow;
    case PINGO_HISTORY_BY_USER:
        return item->user;
    default:
        return q->step_ms ? at_ms - at_ms % q->step_ms : 0;
    }
}

static bool add_submissions(struct asked *q)
{
    for (uint32_t i = 0; i < q->h->nitems; i++) {
        const struct pingo__decision_history_item *item = &q->h->items[i];
        if (!is_asked(q, item) || !in_period(q, item->at_ms))
            continue;
        const struct sums *s = sums_of(q, item->content);
        if (!s->has)
            continue;
        struct bucket *b = bucket_of(q, key_of(q, item, item->at_ms));
        if (!b)
            return false;
        b->row.nsubmissions++;
        add_row(&b->row, &s->row);
    }
    return true;
}

/* An eviction belongs to the submission whose run had made the dataset. */
static bool add_evictions(struct asked *q)
{
    bool names = q->query.by == PINGO_HISTORY_BY_WORKFLOW || q->query.by == PINGO_HISTORY_BY_USER;
    bool times = q->step_ms || q->query.since_ms || q->query.until_ms;
    for (size_t i = 0; i < q->h->nevictions; i++) {
        const struct pingo__decision_history_eviction *e = &q->h->evictions[i];
        const struct pingo__decision_history_item *item =
            e->submission != NONE ? &q->h->items[e->submission] : NULL;
        if (e->size_bytes == 0 || (q->action != NONE && e->action != q->action) ||
            (item ? !is_asked(q, item) : names || q->user != NONE || q->workflow != NONE))
            continue;
        if (times && e->at_ms < 0) {
            q->is_undated = true;
            continue;
        }
        if (times && !in_period(q, e->at_ms))
            continue;
        struct bucket *b = bucket_of(q, item || !names ? key_of(q, item, e->at_ms) : 0);
        if (!b)
            return false;
        add(&b->row.evicted_bytes, e->size_bytes);
    }
    return true;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int by_key(const void *x, const void *y)
{
    const struct bucket *a = *(struct bucket *const *)x, *b = *(struct bucket *const *)y;
    if (a->row.name)
        return strcmp(a->row.name, b->row.name);
    return (a->key > b->key) - (a->key < b->key);
}

static int tell(struct asked *q, pingo_history_row_fn fn, void *context, struct pingo_error *err)
{
    enum pingo_history_by by = q->query.by;
    for (uint32_t i = 0; i < q->nbuckets; i++) {
        struct bucket *b = q->buckets[i];
        b->row.from_ms = q->step_ms ? b->key : -1;
        if (by == PINGO_HISTORY_BY_WORKFLOW)
            b->row.name = q->h->workflows.all[b->key].bytes;
        else if (by == PINGO_HISTORY_BY_USER)
            b->row.name = q->h->users.all[b->key].bytes;
        if (q->is_undated)
            b->row.evicted_bytes = -1;
    }
    if (q->nbuckets > 1)
        qsort(q->buckets, q->nbuckets, sizeof(struct bucket *), by_key);
    for (uint32_t i = 0; i < q->nbuckets; i++)
        if (fn(context, &q->buckets[i]->row))
            return pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
    return 0;
}

/* What is named and never occurred gives nothing: false. */
static bool prepare(struct asked *q)
{
    static const int64_t steps[] = {0, 60000, 3600000, 86400000, 0, 0};
    const struct pingo_history_query *query = &q->query;
    q->action = q->user = q->workflow = NONE;
    q->step_ms = query->by == PINGO_HISTORY_BY_NOTHING ? query->step_ms : steps[query->by];
    if (query->action && (q->action = pingo_history_find(q->h, query->action)) == NONE)
        return false;
    if (query->user &&
        (q->user = pingo__map_get(&q->h->users.map, query->user, strlen(query->user))) == NONE)
        return false;
    if (query->workflow)
        q->workflow = pingo__map_get(&q->h->workflows.map, query->workflow, strlen(query->workflow));
    return !query->workflow || q->workflow != NONE;
}

int pingo_history_query(const struct pingo_history *h, const struct pingo_history_query *query,
                        pingo_history_row_fn fn, void *context, struct pingo_error *err)
{
    struct asked q = {.h = h};
    int rc = PINGO__OPTIONS_TAKE(pingo_history_query, query, &q.query, err);
    if (rc)
        return rc;
    if ((unsigned)q.query.by > PINGO_HISTORY_BY_USER || q.query.since_ms < 0 ||
        q.query.until_ms < 0 || q.query.step_ms < 0 ||
        (q.query.step_ms && q.query.by != PINGO_HISTORY_BY_NOTHING))
        return pingo__fail(err, PINGO_EINVAL, "the question has a resolution or time that is none");
    q.sums = calloc((size_t)h->contents.n + 1, sizeof *q.sums);
    if (!q.sums ||
        (q.query.by == PINGO_HISTORY_BY_NOTHING && !q.query.step_ms && !bucket_of(&q, 0)) ||
        (prepare(&q) && (!add_submissions(&q) || !add_evictions(&q))))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = tell(&q, fn, context, err);
    free(q.sums);
    free(q.buckets);
    pingo__map_clear(&q.map);
    pingo__arena_clear(&q.arena);
    return rc;
}
