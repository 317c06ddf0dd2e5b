/* one.h - an algorithm on a small history, asked for victims by name: names are letters. */
#ifndef TEST_DECISION_ONE_H
#define TEST_DECISION_ONE_H

#include <pingo/decision.h>

#include "unit/decision/submissions.h"

struct one {
    struct pingo_history *h;
    struct pingo_decider *d;
    char order[32]; /* of the last decision: victims */
    double scores[32];
    char text[200]; /* of the last reason */
};

/* The next submission. */
static inline void one_submit(struct one *o, const char *text)
{
    assert_int_equal(submit(o->h, 1, "u", "w", text), 0);
}

/* parameters: as people write them. */
static inline struct one one_open(const char *algorithm, const char *parameters, const char *text)
{
    const struct pingo_decision_algorithm *a = pingo_decision_find(algorithm);
    struct one o = {.h = new_history()};
    double values[8];
    assert_non_null(a);
    assert_in_range(a->nparameters, 0, 8);
    assert_int_equal(pingo_decision_values(a, parameters, values, NULL), 0);
    assert_int_equal(pingo_decider_new(a, values, o.h, &o.d, NULL), 0);
    one_submit(&o, text);
    return o;
}

static inline void one_close(struct one *o)
{
    pingo_decider_free(o->d);
    pingo_history_free(o->h);
}

static inline uint32_t one_find(const struct one *o, char name)
{
    uint32_t found = find(o->h, (char[2]){name, '\0'});
    assert_int_not_equal(found, PINGO_HISTORY_NONE);
    return found;
}

static inline void one_set(const struct one *o, char name, int64_t size_bytes, int64_t compute_ms)
{
    pingo_history_set_size(o->h, one_find(o, name), size_bytes);
    pingo_history_set_compute(o->h, one_find(o, name), compute_ms);
}

static inline void one_present(const struct one *o, const char *names)
{
    for (; *names; names++)
        assert_int_equal(pingo_decider_present(o->d, one_find(o, *names), NULL), 0);
}

static inline void one_missing(const struct one *o, char name, bool evicted)
{
    assert_int_equal(pingo_decider_missing(o->d, one_find(o, name), evicted, NULL), 0);
}

static inline int one_note(void *context, const struct pingo_decision_victim *victim)
{
    struct one *o = context;
    size_t n = strlen(o->order);
    assert_true(n + 1 < sizeof o->order);
    o->order[n] = (char)pingo_history_hash(o->h, victim->dataset)->bytes[0];
    o->scores[n] = victim->score;
    return 0;
}

/* Frees so many bytes; the victims are in order and scores. */
static inline const char *one_choose(struct one *o, uint64_t free_bytes)
{
    struct pingo_decision_request request = {
        .version = 1, .free_bytes = free_bytes, .victim = one_note, .context = o};
    memset(o->order, 0, sizeof o->order);
    assert_int_equal(pingo_decider_choose(o->d, &request, NULL, NULL), 0);
    return o->order;
}

/* What a dataset would score as the first to go. */
static inline bool one_is_only(void *context, uint32_t dataset)
{
    const struct one *o = context;
    return dataset == one_find(o, o->text[0]);
}

static inline double one_score(struct one *o, char name)
{
    struct pingo_decision_request request = {.version = 1,
                                             .free_bytes = UINT64_MAX,
                                             .is_candidate = one_is_only,
                                             .victim = one_note,
                                             .context = o};
    memset(o->order, 0, sizeof o->order);
    o->text[0] = name;
    assert_int_equal(pingo_decider_choose(o->d, &request, NULL, NULL), 0);
    assert_int_equal(strlen(o->order), 1);
    return o->scores[0];
}

static inline const char *one_reason(struct one *o, char name)
{
    pingo_decider_reason(o->d, one_find(o, name), o->text, sizeof o->text);
    return o->text;
}

#endif
