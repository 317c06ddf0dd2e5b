/* greedy.c - a heap of candidates, from which the victims are taken.
 *
 * Only those whose lower bound is small enough to matter are in the heap: a sample tells
 * how small that may be, and when the heap's least key is above it, the next ones are
 * fetched.  What is chosen does not depend on the sample.
 * It changes nothing in the algorithm's state, so that a decision can be asked for
 * and dropped. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "decision/algorithms/greedy.h"

/* Steps towards a score: lower bounds, each from a search that reaches further than the one before. */
#define STEPS 4
static const uint32_t reaches[STEPS] = {0, 2, 8, 32};
#define BOUND (UINT32_MAX - STEPS) /* a key from step i: BOUND + i */
#define SAMPLE 2048
#define FETCH 2 /* times as many as would be needed if lower bounds were scores */
#define MORE 4  /* times as many the next time */
#define BATCH 64

struct entry {
    double key;
    uint32_t dataset;
    uint32_t state; /* how many changes there had been when the key was computed, 0: with all that is present;
                       from BOUND on it is a lower bound of that */
};

struct choice {
    struct pingo__decision_stored *stored; /* the state of the algorithm */
    const struct pingo__decision_kind *kind;
    const struct pingo_decision_request *request;
    struct entry *heap;
    uint32_t nheap;
    size_t heap_capacity;
    struct entry limit; /* all candidates up to it were fetched */
    bool fetched_some, fetched_all;
    struct entry sample[SAMPLE]; /* some candidates, in order */
    uint32_t nsample, next; /* the next limit is sample[next]; from nsample on all are fetched */
    uint64_t *left;         /* present, and not gone; NULL where the scores do not look */
    struct pingo_decision_victim *victims;
    uint32_t nvictims;
    size_t victims_capacity;
    uint64_t freed;
    uint32_t nchanges; /* datasets that went or came back */
    uint32_t reset;    /* keys computed after the first change and before this one no longer hold */
    uint32_t *keyed;   /* the datasets of those that hold, each once */
    uint32_t nkeyed;
    size_t keyed_capacity;
};

/* Does a go before b?  An order without ties. */
static bool goes_before(const struct pingo__decision_stored *s, const struct entry *a,
                        const struct entry *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    if ((a->state >= BOUND) != (b->state >= BOUND))
        return a->state >= BOUND;
    if (s->last_use[a->dataset] != s->last_use[b->dataset])
        return s->last_use[a->dataset] < s->last_use[b->dataset];
    uint64_t size = pingo__decision_stored_bytes(s, a->dataset),
             other = pingo__decision_stored_bytes(s, b->dataset);
    if (size != other)
        return size > other;
    return memcmp(s->history->actions[a->dataset].hash.bytes,
                  s->history->actions[b->dataset].hash.bytes, PINGO_HASH_SIZE) < 0;
}

/* Puts an entry into the hole at i, or further down. */
static void sift_down(struct choice *c, uint32_t i, struct entry entry)
{
    for (uint64_t child = (uint64_t)i * 2 + 1; child < c->nheap; child = (uint64_t)i * 2 + 1) {
        if (child + 1 < c->nheap && goes_before(c->stored, &c->heap[child + 1], &c->heap[child]))
            child++;
        if (!goes_before(c->stored, &c->heap[child], &entry))
            break;
        c->heap[i] = c->heap[child];
        i = (uint32_t)child;
    }
    c->heap[i] = entry;
}

static void drop_first(struct choice *c)
{
    c->nheap--;
    if (c->nheap > 0)
        sift_down(c, 0, c->heap[c->nheap]);
}

/* Puts an entry behind the heap, which is to be made one again. */
static bool push(struct choice *c, struct entry entry)
{
    if (!PINGO__ARRAY_ROOM(c->heap, c->heap_capacity, c->nheap, 1))
        return false;
    c->heap[c->nheap++] = entry;
    return true;
}

static bool is_candidate(const struct choice *c, uint32_t dataset)
{
    return !c->request->is_candidate || c->request->is_candidate(c->request->context, dataset);
}

