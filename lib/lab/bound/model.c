/* model.c - a history and a budget -> the linear program of the lower bound.
 *
 * For each visit (walk.h) of a dataset v in a submission i there are
 *   kept    in 0..1: v is stored from its visit before until i begins,
 *   remade  in 0..1: v is computed in i; 0 - kept + 1 where v is NEEDED, and a column of its own
 *           where it is MAYBE.
 * The program minimises least_ms plus the time of all that is remade, under
 *   keep    kept <= kept + remade of the visit before, where that was a MAYBE;
 *   chain   remade of a child <= kept + remade of its parent, in one submission;
 *   cause   remade <= the sum of its children's remade, where it is a MAYBE;
 *   room    what is kept at the end of a submission <= the room that is left for it then.
 *
 * Why it is a bound.  Take any policy, and set kept and remade to what it did, 0 or 1 each.
 * - Its time is what the program counts: what is MADE or REMADE it computed, what is
 *   NEEDED it computed unless it was stored (what is stored is reused, and claimed until it
 *   has been read), what is MAYBE where remade says so, and nothing else.
 * - keep holds, for a dataset is stored only if it was stored before or made since, and is
 *   made at visits alone.  That kept is one number between two visits loses nothing: what is
 *   evicted between them takes no room in the program, but did for a while.
 * - chain holds: an action that is computed has its parents, which were stored when its
 *   submission was planned, and hence claimed, or were computed in it.  Leaves are always
 *   stored, and what is MADE, REMADE or NEEDED is there for certain: they have no row.
 * - cause holds: what nobody asked for is computed only for a child that is computed.
 * - room holds, since a submission begins when the one before has ended (one slot): nothing is
 *   claimed then, and the decision after its last publish, or at its end, has brought used
 *   bytes down to the budget, unless too little could go.  Leaves never go.  Outside the budget
 *   they do not count; inside, what is stored besides them may hold what they leave of
 *   the budget, and where they leave nothing all else has gone.  A submission that publishes
 *   nothing adds no bytes.  What happens while a submission runs, when claims let the
 *   pool overshoot, is not looked at.
 * So the policy's own numbers are a solution, and the least value is not above its time.
 * Sizes are rounded down, room up, what keeping saves up, and what remaking costs down to
 * doubles, all of which only widens the program or lowers its value. */
#include "lab/bound/model.h"

#include <limits.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

#define NONE PINGO__BOUND_NO_COLUMN

/* ---- growing --------------------------------------------------------------------------- */

/* Room for one more behind n; false: it failed. */
static bool make_room(struct pingo__lab_bound_model *m, void **array, size_t *capacity, size_t n,
                      size_t size)
{
    if (m->failure == 0 && n >= INT_MAX - 1)
        m->failure = PINGO_ELIMIT;
    if (m->failure == 0 && !pingo__array_room(array, capacity, n, 1, size))
        m->failure = PINGO_ENOMEM;
    return m->failure == 0;
}

int pingo__lab_bound_column(struct pingo__lab_bound_model *m, double cost, double upper)
{
    struct pingo__lab_program *p = &m->program;
    size_t n = (size_t)p->ncolumns;
    if (!make_room(m, (void **)&p->costs, &m->columns_capacity, n, sizeof *p->costs) ||
        !make_room(m, (void **)&p->uppers, &m->uppers_capacity, n, sizeof *p->uppers))
        return 0;
    p->costs[n] = cost;
    p->uppers[n] = upper;
    return p->ncolumns++;
}

int pingo__lab_bound_row(struct pingo__lab_bound_model *m)
{
    struct pingo__lab_program *p = &m->program;
    if (!make_room(m, (void **)&p->limits, &m->rows_capacity, (size_t)p->nrows, sizeof *p->limits))
        return 0;
    p->limits[p->nrows] = 0;
    return p->nrows++;
}

void pingo__lab_bound_element(struct pingo__lab_bound_model *m, int row, int column, double value)
{
    if (column == NONE || !make_room(m, (void **)&m->elements, &m->elements_capacity, m->nelements,
                                     sizeof *m->elements))
        return;
    m->elements[m->nelements++] =
        (struct pingo__lab_bound_element){.row = row, .column = column, .value = value};
}

