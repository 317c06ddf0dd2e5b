/* summary.c - rows of an experiment -> means, deviations, and differences by pairs.
 *
 * Sums run in the order of the samples, so that they are the same each time.
 * Source: Welford, Note on a method for calculating corrected sums of squares and
 * products, 1962. */
#include <math.h>
#include <stdlib.h>

#include <pingo-lab/simulate.h>

#include "base/error.h"
#include "lab/simulate/workload.h"

/* Mean and squares of the distances from it, value by value. */
struct spread {
    double n, mean, squares;
};

struct sums {
    struct spread rho, difference, recovered;
};

static void spread_add(struct spread *s, double value)
{
    double distance = value - s->mean;
    s->n++;
    s->mean += distance / s->n;
    s->squares += distance * (value - s->mean);
}

static double deviation(const struct spread *s)
{
    return s->n > 1 && s->squares > 0 ? sqrt(s->squares / (s->n - 1)) : 0;
}

static void add(struct pingo_experiment_summary *s, struct sums *sums,
                const struct pingo_experiment_row *row, const struct pingo_experiment_row *first)
{
    s->nsamples++;
    spread_add(&sums->rho, row->rho);
    spread_add(&sums->difference, row->rho - first->rho);
    if (row->none_ms != row->ideal_ms) /* else nothing could be saved */
        spread_add(&sums->recovered, row->recovered);
    s->none_rho += row->ideal_ms > 0 ? (double)row->none_ms / (double)row->ideal_ms : 1;
    s->actual_ms += (double)row->actual_ms;
    s->ideal_ms += (double)row->ideal_ms;
    s->schedule_ms += (double)row->schedule_ms;
    s->budget_bytes += (double)row->budget_bytes;
    s->peak_bytes += (double)row->result.peak_bytes;
    s->evictions += (double)row->result.nevictions;
    s->shortfalls += (double)row->result.nshortfalls;
}

static void divide(struct pingo_experiment_summary *s, const struct sums *sums)
{
    double n = (double)s->nsamples;
    double *means[] = {&s->none_rho,     &s->actual_ms,  &s->ideal_ms,  &s->schedule_ms,
                       &s->budget_bytes, &s->peak_bytes, &s->evictions, &s->shortfalls};
    if (s->nsamples == 0)
        return;
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++)
        *means[i] /= n;
    s->recovered = sums->recovered.n > 0 ? sums->recovered.mean : 1;
    s->rho = sums->rho.mean;
    s->rho_deviation = deviation(&sums->rho);
    s->difference = sums->difference.mean;
    s->difference_deviation = deviation(&sums->difference);
}

static int check(const struct pingo_experiment *given, struct pingo_experiment *e,
                 const struct pingo_experiment_row *rows, size_t nrows, struct pingo_error *err)
{
    int rc = pingo__lab_experiment_take(given, e, err);
    if (rc != 0)
        return rc;
    bool fits = nrows > 0 && nrows == e->nsamples * pingo__lab_experiment_cells(e);
    for (size_t i = 0; fits && i < nrows; i++)
        fits = rows[i].sample == i / pingo__lab_experiment_cells(e) &&
               rows[i].algorithm == i % e->nalgorithms &&
               e->samples[rows[i].sample].group < e->nsamples;
    return fits ? 0 : pingo__fail(err, PINGO_EINVAL, "the rows are those of another experiment");
}

int pingo_experiment_summarize(const struct pingo_experiment *experiment,
                               const struct pingo_experiment_row *rows, size_t nrows,
                               struct pingo_experiment_summaries *summaries, struct pingo_error *err)
{
    struct pingo_experiment own, *e = &own;
    size_t ngroups = 0, cells;
    struct sums *sums = NULL;
    int rc = check(experiment, e, rows, nrows, err);
    *summaries = (struct pingo_experiment_summaries){.n = 0};
    if (rc != 0)
        return rc;
    cells = pingo__lab_experiment_cells(e);
    for (size_t i = 0; i < e->nsamples; i++)
        if (e->samples[i].group >= ngroups)
            ngroups = (size_t)e->samples[i].group + 1;
    summaries->rows = calloc(ngroups * cells + 1, sizeof *summaries->rows);
    sums = calloc(ngroups * cells + 1, sizeof *sums);
    if (!summaries->rows || !sums) {
        free(summaries->rows);
        free(sums);
        summaries->rows = NULL;
        return pingo__fail_memory(err);
    }
    for (size_t i = 0; i < nrows; i++) {
        size_t at = e->samples[rows[i].sample].group * cells + i % cells;
        add(&summaries->rows[at], &sums[at], &rows[i], &rows[i - rows[i].algorithm]);
    }
    summaries->n = ngroups * cells;
    for (size_t i = 0; i < summaries->n; i++) {
        struct pingo_experiment_summary *s = &summaries->rows[i];
        s->group = (uint32_t)(i / cells);
        s->slots = (uint32_t)(i / e->nalgorithms / e->nbudgets % e->nslots);
        s->budget = (uint32_t)(i / e->nalgorithms % e->nbudgets);
        s->algorithm = (uint32_t)(i % e->nalgorithms);
        divide(s, &sums[i]);
    }
    free(sums);
    return 0;
}
