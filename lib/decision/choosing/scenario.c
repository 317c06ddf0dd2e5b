/* scenario.c - a decision to be tried, in JSON: history, stored datasets, bytes to free.
 *
 * The text passes the strict check of json/document.h first.  A scenario does not
 * change once it is read: it may be decided by any number of algorithms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/decision.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/text.h"
#include "decision/history/history.h"
#include "json/reader.h"

struct pingo_scenario {
    struct pingo_history *history;
    uint32_t *stored; /* datasets, in the order of the text */
    size_t nstored;
    bool *candidates; /* by dataset */
    uint64_t free_bytes;
};

struct reader {
    struct pingo__json_reader r;
    struct pingo_scenario *scenario;
    uint8_t *seen; /* by dataset: it stands in stored already */
};

/* ---- stored datasets ------------------------------------------------------------------ */

/* hash -> the dataset that is meant. */
static uint32_t find_dataset(struct reader *r, const struct pingo__json_value *v)
{
    struct pingo_hash hash;
    if (pingo__json_kind(v) != PINGO__JSON_STRING ||
        strlen(pingo__json_text(v)) != 2 * PINGO_HASH_SIZE ||
        !pingo__text_from_hex(pingo__json_text(v), PINGO_HASH_SIZE, hash.bytes)) {
        pingo__json_reader_wrong(&r->r, v, "a hash is 64 lower-case hex digits");
        return PINGO_HISTORY_NONE;
    }
    uint32_t dataset = pingo_history_find(r->scenario->history, &hash);
    if (dataset == PINGO_HISTORY_NONE)
        pingo__json_reader_wrong(&r->r, v, "no submission of the history mentions this hash");
    else if (r->seen[dataset]++)
        pingo__json_reader_wrong(&r->r, v, "this dataset stands in stored already");
    return dataset;
}

static void read_stored(struct reader *r)
{
    static const char *const known[] = {"hash", "sizeBytes", "computeMs", "claims",
                                        "leaf", "kept",      NULL};
    struct pingo_scenario *scenario = r->scenario;
    const struct pingo__json_value *root = r->r.element.root;
    uint32_t dataset = PINGO_HISTORY_NONE;
    int64_t numbers[] = {-1, -1, -1, -1}; /* from sizeBytes on */
    bool may_go = true;
    if (!pingo__json_reader_expect(&r->r, root, PINGO__JSON_OBJECT))
        return;
    for (const struct pingo__json_value *v = pingo__json_first(root); v && r->r.rc == 0;
         v = pingo__json_next(v)) {
        const char *key = pingo__json_key(v);
        struct pingo__json_spot spot;
        size_t k = 0;
        while (known[k] && strcmp(known[k], key) != 0)
            k++;
        if (k == 0)
            dataset = find_dataset(r, v);
        else if (k < 4)
            numbers[k] = pingo__json_reader_integer(&r->r, v);
        else if (known[k] && pingo__json_reader_expect(&r->r, v, PINGO__JSON_BOOLEAN))
            may_go = may_go && !pingo__json_is_true(v);
        else if (!pingo__json_spot(&r->r.element, v, &spot))
            pingo__json_reader_no_memory(&r->r);
        else
            pingo__json_reader_check_key(&r->r, spot.key, r->r.pointer, key, known);
    }
    if (dataset == PINGO_HISTORY_NONE)
        pingo__json_reader_wrong(&r->r, root, "a stored dataset has a hash");
    if (r->r.rc != 0)
        return;
    if (numbers[1] >= 0)
        pingo_history_set_size(scenario->history, dataset, numbers[1]);
    if (numbers[2] >= 0)
        pingo_history_set_compute(scenario->history, dataset, numbers[2]);
    scenario->candidates[dataset] = may_go && numbers[3] <= 0;
    scenario->stored[scenario->nstored++] = dataset;
}

/* ---- the three members ------------------------------------------------------------------ */

static void read_submission(struct reader *r, size_t at)
{
    struct pingo__json_reader *j = &r->r;
    struct pingo__decision_history_text text = {
        .text = j->document.text + at, .length = j->element.end - at, .pointer = j->pointer};
    j->rc = pingo__decision_history_read(r->scenario->history, &text, j->err);
    if (j->rc == PINGO_EINVAL)
        pingo__json_reader_place(j, at + text.wrong);
}

/* Opens the elements of a member one after the other. */
static void read_list(struct reader *r, const char *key, bool is_history)
{
    const struct pingo__json_member *m = pingo__json_member(&r->r.document, key);
    size_t n = 0;
    if (!m || m->kind != PINGO__JSON_ARRAY) {
        pingo__json_reader_open_member(&r->r, key, PINGO__JSON_ARRAY);
        return;
    }
    for (size_t at = pingo__json_next_element(&r->r.document, m->offset + 1);
         at != 0 && r->r.rc == 0; at = pingo__json_next_element(&r->r.document, r->r.element.end)) {
        char pointer[40];
        snprintf(pointer, sizeof pointer, "/%s/%zu", key, n++);
        if (!pingo__json_reader_value(&r->r, at, pointer))
            return;
        if (is_history)
            read_submission(r, at);
        else
            read_stored(r);
    }
}

