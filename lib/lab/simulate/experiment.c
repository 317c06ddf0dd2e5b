/* experiment.c - many runs, on several threads.
 *
 * What always holds: a job writes to its own place alone, so that what comes out does
 * not depend on who did what when.  The jobs are the rows, and the two runs that each
 * sample is measured by: with unlimited storage, and with none. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/parallel.h"
#include "lab/simulate/workload.h"

#define MAX_ROWS 100000000

enum kind { ROW, IDEAL, NONE };

struct job {
    struct pool *pool;
    enum kind kind;
    size_t row;  /* of the row, or of one that it is measured for */
    size_t same; /* the job whose result it has; itself where it is run */
    struct pingo_simulation_result result;
    uint64_t told;                       /* submissions, of those that are done */
    struct pingo_simulation_user *users; /* where they are asked for */
    size_t nusers, capacity;
    bool is_full; /* no memory was left for them */
};

struct pool {
    const struct pingo_experiment *e;
    struct pingo_experiment_row *rows;
    struct job *jobs;
    size_t njobs, nrows;
    atomic_uint_fast64_t done; /* submissions */
    uint64_t all;
    struct pingo__parallel parallel;
};

/* ---- what is to be run ------------------------------------------------------------ */

/* Which parameter is its seed; nparameters: none. */
static size_t seed_of(const struct pingo_decision_algorithm *a)
{
    size_t i = 0;
    while (i < a->nparameters && strcmp(a->parameters[i].name, "seed") != 0)
        i++;
    return i;
}

size_t pingo__lab_experiment_cells(const struct pingo_experiment *e)
{
    return e->nslots * e->nbudgets * e->nalgorithms;
}

/* The first sample that must give the same. */
static size_t first_alike(const struct pingo_experiment *e, size_t sample, bool is_random)
{
    for (size_t i = 0; i < sample; i++)
        if (e->samples[i].workload == e->samples[sample].workload &&
            ((!is_random && e->noise <= 0) || e->samples[i].seed == e->samples[sample].seed))
            return i;
    return sample;
}

int64_t pingo_experiment_budget_bytes(const struct pingo_experiment_budget *budget,
                                      const struct pingo_workload *workload)
{
    const struct pingo_workload_facts *f = &workload->facts;
    double bytes = (double)(f->bytes - f->leaf_bytes) * budget->percent / 100;
    if (budget->percent < 0)
        return budget->bytes;
    return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

static void list_rows(struct pool *p)
{
    const struct pingo_experiment *e = p->e;
    for (size_t i = 0; i < p->nrows; i++) {
        struct pingo_experiment_row *row = &p->rows[i];
        row->sample = (uint32_t)(i / pingo__lab_experiment_cells(e));
        row->slots = (uint32_t)(i / e->nalgorithms / e->nbudgets % e->nslots);
        row->budget = (uint32_t)(i / e->nalgorithms % e->nbudgets);
        row->algorithm = (uint32_t)(i % e->nalgorithms);
        row->budget_bytes = pingo_experiment_budget_bytes(&e->budgets[row->budget],
                                                          e->samples[row->sample].workload);
        const struct pingo_decision_algorithm *a = e->algorithms[row->algorithm].algorithm;
        size_t alike = first_alike(e, row->sample, seed_of(a) < a->nparameters);
        p->jobs[i] =
            (struct job){.pool = p,
                         .kind = ROW,
                         .row = i,
                         .same = i - (row->sample - alike) * pingo__lab_experiment_cells(e)};
    }
}

/* Behind the rows: for each sample and number of slots two jobs. */
static size_t measure_of(const struct pool *p, size_t sample, size_t slots, enum kind kind)
{
    return p->nrows + (sample * p->e->nslots + slots) * 2 + (kind == NONE);
}

static void list_measures(struct pool *p)
{
    const struct pingo_experiment *e = p->e;
    for (size_t i = 0; i < e->nsamples; i++)
        for (size_t s = 0; s < e->nslots; s++)
            for (enum kind kind = IDEAL; kind <= NONE; kind++)
                p->jobs[measure_of(p, i, s, kind)] = (struct job){
                    .pool = p,
                    .kind = kind,
                    .row = i * pingo__lab_experiment_cells(e) + s * e->nbudgets * e->nalgorithms,
                    .same = measure_of(p, first_alike(e, i, false), s, kind)};
}

/* ---- running ------------------------------------------------------------------------ */

static int on_progress(void *context, uint64_t done, uint64_t all)
{
    struct job *job = context;
    (void)all;
    atomic_fetch_add(&job->pool->done, done - job->told);
    job->told = done;
    return pingo__parallel_stops(&job->pool->parallel);
}

static int on_event(void *context, const struct pingo_simulation_event *event)
{
    const struct job *job = context;
    return job->pool->e->event(job->pool->e->context, job->row, event);
}

static int on_user(void *context, const struct pingo_simulation_user *user)
{
    struct job *job = context;
    job->is_full = !PINGO__ARRAY_ROOM(job->users, job->capacity, job->nusers, 1);
    if (job->is_full)
        return 1;
    job->users[job->nusers++] = *user;
    return 0;
}

/* The algorithm's parameters, its seed that of the sample. */
static int seeded_values(const struct pingo_experiment_algorithm *a, uint64_t seed, double **values,
                         struct pingo_error *err)
{
    size_t n = a->algorithm->nparameters;
    *values = malloc((n + 1) * sizeof **values);
    if (!*values)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < n; i++)
        (*values)[i] = a->values ? a->values[i] : a->algorithm->parameters[i].value;
    size_t index = seed_of(a->algorithm);
    if (index == n)
        return 0;
    double most = a->algorithm->parameters[index].maximum, own = (*values)[index];
    if ((double)(seed - 1) > most - own)
        return pingo__fail(err, PINGO_EINVAL,
                           "%s: with seed=%.0f for the first sample, that of seed %" PRIu64
                           " is more than %.0f",
                           a->algorithm->name, own, seed, most);
    (*values)[index] = own + (double)(seed - 1);
    return 0;
}

