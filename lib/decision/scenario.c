/* scenario.c - a decision to be tried, in JSON: history, stored datasets, bytes to free.
 *
 * The text passes the strict check of json/document.h first.  A scenario does not
 * change once it is read: it may be decided by any number of algorithms. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/decision.h>

#include "base/error.h"
#include "base/text.h"
#include "decision/history.h"
#include "json/document.h"
#include "json/value.h"

struct pingo_scenario {
    struct pingo_history *history;
    uint32_t *stored; /* datasets, in the order of the text */
    size_t nstored;
    bool *candidates; /* by dataset */
    uint64_t free_bytes;
};

struct reader {
    struct pingo__json_document d;
    struct pingo__json_element e;
    struct pingo_scenario *scenario;
    uint8_t *seen; /* by dataset: it stands in stored already */
    struct pingo_error *err;
};

/* ---- what is wrong ------------------------------------------------------------------ */

/* Puts the place before the message that is there. */
static int put_place(struct reader *r, size_t offset)
{
    size_t line, column;
    if (!pingo__json_position(&r->d, offset, &line, &column))
        return pingo__fail_memory(r->err);
    pingo__error_prefix(r->err, "line %zu, column %zu", line, column);
    return PINGO_EINVAL;
}

static int wrong_at(struct reader *r, size_t offset, const char *message)
{
    pingo__fail(r->err, PINGO_EINVAL, "%s", message);
    return put_place(r, offset);
}

/* A value of the element that is open. */
static int wrong(struct reader *r, const struct pingo__json_value *v, const char *message)
{
    struct pingo__json_spot spot;
    if (!pingo__json_spot(&r->e, v, &spot))
        return pingo__fail_memory(r->err);
    return wrong_at(r, spot.value, message);
}

