/* agree.h - a history that both the simulator and the engine can run, and what happens in the simulator,
 * a line an event.
 *
 * Hashes are the engine's: a history is first written down as definitions, which are hashed, and then
 * once more with these hashes. */
#ifndef TEST_ENGINE_AGREE_H
#define TEST_ENGINE_AGREE_H

#include <inttypes.h>

#include <pingo-lab/generate.h>
#include <pingo-lab/simulate.h>

#include "unit/engine/box.h"

/* ---- what happened, as text ------------------------------------------------------------------ */

struct agree_log {
    char *text;
    size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) static inline void agree_say(struct agree_log *log,
                                                                   const char *format, ...)
{
    char line[512];
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_in_range(n, 0, sizeof line - 1);
    if (log->length + (size_t)n + 1 > log->capacity) {
        log->capacity = log->capacity * 2 + 4096;
        log->text = realloc(log->text, log->capacity);
        assert_non_null(log->text);
    }
    memcpy(log->text + log->length, line, (size_t)n + 1);
    log->length += (size_t)n;
}

/* Fails with the first line in which they differ, and what went before. */
static inline void agree_same(const char *what, const struct agree_log *simulator,
                              const struct agree_log *engine)
{
    const char *a = simulator->text, *b = engine->text, *from = a;
    size_t same = 0;

    if (strcmp(a, b) == 0)
        return;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '\n')
            same = i + 1;
    if (same > 600)
        from = strchr(a + same - 600, '\n') + 1;
    fail_msg("%s: after\n%.*s\nthe simulator said: %.*s\nthe engine did: %.*s", what,
             (int)(a + same - from), from, (int)strcspn(a + same, "\n"), a + same,
             (int)strcspn(b + same, "\n"), b + same);
}

/* ---- what is run ------------------------------------------------------------------------------- */

struct agree_case {
    const struct pingo_history *source; /* as it was made up */
    struct pingo_history *history;      /* the same with the engine's hashes */
    char **texts;                       /* a definition a submission */
    struct pingo_workload *workload;
    int64_t divisor; /* of sizes */
};

/* Forced by the definition, not by whoever submits it: both ways occur. */
static inline bool agree_forced_by_text(uint32_t submission)
{
    return submission % 2 == 1;
}

static inline size_t agree_position(const struct pingo_history_submission *s, uint32_t action,
                                    bool last)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < s->nactions && (last || found == SIZE_MAX); i++)
        if (s->actions[i] == action)
            found = i;
    assert_true(found != SIZE_MAX);
    return found;
}

/* Which action the text names as the k-th parent of the i-th: of equal ones the first and the last take
 * turns. */
static inline size_t agree_parent(const struct pingo_history_submission *s, uint32_t parent,
                                  size_t i, size_t k)
{
    return agree_position(s, parent, (i + k) % 2 == 1);
}

static inline char *agree_write(const struct pingo_history *h, uint32_t submission)
{
    struct pingo_history_submission s = {.size = sizeof s};
    struct agree_log text = {NULL, 0, 0};

    assert_int_equal(pingo_history_submission(h, submission, &s), 0);
    agree_say(&text, "{\"name\":\"w\",\"actions\":[");
    for (size_t i = 0; i < s.nactions; i++) {
        bool forced = (s.flags[i] & PINGO_HISTORY_FORCED) && agree_forced_by_text(submission);
        size_t n;
        const uint32_t *parents = pingo_history_parents(h, s.actions[i], &n);

        agree_say(&text,
                  "%s{\"id\":%zu,\"name\":\"a%u\",\"type\":\"external\",\"description\":\"%u\"%s,"
                  "\"parentActions\":[",
                  i > 0 ? "," : "", i, s.actions[i], s.actions[i],
                  forced ? ",\"forceComputation\":true" : "");
        for (size_t k = 0; k < n; k++)
            agree_say(&text, "%s{\"id\":%zu}", k > 0 ? "," : "", agree_parent(&s, parents[k], i, k));
        agree_say(&text, "]}");
    }
    agree_say(&text, "]}");
    return text.text;
}