static int run_job(void *context, size_t index, struct pingo_error *err)
{
    struct pool *p = context;
    const struct pingo_experiment *e = p->e;
    struct job *job = &p->jobs[index];
    if (job->same != index)
        return 0;
    const struct pingo_experiment_row *row = &p->rows[job->row];
    const struct pingo_experiment_sample *sample = &e->samples[row->sample];
    struct pingo_simulation_options o = {.version = 2,
                                         .arrive = e->arrive,
                                         .weights = e->weights,
                                         .nweights = e->nweights,
                                         .budget_bytes = job->kind == IDEAL ? -1 : 0,
                                         .low_permille = e->low_permille,
                                         .slots = e->slots[row->slots],
                                         .decide = e->decide,
                                         .leaves_outside = e->leaves_outside,
                                         .noise = e->noise,
                                         .seed = sample->seed,
                                         .progress = on_progress,
                                         .context = job};
    double *values = NULL;
    int rc = 0;
    if (job->kind == ROW) {
        o.algorithm = e->algorithms[row->algorithm].algorithm;
        o.budget_bytes = row->budget_bytes;
        o.event = e->event ? on_event : NULL;
        o.user = e->user ? on_user : NULL;
        rc = seeded_values(&e->algorithms[row->algorithm], sample->seed, &values, err);
        o.values = values;
    }
    job->result.size = sizeof job->result;
    if (rc == 0)
        rc = pingo_workload_simulate(sample->workload, &o, &job->result, err);
    free(values);
    return job->is_full ? pingo__fail_memory(err) : rc;
}

static int tell(void *context, size_t done)
{
    struct pool *p = context;
    (void)done;
    return p->e->progress(p->e->context, atomic_load(&p->done), p->all);
}

static int run_all(struct pool *p, struct pingo_error *err)
{
    const struct pingo_experiment *e = p->e;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    p->parallel = (struct pingo__parallel){.n = p->njobs,
                                           .threads = e->event         ? 1
                                                      : e->threads > 0 ? e->threads
                                                      : processors > 0 ? (size_t)processors
                                                                       : 1,
                                           .run = run_job,
                                           .tell = e->progress ? tell : NULL,
                                           .context = p};
    int rc = pingo__parallel_run(&p->parallel, err);
    return rc == PINGO_EINTERRUPTED
               ? pingo__fail(err, rc, "the experiment was stopped by its caller")
               : rc;
}

/* ---- measures ------------------------------------------------------------------------- */