static int unknown_key(struct reader *r, size_t offset, const char *key, const char *const *known,
                       size_t nknown)
{
    char message[256];
    const char *near = pingo__text_nearest(key, known, nknown);
    snprintf(message, sizeof message,
             "unknown key \"%.80s\"%s%s%s; a key that starts with \"x-\" is free", key,
             near ? ": did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return wrong_at(r, offset, message);
}

/* ---- stored datasets ------------------------------------------------------------------ */

/* hash -> the dataset that is meant. */
static int find_dataset(struct reader *r, const struct pingo__json_value *v, uint32_t *dataset)
{
    struct pingo_hash hash;
    if (pingo__json_kind(v) != PINGO__JSON_STRING ||
        strlen(pingo__json_text(v)) != 2 * PINGO_HASH_SIZE ||
        !pingo__text_from_hex(pingo__json_text(v), PINGO_HASH_SIZE, hash.bytes))
        return wrong(r, v, "hash is 64 lower-case hex digits");
    *dataset = pingo_history_find(r->scenario->history, &hash);
    if (*dataset == PINGO_HISTORY_NONE)
        return wrong(r, v, "no submission of the history mentions this hash");
    if (r->seen[*dataset])
        return wrong(r, v, "this dataset stands in stored already");
    r->seen[*dataset] = 1;
    return 0;
}

static int read_integer(struct reader *r, const struct pingo__json_value *v, int64_t *value)
{
    int is_integer =
        pingo__json_kind(v) == PINGO__JSON_NUMBER ? pingo__json_integer(&r->e, v, value) : 0;
    if (is_integer < 0)
        return pingo__fail_memory(r->err);
    if (is_integer > 0)
        return 0;
    char message[128];
    snprintf(message, sizeof message, "%.40s is an integer from 0 to 2^53-1", pingo__json_key(v));
    return wrong(r, v, message);
}

static int read_flag(struct reader *r, const struct pingo__json_value *v, bool *value)
{
    char message[64];
    if (pingo__json_kind(v) == PINGO__JSON_BOOLEAN) {
        *value = pingo__json_is_true(v);
        return 0;
    }
    snprintf(message, sizeof message, "%.40s is true or false", pingo__json_key(v));
    return wrong(r, v, message);
}

struct fields {
    uint32_t dataset;
    int64_t size_bytes, compute_ms, claims; /* -1: not given */
    bool leaf, kept;
};

static int read_field(struct reader *r, const struct pingo__json_value *v, struct fields *fields)
{
    static const char *const known[] = {"hash", "sizeBytes", "computeMs", "claims", "leaf", "kept"};
    const char *key = pingo__json_key(v);
    if (strcmp(key, "hash") == 0)
        return find_dataset(r, v, &fields->dataset);
    if (strcmp(key, "sizeBytes") == 0)
        return read_integer(r, v, &fields->size_bytes);
    if (strcmp(key, "computeMs") == 0)
        return read_integer(r, v, &fields->compute_ms);
    if (strcmp(key, "claims") == 0)
        return read_integer(r, v, &fields->claims);
    if (strcmp(key, "leaf") == 0)
        return read_flag(r, v, &fields->leaf);
    if (strcmp(key, "kept") == 0)
        return read_flag(r, v, &fields->kept);
    if (strncmp(key, "x-", 2) == 0)
        return 0;
    struct pingo__json_spot spot;
    if (!pingo__json_spot(&r->e, v, &spot))
        return pingo__fail_memory(r->err);
    return unknown_key(r, spot.key, key, known, sizeof known / sizeof known[0]);
}

static int read_stored(struct reader *r)
{
    struct pingo_scenario *scenario = r->scenario;
    struct fields fields = {PINGO_HISTORY_NONE, -1, -1, -1, false, false};
    int rc = 0;
    if (pingo__json_kind(r->e.root) != PINGO__JSON_OBJECT)
        return wrong(r, r->e.root, "a stored dataset is an object");
    const struct pingo__json_value *v = pingo__json_first(r->e.root);
    for (; rc == 0 && v; v = pingo__json_next(v))
        rc = read_field(r, v, &fields);
    if (rc != 0)
        return rc;
    if (fields.dataset == PINGO_HISTORY_NONE)
        return wrong(r, r->e.root, "a stored dataset has a hash");
    if (fields.size_bytes >= 0)
        pingo_history_set_size(scenario->history, fields.dataset, fields.size_bytes);
    if (fields.compute_ms >= 0)
        pingo_history_set_compute(scenario->history, fields.dataset, fields.compute_ms);
    scenario->candidates[fields.dataset] = fields.claims <= 0 && !fields.leaf && !fields.kept;
    scenario->stored[scenario->nstored++] = fields.dataset;
    return 0;
}

/* ---- the three members ------------------------------------------------------------------ */

static const struct pingo__json_member *member(struct reader *r, const char *key,
                                               enum pingo__json_kind kind, int *rc)
{
    const struct pingo__json_member *m = pingo__json_member(&r->d, key);
    char message[96];
    if (m && m->kind == kind)
        return m;
    snprintf(message, sizeof message, "a scenario has %s \"%s\"",
             kind == PINGO__JSON_ARRAY ? "an array" : "a number", key);
    *rc = wrong_at(r, m ? m->offset : r->d.offset, message);
    return NULL;
}

static int read_history(struct reader *r)
{
    int rc = 0;
    const struct pingo__json_member *m = member(r, "history", PINGO__JSON_ARRAY, &rc);
    size_t n = 0;
    for (size_t at = m ? pingo__json_next_element(&r->d, m->offset + 1) : 0; at != 0;
         at = pingo__json_next_element(&r->d, r->e.end), n++) {
        char pointer[40];
        struct pingo__decision_history_text text = {.text = r->d.text + at, .pointer = pointer};
        snprintf(pointer, sizeof pointer, "/history/%zu", n);
        if (!pingo__json_element_open(&r->e, at))
            return pingo__fail_memory(r->err);
        text.length = r->e.end - at;
        rc = pingo__decision_history_read(r->scenario->history, &text, r->err);
        if (rc != 0)
            return rc == PINGO_EINVAL ? put_place(r, at + text.wrong) : rc;
    }
    return rc;
}

static int read_all_stored(struct reader *r)
{
    int rc = 0;
    const struct pingo__json_member *m = member(r, "stored", PINGO__JSON_ARRAY, &rc);
    size_t ndatasets = pingo_history_count_actions(r->scenario->history);
    if (!m)
        return rc;
    r->scenario->stored = calloc(m->count + (size_t)1, sizeof *r->scenario->stored);
    r->scenario->candidates = calloc(ndatasets + 1, sizeof *r->scenario->candidates);
    r->seen = calloc(ndatasets + 1, sizeof *r->seen);
    if (!r->scenario->stored || !r->scenario->candidates || !r->seen)
        return pingo__fail_memory(r->err);
    for (size_t at = pingo__json_next_element(&r->d, m->offset + 1); rc == 0 && at != 0;) {
        if (!pingo__json_element_open(&r->e, at))
            return pingo__fail_memory(r->err);
        rc = read_stored(r);
        at = pingo__json_next_element(&r->d, r->e.end);
    }
    return rc;
}

static int read_free_bytes(struct reader *r)
{
    int rc = 0;
    int64_t bytes = 0;
    const struct pingo__json_member *m = member(r, "freeBytes", PINGO__JSON_NUMBER, &rc);
    if (!m)
        return rc;
    if (!pingo__json_element_open(&r->e, m->offset))
        return pingo__fail_memory(r->err);
    int is_integer = pingo__json_integer(&r->e, r->e.root, &bytes);
    if (is_integer < 0)
        return pingo__fail_memory(r->err);
    if (is_integer == 0)
        return wrong_at(r, m->offset, "freeBytes is an integer from 0 to 2^53-1");
    r->scenario->free_bytes = (uint64_t)bytes;
    return 0;
}

static int read_members(struct reader *r)
{
    static const char *const known[] = {"history", "stored", "freeBytes"};
    if (r->d.kind != PINGO__JSON_OBJECT)
        return wrong_at(r, r->d.offset, "a scenario is an object");
    for (size_t i = 0; i < r->d.nmembers; i++) {
        const struct pingo__json_member *m = &r->d.members[i];
        bool is_known = strncmp(m->key, "x-", 2) == 0;
        for (size_t k = 0; k < 3 && !is_known; k++)
            is_known = strcmp(m->key, known[k]) == 0;
        if (!is_known)
            return unknown_key(r, m->key_offset, m->key, known, 3);
    }
    int rc = read_free_bytes(r);
    if (rc == 0)
        rc = read_history(r);
    if (rc == 0)
        rc = read_all_stored(r);
    return rc;
}

static bool is_empty(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && memchr(" \t\r\n", text[at], 4))
        at++;
    return at == length;
}

