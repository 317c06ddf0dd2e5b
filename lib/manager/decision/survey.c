/* survey.c - see survey.h. */
#include "manager/decision/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/dataset/datasets.h"
#include "store/decision/evictions.h"

#define REASON_SIZE 256

/* Of a dataset: managed and STORED; a leaf that has become old; pinned, claimed or read. */
enum { STORED = 1, OLD = 2, HELD = 4 };

/* ---- life ----------------------------------------------------------------------------------- */

void pingo__manager_survey_init(struct pingo__manager_survey *s, struct pingo__manager_context *c)
{
    *s = (struct pingo__manager_survey){.c = c, .changed = -1};
}

/* What was read goes; which algorithm it is stays. */
static void forget(struct pingo__manager_survey *s)
{
    pingo_decider_free(s->decider);
    s->decider = NULL;
    if (s->begun) {
        pingo__decision_stored_clear(&s->present);
        pingo__manager_history_load_clear(&s->load);
    }
    s->marks = NULL;
    s->changed = -1;
    s->begun = false;
}

void pingo__manager_survey_clear(struct pingo__manager_survey *s)
{
    forget(s);
    pingo_decision_selection_free(s->selection);
    free(s->text);
    pingo__manager_survey_init(s, s->c);
}

static int begin(struct pingo__manager_survey *s, struct pingo_error *err)
{
    int rc = pingo__manager_history_load_init(&s->load, s->c->db, err);
    if (!rc && !pingo__decision_stored_init(&s->present, s->load.history, PINGO__REMAKE_REACH))
        rc = pingo__fail_memory(err);
    pingo__decision_stored_keep(&s->present, &s->marks, sizeof *s->marks);
    s->begun = true;
    return rc;
}

/* ---- the algorithm ---------------------------------------------------------------------------- */

int pingo__manager_survey_use(struct pingo__manager_survey *s, const char *text,
                              struct pingo_error *err)
{
    struct pingo_decision_selection *selection = NULL;
    if (s->text && strcmp(s->text, text) == 0)
        return 0;
    char *copy = strdup(text);
    int rc = copy ? pingo_decision_select(text, &selection, err) : pingo__fail_memory(err);
    if (rc) {
        free(copy);
        return rc;
    }
    pingo_decider_free(s->decider);
    s->decider = NULL;
    pingo_decision_selection_free(s->selection);
    s->selection = selection;
    free(s->text);
    s->text = copy;
    return 0;
}

const char *pingo__manager_survey_algorithm(const struct pingo__manager_survey *s)
{
    return pingo_decision_selection_algorithm(s->selection)->name;
}

/* rc: what a function of the decider gave. */
static int blame(struct pingo__manager_survey *s, int rc)
{
    s->at_fault = rc < 0 && rc != PINGO_ENOMEM;
    return rc;
}

/* One that was not there all the time is told what there is. */
static int open_decider(struct pingo__manager_survey *s, struct pingo_error *err)
{
    if (s->decider)
        return 0;
    int rc = blame(s, pingo_decider_new(pingo_decision_selection_algorithm(s->selection),
                                        pingo_decision_selection_values(s->selection),
                                        s->load.history, &s->decider, err));
    for (uint32_t i = 0; !rc && i < pingo_history_count_actions(s->load.history); i++)
        if (pingo__decision_bit(s->present.present, i))
            rc = blame(s, pingo_decider_present(s->decider, i, err));
    return rc;
}

/* ---- datasets ------------------------------------------------------------------------------------ */

static bool reserve(struct pingo__manager_survey *s)
{
    uint32_t n = pingo_history_count_actions(s->load.history);
    if (!pingo__decision_stored_reserve(&s->present, n))
        return false;
    s->present.nknown = n;
    for (uint32_t i = 0; i < n; i++)
        s->marks[i] &= STORED; /* the rest is found anew */
    return true;
}

static int becomes_present(struct pingo__manager_survey *s, uint32_t dataset,
                           struct pingo_error *err)
{
    pingo__decision_stored_present(&s->present, dataset, err);
    return s->decider ? blame(s, pingo_decider_present(s->decider, dataset, err)) : 0;
}

