/* simulate_page.c - pingo simulate --html: the document from which the page answers which algorithm, and how much
 * storage. */

#include "page.h"
#include "simulate.h"
#include "view/columns.h"

struct row {
    const char *algorithm, *budget;
    double percent, bound;
    struct pingo_experiment_summary s;
};
#define ROW struct row
static const struct pingo__view_column rows[] = {
    COLUMN("algorithm", TEXT, algorithm, ""),
    COLUMN("budget", TEXT, budget, ""),
    COLUMN("budgetPercent", REAL, percent, "", MISSING),
    COLUMN("budgetBytes", REAL, s.budget_bytes, ""),
    COLUMN("idealMs", REAL, s.ideal_ms, ""),
    COLUMN("noneRho", REAL, s.none_rho, ""),
    COLUMN("rho", REAL, s.rho, ""),
    COLUMN("rhoDeviation", REAL, s.rho_deviation, ""),
    COLUMN("bound", REAL, bound, "", MISSING),
    COLUMN("difference", REAL, s.difference, ""),
    COLUMN("differenceDeviation", REAL, s.difference_deviation, ""),
    COLUMN("recovered", REAL, s.recovered, ""),
    COLUMN("peakBytes", REAL, s.peak_bytes, ""),
    COLUMN("evictions", REAL, s.evictions, ""),
    COLUMN("shortfalls", REAL, s.shortfalls, ""),
};
static const struct pingo__view_table row_view = VIEW("row", rows, ROW);
#undef ROW

static void put_row(struct pingo__writer *w, const struct cli_experiment *x,
                    const struct pingo_experiment_summary *s)
{
    pingo__view_object(w, NULL, &row_view,
                       &(struct row){x->algorithm_names[s->algorithm], x->budget_names[s->budget],
                                     x->budgets[s->budget].percent, cli_experiment_bound_rho(x, s),
                                     *s});
}

struct least {
    const char *algorithm;
    bool sees_future;
    struct pingo_experiment_storage found;
};
#define ROW struct least
static const struct pingo__view_column least_columns[] = {
    COLUMN("algorithm", TEXT, algorithm, ""),
    COLUMN("seesFuture", FLAG, sees_future, ""),
    COLUMN("percent", REAL, found.percent, "", MISSING),
    COLUMN("bytes", REAL, found.budget_bytes, ""),
    COLUMN("rho", REAL, found.rho, ""),
};
static const struct pingo__view_table least_view = VIEW("least", least_columns, ROW);
#undef ROW

/* The budget in the middle of the others. */
static size_t middle(const struct cli_experiment *x, const struct pingo_experiment_summary *list)
{
    for (size_t i = 0; i < x->e.nbudgets; i++) {
        double bytes = list[i * x->e.nalgorithms].budget_bytes;
        size_t nbelow = 0;
        for (size_t k = 0; k < x->e.nbudgets; k++) {
            double other = list[k * x->e.nalgorithms].budget_bytes;
            nbelow += other < bytes || (other == bytes && k < i);
        }
        if (nbelow == x->e.nbudgets / 2)
            return i;
    }
    return 0;
}

static void put_numbers(struct pingo__writer *w, const char *key, const double *list, size_t n)
{
    pingo__writer_open(w, key, PINGO__WRITER_ARRAY);
    for (size_t i = 0; i < n; i++)
        pingo__writer_real(w, NULL, list[i], -1);
    pingo__writer_close(w);
}

static void put_cost(struct pingo__writer *w, const struct cli_experiment *x,
                     const struct cli_cost *cost)
{
    pingo__writer_open(w, "cost", PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "budget", x->budget_names[cost->budget]);
    pingo__writer_int(w, "seed", (int64_t)cost->seed);
    put_numbers(w, "submissions", cost->submissions, cost->n);
    pingo__writer_open(w, "lostMs", PINGO__WRITER_ARRAY);
    for (size_t k = 0; k < cost->nalgorithms; k++)
        put_numbers(w, NULL, cost->lost_ms[k], cost->n);
    pingo__writer_close(w);
    pingo__writer_close(w);
}

/* A workload with a number of slots; list: its summaries, by budget, then algorithm. */
static int put_part(const struct cli_experiment *x, const struct pingo_experiment_summary *list,
                    struct pingo__writer *w)
{
    struct cli_cost cost = {.budget = middle(x, list), .slots = list->slots};
    int rc = cli_experiment_cost(x, list->group, &cost);
    if (rc != CLI_OK)
        return rc;
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "history", x->groups[list->group]);
    pingo__writer_int(w, "slots", x->slots[list->slots]);
    pingo__writer_int(w, "samples", (int64_t)list->nsamples);
    put_cost(w, x, &cost);
    pingo__writer_open(w, "least", PINGO__WRITER_LINES);
    const struct pingo_experiment_storage *least =
        &x->storage[(list->group * x->e.nslots + list->slots) * x->e.nalgorithms];
    for (size_t i = 0; i < x->e.nalgorithms; i++)
        pingo__view_object(w, NULL, &least_view,
                           &(struct least){x->algorithm_names[least[i].algorithm],
                                           !x->selections[least[i].algorithm], least[i]});
    pingo__writer_close(w);
    pingo__writer_open(w, "rows", PINGO__WRITER_LINES);
    for (size_t i = 0; i < x->e.nbudgets * x->e.nalgorithms; i++)
        put_row(w, x, &list[i]);
    pingo__writer_close(w);
    pingo__writer_close(w);
    return CLI_OK;
}

static void put_conditions(struct pingo__writer *w, const struct cli_experiment *x)
{
    const struct pingo_experiment *e = &x->e;
    unsigned low = e->low_permille > 0 ? e->low_permille : PINGO_SIMULATION_LOW_PERMILLE;
    pingo__writer_text(w, "decide",
                       e->decide == PINGO_SIMULATION_DECIDE_PUBLISH ? "after each publish"
                                                                    : "at the end of workflows");
    pingo__writer_text(w, "leaves", e->leaves_outside ? "outside" : "inside");
    pingo__writer_real(w, "lowPercent", low / 10.0, -1);
    pingo__writer_real(w, "noise", e->noise, -1);
    pingo__writer_int(w, "firstSeed", x->first_seed);
    pingo__writer_int(w, "lastSeed", x->last_seed);
    pingo__writer_real(w, "storagePercent", e->most_percent, -1);
    pingo__writer_flag(w, "hasBounds", x->has_bounds);
}

int cli_experiment_write_page(const struct cli_experiment *x, const char *path)
{
    struct pingo__writer page;
    size_t nrows = x->e.nbudgets * x->e.nalgorithms;
    int rc = CLI_OK;
    cli_page_open(&page, "/simulation");
    pingo__writer_open(&page, "/simulation", PINGO__WRITER_OBJECT);
    put_conditions(&page, x);
    pingo__writer_open(&page, "parts", PINGO__WRITER_LINES);
    for (size_t i = 0; i < x->sums.n && rc == CLI_OK; i += nrows)
        rc = put_part(x, &x->sums.rows[i], &page);
    pingo__writer_close(&page);
    pingo__writer_close(&page);
    return cli_page_close(&page, path, rc);
}