/* The score of a dataset, as far as the look goes. */
static double score(const struct choice *c, uint32_t dataset, const uint64_t *bits, uint32_t reach,
                    double limit)
{
    struct pingo__decision_look look = {bits, reach, limit};
    return c->kind->score(c->stored, dataset, &look);
}

/* As things are now. */
static double score_now(const struct choice *c, uint32_t dataset)
{
    return score(c, dataset, c->left, UINT32_MAX, INFINITY);
}

/* The first key of a dataset; false: it is no candidate, or its score is above the limit. */
static bool first_key(const struct choice *c, uint32_t dataset, double limit, struct entry *entry)
{
    *entry = (struct entry){.key = c->kind->bound(c->stored, dataset), .dataset = dataset};
    if (entry->key > limit || !is_candidate(c, dataset))
        return false;
    if (c->kind->score) {
        entry->state = BOUND + 1;
        entry->key = score(c, dataset, c->stored->present, reaches[1], limit);
    }
    return entry->key <= limit;
}

/* What a decision looks at stands in pieces: the candidates of a list, one in each, or the words of what is present. */
static size_t count_pieces(const struct choice *c)
{
    return c->request->candidates ? c->request->ncandidates : c->stored->capacity / 64;
}

/* A bit for each dataset of a piece that is there. */
static uint64_t bits_of(const struct choice *c, size_t piece)
{
    const struct pingo__decision_stored *s = c->stored;
    if (!c->request->candidates)
        return s->present[piece];
    uint32_t dataset = c->request->candidates[piece];
    return dataset < s->capacity && pingo__decision_bit(s->present, dataset);
}

/* The dataset of the lowest of these bits. */
static uint32_t dataset_of(const struct choice *c, size_t piece, uint64_t bits)
{
    return c->request->candidates ? c->request->candidates[piece]
                                  : (uint32_t)piece * 64 + (uint32_t)__builtin_ctzll(bits);
}

static int compare_entries(const void *a, const void *b, void *stored)
{
    return goes_before(stored, a, b) ? -1 : goes_before(stored, b, a) ? 1 : 0;
}

/* Looks at some candidates: how many are needed, and which bounds those will have. */
static void take_sample(struct choice *c)
{
    size_t n = count_pieces(c), wait = 1; /* until the next one is looked at */
    size_t step = (c->request->candidates ? n : c->stored->npresent) / SAMPLE + 1;
    double bytes = 0;
    for (size_t i = 0; i < n && c->nsample < SAMPLE; i++)
        for (uint64_t bits = bits_of(c, i); bits != 0 && c->nsample < SAMPLE; bits &= bits - 1) {
            if (--wait > 0)
                continue;
            wait = step;
            uint32_t dataset = dataset_of(c, i, bits);
            if (!first_key(c, dataset, INFINITY, &c->sample[c->nsample]))
                continue;
            c->nsample++;
            bytes += (double)pingo__decision_stored_bytes(c->stored, dataset);
        }
    qsort_r(c->sample, c->nsample, sizeof c->sample[0], compare_entries, c->stored);
    double all = bytes * (double)step;
    double share = (double)c->request->free_bytes * FETCH / (all > 0 ? all : 1);
    c->next = share < 1 ? (uint32_t)(share * c->nsample) + MORE : c->nsample;
}

/* Is an entry behind what was fetched, and not behind the next limit? */
static bool is_next(const struct choice *c, const struct entry *entry, const struct entry *high)
{
    if (high && goes_before(c->stored, high, entry))
        return false;
    return !c->fetched_some || goes_before(c->stored, &c->limit, entry);
}

/* Puts those of some datasets behind the heap that are behind the limit, up to the next one. */
static bool push_some(struct choice *c, const uint32_t *datasets, uint32_t n,
                      const struct entry *high)
{
    double limit = high ? high->key : INFINITY;
    struct entry entry;
    if (c->kind->score)
        pingo__decision_stored_prefetch(c->stored, datasets, n);
    for (uint32_t i = 0; i < n; i++)
        if (first_key(c, datasets[i], limit, &entry) && is_next(c, &entry, high) && !push(c, entry))
            return false;
    return true;
}