static void measure(struct pool *p, size_t index)
{
    struct pingo_experiment_row *row = &p->rows[index];
    size_t ideal_job = p->jobs[measure_of(p, row->sample, row->slots, IDEAL)].same;
    size_t none_job = p->jobs[measure_of(p, row->sample, row->slots, NONE)].same;
    const struct pingo_simulation_result *ideal = &p->jobs[ideal_job].result;
    int64_t slots = p->e->slots[row->slots] > 0 ? p->e->slots[row->slots] : 1;
    int64_t share = ideal->compute_ms / slots + (ideal->compute_ms % slots > 0);
    row->result = p->jobs[p->jobs[index].same].result;
    row->actual_ms = row->result.end_ms;
    row->ideal_ms = ideal->end_ms;
    row->none_ms = p->jobs[none_job].result.end_ms;
    row->schedule_ms = share > ideal->critical_ms ? share : ideal->critical_ms;
    row->rho = row->ideal_ms > 0 ? (double)row->actual_ms / (double)row->ideal_ms : 1;
    row->recovered = 1;
    if (row->none_ms != row->ideal_ms)
        row->recovered =
            (double)(row->none_ms - row->actual_ms) / (double)(row->none_ms - row->ideal_ms);
}

static int tell_users(const struct pool *p, size_t row, struct pingo_error *err)
{
    const struct job *job = &p->jobs[p->jobs[row].same];
    for (size_t i = 0; i < job->nusers; i++)
        if (p->e->user(p->e->context, row, &job->users[i]) != 0)
            return pingo__fail(err, PINGO_EINTERRUPTED, "the experiment was stopped by its caller");
    return 0;
}

int pingo__lab_experiment_take(const struct pingo_experiment *given, struct pingo_experiment *own,
                               struct pingo_error *err)
{
    static const struct pingo__growing_options_type type = {
        "pingo_experiment", {offsetof(struct pingo_experiment, arrive), sizeof *own}};
    return pingo__growing_options_take(&type, given, own, err);
}

static int check(const struct pingo_experiment *given, struct pingo_experiment *e,
                 struct pingo_error *err)
{
    int rc = pingo__lab_experiment_take(given, e, err);
    if (rc != 0)
        return rc;
    if (e->nsamples == 0 || e->nalgorithms == 0 || e->nbudgets == 0 || e->nslots == 0)
        return pingo__fail(err, PINGO_EINVAL,
                           "an experiment has samples, algorithms, budgets and slots");
    size_t n;
    if (__builtin_mul_overflow(e->nsamples, e->nalgorithms, &n) ||
        __builtin_mul_overflow(n, e->nbudgets, &n) || __builtin_mul_overflow(n, e->nslots, &n) ||
        n > MAX_ROWS)
        return pingo__fail(err, PINGO_ELIMIT, "these are more than %d runs", MAX_ROWS);
    for (size_t i = 0; i < e->nbudgets; i++)
        if (!isfinite(e->budgets[i].percent) ||
            (e->budgets[i].percent < 0 && e->budgets[i].bytes < 0))
            return pingo__fail(err, PINGO_EINVAL, "a budget is a share in percent, or a size");
    for (size_t i = 0; i < e->nsamples; i++)
        if (e->samples[i].seed == 0 || e->samples[i].group >= e->nsamples)
            return pingo__fail(err, PINGO_EINVAL, "a sample's seed or group is out of range");
    return 0;
}

int pingo_experiment_run(const struct pingo_experiment *experiment,
                         struct pingo_experiment_row **rows, size_t *nrows, struct pingo_error *err)
{
    struct pingo_experiment own, *e = &own;
    struct pool p = {.e = e};
    int rc = check(experiment, e, err);
    *rows = NULL;
    *nrows = 0;
    if (rc != 0)
        return rc;
    p.nrows = e->nsamples * pingo__lab_experiment_cells(e);
    p.njobs = p.nrows + e->nsamples * e->nslots * 2;
    p.rows = calloc(p.nrows + 1, sizeof *p.rows);
    p.jobs = calloc(p.njobs + 1, sizeof *p.jobs);
    if (!p.rows || !p.jobs) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    list_rows(&p);
    list_measures(&p);
    for (size_t i = 0; i < p.njobs; i++)
        if (p.jobs[i].same == i)
            p.all += e->samples[p.rows[p.jobs[i].row].sample].workload->facts.nsubmissions;
    rc = run_all(&p, err);
    for (size_t i = 0; rc == 0 && i < p.nrows; i++)
        measure(&p, i);
    for (size_t i = 0; rc == 0 && i < p.nrows; i++)
        rc = tell_users(&p, i, err);
    if (rc == 0) {
        *rows = p.rows;
        *nrows = p.nrows;
        p.rows = NULL;
    }
out:
    for (size_t i = 0; p.jobs && i < p.njobs; i++)
        free(p.jobs[i].users);
    free(p.rows);
    free(p.jobs);
    return rc;
}