/* ---- columns of a visit, and what it says of the one before ------------------------------- */

/* The stretch from the visit before to this one. */
static int keep(struct pingo__lab_bound_model *m, const struct pingo__lab_bound_visit *v,
                double cost)
{
    const struct pingo__lab_bound_columns *before = &m->columns[v->action];
    if (!v->can_be_kept)
        return NONE;
    int kept = pingo__lab_bound_column(m, cost, 1);
    if (!make_room(m, (void **)&m->stretches, &m->stretches_capacity, m->nstretches,
                   sizeof *m->stretches))
        return NONE;
    m->stretches[m->nstretches++] = (struct pingo__lab_bound_stretch){
        .first = v->since,
        .last = m->walk.next - 1,
        .column = kept,
        .size_bytes = pingo__lab_bound_size(m->walk.history, v->action)};
    if (before->may_lack) {
        int row = pingo__lab_bound_row(m);
        pingo__lab_bound_element(m, row, kept, 1);
        pingo__lab_bound_element(m, row, before->kept, -1);
        pingo__lab_bound_element(m, row, before->remade, -1);
    }
    return kept;
}

/* What is computed whatever the policy, and what is unless it was kept; constant_ms is the largest sum. */
static void add_time(struct pingo__lab_bound_model *m, const struct pingo__lab_bound_visit *v,
                     int64_t ms)
{
    if (v->need == PINGO__BOUND_MAYBE || m->failure != 0)
        return;
    if (__builtin_add_overflow(m->constant_ms, ms, &m->constant_ms))
        m->failure = PINGO_ELIMIT;
    else if (v->need != PINGO__BOUND_NEEDED)
        m->least_ms += ms;
    if (v->need == PINGO__BOUND_MADE && m->failure == 0)
        m->ideal_ms += ms;
}

static void add_columns(struct pingo__lab_bound_model *m, const struct pingo__lab_bound_visit *v)
{
    struct pingo__lab_bound_columns now = {.kept = NONE, .remade = NONE, .cause = NONE};
    int64_t known_ms = pingo_history_compute(m->walk.history, v->action);
    int64_t ms = known_ms < 0 ? 0 : known_ms;
    add_time(m, v, ms);
    if (v->need == PINGO__BOUND_NEEDED) {
        now.kept = keep(m, v, -pingo__lab_at_least(ms));
    } else if (v->need == PINGO__BOUND_MAYBE) {
        now.may_lack = true;
        now.kept = keep(m, v, 0);
        now.remade = pingo__lab_bound_column(m, pingo__lab_at_most(ms), 1);
        now.cause = pingo__lab_bound_row(m);
        pingo__lab_bound_element(m, now.cause, now.remade, 1);
    }
    m->columns[v->action] = now;
}

/* Puts remade of an action, or 1 - kept, into a row with a factor. */
static void add_remade(struct pingo__lab_bound_model *m, const struct pingo__lab_bound_visit *v,
                       int row, double factor)
{
    const struct pingo__lab_bound_columns *c = &m->columns[v->action];
    if (v->need == PINGO__BOUND_MAYBE) {
        pingo__lab_bound_element(m, row, c->remade, factor);
        return;
    }
    pingo__lab_bound_element(m, row, c->kept, -factor);
    if (m->failure == 0)
        m->program.limits[row] -= factor;
}

