/* report.c - what the pool and its decisions came to, in one view of the store.
 *
 * The history tells what was spent and saved, the ledger what was lost, the
 * generations what was held; each is read once.  Everything that is told lies in one
 * arena, which the report owns. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "engine/look/report_steps.h"
#include "store/dataset/dataset_query.h"
#include "store/decision/evictions.h"
#include "store/decision/history.h"
#include "store/decision/usage.h"

struct whole { /* a report and its memory */
    struct pingo_report report;
    struct pingo_pool_usage usage; /* that it points to, as the next */
    struct pingo_history_row history;
    int64_t bytes[PINGO__DATASET_STATES];
    size_t ndatasets[PINGO__DATASET_STATES];
    struct pingo__arena arena;
};

/* That evictions of a dataset were regretted in the period. */
struct loss {
    int64_t ms;
    size_t n;
};

struct making {
    struct pingo_store *store;
    struct pingo_report_options options;
    struct whole *whole;
    struct pingo_history *history;
    int64_t *values; /* one an action of the history, as is */
    struct loss *losses;
    struct pingo__engine_steps steps;
    struct pingo_report_algorithm *algorithms;
    size_t nalgorithms, calgorithms;
};

static bool in_period(const struct making *m, int64_t at_ms)
{
    return at_ms >= m->options.since_ms && (m->options.until_ms == 0 || at_ms < m->options.until_ms);
}

/* ---- the period ----------------------------------------------------------------------------- */

static int set_period(struct making *m, struct pingo_error *err)
{
    struct pingo_report *r = &m->whole->report;
    const struct pingo_report_options *o = &m->options;
    struct pingo_history_submission s = {.size = sizeof s};
    struct pingo__store_history_period p;
    int64_t now_ms = pingo__manager_now_ms(&m->store->context);
    int rc = pingo__store_history_period(&m->store->db, &p, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; pingo_history_submission(m->history, i, &s) == 0; i++) {
        if (p.first_ms < 0 || s.at_ms < p.first_ms)
            p.first_ms = s.at_ms;
        if (s.at_ms > p.last_ms)
            p.last_ms = s.at_ms;
    }
    r->until_ms = (p.last_ms > now_ms ? p.last_ms : now_ms) + 1;
    r->from_ms = p.first_ms < 0 ? r->until_ms : p.first_ms;
    if (o->until_ms && o->until_ms < r->until_ms)
        r->until_ms = o->until_ms;
    if (o->since_ms > r->from_ms)
        r->from_ms = o->since_ms;
    if (r->from_ms > r->until_ms)
        r->from_ms = r->until_ms;
    rc = pingo__engine_steps_open(&m->steps, r->from_ms, r->until_ms, &m->whole->arena, err);
    r->steps = m->steps.steps;
    r->nsteps = m->steps.n;
    r->step_ms = m->steps.length_ms;
    return rc;
}

static int hold(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__store_history_held *held = row;
    struct pingo__engine_steps *steps = context;
    (void)err;
    pingo__engine_steps_hold(steps, held->at_ms, held->bytes);
    return 0;
}

/* ---- the history ------------------------------------------------------------------------------ */

static int keep_total(void *context, const struct pingo_history_row *row)
{
    struct whole *whole = context;
    whole->history = *row;
    return 0;
}

static int keep_step(void *context, const struct pingo_history_row *row)
{
    const struct pingo__engine_steps *steps = context;
    int64_t at_ms = row->from_ms > steps->from_ms ? row->from_ms : steps->from_ms;
    struct pingo_report_step *step = pingo__engine_steps_at(steps, at_ms);
    if (step) {
        step->spent_ms = row->spent_ms;
        step->saved_ms = row->saved_ms;
    }
    return 0;
}

static int read_history(struct making *m, struct pingo_error *err)
{
    struct pingo_history_query query = {
        .version = 1, .since_ms = m->options.since_ms, .until_ms = m->options.until_ms};
    int rc = pingo_history_query(m->history, &query, keep_total, m->whole, err);
    query.step_ms = m->steps.length_ms;
    if (!rc)
        rc = pingo_history_query(m->history, &query, keep_step, &m->steps, err);
    if (rc)
        return rc;
    size_t n = (size_t)pingo_history_count_actions(m->history) + 1;
    m->values = malloc(n * sizeof *m->values);
    m->losses = calloc(n, sizeof *m->losses);
    return m->values && m->losses ? pingo_history_values(m->history, m->values, err)
                                  : pingo__fail_memory(err);
}

