/* generate.c - a history from a family, a seed and parameters; what all families share.
 *
 * A generator puts one submission after the other together, action by action, and
 * appends it to the history, which is the only memory of what is known. */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/text.h"
#include "digest/sha256.h"
#include "lab/generate/generate.h"

#define START_MS INT64_C(1577836800000) /* 2020-01-01T00:00:00Z */
#define END_MS INT64_C(253402300799999) /* the last that RFC 3339 can write */
#define VALUE_MAX INT64_C(9007199254740991)
#define MB 1e6
#define SECOND 1e3

/* ---- sizes and times ------------------------------------------------------------------------- */

/* In whole units. */
static int64_t whole(double x)
{
    return x < (double)VALUE_MAX ? (int64_t)(x + 0.5) : VALUE_MAX;
}

/* first: the place of a distribution, behind which are mean, sd, sigma and least. */
static double draw_value(struct pingo__lab_generator *g, int first)
{
    const double *v = &g->values[first];
    double mean = v[1], sd = v[2], sigma = v[3], least = v[4], x;
    if (v[0] > 0) {
        x = mean *
            pingo__lab_math_exp(sigma * pingo__lab_random_normal(&g->facts) - sigma * sigma / 2);
    } else {
        do {
            x = mean + sd * pingo__lab_random_normal(&g->facts);
        } while (x <= 0);
    }
    return x < least ? least : x;
}

void pingo__lab_generate_facts(struct pingo__lab_generator *g, struct pingo__lab_generated *action)
{
    action->size_bytes = whole(draw_value(g, PINGO__GENERATE_SIZE) * MB);
    action->compute_ms = whole(draw_value(g, PINGO__GENERATE_TIME) * SECOND);
}

static double draw_factor(struct pingo__lab_generator *g)
{
    double low = g->values[PINGO__GENERATE_FACTOR_MIN], high = g->values[PINGO__GENERATE_FACTOR_MAX];
    return low + (high - low) * pingo__lab_random_unit(&g->facts);
}

void pingo__lab_generate_change(struct pingo__lab_generator *g, uint32_t action,
                                struct pingo__lab_generated *changed)
{
    double size = (double)pingo_history_size(g->history, action) * draw_factor(g);
    double time = (double)pingo_history_compute(g->history, action) * draw_factor(g);
    double least_size = g->values[PINGO__GENERATE_SIZE_LEAST] * MB;
    double least_time = g->values[PINGO__GENERATE_TIME_LEAST] * SECOND;
    changed->size_bytes = whole(size < least_size ? least_size : size);
    changed->compute_ms = whole(time < least_time ? least_time : time);
}

/* ---- a submission --------------------------------------------------------------------------------- */

static struct pingo_history_mention *add_mention(struct pingo__lab_generator *g, bool is_leaf)
{
    if (!PINGO__ARRAY_ROOM(g->mentions, g->mentions_capacity, g->nmentions, 1))
        return NULL;
    struct pingo_history_mention *m = &g->mentions[g->nmentions++];
    *m = (struct pingo_history_mention){.size_bytes = -1, .compute_ms = -1};
    m->flags = is_leaf ? PINGO_HISTORY_LEAF : 0;
    return m;
}

int pingo__lab_generate_mention(struct pingo__lab_generator *g, uint32_t action, bool is_leaf)
{
    struct pingo_history_mention *m = add_mention(g, is_leaf);
    if (!m)
        return pingo__fail_memory(g->err);
    m->hash = *pingo_history_hash(g->history, action);
    return 0;
}

/* SHA-256(base, number). */
static void hash_of(struct pingo__lab_generator *g, uint32_t number, struct pingo_hash *hash)
{
    uint8_t bytes[PINGO_HASH_SIZE + 8];
    uint64_t little = htole64(number);
    memcpy(bytes, g->base.bytes, PINGO_HASH_SIZE);
    memcpy(bytes + PINGO_HASH_SIZE, &little, sizeof little);
    pingo__digest_sha256(bytes, sizeof bytes, hash);
}

int pingo__lab_generate_new(struct pingo__lab_generator *g,
                            const struct pingo__lab_generated *action, bool is_leaf)
{
    struct pingo_history_mention *m = add_mention(g, is_leaf);
    if (g->nknown + g->nnew >= PINGO_HISTORY_NONE / 2)
        return pingo__fail(g->err, PINGO_ELIMIT, "the history is full");
    if (!m || !PINGO__ARRAY_ROOM(g->hashes, g->hashes_capacity, g->nnew, 1) ||
        !PINGO__ARRAY_ROOM(g->parents, g->parents_capacity, g->nparents, action->nparents))
        return pingo__fail_memory(g->err);
    hash_of(g, g->nknown + g->nnew, &g->hashes[g->nnew]);
    m->hash = g->hashes[g->nnew++];
    m->has_parents = true;
    m->nparents = action->nparents;
    m->size_bytes = action->size_bytes;
    m->compute_ms = action->compute_ms;
    for (size_t i = 0; i < action->nparents; i++) {
        uint32_t parent = action->parents[i];
        g->parents[g->nparents++] = parent < g->nknown ? *pingo_history_hash(g->history, parent)
                                                       : g->hashes[parent - g->nknown];
    }
    return 0;
}