int pingo_scenario_parse(const char *text, size_t length, struct pingo_scenario **scenario,
                         struct pingo_error *err)
{
    struct reader r = {.err = err};
    struct pingo__json_fault fault = {0};
    int rc = pingo__json_open(&r.d, text, length, &fault, err);
    pingo__json_element_init(&r.e, &r.d);
    if (rc == PINGO_EWORKFLOW)
        rc = wrong_at(&r, fault.offset,
                      is_empty(text, length) ? "the text is empty: a scenario is an object"
                                             : fault.message);
    if (rc != 0)
        goto out;
    r.scenario = calloc(1, sizeof *r.scenario);
    if (!r.scenario) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    rc = pingo_history_new(&r.scenario->history, err);
    if (rc == 0)
        rc = read_members(&r);
    if (rc == 0) {
        *scenario = r.scenario;
        r.scenario = NULL;
    }
out:
    pingo_scenario_free(r.scenario);
    free(r.seen);
    free(fault.pointer);
    pingo__json_element_clear(&r.e);
    pingo__json_close(&r.d);
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
                          const struct pingo_decision_algorithm *algorithm, const double *values,
                          pingo_scenario_victim_fn victim, void *context,
                          struct pingo_decision_result *result, struct pingo_error *err)
{
    struct choice choice = {.scenario = scenario};
    struct pingo_decider *decider = NULL;
    struct pingo_decision_request request = {.version = 1,
                                             .free_bytes = scenario->free_bytes,
                                             .is_candidate = is_candidate,
                                             .victim = on_victim,
                                             .context = &choice};
    int rc = pingo_decider_new(algorithm, values, scenario->history, &decider, err);
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
        rc = tell(&choice, decider, victim, context, err);
out:
    free(choice.victims);
    pingo_decider_free(decider);
    return rc;
}