static inline struct pingo_digests *agree_hash(const char *text)
{
    struct pingo_workflow *workflow = NULL;
    struct pingo_originals *originals = NULL;
    struct pingo_digests *digests = NULL;
    struct pingo_identify_options options = {.version = 1, .threads = 1};
    struct pingo_error err;

    well(pingo_workflow_parse(&(struct pingo_document){text, strlen(text), NULL}, NULL, &workflow,
                              &err),
         &err);
    well(pingo_originals_identify(workflow, &options, &originals, &err), &err);
    well(pingo_workflow_hash(workflow, originals, &digests, &err), &err);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
    return digests;
}

/* The engine reads all that is made, so sizes are divided until the largest is small; -1 stays: unknown. */
static inline int64_t agree_divisor(const struct pingo_history *source)
{
    int64_t largest = 0;

    for (uint32_t i = 0; i < pingo_history_count_actions(source); i++)
        if (pingo_history_size(source, i) > largest)
            largest = pingo_history_size(source, i);
    return largest / 65536 + 1;
}

static inline int64_t agree_size(const struct agree_case *c, uint32_t action)
{
    int64_t bytes = pingo_history_size(c->source, action);

    return bytes < 0 ? bytes : bytes / c->divisor;
}

/* The submission with the hashes that the engine gives. */
static inline void agree_append(struct agree_case *c, uint32_t submission)
{
    struct pingo_digests *digests = agree_hash(c->texts[submission]);
    struct pingo_history_submission s = {.size = sizeof s};
    struct pingo_history_mention *mentions;
    struct pingo_hash *parents;
    struct pingo_error err;
    size_t nparents = 0, n = 0;

    assert_int_equal(pingo_history_submission(c->source, submission, &s), 0);
    for (size_t i = 0; i < s.nactions; i++) {
        pingo_history_parents(c->source, s.actions[i], &n);
        nparents += n;
    }
    mentions = calloc(s.nactions + 1, sizeof *mentions);
    parents = calloc(nparents + 1, sizeof *parents);
    assert_true(mentions && parents);
    nparents = 0;
    for (size_t i = 0; i < s.nactions; i++) {
        const uint32_t *of = pingo_history_parents(c->source, s.actions[i], &n);

        mentions[i] = (struct pingo_history_mention){
            .hash = *pingo_digests_hash(digests, i),
            .has_parents = true,
            .parents = parents + nparents,
            .nparents = n,
            .size_bytes = agree_size(c, s.actions[i]),
            .compute_ms = pingo_history_compute(c->source, s.actions[i]),
            .flags = s.flags[i] & (PINGO_HISTORY_LEAF | PINGO_HISTORY_FORCED)};
        for (size_t k = 0; k < n; k++)
            parents[nparents++] = *pingo_digests_hash(digests, agree_position(&s, of[k], false));
    }
    well(pingo_history_append(c->history,
                              &(struct pingo_history_entry){.at_ms = s.at_ms,
                                                            .user = "tester",
                                                            .workflow = "w",
                                                            .mentions = mentions,
                                                            .nmentions = s.nactions},
                              NULL, &err),
         &err);
    free(parents);
    free(mentions);
    pingo_digests_free(digests);
}

static inline void agree_open(struct agree_case *c, const struct pingo_history *source)
{
    uint32_t n = pingo_history_count_submissions(source);
    struct pingo_error err;

    *c = (struct agree_case){.source = source, .divisor = agree_divisor(source)};
    c->texts = calloc(n + 1, sizeof *c->texts);
    assert_non_null(c->texts);
    well(pingo_history_new(&c->history, &err), &err);
    for (uint32_t i = 0; i < n; i++) {
        c->texts[i] = agree_write(source, i);
        agree_append(c, i);
    }
    well(pingo_workload_new(c->history, &c->workload, &err), &err);
}

static inline void agree_close(struct agree_case *c)
{
    pingo_workload_free(c->workload);
    pingo_history_free(c->history);
    for (size_t i = 0; c->texts[i]; i++)
        free(c->texts[i]);
    free(c->texts);
}

/* ---- the simulator -------------------------------------------------------------------------------- */