/* ---- the ledger ---------------------------------------------------------------------------------- */

/* There are a few.  NULL: no memory. */
static struct pingo_report_algorithm *algorithm_of(struct making *m, const char *name)
{
    for (size_t i = 0; i < m->nalgorithms; i++)
        if (strcmp(m->algorithms[i].name, name) == 0)
            return &m->algorithms[i];
    char *copy = pingo__arena_text(&m->whole->arena, name, strlen(name));
    if (!copy || !PINGO__ARENA_ROOM(&m->whole->arena, m->algorithms, m->nalgorithms, m->calgorithms))
        return NULL;
    m->algorithms[m->nalgorithms] = (struct pingo_report_algorithm){.name = copy};
    return &m->algorithms[m->nalgorithms++];
}

/* Each hash that was ever planned is in the history. */
static void add_regret(struct making *m, const struct pingo_eviction *e)
{
    uint32_t action = pingo_history_find(m->history, &e->hash);
    if (action == PINGO_HISTORY_NONE || e->regret_ms <= 0)
        return;
    m->losses[action].ms += e->regret_ms;
    m->losses[action].n++;
}

static int add_eviction(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo_eviction *e = &((const struct pingo__store_eviction_row *)row)->told;
    struct making *m = context;
    struct pingo_report *r = &m->whole->report;
    bool evicted = in_period(m, e->evicted_ms);
    bool regretted = e->regretted_ms >= 0 && in_period(m, e->regretted_ms);
    if (!evicted && !regretted)
        return 0;
    struct pingo_report_algorithm *a = algorithm_of(m, e->algorithm);
    if (!a)
        return pingo__fail_memory(err);
    struct pingo_report_step *step;
    if (evicted) {
        a->nevictions++;
        a->nrescued += e->rescued_ms >= 0;
        a->evicted_bytes += e->size_bytes;
        r->nevictions++;
        r->evicted_bytes += e->size_bytes;
        if ((step = pingo__engine_steps_at(&m->steps, e->evicted_ms)))
            step->evicted_bytes += e->size_bytes;
    }
    if (regretted) {
        a->nregretted++;
        a->lost_ms += e->regret_ms;
        r->lost_ms += e->regret_ms;
        if ((step = pingo__engine_steps_at(&m->steps, e->regretted_ms)))
            step->lost_ms += e->regret_ms;
        add_regret(m, e);
    }
    return 0;
}

static int read_ledger(struct making *m, struct pingo_error *err)
{
    int rc = pingo__store_eviction_each(&m->store->db, add_eviction, m, err);
    if (m->nalgorithms > 1)
        qsort(m->algorithms, m->nalgorithms, sizeof *m->algorithms, pingo__array_by_text);
    m->whole->report.algorithms = m->algorithms;
    m->whole->report.nalgorithms = m->nalgorithms;
    return rc;
}

/* ---- the first of the datasets --------------------------------------------------------------------- */

/* An action of the history, and by what it is sorted. */
struct mark {
    const struct pingo_hash *hash;
    uint32_t action;
    int64_t ms;
};

static int by_ms(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->ms != y->ms)
        return x->ms < y->ms ? 1 : -1;
    return memcmp(x->hash->bytes, y->hash->bytes, PINGO_HASH_SIZE);
}

static int describe(struct making *m, const struct mark *mark, struct pingo_report_dataset *d,
                    struct pingo_error *err)
{
    struct pingo__arena *arena = &m->whole->arena;
    struct pingo__store_dataset_row row;
    struct pingo_dataset_status status;
    int rc = pingo__store_dataset_newest(&m->store->db, mark->hash, arena, &row, err);
    *d = (struct pingo_report_dataset){.hash = *mark->hash,
                                       .name = "",
                                       .size_bytes = -1,
                                       .compute_ms = -1,
                                       .value_ms = m->values[mark->action],
                                       .lost_ms = m->losses[mark->action].ms,
                                       .nregretted = m->losses[mark->action].n};
    if (rc || !row.id)
        return rc;
    rc = pingo__store_dataset_status(&m->store->db, row.id, arena, &status, err);
    if (rc)
        return rc;
    d->name = status.name;
    d->state = status.state;
    d->size_bytes = status.size_bytes;
    d->compute_ms = status.compute_ms;
    return 0;
}

