/* stored.h - which datasets are present, when they were last used, and what is missing around them.
 *
 * The part of its state that every built-in algorithm has; it stays where it is in memory.  Submissions are
 * counted from 1 here, so that 0 means "never".
 * A submission uses what it computes, joins or reuses, not what it mentions and
 * skips; where it is not known what became of a mention, it counts as a use. */
#ifndef PINGO__DECISION_STORED_H
#define PINGO__DECISION_STORED_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decision/history/history.h"

/* How far a score looks, and at what. */
struct pingo__decision_look {
    const uint64_t *bits; /* what is there */
    uint32_t reach;       /* datasets on each side, the stored's own at most */
    double limit;         /* above it any lower bound will do */
};

/* As far as can be. */
static inline struct pingo__decision_look pingo__decision_look_all(const uint64_t *bits)
{
    return (struct pingo__decision_look){bits, UINT32_MAX, INFINITY};
}

/* How an algorithm scores. */
struct pingo__decision_kind {
    size_t size; /* of its state, whose first member is a struct pingo__decision_stored */
    /* At most the score, whatever is there.  Where score is NULL: the score itself. */
    double (*bound)(const void *state, uint32_t dataset);
    /* The score as far as it looks: who looks further never finds less. */
    double (*score)(void *state, uint32_t dataset, const struct pingo__decision_look *look);
    bool exchanges; /* see greedy.h; only where score is not NULL */
};

#define PINGO__DECISION_ARRAYS 8
struct pingo__decision_stored {
    const struct pingo__decision_kind *kind; /* of the algorithm */
    const struct pingo_history *history;
    uint32_t nobserved; /* submissions */
    uint32_t nknown;    /* the datasets of these; a search meets no others */
    uint32_t capacity;  /* datasets for which there is room, a multiple of 64 */
    uint32_t npresent;
    uint64_t *present;  /* a bit a dataset */
    uint32_t *last_use; /* the submission that used it last */
    /* Of the search: found[0..reach) is what the last one found; a dataset whose mark is `stamp` was met. */
    uint32_t *mark, *found;
    uint32_t stamp, reach;
    /* What an algorithm keeps of each dataset besides: arrays that grow and go with these, zero at first. */
    struct pingo__decision_array {
        void *array; /* the address of a pointer */
        size_t size; /* of an element */
    } arrays[PINGO__DECISION_ARRAYS];
    uint32_t narrays;
};

/* reach: how many datasets a search finds at most; 0: there will be none.  false: no memory. */
bool pingo__decision_stored_init(struct pingo__decision_stored *s,
                                 const struct pingo_history *history, uint32_t reach);
void pingo__decision_stored_clear(struct pingo__decision_stored *s);
/* Has an array of elements of a size, one a dataset, grow and go with what is stored; it is NULL yet. */
void pingo__decision_stored_keep(struct pingo__decision_stored *s, void *array, size_t size);
/* Makes room for n datasets.  false: no memory, nothing has changed. */
bool pingo__decision_stored_reserve(struct pingo__decision_stored *s, uint32_t n);
/* ---- functions of a table, whose states begin with what is stored ---- */
/* A state of a kind, zeroed but for what is stored; reach as pingo__decision_stored_init(). */
int pingo__decision_stored_open(const struct pingo_history *history,
                                const struct pingo__decision_kind *kind, uint32_t reach,
                                void **state, struct pingo_error *err);
/* Frees the state too. */
void pingo__decision_stored_close(void *state);
/* Reads a submission and makes room for its datasets; takes nothing in. */
int pingo__decision_stored_read(struct pingo__decision_stored *s, uint32_t submission,
                                struct pingo_history_submission *w, struct pingo_error *err);
/* Takes in one that was read: the last uses. */
void pingo__decision_stored_take(struct pingo__decision_stored *s,
                                 const struct pingo_history_submission *w);
