/* simulate_page.c - pingo simulate --html: the document from which the page answers which algorithm, and how much
 * storage. */
#include <stdlib.h>

#include "message.h"
#include "page.h"
#include "signals.h"
#include "simulate.h"
#include "view/columns.h"

/* ---- what was computed again, added up over a history --------------------------------------------
 *
 * Runs go once more, with their events.  What counts is the compute time of the runs of an action after its first one,
 * but for those that are forced: unlimited storage would not spare them. */

/* Up to each submission, in the first sample of a group. */
struct cost {
    size_t budget, slots; /* indexes, given */
    uint64_t seed;        /* of the sample */
    double *submissions;  /* n of each */
    double **lost_ms;     /* by algorithm */
    size_t n;
};

#define POINTS 400 /* at most so many of a line */

struct spending {
    double *lost_ms; /* by submission */
    bool *has_run;   /* by action */
};

static int on_event(void *context, size_t row, const struct pingo_simulation_event *event)
{
    struct spending *s = &((struct spending *)context)[row];
    if (event->kind == PINGO_SIMULATION_RUN) {
        if (s->has_run[event->action] && !event->forced)
            s->lost_ms[event->submission] += (double)event->ms;
        s->has_run[event->action] = true;
    }
    return cli_signal_caught() != 0;
}

static int run_all(const struct cli_experiment *x, const struct pingo_experiment_sample *sample,
                   const struct cost *cost, struct spending *list, struct pingo_error *err)
{
    struct pingo_experiment e = x->e;
    struct pingo_experiment_row *rows = NULL;
    struct pingo_experiment_sample only = *sample;
    size_t nrows = 0;
    only.group = 0;
    e.samples = &only;
    e.nsamples = e.nbudgets = e.nslots = 1;
    e.budgets = &x->budgets[cost->budget];
    e.slots = &x->slots[cost->slots];
    e.event = on_event;
    e.progress = NULL;
    e.user = NULL;
    e.context = list;
    int rc = pingo_experiment_run(&e, &rows, &nrows, err);
    free(rows);
    return rc;
}

/* Adds up, and takes at most so many points. */
static void add_up(const struct cli_experiment *x, struct cost *cost, const struct spending *list,
                   uint32_t n)
{
    uint32_t step = n / POINTS + 1;
    cost->n = n / step + 1;
    cost->submissions = cli_alloc(cost->n * sizeof *cost->submissions);
    cost->lost_ms = cli_alloc(x->e.nalgorithms * sizeof *cost->lost_ms);
    for (size_t k = 0; k < x->e.nalgorithms; k++) {
        double sum = 0;
        uint32_t done = 0;
        cost->lost_ms[k] = cli_alloc(cost->n * sizeof **cost->lost_ms);
        for (size_t i = 0; i < cost->n; i++) {
            uint32_t until = i + 1 < cost->n ? (uint32_t)i * step : n;
            for (; done < until; done++)
                sum += list[k].lost_ms[done];
            cost->submissions[i] = until;
            cost->lost_ms[k][i] = sum;
        }
    }
}

static int find_cost(const struct cli_experiment *x, size_t group, struct cost *cost)
{
    size_t sample = 0;
    while (x->samples[sample].group != group)
        sample++;
    const struct pingo_history *history = x->sample_histories[sample];
    uint32_t n = pingo_history_count_submissions(history);
    struct spending *list = cli_alloc(x->e.nalgorithms * sizeof *list);
    for (size_t i = 0; i < x->e.nalgorithms; i++)
        list[i] = (struct spending){.lost_ms = cli_alloc((n + 1) * sizeof(double)),
                                    .has_run = cli_alloc(pingo_history_count_actions(history) + 1)};
    cost->seed = x->samples[sample].seed;
    if (run_all(x, &x->samples[sample], cost, list, &x->cli->err))
        return cli_error(x->cli);
    add_up(x, cost, list, n);
    return CLI_OK;
}

/* ---- the document -------------------------------------------------------------------------------- */

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
                     const struct cost *cost)
{
    pingo__writer_open(w, "cost", PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "budget", x->budget_names[cost->budget]);
    pingo__writer_int(w, "seed", (int64_t)cost->seed);
    put_numbers(w, "submissions", cost->submissions, cost->n);
    pingo__writer_open(w, "lostMs", PINGO__WRITER_ARRAY);
    for (size_t k = 0; k < x->e.nalgorithms; k++)
        put_numbers(w, NULL, cost->lost_ms[k], cost->n);
    pingo__writer_close(w);
    pingo__writer_close(w);
}

/* A workload with a number of slots; list: its summaries, by budget, then algorithm. */
static int put_part(const struct cli_experiment *x, const struct pingo_experiment_summary *list,
                    struct pingo__writer *w)
{
    struct cost cost = {.budget = middle(x, list), .slots = list->slots};
    int rc = find_cost(x, list->group, &cost);
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