struct agree_simulation {
    const struct pingo_history *history;
    struct agree_log log;
    bool *present;
    int64_t used;
    int64_t *run_ms; /* how long each run took, in order */
    size_t nruns, capacity;
    struct pingo_simulation_result result;
};

static inline void agree_note_run(struct agree_simulation *s, int64_t ms)
{
    if (s->nruns == s->capacity) {
        s->capacity = s->capacity * 2 + 256;
        s->run_ms = realloc(s->run_ms, s->capacity * sizeof *s->run_ms);
        assert_non_null(s->run_ms);
    }
    s->run_ms[s->nruns++] = ms;
}

static inline void agree_name(char name[16], const struct pingo_history *h, uint32_t action)
{
    char hex[PINGO_HASH_HEX_SIZE];

    pingo_hash_to_hex(pingo_history_hash(h, action), hex);
    snprintf(name, 16, "%.12s", hex);
}

static inline int agree_event(void *context, const struct pingo_simulation_event *e)
{
    struct agree_simulation *s = context;
    char name[16] = "";

    if (e->action != PINGO_HISTORY_NONE)
        agree_name(name, s->history, e->action);
    switch (e->kind) {
    case PINGO_SIMULATION_SUBMIT:
        agree_say(&s->log, "submit: %u compute, %u reused, %u joined, %u skipped\n", e->ncomputed,
                  e->nreused, e->njoined, e->nskipped);
        break;
    case PINGO_SIMULATION_RUN:
        agree_note_run(s, e->ms);
        agree_say(&s->log, "run %s for %" PRId64 " ms\n", name, e->ms);
        break;
    case PINGO_SIMULATION_PUBLISH:
        s->used += s->present[e->action] ? 0 : e->bytes;
        s->present[e->action] = true;
        agree_say(&s->log, "publish %s%s: %" PRId64 " bytes of %" PRId64 "\n", name,
                  e->leaf ? " as leaf" : "", e->bytes, s->used);
        break;
    case PINGO_SIMULATION_EVICT:
        s->used -= e->bytes;
        s->present[e->action] = false;
        agree_say(&s->log, "evict %s: %" PRId64 " bytes, score %.17g\n", name, e->bytes,
                  e->score + 0.0); /* the ledger has no -0 */
        break;
    case PINGO_SIMULATION_SHORTFALL:
        agree_say(&s->log, "short of %" PRId64 " bytes\n", e->bytes);
        break;
    case PINGO_SIMULATION_END:
        agree_say(&s->log, "end\n");
        break;
    case PINGO_SIMULATION_REUSE:
    case PINGO_SIMULATION_JOIN: /* told together, at the submission */
        break;
    }
    return 0;
}

/* Which policy, and in which world. */
struct agree_conditions {
    const char *algorithm; /* as pingo_decision_select() takes it */
    int64_t budget_bytes;
    double noise; /* of the times */
    uint64_t seed;
};

static inline void agree_simulate(const struct pingo_history *h, const struct pingo_workload *w,
                                  const struct agree_conditions *x, struct agree_simulation *s)
{
    struct pingo_decision_selection *selection = NULL;
    struct pingo_simulation_options o = {.version = 1,
                                         .budget_bytes = x->budget_bytes,
                                         .noise = x->noise,
                                         .seed = x->seed,
                                         .event = agree_event,
                                         .context = s};
    struct pingo_error err;

    *s = (struct agree_simulation){.history = h};
    agree_say(&s->log, "begin\n");
    s->present = calloc((size_t)pingo_history_count_actions(h) + 1, sizeof *s->present);
    assert_non_null(s->present);
    well(pingo_decision_select(x->algorithm, &selection, &err), &err);
    o.algorithm = pingo_decision_selection_algorithm(selection);
    o.values = pingo_decision_selection_values(selection);
    s->result.size = sizeof s->result;
    well(pingo_workload_simulate(w, &o, &s->result, &err), &err);
    pingo_decision_selection_free(selection);
}

static inline void agree_simulation_clear(struct agree_simulation *s)
{
    free(s->present);
    free(s->run_ms);
    free(s->log.text);
}

#endif
