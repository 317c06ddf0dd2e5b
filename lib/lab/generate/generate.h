/* generate.h - what the parts of the generator share: values, streams, and the submission in the making.
 *
 * What always holds: the number of a known action is its index in the history, so
 * what is known of it is asked there. */
#ifndef PINGO__LAB_GENERATE_H
#define PINGO__LAB_GENERATE_H

#include <stdbool.h>

#include <pingo-lab/generate.h>

#include "base/arena.h"
#include "digest/sha256.h"
#include "lab/simulate/random.h"

enum pingo__lab_generate_parameter {
    /* of all families */
    PINGO__GENERATE_SIZE,
    PINGO__GENERATE_SIZE_MEAN,
    PINGO__GENERATE_SIZE_SD,
    PINGO__GENERATE_SIZE_SIGMA,
    PINGO__GENERATE_SIZE_LEAST,
    PINGO__GENERATE_TIME,
    PINGO__GENERATE_TIME_MEAN,
    PINGO__GENERATE_TIME_SD,
    PINGO__GENERATE_TIME_SIGMA,
    PINGO__GENERATE_TIME_LEAST,
    PINGO__GENERATE_USERS,
    PINGO__GENERATE_INTERVAL,
    /* of those with a pool of known actions */
    PINGO__GENERATE_ACTIONS,
    PINGO__GENERATE_NEW,
    PINGO__GENERATE_PREVIOUS,
    PINGO__GENERATE_CHILDREN_MEAN,
    PINGO__GENERATE_CHILDREN_SD,
    PINGO__GENERATE_PARENTS_MEAN,
    PINGO__GENERATE_PARENTS_SD,
    PINGO__GENERATE_CHOICE,
    PINGO__GENERATE_RECENT_MEAN,
    PINGO__GENERATE_ZIPF_EXPONENT,
    /* of those with users who change their pipelines */
    PINGO__GENERATE_WORKFLOWS,
    PINGO__GENERATE_FRESH,
    PINGO__GENERATE_ADOPT,
    PINGO__GENERATE_LATEST,
    PINGO__GENERATE_STAGES_MIN,
    PINGO__GENERATE_STAGES_MAX,
    PINGO__GENERATE_ONE_PARENT,
    PINGO__GENERATE_REACH,
    PINGO__GENERATE_CHANGE_ALPHA,
    PINGO__GENERATE_CHANGE_BETA,
    PINGO__GENERATE_FACTOR_MIN,
    PINGO__GENERATE_FACTOR_MAX,
    PINGO__GENERATE_MAX
};

enum pingo__lab_generate_choice {
    PINGO__GENERATE_UNIFORM = 0,
    PINGO__GENERATE_RECENT = 1,
    PINGO__GENERATE_ZIPF = 2
};

struct pingo__lab_generator {
    struct pingo_history *history;
    struct pingo_error *err;
    struct pingo__arena arena; /* what lasts as long as the generator */
    const struct pingo_generate_family *family;
    double values[PINGO__GENERATE_MAX];    /* of the family's parameters; the others are 0 */
    struct pingo__lab_random_stream shape; /* who has whom for a parent, who submits what */
    struct pingo__lab_random_stream facts; /* sizes and times: equal shapes whatever their distribution */
    struct pingo_hash base;
    uint32_t nknown; /* distinct actions of the submissions so far */
    uint32_t nnew;   /* and of the one in the making */
    struct pingo_history_mention *mentions;
    size_t nmentions, mentions_capacity;
    struct pingo_hash *parents; /* of the new ones, one after the other */
    size_t nparents, parents_capacity;
    struct pingo_hash *hashes; /* of the new ones */
    size_t hashes_capacity;
};

/* What a new action is like. */
struct pingo__lab_generated {
    const uint32_t *parents; /* their numbers, each known or new before it */
    size_t nparents;
    int64_t size_bytes, compute_ms;
};

/* A value that is an integer. */
static inline uint32_t pingo__lab_generate_count(const struct pingo__lab_generator *g, int parameter)
{
    return (uint32_t)g->values[parameter];
}

/* Whether the family's users change pipelines; otherwise it has a pool of known actions. */
bool pingo__lab_generate_is_iter(const struct pingo_generate_family *family);
/* The place of the family's i-th parameter in the enumeration; PINGO__GENERATE_MAX past the end. */
size_t pingo__lab_generate_place(const struct pingo_generate_family *family, size_t i);
/* Reads "KEY=VALUE,..." (NULL: defaults) into one value for each of the enumeration. */
int pingo__lab_generate_read(const struct pingo_generate_family *family, const char *text,
                             double *values, struct pingo_error *err);

/* A size and a time from their distributions, in bytes and ms. */
void pingo__lab_generate_facts(struct pingo__lab_generator *g, struct pingo__lab_generated *action);
/* The same action, changed: its size and time, times numbers from the factors' range. */
void pingo__lab_generate_change(struct pingo__lab_generator *g, uint32_t action,
                                struct pingo__lab_generated *changed);
/* Adds a known action, or a new one (whose number is nknown + nnew), to the submission in the making. */
int pingo__lab_generate_mention(struct pingo__lab_generator *g, uint32_t action, bool is_leaf);
int pingo__lab_generate_new(struct pingo__lab_generator *g,
                            const struct pingo__lab_generated *action, bool is_leaf);
/* Submits it.  user: from 0; letter and number: the workflow's name. */
int pingo__lab_generate_submit(struct pingo__lab_generator *g, uint32_t user, char letter,
                               uint32_t number);

/* ---- choosing among known actions ---- */
/* In the generator's arena. */
struct pingo__lab_chooser {
    struct pingo__lab_generator *g;
    uint32_t nknown;  /* actions that can be picked, in the order in which they were drawn */
    uint64_t *picked; /* a bit an action: picked for this workflow */
    double *weights;  /* zipf: a Fenwick tree, from 1 on */
    uint32_t *uses;   /* zipf: how often it was picked */
    uint32_t capacity;
};
int pingo__lab_chooser_init(struct pingo__lab_chooser *c, struct pingo__lab_generator *g,
                            uint32_t capacity);
/* n more can be picked. */
void pingo__lab_chooser_grow(struct pingo__lab_chooser *c, uint32_t n);
/* n different ones (n <= nknown), by their places in the order. */
void pingo__lab_chooser_pick(struct pingo__lab_chooser *c, uint32_t *picks, uint32_t n);

/* ---- the two kinds of families ---- */
int pingo__lab_generate_pool(struct pingo__lab_generator *g);
int pingo__lab_generate_iter(struct pingo__lab_generator *g);

#endif
