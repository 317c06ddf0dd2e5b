/* choice.c - picking among known actions: uniform, recent, or as often as before.
 *
 * Picks of a workflow are different ones.  A draw that hits one again, or nothing, is
 * repeated; where that does not end soon, as with a mean distance of nearly 0,
 * the newest that is left is taken. */
#include "base/error.h"
#include "lab/generate/generate.h"

#define DRAWS_MAX 1000

int pingo__lab_chooser_init(struct pingo__lab_chooser *c, struct pingo__lab_generator *g,
                            uint32_t capacity)
{
    bool is_zipf = (int)g->values[PINGO__GENERATE_CHOICE] == PINGO__GENERATE_ZIPF;
    *c = (struct pingo__lab_chooser){.g = g, .capacity = capacity};
    c->picked = pingo__arena_array(&g->arena, (size_t)capacity / 64 + 1, sizeof *c->picked);
    if (is_zipf) {
        c->weights = pingo__arena_array(&g->arena, (size_t)capacity + 1, sizeof *c->weights);
        c->uses = pingo__arena_array(&g->arena, (size_t)capacity + 1, sizeof *c->uses);
    }
    if (!c->picked || (is_zipf && (!c->weights || !c->uses)))
        return pingo__fail_memory(g->err);
    return 0;
}

static bool is_picked(const struct pingo__lab_chooser *c, uint32_t place)
{
    return (c->picked[place / 64] >> (place % 64) & 1) != 0;
}

static void set_picked(struct pingo__lab_chooser *c, uint32_t place, bool picked)
{
    uint64_t bit = UINT64_C(1) << (place % 64);
    c->picked[place / 64] = picked ? c->picked[place / 64] | bit : c->picked[place / 64] & ~bit;
}

/* ---- weights: sums over blocks of a power of two (Fenwick 1994) ---------------------------- */

static void add_weight(struct pingo__lab_chooser *c, uint32_t place, double weight)
{
    for (uint32_t i = place + 1; i <= c->capacity; i += i & (0 - i))
        c->weights[i] += weight;
}

static double sum_weights(const struct pingo__lab_chooser *c)
{
    double sum = 0;
    for (uint32_t i = c->nknown; i > 0; i -= i & (0 - i))
        sum += c->weights[i];
    return sum;
}

static double weight_of(const struct pingo__lab_chooser *c, uint32_t place)
{
    return pingo__lab_math_power(1 + (double)c->uses[place],
                                 c->g->values[PINGO__GENERATE_ZIPF_EXPONENT]);
}

static uint32_t draw_weighted(struct pingo__lab_chooser *c)
{
    double x = pingo__lab_random_unit(&c->g->shape) * sum_weights(c);
    uint32_t place = 0, step = 1;
    while (step <= c->capacity / 2)
        step *= 2;
    for (; step > 0; step /= 2) {
        if (place + step <= c->capacity && c->weights[place + step] <= x) {
            place += step;
            x -= c->weights[place];
        }
    }
    return place;
}

/* ---- draws ------------------------------------------------------------------------------------ */

/* A place; nknown or more is none. */
static uint32_t draw(struct pingo__lab_chooser *c)
{
    struct pingo__lab_generator *g = c->g;
    double distance;
    switch ((enum pingo__lab_generate_choice)g->values[PINGO__GENERATE_CHOICE]) {
    case PINGO__GENERATE_RECENT:
        distance = pingo__lab_random_exponential(&g->shape, g->values[PINGO__GENERATE_RECENT_MEAN]);
        return distance < c->nknown ? c->nknown - 1 - (uint32_t)distance : c->nknown;
    case PINGO__GENERATE_ZIPF:
        return draw_weighted(c);
    case PINGO__GENERATE_UNIFORM:
        break;
    }
    return (uint32_t)pingo__lab_random_below(&g->shape, c->nknown);
}

static uint32_t pick_one(struct pingo__lab_chooser *c)
{
    uint32_t place;
    for (int i = 0; i < DRAWS_MAX; i++) {
        place = draw(c);
        if (place < c->nknown && !is_picked(c, place))
            return place;
    }
    for (place = c->nknown - 1; is_picked(c, place);)
        place--;
    return place;
}

void pingo__lab_chooser_grow(struct pingo__lab_chooser *c, uint32_t n)
{
    for (; n > 0; n--, c->nknown++)
        if (c->weights)
            add_weight(c, c->nknown, 1);
}

void pingo__lab_chooser_pick(struct pingo__lab_chooser *c, uint32_t *picks, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        picks[i] = pick_one(c);
        set_picked(c, picks[i], true);
        if (c->weights)
            add_weight(c, picks[i], -weight_of(c, picks[i]));
    }
    for (uint32_t i = 0; i < n; i++) {
        set_picked(c, picks[i], false);
        if (!c->weights)
            continue;
        c->uses[picks[i]]++;
        add_weight(c, picks[i], weight_of(c, picks[i]));
    }
}