/* The most valuable ones, or those whose loss cost most: what is worth nothing, or cost nothing, is none. */
static int first_of(struct making *m, bool by_loss, const struct pingo_report_dataset **list,
                    size_t *n, struct pingo_error *err)
{
    size_t limit = m->options.limit ? m->options.limit : 10, all = 0;
    uint32_t nactions = pingo_history_count_actions(m->history);
    struct mark *marks = malloc(((size_t)nactions + 1) * sizeof *marks);
    for (uint32_t i = 0; marks && i < nactions; i++) {
        int64_t ms = by_loss ? m->losses[i].ms : m->values[i];
        if (ms > 0)
            marks[all++] = (struct mark){pingo_history_hash(m->history, i), i, ms};
    }
    if (all > 1)
        qsort(marks, all, sizeof *marks, by_ms);
    *n = all < limit ? all : limit;
    struct pingo_report_dataset *d = pingo__arena_array(&m->whole->arena, *n + 1, sizeof *d);
    int rc = marks && d ? 0 : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < *n; i++)
        rc = describe(m, &marks[i], &d[i], err);
    *list = d;
    free(marks);
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static int read_usage(struct making *m, struct pingo_error *err)
{
    struct pingo_report *r = &m->whole->report;
    struct pingo__store_usage u;
    int rc = pingo__engine_usage_in_view(m->store, &m->whole->usage, &u, err);
    for (int i = 0; !rc && i < PINGO__DATASET_STATES; i++) {
        m->whole->bytes[i] = u.bytes[i];
        m->whole->ndatasets[i] = (size_t)u.ndatasets[i];
    }
    r->bytes = m->whole->bytes;
    r->ndatasets = m->whole->ndatasets;
    r->nstates = PINGO__DATASET_STATES;
    return rc;
}

/* In one view, which the caller opened. */
static int make(struct making *m, struct pingo_error *err)
{
    const struct pingo_store_history_options all = {.version = 1};
    struct pingo_report *r = &m->whole->report;
    int rc = pingo__engine_history_in_view(m->store, &all, false, &m->history, err);
    if (!rc)
        rc = read_usage(m, err);
    if (!rc)
        rc = set_period(m, err);
    if (!rc)
        rc = pingo__store_history_each_held(&m->store->db, hold, &m->steps, err);
    if (!rc)
        rc = read_history(m, err);
    if (!rc)
        rc = read_ledger(m, err);
    if (!rc)
        rc = first_of(m, false, &r->valuable, &r->nvaluable, err);
    if (!rc)
        rc = first_of(m, true, &r->regretted, &r->nregretted, err);
    pingo__engine_steps_hold_end(&m->steps);
    return rc;
}

int pingo_store_report(struct pingo_store *store, const struct pingo_report_options *options,
                       struct pingo_report **report, struct pingo_error *err)
{
    struct making m = {.store = store};
    int rc = PINGO__OPTIONS_TAKE(pingo_report_options, options, &m.options, err);
    *report = NULL;
    if (!rc && (m.options.since_ms < 0 || m.options.until_ms < 0))
        rc = pingo__fail(err, PINGO_EINVAL, "the options have a time that is none");
    if (rc)
        return rc;
    m.whole = calloc(1, sizeof *m.whole);
    if (!m.whole)
        return pingo__fail_memory(err);
    m.whole->report.usage = &m.whole->usage;
    m.whole->report.history = &m.whole->history;
    rc = pingo__store_db_begin_read(&store->db, err);
    if (!rc) {
        rc = make(&m, err);
        pingo__store_db_rollback(&store->db);
    }
    pingo_history_free(m.history);
    free(m.values);
    free(m.losses);
    if (rc)
        pingo_report_free(&m.whole->report);
    else
        *report = &m.whole->report;
    return rc;
}

void pingo_report_free(struct pingo_report *report)
{
    struct whole *whole = (struct whole *)report; /* its first member */
    if (!whole)
        return;
    pingo__arena_clear(&whole->arena);
    free(whole);
}