/* Fetches the candidates behind the limit, up to the next one.  false: no memory. */
static bool fetch(struct choice *c)
{
    const struct entry *high = c->next < c->nsample ? &c->sample[c->next] : NULL;
    double limit = high ? high->key : INFINITY;
    uint32_t near[2 * BATCH], n = 0;
    for (size_t i = 0, npieces = count_pieces(c); i < npieces; i++) {
        for (uint64_t bits = bits_of(c, i); bits != 0; bits &= bits - 1) {
            near[n] = dataset_of(c, i, bits);
            n += c->kind->bound(c->stored, near[n]) <= limit;
        }
        if (n < BATCH && i + 1 < npieces)
            continue;
        if (!push_some(c, near, n, high))
            return false;
        n = 0;
    }
    for (uint32_t i = c->nheap / 2; i-- > 0;)
        sift_down(c, i, c->heap[i]);
    c->fetched_some = true;
    c->fetched_all = !high;
    if (high)
        c->limit = *high;
    c->next = c->next < c->nsample ? c->next * MORE : c->nsample;
    return true;
}

/* May there be one that goes before all that are in the heap? */
static bool needs_more(const struct choice *c)
{
    if (c->fetched_all)
        return false;
    return !c->fetched_some || c->nheap == 0 || goes_before(c->stored, &c->limit, &c->heap[0]);
}

static bool begin(struct choice *c)
{
    take_sample(c);
    if (!c->kind->score)
        return true;
    c->left = malloc(c->stored->capacity / 8 + sizeof *c->left);
    if (c->left && c->stored->capacity > 0)
        memcpy(c->left, c->stored->present, c->stored->capacity / 8);
    return c->left;
}

static bool take(struct choice *c, struct entry entry)
{
    if (!PINGO__ARRAY_ROOM(c->victims, c->victims_capacity, c->nvictims, 1))
        return false;
    c->victims[c->nvictims++] = (struct pingo_decision_victim){entry.dataset, entry.key};
    c->freed = pingo__decision_sum(c->freed, pingo__decision_stored_bytes(c->stored, entry.dataset));
    if (c->left)
        pingo__decision_bit_clear(c->left, entry.dataset);
    c->nchanges++;
    return true;
}

static bool note_keyed(struct choice *c, uint32_t dataset)
{
    if (!PINGO__ARRAY_ROOM(c->keyed, c->keyed_capacity, c->nkeyed, 1))
        return false;
    c->keyed[c->nkeyed++] = dataset;
    return true;
}

/* Computes a key anew: the next lower bound, or the score.  false: no memory. */
static bool look_closer(struct choice *c, struct entry *entry)
{
    bool is_bound = entry->state >= BOUND;
    if (!is_bound && entry->state == 0 && c->kind->exchanges && !note_keyed(c, entry->dataset))
        return false;
    uint32_t step = is_bound ? entry->state - BOUND + 1 : STEPS;
    entry->state = step < STEPS ? BOUND + step : is_bound ? 0 : c->nchanges;
    entry->key = score(c, entry->dataset, is_bound ? c->stored->present : c->left,
                       step < STEPS ? reaches[step] : UINT32_MAX, INFINITY);
    return true;
}

/* Brings the one that goes next, with its score as things are, to the top of the heap, where there is one.
 * false: no memory. */
static bool find_next(struct choice *c)
{
    for (;;) {
        while (needs_more(c))
            if (!fetch(c))
                return false;
        if (c->nheap == 0 || !c->kind->score || c->heap[0].state == c->nchanges)
            return true;
        struct entry first = c->heap[0];
        if (first.state > 0 && first.state < c->reset) { /* it is in the heap once more */
            drop_first(c);
            continue;
        }
        if (!look_closer(c, &first))
            return false;
        sift_down(c, 0, first);
    }
}

static bool take_victims(struct choice *c, uint64_t free_bytes)
{
    while (c->freed < free_bytes) {
        if (!find_next(c))
            return false;
        if (c->nheap == 0)
            break;
        struct entry first = c->heap[0];
        drop_first(c);
        if (!take(c, first))
            return false;
    }
    return true;
}

