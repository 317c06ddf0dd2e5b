/* most_commonly_used.c - what was mentioned least often of late goes first.
 *
 * Score = how often the hash occurs among the last N submitted actions, which are
 * dropped a whole workflow at a time; a mention counts even if the action was
 * skipped.
 * Source: thesis section 3.8.1, whose text is missing; this is what its name and
 * the rolling window of section 3.7 say. */
#include <stdio.h>

#include "base/error.h"
#include "decision/algorithms/greedy.h"

struct state {
    struct pingo__decision_stored stored;
    struct pingo_history_window window;
    uint64_t max_mentions;
    uint32_t *counts; /* mentions within the window */
};

static const struct pingo_decision_parameter parameters[] = {
    {"window", PINGO_PARAMETER_INTEGER, 1, 9007199254740992.0, 1000, NULL,
     "how many submitted actions are looked at"},
};

static double score(const void *self, uint32_t dataset)
{
    return ((const struct state *)self)->counts[dataset];
}

static const struct pingo__decision_kind kind = {.size = sizeof(struct state), .bound = score};

static int open_state(const struct pingo_history *history, const double *values, void **state,
                      struct pingo_error *err)
{
    int rc = pingo__decision_stored_open(history, &kind, 0, state, err);
    if (rc != 0)
        return rc;
    struct state *s = *state;
    s->max_mentions = (uint64_t)values[0];
    pingo__decision_stored_keep(&s->stored, &s->counts, sizeof *s->counts);
    return 0;
}

static int observe(void *self, uint32_t submission, struct pingo_error *err)
{
    struct state *state = self;
    struct pingo_history_submission w = {.size = sizeof w}, old = {.size = sizeof old};
    int rc = pingo__decision_stored_read(&state->stored, submission, &w, err);
    if (rc != 0)
        return rc;
    uint32_t first = state->window.first;
    rc = pingo_history_window_next(state->stored.history, state->max_mentions, &state->window);
    if (rc != 0)
        return pingo__fail(err, rc, "the history has no submission %u", submission);
    pingo__decision_stored_take(&state->stored, &w);
    for (size_t i = 0; i < w.nactions; i++)
        state->counts[w.actions[i]]++;
    for (; first < state->window.first; first++) {
        pingo_history_submission(state->stored.history, first, &old);
        for (size_t i = 0; i < old.nactions; i++)
            state->counts[old.actions[i]]--;
    }
    return 0;
}

static void reason(void *self, uint32_t dataset, char *text, size_t size)
{
    const struct state *state = self;
    uint32_t n = state->counts[dataset], nlast = state->window.end - state->window.first;
    snprintf(text, size, "mentioned %u time%s in the last %u submission%s", n, n == 1 ? "" : "s",
             nlast, nlast == 1 ? "" : "s");
}

const struct pingo_decision_algorithm pingo__decision_most_commonly_used = {
    PINGO__DECISION_SHARED,
    .name = "most-commonly-used",
    .summary = "what was mentioned least often of late goes first",
    .parameters = parameters,
    .nparameters = sizeof parameters / sizeof parameters[0],
    .open = open_state,
    .observe = observe,
    .reason = reason,
};