static int becomes_missing(struct pingo__manager_survey *s, uint32_t dataset, bool evicted,
                           struct pingo_error *err)
{
    pingo__decision_stored_missing(&s->present, dataset, evicted);
    return s->decider ? blame(s, pingo_decider_missing(s->decider, dataset, evicted, err)) : 0;
}

/* Does the ledger say that a decision let it go, and it was not made again since? */
static int was_evicted(struct pingo__manager_survey *s, const struct pingo_hash *hash, bool *was,
                       struct pingo_error *err)
{
    struct pingo__store_eviction_row row = {.id = 0};
    int rc = pingo__store_eviction_last(s->c->db, &(struct pingo__store_missing){hash, INT64_MAX},
                                        NULL, &row, err);
    *was = !rc && row.id;
    return rc;
}

/* What is unmanaged is made each time, so it is never missing. */
static int on_changed(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__store_dataset_changed *d = row;
    struct pingo__manager_survey *s = context;
    uint32_t dataset = pingo_history_find(s->load.history, &d->hash);
    bool there = !d->managed || pingo__rules_dataset_is_kept(d->state);
    bool evicted = false;
    s->changed = d->changed;
    if (dataset == PINGO_HISTORY_NONE)
        return 0;
    pingo_history_set_size(s->load.history, dataset, d->size_bytes);
    pingo_history_set_compute(s->load.history, dataset, d->compute_ms);
    s->marks[dataset] &= (uint8_t)~STORED;
    s->marks[dataset] |= d->managed && d->state == PINGO_DATASET_STORED ? STORED : 0;
    if (there == pingo__decision_bit(s->present.present, dataset))
        return 0;
    if (there)
        return becomes_present(s, dataset, err);
    int rc = s->decider ? was_evicted(s, &d->hash, &evicted, err) : 0;
    return rc ? rc : becomes_missing(s, dataset, evicted, err);
}

struct marking {
    const struct pingo__manager_survey *s;
    uint8_t as;
};

static int mark(void *context, const void *row, struct pingo_error *err)
{
    const struct marking *m = context;
    uint32_t dataset =
        pingo_history_find(m->s->load.history, &((const struct pingo__store_candidate *)row)->hash);
    (void)err;
    if (dataset != PINGO_HISTORY_NONE)
        m->s->marks[dataset] |= m->as;
    return 0;
}

static int read_all(struct pingo__manager_survey *s, int64_t old_leaf_ms, struct pingo_error *err)
{
    struct pingo__store_db *db = s->c->db;
    int rc = pingo__manager_history_load_more(&s->load, 0, 0, err);
    if (!rc && !reserve(s))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = pingo__store_dataset_each_changed(db, s->changed, on_changed, s, err);
    if (!rc)
        rc = pingo__store_candidate_each_held(db, mark, &(struct marking){s, HELD}, err);
    if (!rc && old_leaf_ms >= 0)
        rc = pingo__store_candidate_each_old_leaf(db, old_leaf_ms, mark, &(struct marking){s, OLD},
                                                  err);
    return rc ? rc : pingo__store_usage_read(db, &s->usage, &s->held_bytes, err);
}

int pingo__manager_survey_read(struct pingo__manager_survey *s, int64_t old_leaf_ms,
                               struct pingo_error *err)
{
    s->at_fault = false;
    int rc = s->begun ? 0 : begin(s, err);
    if (!rc)
        rc = pingo__store_db_begin_read(s->c->db, err);
    if (!rc) {
        rc = read_all(s, old_leaf_ms, err);
        pingo__store_db_rollback(s->c->db);
    }
    if (rc)
        forget(s);
    return rc;
}

/* ---- choosing --------------------------------------------------------------------------------------- */

struct choosing {
    struct pingo__manager_survey *survey;
    struct pingo__manager_choice *choice;
    bool no_memory;
};

static bool may_go(void *context, uint32_t dataset)
{
    const struct choosing *x = context;
    uint8_t marks = x->survey->marks[dataset];
    return marks && !(marks & HELD);
}

