/* cheapest.c - a decision algorithm as a plug-in: what is cheapest to make again goes first.
 *
 *     cc -std=c11 -shared -fPIC -o cheapest.so cheapest.c $(pkg-config --cflags libpingo)
 *     pingo decide --scenario full.json --algorithm ./cheapest.so:per=byte
 *
 * Score = mean compute time, or that by byte.  It keeps what an algorithm must keep, which datasets are
 * present, and looks the rest up in the history when it decides.  See pingo-decision(7). */
#include <stdlib.h>
#include <string.h>

#include <pingo/decision.h>

struct state {
    const struct pingo_history *history;
    bool per_byte;
    unsigned char *present; /* a byte a dataset */
    uint32_t npresent, capacity;
};

static const char *const units[] = {"dataset", "byte", NULL};
static const struct pingo_decision_parameter parameters[] = {
    {"per", PINGO_PARAMETER_CHOICE, 0, 0, 0, units, "what the compute time is divided by"},
};

static int fail(struct pingo_error *err, int code, const char *message)
{
    if (err != NULL) {
        err->code = code;
        strncpy(err->message, message, sizeof err->message - 1);
        err->message[sizeof err->message - 1] = '\0';
    }
    return code;
}

static int open_state(const struct pingo_history *history, const double *values, void **state,
                      struct pingo_error *err)
{
    struct state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return fail(err, PINGO_ENOMEM, "cheapest: no memory");
    s->history = history;
    s->per_byte = values[0] != 0;
    *state = s;
    return 0;
}

static void close_state(void *state)
{
    struct state *s = state;
    if (s != NULL)
        free(s->present);
    free(s);
}

/* Makes room for the datasets that the submission brought. */
static int observe(void *state, uint32_t submission, struct pingo_error *err)
{
    struct state *s = state;
    struct pingo_history_submission w = {.size = sizeof w};
    int rc = pingo_history_submission(s->history, submission, &w);
    if (rc != 0)
        return fail(err, rc, "cheapest: there is no such submission");
    if (w.nknown <= s->capacity)
        return 0;
    size_t capacity = (size_t)w.nknown * 2;
    unsigned char *present = realloc(s->present, capacity);
    if (present == NULL)
        return fail(err, PINGO_ENOMEM, "cheapest: no memory");
    memset(present + s->capacity, 0, capacity - s->capacity);
    s->present = present;
    s->capacity = (uint32_t)capacity;
    return 0;
}

static int present(void *state, uint32_t dataset, struct pingo_error *err)
{
    struct state *s = state;
    (void)err;
    s->present[dataset] = 1;
    s->npresent++;
    return 0;
}

static void missing(void *state, uint32_t dataset, bool evicted)
{
    struct state *s = state;
    (void)evicted;
    s->present[dataset] = 0;
    s->npresent--;
}

static double score_of(const struct state *s, uint32_t dataset)
{
    int64_t ms = pingo_history_compute(s->history, dataset);
    int64_t bytes = pingo_history_size(s->history, dataset);
    double time = ms > 0 ? (double)ms : 0;
    return s->per_byte && bytes > 0 ? time / (double)bytes : time;
}

/* Ties go by the index, which is the same wherever the history is. */
static int compare(const void *a, const void *b)
{
    const struct pingo_decision_victim *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->dataset < y->dataset ? -1 : x->dataset > y->dataset;
}

static int choose(void *state, const struct pingo_decision_request *request, struct pingo_error *err)
{
    const struct state *s = state;
    struct pingo_decision_victim *list = calloc((size_t)s->npresent + 1, sizeof *list);
    size_t n = 0;
    uint64_t freed = 0;
    int rc = 0;
    if (list == NULL)
        return fail(err, PINGO_ENOMEM, "cheapest: no memory");
    for (uint32_t d = 0; d < s->capacity; d++)
        if (s->present[d] &&
            (request->is_candidate == NULL || request->is_candidate(request->context, d)))
            list[n++] = (struct pingo_decision_victim){d, score_of(s, d)};
    qsort(list, n, sizeof *list, compare);
    for (size_t i = 0; i < n && freed < request->free_bytes && rc == 0; i++) {
        int64_t bytes = pingo_history_size(s->history, list[i].dataset);
        freed += bytes > 0 ? (uint64_t)bytes : 0;
        if (request->victim(request->context, &list[i]) != 0)
            rc = fail(err, PINGO_EINTERRUPTED, "cheapest: stopped by the caller");
    }
    free(list);
    return rc;
}

static const struct pingo_decision_algorithm cheapest = {
    .abi_version = PINGO_DECISION_ABI,
    .name = "cheapest",
    .summary = "what is cheapest to make again goes first",
    .parameters = parameters,
    .nparameters = sizeof parameters / sizeof parameters[0],
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .present = present,
    .missing = missing,
    .choose = choose,
};

extern const struct pingo_decision_algorithm *const pingo_decision_plugin;
PINGO_API const struct pingo_decision_algorithm *const pingo_decision_plugin = &cheapest;
