/* decider.c - drives an algorithm on a history, and checks what it says.
 *
 * Whatever a plug-in answers, the caller sees only victims that are present
 * candidates, each once, with a finite score, and never too few in silence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "decision/algorithms/parameters.h"
#include "decision/algorithms/stored.h"

struct pingo_decider {
    const struct pingo_decision_algorithm *algorithm;
    const struct pingo_history *history;
    void *state;
    uint32_t nobserved; /* submissions */
    uint32_t nwords;    /* of 64 datasets */
    uint64_t *present;  /* a bit a dataset */
    uint64_t *told;     /* those that the decision under way has named */
};

/* ---- what an algorithm answers ---------------------------------------------------- */

/* Empty, so that it is seen whether the algorithm fills it in. */
static struct pingo_error *listen(struct pingo_error *said)
{
    said->code = 0;
    said->message[0] = '\0';
    return said;
}

/* Whatever it returns that is not 0 becomes an error that has a code and a message. */
static int hear(const struct pingo_decision_algorithm *algorithm, int rc, struct pingo_error *said,
                struct pingo_error *err)
{
    if (rc == 0)
        return 0;
    said->message[sizeof said->message - 1] = '\0';
    if (strcmp(pingo_error_name(rc), "PINGO_E?") == 0)
        return pingo__fail(err, PINGO_ESTATE,
                           "the algorithm %s failed with %d, which is no number of an error%s%s",
                           algorithm->name, rc, said->message[0] == '\0' ? "" : ": ", said->message);
    if (rc == PINGO_EINTERRUPTED) /* whether it was, its caller knows */
        return pingo__fail(err, PINGO_ESTATE,
                           "the algorithm %s failed with PINGO_EINTERRUPTED, but nobody stopped it",
                           algorithm->name);
    if (said->message[0] == '\0')
        return pingo__fail(err, rc, "the algorithm %s failed: %s", algorithm->name,
                           pingo_error_text(rc));
    return pingo__fail(err, rc, "%s", said->message);
}

int pingo_decider_new(const struct pingo_decision_algorithm *algorithm, const double *values,
                      const struct pingo_history *history, struct pingo_decider **decider,
                      struct pingo_error *err)
{
    double *defaults = NULL;
    struct pingo_decider *d = NULL;
    int rc = pingo__decision_check_table(algorithm, err);
    if (rc != 0)
        return rc;
    d = calloc(1, sizeof *d);
    defaults = calloc(algorithm->nparameters + 1, sizeof *defaults);
    if (!d || !defaults) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    for (size_t i = 0; i < algorithm->nparameters; i++)
        defaults[i] = values ? values[i] : algorithm->parameters[i].value;
    d->algorithm = algorithm;
    d->history = history;
    rc = pingo__decision_check_values(algorithm, defaults, err);
    struct pingo_error said;
    if (rc == 0)
        rc = hear(algorithm, algorithm->open(history, defaults, &d->state, listen(&said)), &said,
                  err);
    if (rc == 0) {
        *decider = d;
        d = NULL;
    }
out:
    free(d);
    free(defaults);
    return rc;
}

void pingo_decider_free(struct pingo_decider *d)
{
    if (!d)
        return;
    d->algorithm->close(d->state);
    free(d->present);
    free(d->told);
    free(d);
}

static bool reserve(struct pingo_decider *d, uint32_t ndatasets)
{
    uint32_t nwords = ndatasets / 64 + 1;
    if (nwords <= d->nwords)
        return true;
    nwords += nwords / 8;
    if (!pingo__decision_stored_grow(&d->present, sizeof *d->present, d->nwords, nwords) ||
        !pingo__decision_stored_grow(&d->told, sizeof *d->told, d->nwords, nwords))
        return false;
    d->nwords = nwords;
    return true;
}

int pingo_decider_observe(struct pingo_decider *d, struct pingo_error *err)
{
    uint32_t n = pingo_history_count_submissions(d->history);
    if (!reserve(d, pingo_history_count_actions(d->history)))
        return pingo__fail_memory(err);
    for (; d->nobserved < n; d->nobserved++) {
        struct pingo_error said;
        int rc = d->algorithm->observe(d->state, d->nobserved, listen(&said));
        if (rc != 0)
            return hear(d->algorithm, rc, &said, err);
    }
    return 0;
}

static bool is_present(const struct pingo_decider *d, uint32_t dataset)
{
    return dataset / 64 < d->nwords && pingo__decision_bit(d->present, dataset);
}

/* What was appended is taken in, and the dataset is one of the history. */
static int prepare(struct pingo_decider *d, uint32_t dataset, struct pingo_error *err)
{
    int rc = pingo_decider_observe(d, err);
    if (rc == 0 && dataset >= pingo_history_count_actions(d->history))
        rc = pingo__fail(err, PINGO_EINVAL, "the history has no action %u", dataset);
    return rc;
}

int pingo_decider_present(struct pingo_decider *d, uint32_t dataset, struct pingo_error *err)
{
    struct pingo_error said;
    int rc = prepare(d, dataset, err);
    if (rc != 0 || pingo__decision_bit(d->present, dataset))
        return rc;
    rc = hear(d->algorithm, d->algorithm->present(d->state, dataset, listen(&said)), &said, err);
    if (rc == 0)
        pingo__decision_bit_set(d->present, dataset);
    return rc;
}

