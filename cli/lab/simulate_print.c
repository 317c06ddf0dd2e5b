/* simulate_print.c - pingo simulate: means and pairs for people; each run in JSON and CSV. */
#include <string.h>

#include "answer.h"
#include "simulate.h"
#include "view/columns.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_head(const struct cli_experiment *x, const struct pingo_experiment_summary *s)
{
    char ideal[PINGO__UNITS_SIZE], bound[PINGO__UNITS_SIZE];
    unsigned slots = x->slots[s->slots];
    pingo__units_print_duration(ideal, (int64_t)s->ideal_ms);
    pingo__units_print_duration(bound, (int64_t)s->schedule_ms);
    printf("%s", cli_colour(stdout, PINGO__TONE_BOLD));
    cli_print_clean(stdout, x->groups[s->group]);
    printf("%s: %zu sample%s, %u slot%s; ideal %s", cli_colour(stdout, PINGO__TONE_PLAIN),
           s->nsamples, plural(s->nsamples), slots, plural(slots), ideal);
    if (slots > 1)
        printf(" (no schedule takes less than %s)", bound);
    printf(", without storage %.3f times as long\n", s->none_rho);
}

static void print_columns(const struct cli_experiment *x, int width)
{
    printf("%s", cli_colour(stdout, PINGO__TONE_BOLD));
    cli_pad(stdout, "ALGORITHM", width);
    printf("  BUDGET      SIZE    RHO     +-%s  RECOVERED      PEAK  EVICTIONS  SHORTFALLS",
           x->has_bounds ? "  BOUND" : "");
    if (x->e.nalgorithms > 1)
        printf("  AGAINST %s", cli_shown(x->algorithm_names[0]));
    printf("%s\n", cli_colour(stdout, PINGO__TONE_PLAIN));
}

static void print_summary(const struct cli_experiment *x, const struct pingo_experiment_summary *s,
                          int width)
{
    char size[PINGO__UNITS_SIZE], peak[PINGO__UNITS_SIZE];
    pingo__units_print_size(size, (int64_t)s->budget_bytes);
    pingo__units_print_size(peak, (int64_t)s->peak_bytes);
    cli_pad(stdout, cli_shown(x->algorithm_names[s->algorithm]), width);
    printf("  %6s  %8s  %.3f  %.3f  ", x->budget_names[s->budget], size, s->rho, s->rho_deviation);
    if (x->has_bounds && cli_experiment_bound_rho(x, s) >= 0)
        printf("%.3f  ", cli_experiment_bound_rho(x, s));
    else if (x->has_bounds)
        printf("    -  ");
    printf("%7.1f %%  %8s  %9.0f  %10.0f", s->recovered * 100, peak, s->evictions, s->shortfalls);
    if (x->e.nalgorithms > 1 && s->algorithm > 0)
        printf("  %+.3f +- %.3f", s->difference, s->difference_deviation);
    putchar('\n');
}

/* Of the first sample of its group, with the first budget and algorithm. */
static size_t first_row(const struct cli_experiment *x, const struct pingo_experiment_summary *s)
{
    size_t sample = 0;
    while (x->samples[sample].group != s->group)
        sample++;
    return (sample * x->e.nslots + s->slots) * x->e.nbudgets * x->e.nalgorithms;
}

void cli_experiment_print(const struct cli_experiment *x)
{
    int width = 9;
    for (size_t i = 0; i < x->e.nalgorithms; i++) {
        size_t length = strlen(x->algorithm_names[i]);
        width = (int)length > width && length < 48 ? (int)length : width;
    }
    for (size_t i = 0; i < x->sums.n; i++) {
        const struct pingo_experiment_summary *s = &x->sums.rows[i];
        if (i > 0 && s->algorithm == 0 && (s->budget == 0 || x->e.nalgorithms > 1))
            putchar('\n');
        if (s->algorithm == 0 && s->budget == 0) {
            print_head(x, s);
            print_columns(x, width);
        }
        print_summary(x, s, width);
        if (s->algorithm + 1 == x->e.nalgorithms && s->budget + 1 == x->e.nbudgets)
            cli_experiment_print_users(x, first_row(x, s));
    }
}

