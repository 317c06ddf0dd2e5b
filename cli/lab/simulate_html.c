/* simulate_html.c - pingo simulate --html: one page that answers which algorithm, and how much storage. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "message.h"
#include "plot.h"
#include "simulate.h"

struct page {
    const struct cli_experiment *x;
    struct pingo_experiment_summary *list; /* by group, then slots, budget, algorithm */
    size_t n;
    FILE *out;
};

/* A workload with a number of slots. */
struct part {
    size_t group, slots;
    const struct pingo_experiment_summary *list; /* its summaries: by budget, then algorithm */
    size_t number;                               /* of its own in the page */
    char *name;
};

static void put_line(const struct page *p, char *text)
{
    cli_html_paragraph(p->out, text);
    free(text);
}

/* An <svg> element under a line that says what it is, or the status of what failed. */
static int put_plot(const struct page *p, const struct cli_plot *plot)
{
    char *svg = NULL;
    int status = cli_plot_svg(plot, &svg);
    if (status == CLI_OK) {
        cli_html_paragraph(p->out, plot->title);
        fputs(svg, p->out);
    }
    free(svg);
    return status;
}

static const struct pingo_experiment_summary *at(const struct page *p, const struct part *part,
                                                 size_t budget, size_t algorithm)
{
    return &part->list[budget * p->x->nalgorithms + algorithm];
}

/* ---- rho against the budget ------------------------------------------------------------------- */

static bool all_are_shares(const struct cli_experiment *x)
{
    for (size_t i = 0; i < x->nbudgets; i++)
        if (x->budgets[i].percent < 0)
            return false;
    return true;
}