int pingo_decider_missing(struct pingo_decider *d, uint32_t dataset, bool evicted,
                          struct pingo_error *err)
{
    int rc = prepare(d, dataset, err);
    if (rc != 0 || !pingo__decision_bit(d->present, dataset))
        return rc;
    d->algorithm->missing(d->state, dataset, evicted);
    pingo__decision_bit_clear(d->present, dataset);
    return 0;
}

/* ---- deciding ------------------------------------------------------------------- */

struct watch {
    struct pingo_decider *decider;
    const struct pingo_decision_request *request;
    struct pingo_decision_result result;
    const char *fault; /* of the algorithm; NULL */
    bool is_stopped;   /* by who takes the victims */
};

static uint64_t bytes_of(const struct pingo_decider *d, uint32_t dataset)
{
    int64_t bytes = pingo_history_size(d->history, dataset);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static bool is_candidate(const struct watch *w, uint32_t dataset)
{
    return !w->request->is_candidate || w->request->is_candidate(w->request->context, dataset);
}

static int fault(struct watch *w, const char *what)
{
    w->fault = what;
    return 1;
}

/* Whatever a plug-in asks for, the caller is asked for what is present alone. */
static bool ask_candidate(void *context, uint32_t dataset)
{
    const struct watch *w = context;
    return is_present(w->decider, dataset) && is_candidate(w, dataset);
}

static int on_victim(void *context, const struct pingo_decision_victim *victim)
{
    struct watch *w = context;
    uint32_t dataset = victim->dataset;
    if (w->fault || w->is_stopped)
        return 1; /* it was told already */
    if (!is_present(w->decider, dataset) || !is_candidate(w, dataset))
        return fault(w, "named something that is no candidate");
    if (pingo__decision_bit(w->decider->told, dataset))
        return fault(w, "named a dataset twice");
    if (!isfinite(victim->score))
        return fault(w, "gave a score that is no number");
    pingo__decision_bit_set(w->decider->told, dataset);
    w->result.nvictims++;
    w->result.freed_bytes =
        pingo__decision_sum(w->result.freed_bytes, bytes_of(w->decider, dataset));
    w->is_stopped = w->request->victim(w->request->context, victim) != 0;
    return w->is_stopped;
}

static bool is_left(const struct watch *w, uint32_t dataset)
{
    return !pingo__decision_bit(w->decider->told, dataset) && bytes_of(w->decider, dataset) > 0 &&
           is_candidate(w, dataset);
}

/* Too little was freed: was there more to take? */
static bool left_some(const struct watch *w)
{
    const struct pingo_decider *d = w->decider;
    const struct pingo_decision_request *request = w->request;
    for (size_t i = 0; request->candidates && i < request->ncandidates; i++)
        if (is_present(d, request->candidates[i]) && is_left(w, request->candidates[i]))
            return true;
    if (request->candidates)
        return false;
    for (uint32_t word = 0; word < d->nwords; word++)
        for (uint64_t bits = d->present[word]; bits != 0; bits &= bits - 1)
            if (is_left(w, word * 64 + (uint32_t)__builtin_ctzll(bits)))
                return true;
    return false;
}

int pingo_decider_choose(struct pingo_decider *d, const struct pingo_decision_request *request,
                         struct pingo_decision_result *result, struct pingo_error *err)
{
    struct pingo_decision_request own;
    struct watch w = {.decider = d, .request = &own};
    int rc = PINGO__OPTIONS_TAKE(pingo_decision_request, request, &own, err);
    if (rc == 0)
        rc = pingo__growing_result_check(result, "pingo_decision_result", err);
    if (rc == 0 && !own.victim)
        rc = pingo__fail(err, PINGO_EINVAL, "a decision needs a function that takes the victims");
    if (rc == 0)
        rc = pingo_decider_observe(d, err);
    if (rc != 0)
        return rc;
    struct pingo_decision_request asked = own;
    asked.is_candidate = own.is_candidate ? ask_candidate : NULL;
    asked.victim = on_victim;
    asked.context = &w;
    memset(d->told, 0, d->nwords * sizeof *d->told);
    struct pingo_error said;
    rc = hear(d->algorithm, d->algorithm->choose(d->state, &asked, listen(&said)), &said, err);
    if (w.is_stopped)
        return pingo__fail(err, PINGO_EINTERRUPTED, "the decision was stopped by its caller");
    if (w.result.freed_bytes < own.free_bytes) {
        w.result.shortfall_bytes = own.free_bytes - w.result.freed_bytes;
        if (rc == 0 && !w.fault && left_some(&w))
            w.fault = "stopped before enough was freed";
    }
    if (w.fault)
        return pingo__fail(err, PINGO_ESTATE, "the algorithm %s %s", d->algorithm->name, w.fault);
    if (rc == 0)
        pingo__growing_result_put(result, &w.result, sizeof w.result);
    return rc;
}

void pingo_decider_reason(struct pingo_decider *d, uint32_t dataset, char *text, size_t size)
{
    if (size == 0)
        return;
    text[0] = '\0';
    if (d->algorithm->reason && is_present(d, dataset))
        d->algorithm->reason(d->state, dataset, text, size);
    text[size - 1] = '\0';
}

void *pingo_decider_state(struct pingo_decider *d)
{
    return d->state;
}