static int on_victim(void *context, const struct pingo_decision_victim *victim)
{
    struct choosing *x = context;
    struct pingo__manager_choice *choice = x->choice;
    const struct pingo_history *history = x->survey->load.history;
    int64_t size = pingo_history_size(history, victim->dataset);
    if (!PINGO__ARENA_ROOM(&choice->arena, choice->victims, choice->n, choice->capacity)) {
        x->no_memory = true;
        return 1;
    }
    choice->victims[choice->n++] =
        (struct pingo__manager_victim){.dataset = victim->dataset,
                                       .hash = *pingo_history_hash(history, victim->dataset),
                                       .score = victim->score,
                                       .size_bytes = size > 0 ? size : 0};
    return 0;
}

/* Why each goes, as things stand when those before it have gone; then they are there again.  To one that remembers
 * evictions that would not be the same: it says what holds before any of them went. */
static int tell_reasons(struct pingo__manager_survey *s, struct pingo__manager_choice *choice,
                        struct pingo_error *err)
{
    bool goes = !pingo_decision_selection_algorithm(s->selection)->remembers_evictions;
    int rc = 0;
    for (size_t i = 0; !rc && i < choice->n; i++) {
        struct pingo__manager_victim *v = &choice->victims[i];
        char text[REASON_SIZE];
        pingo_decider_reason(s->decider, v->dataset, text, sizeof text);
        v->reason = pingo__arena_text(&choice->arena, text, strlen(text));
        if (!v->reason)
            return pingo__fail_memory(err);
        if (goes)
            rc = blame(s, pingo_decider_missing(s->decider, v->dataset, false, err));
    }
    for (size_t i = 0; !rc && goes && i < choice->n; i++)
        rc = blame(s, pingo_decider_present(s->decider, choice->victims[i].dataset, err));
    return rc;
}

/* The time to make each again, and why it goes. */
static int explain(struct pingo__manager_survey *s, struct pingo__manager_choice *choice,
                   struct pingo_error *err)
{
    uint32_t *datasets = pingo__arena_array(&choice->arena, choice->n + 1, sizeof *datasets);
    int64_t *each = pingo__arena_array(&choice->arena, choice->n + 1, sizeof *each);
    if (!datasets || !each)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < choice->n; i++)
        datasets[i] = choice->victims[i].dataset;
    if (!pingo__decision_remake(&s->present, datasets, choice->n, each, &choice->together_ms))
        return pingo__fail_memory(err);
    for (size_t i = 0; i < choice->n; i++)
        choice->victims[i].remake_ms = each[i];
    return tell_reasons(s, choice, err);
}

int pingo__manager_survey_choose(struct pingo__manager_survey *s, int64_t free_bytes,
                                 struct pingo__manager_choice *choice, struct pingo_error *err)
{
    struct choosing x = {.survey = s, .choice = choice};
    struct pingo_decision_request request = {.version = 1,
                                             .free_bytes = (uint64_t)free_bytes,
                                             .is_candidate = may_go,
                                             .victim = on_victim,
                                             .context = &x};
    s->at_fault = false;
    choice->result.size = sizeof choice->result;
    int rc = open_decider(s, err);
    if (!rc)
        rc = blame(s, pingo_decider_choose(s->decider, &request, &choice->result, err));
    if (rc && x.no_memory) {
        s->at_fault = false;
        rc = pingo__fail_memory(err);
    }
    if (!rc)
        rc = explain(s, choice, err);
    if (rc) {
        pingo_decider_free(s->decider);
        s->decider = NULL;
    }
    return rc;
}

void pingo__manager_choice_clear(struct pingo__manager_choice *choice)
{
    pingo__arena_clear(&choice->arena);
    *choice = (struct pingo__manager_choice){0};
}

int pingo__manager_survey_evicted(struct pingo__manager_survey *s, uint32_t dataset,
                                  struct pingo_error *err)
{
    s->at_fault = false;
    s->marks[dataset] &= HELD;
    int rc = becomes_missing(s, dataset, true, err);
    if (rc)
        forget(s);
    return rc;
}
