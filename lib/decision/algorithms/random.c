/* random.c - a seeded random number, the control that every other algorithm must beat.
 *
 * The number is a function of the seed, the dataset's hash and the number of
 * submissions so far: another one each time, the same on every machine. */
#include <stdio.h>

#include "base/mix.h"
#include "decision/algorithms/greedy.h"

struct state {
    struct pingo__decision_stored stored;
    uint64_t seed, key; /* key: of the decisions until the next submission */
};

static const struct pingo_decision_parameter parameters[] = {
    {"seed", PINGO_PARAMETER_INTEGER, 0, 9007199254740992.0, 1, NULL, "another seed, other victims"},
};

static double score(const void *self, uint32_t dataset)
{
    const struct state *state = self;
    const uint8_t *hash = state->stored.history->actions[dataset].hash.bytes;
    uint64_t x = pingo__mix(state->key ^ pingo__mix_read(hash));
    return (double)(pingo__mix(x ^ pingo__mix_read(hash + PINGO_HASH_SIZE - 8)) >> 11) /
           9007199254740992.0;
}

static const struct pingo__decision_kind kind = {.size = sizeof(struct state), .bound = score};

static int open_state(const struct pingo_history *history, const double *values, void **state,
                      struct pingo_error *err)
{
    int rc = pingo__decision_stored_open(history, &kind, 0, state, err);
    if (rc == 0)
        ((struct state *)*state)->seed = (uint64_t)values[0];
    return rc;
}

static int observe(void *self, uint32_t submission, struct pingo_error *err)
{
    struct state *state = self;
    int rc = pingo__decision_stored_observe(self, submission, err);
    state->key = pingo__mix(pingo__mix(state->seed) ^ state->stored.nobserved);
    return rc;
}

static void reason(void *state, uint32_t dataset, char *text, size_t size)
{
    (void)state;
    (void)dataset;
    snprintf(text, size, "drawn by lot");
}

const struct pingo_decision_algorithm pingo__decision_random = {
    PINGO__DECISION_SHARED,
    .name = "random",
    .summary = "by lot: a control for comparisons",
    .parameters = parameters,
    .nparameters = sizeof parameters / sizeof parameters[0],
    .open = open_state,
    .observe = observe,
    .reason = reason,
};