struct run {
    const char *history, *algorithm, *budget;
    int64_t slots, seed, bound_ms;
    struct pingo_experiment_row row;
    const struct cli_experiment *x;
    size_t index;
};

static void each_user(const void *row, void (*fn)(void *context, const void *user), void *context)
{
    const struct run *r = row;
    cli_experiment_each_user(r->x, r->index, fn, context);
}

#define ROW struct run
static const struct pingo__view_column columns[] = {
    COLUMN("history", TEXT, history, "as it was given"),
    COLUMN("algorithm", TEXT, algorithm, "as it was given"),
    COLUMN("budget", TEXT, budget, "as it was given"),
    COLUMN("budgetBytes", BYTES, row.budget_bytes, "the budget"),
    COLUMN("slots", COUNT, slots, "how many actions run at once"),
    COLUMN("seed", COUNT, seed, "the seed"),
    COLUMN("actualMs", MS, row.actual_ms, "T: when the last action ended"),
    COLUMN("idealMs", MS, row.ideal_ms, "T_ideal: with unlimited storage"),
    COLUMN("noneMs", MS, row.none_ms, "T_none: without storage"),
    COLUMN("scheduleMs", MS, row.schedule_ms, "what no schedule of the ideal run's work stays below"),
    COLUMN("boundMs", MS, bound_ms,
           "what no policy stays below; null without --bound and where it does not hold", MISSING),
    COLUMN("rho", RATIO, row.rho, "T / T_ideal"),
    COLUMN("recovered", RATIO, row.recovered, "how much of what storage can save was saved"),
    COLUMN("computeMs", MS, row.result.compute_ms, "the time of all runs of actions together"),
    COLUMN("computed", COUNT, row.result.ncomputed, "actions of submissions: computed"),
    COLUMN("reused", COUNT, row.result.nreused, "reused"),
    COLUMN("joined", COUNT, row.result.njoined, "joined"),
    COLUMN("skipped", COUNT, row.result.nskipped, "skipped"),
    COLUMN("peakBytes", BYTES, row.result.peak_bytes, "the most that was used at a time"),
    COLUMN("evictions", COUNT, row.result.nevictions, "datasets that went"),
    COLUMN("evictedBytes", BYTES, row.result.evicted_bytes, "what they held"),
    COLUMN("shortfalls", COUNT, row.result.nshortfalls,
           "decisions that could not free what they should"),
    COLUMN("shortfallBytes", BYTES, row.result.shortfall_bytes,
           "the most that was missing at a decision"),
    COLUMN(
        "jain", RATIO, row.result.jain,
        "where users take turns: Jain's index of what they had by weight while all had something "
        "ready; else null",
        MISSING),
    COLUMN("waitMs", MS, row.result.wait_ms, "how long actions were ready before they started"),
    COLUMN("longestWaitMs", MS, row.result.longest_wait_ms, "the longest of these waits"),
    EACH("users", &cli_run_user_view, each_user, "what each user had; none where they take no turns"),
};
const struct pingo__view_table cli_run_view = VIEW("run", columns, ROW);
#undef ROW

void cli_experiment_print_rows(const struct cli_experiment *x)
{
    struct cli_answer a;
    cli_list(&a, x->cli, &cli_run_view);
    for (size_t i = 0; i < x->nrows; i++) {
        const struct pingo_experiment_row *r = &x->rows[i];
        cli_row(&a, &(struct run){.history = x->names[r->sample],
                                  .algorithm = x->algorithm_names[r->algorithm],
                                  .budget = x->budget_names[r->budget],
                                  .slots = x->slots[r->slots],
                                  .seed = (int64_t)x->samples[r->sample].seed,
                                  .bound_ms = cli_experiment_bound(x, r),
                                  .row = *r,
                                  .x = x,
                                  .index = i});
    }
    cli_list_end(&a, NULL, 0);
}