static void read_members(struct reader *r)
{
    static const char *const known[] = {"history", "stored", "freeBytes", NULL};
    struct pingo_scenario *scenario = r->scenario;
    for (size_t i = 0; i < r->r.document.nmembers; i++)
        pingo__json_reader_check_key(&r->r, r->r.document.members[i].key_offset, "",
                                     r->r.document.members[i].key, known);
    const struct pingo__json_value *v =
        pingo__json_reader_open_member(&r->r, "freeBytes", PINGO__JSON_NUMBER);
    if (v)
        scenario->free_bytes = (uint64_t)pingo__json_reader_integer(&r->r, v);
    if (r->r.rc == 0)
        read_list(r, "history", true);
    const struct pingo__json_member *stored = pingo__json_member(&r->r.document, "stored");
    size_t ndatasets = pingo_history_count_actions(scenario->history);
    scenario->stored = calloc((stored ? stored->count : 0) + (size_t)1, sizeof *scenario->stored);
    scenario->candidates = calloc(ndatasets + 1, sizeof *scenario->candidates);
    r->seen = calloc(ndatasets + 1, sizeof *r->seen);
    if (!scenario->stored || !scenario->candidates || !r->seen)
        pingo__json_reader_no_memory(&r->r);
    if (r->r.rc == 0)
        read_list(r, "stored", false);
}

int pingo_scenario_parse(const char *text, size_t length, struct pingo_scenario **scenario,
                         struct pingo_error *err)
{
    struct reader r = {.scenario = calloc(1, sizeof *r.scenario)};
    int rc = pingo__json_reader_open(&r.r, text, length, "a scenario", err);
    if (rc == 0 && !r.scenario)
        rc = pingo__fail_memory(err);
    if (rc == 0)
        rc = pingo_history_new(&r.scenario->history, err);
    if (rc == 0) {
        read_members(&r);
        rc = r.r.rc;
    }
    if (rc == 0)
        *scenario = r.scenario;
    else
        pingo_scenario_free(r.scenario);
    free(r.seen);
    pingo__json_reader_clear(&r.r);
    return rc;
}

void pingo_scenario_free(struct pingo_scenario *scenario)
{
    if (!scenario)
        return;
    pingo_history_free(scenario->history);
    free(scenario->stored);
    free(scenario->candidates);
    free(scenario);
}

/* ---- deciding ------------------------------------------------------------------------------ */

struct choice {
    const struct pingo_scenario *scenario;
    struct pingo_decision_victim *victims; /* room for each that is stored */
    size_t n;
};

static bool is_candidate(void *context, uint32_t dataset)
{
    const struct choice *c = context;
    return c->scenario->candidates[dataset];
}

/* The decider lets none through twice, so there is room. */
static int on_victim(void *context, const struct pingo_decision_victim *victim)
{
    struct choice *c = context;
    c->victims[c->n++] = *victim;
    return 0;
}

/* All is decided: says who goes, each as things stand when those before it are gone. */
static int tell(const struct choice *c, struct pingo_decider *decider,
                pingo_scenario_victim_fn victim, void *context, struct pingo_error *err)
{
    const struct pingo_history *history = c->scenario->history;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < c->n; i++) {
        uint32_t dataset = c->victims[i].dataset;
        char reason[256];
        pingo_decider_reason(decider, dataset, reason, sizeof reason);
        struct pingo_scenario_victim told = {
            .dataset = dataset,
            .hash = *pingo_history_hash(history, dataset),
            .score = c->victims[i].score,
            .size_bytes = pingo_history_size(history, dataset),
            .compute_ms = pingo_history_compute(history, dataset),
            .reason = reason,
        };
        if (victim(context, &told) != 0)
            return pingo__fail(err, PINGO_EINTERRUPTED, "the decision was stopped by its caller");
        rc = pingo_decider_missing(decider, dataset, true, err);
    }
    return rc;
}

int pingo_scenario_decide(const struct pingo_scenario *scenario,
                          const struct pingo_scenario_options *options,
                          struct pingo_decision_result *result, struct pingo_error *err)
{
    struct pingo_scenario_options o;
    struct choice choice = {.scenario = scenario};
    struct pingo_decider *decider = NULL;
    struct pingo_decision_request request = {.version = 1,
                                             .free_bytes = scenario->free_bytes,
                                             .is_candidate = is_candidate,
                                             .victim = on_victim,
                                             .context = &choice};
    int rc = PINGO__OPTIONS_TAKE(pingo_scenario_options, options, &o, err);
    if (!rc && !(o.algorithm && o.victim))
        rc = pingo__fail(err, PINGO_EINVAL,
                         "a scenario wants an algorithm, and who is told of victims");
    if (!rc)
        rc = pingo_decider_new(o.algorithm, o.values, scenario->history, &decider, err);
    for (size_t i = 0; rc == 0 && i < scenario->nstored; i++)
        rc = pingo_decider_present(decider, scenario->stored[i], err);
    if (rc != 0)
        goto out;
    choice.victims = calloc(scenario->nstored + 1, sizeof *choice.victims);
    if (!choice.victims) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    rc = pingo_decider_choose(decider, &request, result, err);
    if (rc == 0)
        rc = tell(&choice, decider, o.victim, o.context, err);
out:
    free(choice.victims);
    pingo_decider_free(decider);
    return rc;
}