int pingo__lab_generate_submit(struct pingo__lab_generator *g, uint32_t user, char letter,
                               uint32_t number)
{
    char name[16], workflow[16];
    struct pingo_history_entry entry = {
        .user = name, .workflow = workflow, .mentions = g->mentions, .nmentions = g->nmentions};
    size_t at = 0;
    /* The list of parents has its place in memory only now. */
    for (size_t i = 0; i < g->nmentions; i++) {
        if (g->mentions[i].nparents > 0)
            g->mentions[i].parents = g->parents + at;
        at += g->mentions[i].nparents;
    }
    snprintf(name, sizeof name, "u%lu", (unsigned long)user + 1);
    snprintf(workflow, sizeof workflow, "%c%lu", letter, (unsigned long)number + 1);
    entry.at_ms = START_MS + (int64_t)pingo_history_count_submissions(g->history) *
                                 (int64_t)g->values[PINGO__GENERATE_INTERVAL] * 1000;
    int rc = pingo_history_append(g->history, &entry, NULL, g->err);
    if (rc == 0)
        g->nknown = pingo_history_count_actions(g->history);
    g->nnew = 0;
    g->nmentions = 0;
    g->nparents = 0;
    return rc;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

/* What the hashes of this family, seed and parameters begin with. */
static int hash_base(struct pingo__lab_generator *g, uint64_t seed)
{
    static const char title[] = "pingo-generate 1";
    struct pingo_decision_parameter parameter;
    struct pingo__buffer b = {0};
    pingo__buffer_append(&b, title, sizeof title);
    pingo__buffer_append(&b, g->family->name, strlen(g->family->name) + 1);
    pingo__buffer_u64(&b, seed);
    for (size_t i = 0; pingo_generate_parameter_at(g->family, i, &parameter) == 0; i++) {
        uint64_t bits;
        memcpy(&bits, &g->values[pingo__lab_generate_place(g->family, i)], sizeof bits);
        pingo__buffer_u64(&b, bits);
    }
    return pingo__digest_buffer(&b, &g->base);
}

/* Whether all times of submission can be written. */
static int check_times(const struct pingo__lab_generator *g)
{
    const double *v = g->values;
    double n = pingo__lab_generate_is_iter(g->family)
                   ? v[PINGO__GENERATE_WORKFLOWS]
                   : v[PINGO__GENERATE_ACTIONS] / v[PINGO__GENERATE_NEW];
    if (n * v[PINGO__GENERATE_INTERVAL] * SECOND <= (double)(END_MS - START_MS))
        return 0;
    return pingo__fail(g->err, PINGO_EINVAL,
                       "%s: with this interval the last workflows would come after the year 9999",
                       g->family->name);
}

static int find_family(const char *name, const struct pingo_generate_family **family,
                       struct pingo_error *err)
{
    const char *names[32];
    char all[256];
    size_t n = 0;
    for (; n < 32 && (*family = pingo_generate_family_at(n)); n++) {
        names[n] = (*family)->name;
        if (strcmp(names[n], name) == 0)
            return 0;
    }
    const char *nearest = pingo__text_nearest(name, names, n);
    return pingo__fail(err, PINGO_EINVAL, "there is no family \"%.80s\"%s%s%s; the families are %s",
                       name, nearest ? " (did you mean \"" : "", nearest ? nearest : "",
                       nearest ? "\"?)" : "", pingo__text_join(all, sizeof all, names, n, ", "));
}

int pingo_generate(const struct pingo_generate_options *options, struct pingo_history **history,
                   struct pingo_error *err)
{
    struct pingo_generate_options o;
    struct pingo__lab_generator g = {.err = err};
    int rc = PINGO__OPTIONS_TAKE(pingo_generate_options, options, &o, err);
    *history = NULL;
    if (rc == 0)
        rc = find_family(o.family ? o.family : PINGO_GENERATE_DEFAULT, &g.family, err);
    if (rc == 0)
        rc = pingo__lab_generate_read(g.family, o.parameters, g.values, err);
    if (rc == 0)
        rc = check_times(&g);
    if (rc != 0)
        return rc;
    pingo__lab_random_seed(&g.shape, o.seed);
    g.facts = g.shape;
    pingo__lab_random_jump(&g.facts);
    if (hash_base(&g, o.seed) != 0)
        rc = pingo__fail_memory(err);
    if (rc == 0)
        rc = pingo_history_new(&g.history, err);
    if (rc == 0)
        rc = pingo__lab_generate_is_iter(g.family) ? pingo__lab_generate_iter(&g)
                                                   : pingo__lab_generate_pool(&g);
    if (rc == 0)
        *history = g.history;
    else
        pingo_history_free(g.history);
    pingo__arena_clear(&g.arena);
    free(g.mentions);
    free(g.parents);
    free(g.hashes);
    return rc;
}