/* The rows of a visit and of its parents. */
static void add_chain(struct pingo__lab_bound_model *m, const struct pingo__lab_bound_visit *v)
{
    size_t nparents = 0;
    const uint32_t *parents = pingo_history_parents(m->walk.history, v->action, &nparents);
    if (v->need != PINGO__BOUND_NEEDED && v->need != PINGO__BOUND_MAYBE)
        return;
    for (size_t j = 0; j < nparents; j++) {
        const struct pingo__lab_bound_columns *parent = &m->columns[parents[j]];
        if (!pingo__lab_bound_is_visited(&m->walk, parents[j]) || !parent->may_lack)
            continue;
        int row = pingo__lab_bound_row(m);
        add_remade(m, v, row, 1);
        pingo__lab_bound_element(m, row, parent->kept, -1);
        pingo__lab_bound_element(m, row, parent->remade, -1);
        add_remade(m, v, parent->cause, -1);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int look(struct pingo__lab_bound_model *m, struct pingo_error *err)
{
    uint32_t n = pingo_history_count_submissions(m->walk.history);
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        rc = pingo__lab_bound_walk_look(&m->walk, err);
        for (size_t k = 0; rc == 0 && k < m->walk.nvisits; k++)
            add_columns(m, &m->walk.visits[k]);
        for (size_t k = 0; rc == 0 && k < m->walk.nvisits; k++)
            add_chain(m, &m->walk.visits[k]);
        pingo__lab_bound_walk_step(&m->walk);
        m->room_bytes[i] = m->walk.capacity_bytes;
    }
    return rc;
}

/* The largest cost becomes about 1000: the solver's tolerances are absolute. */
static void scale_costs(struct pingo__lab_bound_model *m)
{
    struct pingo__lab_program *p = &m->program;
    double largest = 0;
    m->cost_scale = 1;
    for (int j = 0; j < p->ncolumns; j++) {
        double cost = p->costs[j] < 0 ? -p->costs[j] : p->costs[j];
        if (cost > largest)
            largest = cost;
    }
    while (largest * m->cost_scale > 1024)
        m->cost_scale /= 2;
    while (largest > 0 && largest * m->cost_scale < 512)
        m->cost_scale *= 2;
    for (int j = 0; j < p->ncolumns; j++)
        p->costs[j] *= m->cost_scale;
}

/* Sorts the elements by columns. */
static void sort_elements(struct pingo__lab_bound_model *m)
{
    struct pingo__lab_program *p = &m->program;
    if (m->failure != 0)
        return;
    p->starts = pingo__arena_array(&m->arena, (size_t)p->ncolumns + 2, sizeof *p->starts);
    p->rows = pingo__arena_array(&m->arena, m->nelements, sizeof *p->rows);
    p->values = pingo__arena_array(&m->arena, m->nelements, sizeof *p->values);
    if (!p->starts || !p->rows || !p->values) {
        m->failure = PINGO_ENOMEM;
        return;
    }
    for (size_t k = 0; k < m->nelements; k++)
        p->starts[m->elements[k].column + 2]++;
    for (int j = 0; j < p->ncolumns; j++)
        p->starts[j + 2] += p->starts[j + 1];
    for (size_t k = 0; k < m->nelements; k++) {
        int at = p->starts[m->elements[k].column + 1]++;
        p->rows[at] = m->elements[k].row;
        p->values[at] = m->elements[k].value;
    }
}

static int tell_failure(const struct pingo__lab_bound_model *m, struct pingo_error *err)
{
    if (m->failure == PINGO_ENOMEM)
        return pingo__fail_memory(err);
    if (m->failure != 0)
        return pingo__fail(err, m->failure,
                           "the history is too large, or its times too long, "
                           "for the linear program of the bound");
    return 0;
}

int pingo__lab_bound_model_build(struct pingo__lab_bound_model *m,
                                 const struct pingo_history *history, int64_t budget_bytes,
                                 bool leaves_inside, struct pingo_error *err)
{
    size_t nactions = pingo_history_count_actions(history);
    size_t nsubmissions = pingo_history_count_submissions(history);
    int rc = pingo__lab_bound_walk_open(&m->walk, history, budget_bytes, leaves_inside, err);
    if (rc != 0)
        return rc;
    m->columns = pingo__arena_array(&m->arena, nactions, sizeof *m->columns);
    m->room_bytes = pingo__arena_array(&m->arena, nsubmissions, sizeof *m->room_bytes);
    if (!m->columns || !m->room_bytes)
        return pingo__fail_memory(err);
    rc = look(m, err);
    if (rc != 0)
        return rc;
    pingo__lab_bound_room(m);
    scale_costs(m);
    sort_elements(m);
    return tell_failure(m, err);
}

void pingo__lab_bound_model_clear(struct pingo__lab_bound_model *m)
{
    struct pingo__lab_program *p = &m->program;
    pingo__lab_bound_walk_clear(&m->walk);
    pingo__arena_clear(&m->arena);
    free(m->stretches);
    free(m->elements);
    free(p->costs);
    free(p->uppers);
    free(p->limits);
    *m = (struct pingo__lab_bound_model){0};
}