/* Both. */
int pingo__decision_stored_observe(void *state, uint32_t submission, struct pingo_error *err);
int pingo__decision_stored_present(void *state, uint32_t dataset, struct pingo_error *err);
void pingo__decision_stored_missing(void *state, uint32_t dataset, bool evicted);
/* Says when a dataset was used last, for a reason: it may be that no submission of the history did. */
void pingo__decision_stored_tell_use(void *state, uint32_t dataset, char *text, size_t size);

/* Grows an array of elements of a size to n elements, the new ones zero.  false: no memory. */
bool pingo__decision_stored_grow(void *array, size_t size, uint32_t old, uint32_t n);

static inline bool pingo__decision_stored_is_use(uint8_t flags)
{
    return (flags & PINGO_HISTORY_OUTCOME) != PINGO_HISTORY_SKIPPED;
}

static inline bool pingo__decision_bit(const uint64_t *bits, uint32_t i)
{
    return (bits[i / 64] >> (i % 64) & 1) != 0;
}

static inline void pingo__decision_bit_set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

static inline void pingo__decision_bit_clear(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* Submissions since the last use, as the next one will see it: 1 or more. */
static inline uint32_t pingo__decision_stored_age(const struct pingo__decision_stored *s,
                                                  uint32_t dataset)
{
    return s->nobserved + 1 - s->last_use[dataset];
}

/* What is not known counts as nothing. */
static inline uint64_t pingo__decision_stored_ms(const struct pingo__decision_stored *s,
                                                 uint32_t dataset)
{
    int64_t ms = s->history->facts[dataset].compute_ms;
    return ms > 0 ? (uint64_t)ms : 0;
}

static inline uint64_t pingo__decision_stored_bytes(const struct pingo__decision_stored *s,
                                                    uint32_t dataset)
{
    int64_t bytes = s->history->facts[dataset].size_bytes;
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* The size as a divisor: an empty dataset counts as a byte. */
static inline double pingo__decision_stored_size(const struct pingo__decision_stored *s,
                                                 uint32_t dataset)
{
    uint64_t bytes = pingo__decision_stored_bytes(s, dataset);
    return bytes > 0 ? (double)bytes : 1.0;
}

static inline uint64_t pingo__decision_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* M(d): the missing descendants of a dataset that are reached through missing ones, breadth first; bits tell
 * what is there.  Returns how many are in s->found.  Stops at so many of them, s->reach at most, or after
 * PINGO__SEARCH_EDGES times as many edges: what a shorter search finds is what a longer one finds first. */
uint32_t pingo__decision_stored_below(struct pingo__decision_stored *s, const uint64_t *bits,
                                      uint32_t dataset, uint32_t reach);
/* The time of a dataset and of its missing ancestors, which are in s->found; *nabove: how many. */
uint64_t pingo__decision_stored_cost(struct pingo__decision_stored *s, const uint64_t *bits,
                                     uint32_t dataset, uint32_t reach, uint32_t *nabove);
#define PINGO__SEARCH_EDGES 32

/* Has the memory fetched that searches from these datasets will look at first.  It lies all over the place, and
 * to wait for each piece in turn takes longer than all the rest. */
void pingo__decision_stored_prefetch(const struct pingo__decision_stored *s,
                                     const uint32_t *datasets, uint32_t n);

/* The sum of the compute times of what the last search found. */
uint64_t pingo__decision_stored_found_ms(const struct pingo__decision_stored *s, uint32_t nfound);

/* How many missing ancestors are looked for: as many as the algorithms do. */
#define PINGO__REMAKE_REACH 128
/* n present datasets go, one after the other.  each_ms[i]: the time of i and of the ancestors that are missing
 * once it is gone, those that went before it among them.  *together_ms: of all, each ancestor once.  s, of
 * reach PINGO__REMAKE_REACH, tells what is present, and stays as it is but for what its searches leave.
 * Times that are not known count as nothing.  false: no memory. */
bool pingo__decision_remake(struct pingo__decision_stored *s, const uint32_t *datasets, size_t n,
                            int64_t *each_ms, int64_t *together_ms);

#endif