/* Puts a dataset into the heap again, by the first of its lower bounds. */
static bool put_back(struct choice *c, uint32_t dataset)
{
    struct entry entry = {
        .key = c->kind->bound(c->stored, dataset), .dataset = dataset, .state = BOUND};
    if (!push(c, entry))
        return false;
    uint32_t i = c->nheap - 1;
    for (; i > 0 && goes_before(c->stored, &entry, &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = entry;
    return true;
}

/* A victim stays after all.  Scores fall with it, so that no key holds but those from before the first change. */
static bool come_back(struct choice *c, uint32_t victim)
{
    uint32_t dataset = c->victims[victim].dataset;
    c->victims[victim].dataset = PINGO_HISTORY_NONE;
    c->freed -= pingo__decision_stored_bytes(c->stored, dataset);
    c->reset = ++c->nchanges;
    for (uint32_t i = 0; i < c->nkeyed; i++)
        if (pingo__decision_bit(c->left, c->keyed[i]) && !put_back(c, c->keyed[i]))
            return false;
    c->nkeyed = 0;
    pingo__decision_bit_set(c->left, dataset);
    return put_back(c, dataset);
}

static void drop_kept(struct choice *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->nvictims; i++)
        if (c->victims[i].dataset != PINGO_HISTORY_NONE)
            c->victims[kept++] = c->victims[i];
    c->nvictims = kept;
}

/* Is a victim worth more, now that others have gone as well, than the next one, which is as large at least? */
static bool is_better(const struct choice *c, uint32_t dataset, const struct entry *next)
{
    const struct pingo__decision_stored *s = c->stored;
    return pingo__decision_stored_bytes(s, dataset) <=
               pingo__decision_stored_bytes(s, next->dataset) &&
           score_now(c, dataset) > next->key;
}

/* The victims once more, those of the greatest score first: one that is better comes back, and others go
 * for it. */
static bool exchange(struct choice *c, uint64_t free_bytes)
{
    uint32_t n = c->nvictims;
    struct entry *again = malloc((n + (size_t)1) * sizeof *again);
    bool ok = again;
    for (uint32_t i = 0; ok && i < n; i++) {
        uint32_t dataset = c->victims[i].dataset;
        again[i] = (struct entry){.key = score_now(c, dataset), .dataset = dataset, .state = i};
    }
    if (ok)
        qsort_r(again, n, sizeof *again, compare_entries, c->stored);
    for (uint32_t i = n; ok && i-- > 0;) {
        ok = find_next(c);
        if (!ok || c->nheap == 0)
            break;
        if (is_better(c, again[i].dataset, &c->heap[0]))
            ok = come_back(c, again[i].state) && take_victims(c, free_bytes);
    }
    free(again);
    drop_kept(c);
    return ok;
}

/* What is not needed stays. */
static void give_back(struct choice *c, uint64_t free_bytes)
{
    for (uint32_t i = c->nvictims; i-- > 0;) {
        uint64_t size = pingo__decision_stored_bytes(c->stored, c->victims[i].dataset);
        if (c->freed - size >= free_bytes && c->freed != UINT64_MAX) {
            c->freed -= size;
            c->victims[i].dataset = PINGO_HISTORY_NONE;
        }
    }
    drop_kept(c);
}

int pingo__decision_greedy_choose(void *state, const struct pingo_decision_request *request,
                                  struct pingo_error *err)
{
    struct pingo__decision_stored *stored = state;
    struct choice c = {.stored = stored, .kind = stored->kind, .request = request};
    int rc = 0;
    if (request->free_bytes == 0)
        return 0;
    bool ok = begin(&c) && take_victims(&c, request->free_bytes);
    /* Where everything goes and it is too little, nothing comes back. */
    bool is_enough = c.freed >= request->free_bytes;
    if (ok && is_enough && c.kind->exchanges)
        ok = exchange(&c, request->free_bytes);
    if (!ok) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    if (is_enough)
        give_back(&c, request->free_bytes);
    for (uint32_t i = 0; i < c.nvictims && rc == 0; i++)
        if (request->victim(request->context, &c.victims[i]) != 0)
            rc = pingo__fail(err, PINGO_EINTERRUPTED, "the decision was stopped by its caller");
out:
    free(c.heap);
    free(c.left);
    free(c.keyed);
    free(c.victims);
    return rc;
}