/* Budgets from the smallest. */
static size_t *in_order(const struct page *p, const struct part *part)
{
    size_t n = p->x->nbudgets, *order = cli_alloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++) {
        size_t k = i;
        for (; k > 0 && at(p, part, order[k - 1], 0)->budget_bytes > at(p, part, i, 0)->budget_bytes;
             k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return order;
}

static int put_rho(const struct page *p, const struct part *part)
{
    const struct cli_experiment *x = p->x;
    size_t nlines = x->nalgorithms + (x->has_bounds ? 1 : 0), n = x->nbudgets;
    bool shares = all_are_shares(x);
    size_t *order = in_order(p, part);
    double *budgets = cli_alloc(n * sizeof *budgets), *rho = cli_alloc(nlines * n * sizeof *rho);
    struct cli_plot_series *series = cli_alloc(nlines * sizeof *series);
    char *id = cli_format("rho%zu", part->number);
    for (size_t k = 0; k < nlines; k++) {
        series[k] = (struct cli_plot_series){
            k < x->nalgorithms ? x->algorithm_names[k] : "lower bound",
            k < x->nalgorithms ? CLI_PLOT_POINTS : CLI_PLOT_DASHES, budgets, rho + k * n, n};
        for (size_t i = 0; i < n; i++) {
            const struct pingo_experiment_summary *s =
                at(p, part, order[i], k < x->nalgorithms ? k : 0);
            double bound = cli_experiment_bound_rho(x, s);
            budgets[i] = shares ? x->budgets[order[i]].percent : s->budget_bytes;
            rho[k * n + i] = k < x->nalgorithms ? s->rho : bound >= 0 ? bound : NAN;
        }
    }
    const struct cli_plot plot = {.id = id,
                                  .title = "Time against the ideal, by budget: lower is better, 1 "
                                           "is nothing computed twice",
                                  .xlabel =
                                      shares ? "budget (% of what nobody asked for)" : "budget",
                                  .ylabel = "rho",
                                  .x = shares ? CLI_AXIS_NUMBER : CLI_AXIS_BYTES,
                                  .series = series,
                                  .nseries = nlines};
    int status = put_plot(p, &plot);
    free(order);
    free(budgets);
    free(rho);
    free(series);
    free(id);
    return status;
}

/* ---- cost over time -------------------------------------------------------------------------------- */

static int put_cost(const struct page *p, const struct part *part)
{
    const struct cli_experiment *x = p->x;
    size_t *order = in_order(p, part);
    struct cli_cost cost = {.budget = order[x->nbudgets / 2], .slots = part->slots};
    free(order);
    int status = cli_experiment_cost(x, part->group, &cost);
    if (status != CLI_OK)
        return status;
    struct cli_plot_series *series = cli_alloc(x->nalgorithms * sizeof *series);
    for (size_t k = 0; k < x->nalgorithms; k++)
        series[k] = (struct cli_plot_series){x->algorithm_names[k], CLI_PLOT_LINE, cost.submissions,
                                             cost.lost_ms[k], cost.n};
    char *id = cli_format("lost%zu", part->number);
    char *title = cli_format("Time spent on computing again what had gone, added up over the "
                             "history: budget %s, seed %" PRIu64,
                             x->budget_names[cost.budget], cost.seed);
    const struct cli_plot plot = {.id = id,
                                  .title = title,
                                  .xlabel = "submissions",
                                  .ylabel = "computed again",
                                  .y = CLI_AXIS_DURATION,
                                  .from_zero = true,
                                  .series = series,
                                  .nseries = x->nalgorithms};
    status = put_plot(p, &plot);
    free(series);
    free(id);
    free(title);
    cli_cost_clear(&cost);
    return status;
}

/* ---- how much storage --------------------------------------------------------------------------------- */

/* Does a policy that one can have in a store need less? */
static bool is_better(const struct cli_experiment *x, const struct part *part, size_t algorithm,
                      size_t than)
{
    const struct cli_storage *a = cli_experiment_storage(x, part->group, part->slots, algorithm);
    if (x->selections[algorithm] == NULL || a->percent < 0)
        return false;
    return than == x->nalgorithms ||
           a->percent < cli_experiment_storage(x, part->group, part->slots, than)->percent;
}

static void put_answer(const struct page *p, const struct part *part)
{
    const struct cli_experiment *x = p->x;
    size_t best = x->nalgorithms;
    char share[CLI_TEXT_SIZE], size[CLI_TEXT_SIZE], rho[CLI_TEXT_SIZE];
    for (size_t i = 0; i < x->nalgorithms; i++)
        if (is_better(x, part, i, best))
            best = i;
    if (best == x->nalgorithms) {
        put_line(p, cli_format("No budget was found with which at most %.4g %% is computed again.",
                               x->storage_percent));
        return;
    }
    const struct cli_storage *found = cli_experiment_storage(x, part->group, part->slots, best);
    cli_storage_text(found, share, size, rho);
    if (found->percent > 0)
        put_line(p, cli_format("For at most %.4g %% recomputation: %s (%s) of storage with %s.",
                               x->storage_percent, size, share, x->algorithm_names[best]));
    else
        put_line(p, cli_format("For at most %.4g %% recomputation no storage is needed at all.",
                               x->storage_percent));
}

static void put_needs(const struct page *p, const struct part *part)
{
    static const char *const headings[] = {"algorithm", ">least budget", ">bytes", ">rho", NULL};
    const struct cli_experiment *x = p->x;
    cli_html_table_begin(p->out, headings);
    for (size_t i = 0; i < x->nalgorithms; i++) {
        char share[CLI_TEXT_SIZE], size[CLI_TEXT_SIZE], rho[CLI_TEXT_SIZE];
        const char *cells[] = {x->algorithm_names[i], share, size, rho};
        cli_storage_text(cli_experiment_storage(x, part->group, part->slots, i), share, size, rho);
        cli_html_table_row(p->out, headings, cells);
    }
    cli_html_table_end(p->out);
}

/* ---- figures --------------------------------------------------------------------------------------------- */

static void put_row(const struct page *p, const char *const *headings,
                    const struct pingo_experiment_summary *s)
{
    const struct cli_experiment *x = p->x;
    char size[CLI_TEXT_SIZE], peak[CLI_TEXT_SIZE], n[7][32];
    const char *cells[] = {x->algorithm_names[s->algorithm],
                           x->budget_names[s->budget],
                           size,
                           n[0],
                           n[1],
                           n[2],
                           n[3],
                           peak,
                           n[4],
                           n[5],
                           n[6]};
    double bound = cli_experiment_bound_rho(x, s);
    cli_format_size(size, (int64_t)s->budget_bytes);
    cli_format_size(peak, (int64_t)s->peak_bytes);
    snprintf(n[0], sizeof n[0], "%.3f", s->rho);
    snprintf(n[1], sizeof n[1], "%.3f", s->rho_deviation);
    snprintf(n[2], sizeof n[2], bound < 0 ? "-" : "%.3f", bound);
    snprintf(n[3], sizeof n[3], "%.1f %%", s->recovered * 100);
    snprintf(n[4], sizeof n[4], "%.0f", s->evictions);
    snprintf(n[5], sizeof n[5], "%.0f", s->shortfalls);
    snprintf(n[6], sizeof n[6], "%+.3f \302\261 %.3f", s->difference, s->difference_deviation);
    if (s->algorithm == 0)
        snprintf(n[6], sizeof n[6], "-");
    cli_html_table_row(p->out, headings, cells);
}

static void put_figures(const struct page *p, const struct part *part)
{
    char *against = cli_format(">against %s", p->x->algorithm_names[0]);
    const char *const headings[] = {"algorithm",  ">budget",     ">bytes",     ">rho",
                                    ">\302\261",  ">bound",      ">recovered", ">peak",
                                    ">evictions", ">shortfalls", against,      NULL};
    cli_html_table_begin(p->out, headings);
    for (size_t i = 0; i < p->x->nbudgets * p->x->nalgorithms; i++)
        put_row(p, headings, &part->list[i]);
    cli_html_table_end(p->out);
    free(against);
}

/* ---- the page ------------------------------------------------------------------------------------------------ */

static int put_part(const struct page *p, const struct part *part)
{
    const struct pingo_experiment_summary *s = part->list;
    char ideal[CLI_TEXT_SIZE];
    cli_format_duration(ideal, (int64_t)s->ideal_ms);
    cli_html_heading(p->out, part->name);
    put_line(p,
             cli_format("%zu sample%s; %s with unlimited storage, %.3f times as long without any.",
                        s->nsamples, s->nsamples == 1 ? "" : "s", ideal, s->none_rho));
    put_answer(p, part);
    int status = put_rho(p, part);
    if (status == CLI_OK)
        status = put_cost(p, part);
    put_needs(p, part);
    put_figures(p, part);
    return status;
}

static void put_conditions(const struct page *p)
{
    const struct pingo_experiment *e = &p->x->e;
    put_line(p, cli_format("Histories were run on a virtual clock with each algorithm and each "
                           "budget. rho is the time that this took, as a multiple of the time with "
                           "unlimited storage. A budget in percent is a share of the bytes of all "
                           "distinct datasets that nobody asked for. Means over the samples."));
    put_line(p, cli_format("Decisions: %s; datasets that were asked for: %s the budget; after a "
                           "decision at most %.1f %% of it is full; noise of times: %.3g; seeds "
                           "%" PRId64 " to %" PRId64 ".",
                           e->decide == PINGO_SIMULATION_DECIDE_PUBLISH ? "after each publish"
                                                                        : "at the end of workflows",
                           e->leaves_outside ? "outside" : "inside",
                           (e->low_permille > 0 ? e->low_permille : PINGO_SIMULATION_LOW_PERMILLE) /
                               10.0,
                           e->noise, p->x->first_seed, p->x->last_seed));
}

static void put_notes(const struct page *p)
{
    cli_html_heading(p->out, "What the figures are");
    put_line(p, cli_format("The least budgets were found with the simulator, to one part in a "
                           "hundred: each was simulated and is enough for at most %.4g %% "
                           "recomputation (rho of %.4g) on the mean of the samples.",
                           p->x->storage_percent, 1 + p->x->storage_percent / 100));
    if (p->x->has_bounds)
        cli_html_paragraph(p->out, "The bound is what no policy stays below, one that sees the "
                                   "future included; none may reach it.");
    cli_html_paragraph(p->out, "recovered: the share of the time that storage can save which was "
                               "saved. shortfalls: decisions that could not free what they "
                               "should. pingo-method(7) tells the rest.");
}

static int put_page(const struct page *p)
{
    const struct cli_experiment *x = p->x;
    size_t nrows = x->nbudgets * x->nalgorithms;
    int status = CLI_OK;
    cli_html_begin(p->out, "Pingo: which algorithm, and how much storage?");
    put_conditions(p);
    for (size_t i = 0; i < x->ngroups * x->nslots && status == CLI_OK; i++) {
        struct part part = {i / x->nslots, i % x->nslots, &p->list[i * nrows], i, NULL};
        unsigned slots = x->slots[part.slots];
        part.name = cli_format("%s, %u slot%s", x->groups[part.group], slots, slots == 1 ? "" : "s");
        status = put_part(p, &part);
        free(part.name);
    }
    put_notes(p);
    cli_html_end(p->out);
    return status;
}

int cli_experiment_write_html(const struct cli_experiment *x, const char *path)
{
    struct page page = {.x = x};
    struct pingo_error err = {0};
    struct cli_html_file file;
    if (pingo_experiment_summarize(&x->e, x->rows, x->nrows, &page.list, &page.n, &err) != 0)
        return cli_error(x->cli, &err);
    int status = cli_html_open(&file, path);
    if (status == CLI_OK) {
        page.out = file.out;
        status = put_page(&page);
        int closed = cli_html_close(&file, status == CLI_OK);
        if (status == CLI_OK && closed == CLI_OK)
            cli_note("wrote %s", path);
        status = status != CLI_OK ? status : closed;
    }
    free(page.list);
    return status;
}
