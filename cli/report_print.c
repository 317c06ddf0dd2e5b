/* report_print.c - a report as text that a person reads at a glance. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "report.h"

#define BARS 50 /* characters of the line that shows the budget's use */

static void heading(const char *text)
{
    printf("\n%s%s%s\n", cli_colour(stdout, CLI_BOLD), text, cli_colour(stdout, CLI_PLAIN));
}

/* " (12.3 % of the budget)" */
static void print_share(const struct pingo_pool_usage *u, int64_t bytes)
{
    if (u->budget_bytes > 0)
        printf(" (%.1f %% of the budget)", (double)bytes / (double)u->budget_bytes * 100);
}

static void print_sums(const struct cli *cli, const struct pingo_report *r)
{
    const struct pingo_history_row *h = r->history;
    char from[PINGO__UNITS_SIZE], until[PINGO__UNITS_SIZE], spent[PINGO__UNITS_SIZE],
        saved[PINGO__UNITS_SIZE];
    cli_format_time(from, r->from_ms, cli->time_style);
    cli_format_time(until, r->until_ms, cli->time_style);
    pingo__units_print_duration(spent, h->spent_ms);
    pingo__units_print_duration(saved, h->saved_ms);
    char lost[PINGO__UNITS_SIZE];
    pingo__units_print_duration(lost, r->lost_ms);
    char evicted[PINGO__UNITS_SIZE];
    pingo__units_print_size(evicted, r->evicted_bytes);
    double share = pingo_history_reuse_rate(h);
    char rate[PINGO__UNITS_SIZE];
    snprintf(rate, sizeof rate, share < 0 ? "-" : "%.1f %%", share * 100);
    printf("period          %s to %s\n", from, until);
    printf("submissions     %" PRIu64 "\n", h->nsubmissions);
    printf("actions         %" PRIu64 ": %" PRIu64 " computed, %" PRIu64 " joined, %" PRIu64
           " reused, %" PRIu64 " skipped\n",
           h->nmentions, h->ncomputed, h->njoined, h->nreused, h->nskipped);
    printf("hit rate        %s\n", rate);
    printf("compute time    %s spent, %s saved by reuse, %s lost to evictions\n", spent, saved,
           lost);
    printf("evictions       %zu, %s\n", r->nevictions, evicted);
}

/* A line of the pool's table, where there is something to tell. */
static void print_part(const struct pingo_pool_usage *u, const char *name, int64_t bytes,
                       const char *more)
{
    char size[PINGO__UNITS_SIZE];
    if (bytes == 0)
        return;
    pingo__units_print_size(size, bytes);
    printf("  %-13s %9s", name, size);
    print_share(u, bytes);
    printf("%s\n", more);
}

static void print_pool(const struct pingo_pool_usage *u)
{
    char budget[PINGO__UNITS_SIZE], used[PINGO__UNITS_SIZE], high[PINGO__UNITS_SIZE],
        low[PINGO__UNITS_SIZE];
    pingo__units_print_size(budget, u->budget_bytes);
    pingo__units_print_size(used, u->used_bytes);
    pingo__units_print_size(high, u->high_bytes);
    pingo__units_print_size(low, u->low_bytes);
    char left[PINGO__UNITS_SIZE];
    pingo__units_print_size(left, u->file_system_bytes);
    heading("The pool now");
    if (u->budget_bytes < 0)
        printf("  used          %9s, and no budget (pingo config pool.budget)\n", used);
    else
        printf("  used          %9s of a budget of %s; above %s it frees down to %s\n", used,
               budget, high, low);
    print_part(u, "  may go", u->candidate_bytes, "");
    print_part(u, "  claimed", u->claimed_bytes, "");
    print_part(u, "  kept", u->kept_bytes, "");
    print_part(u, "  leaves", u->leaf_bytes, "  pingo release lets them go");
    print_part(u, "  undeletable", u->undeletable_bytes, "  will be tried again");
    print_part(u, "  failed", u->failed_bytes, "  scratch directories of failed actions");
    print_part(u, "  orphans", u->orphan_bytes, "  no dataset's; will be tried again");
    print_part(u, "on its way out", u->leaving_bytes - u->undeletable_bytes, "");
    printf("  %-13s %9s\n", "disk free", left);
}

/* A table, indented. */
static void print_rows(struct cli *cli, const struct pingo__view_table *view, const void *rows,
                       size_t n)
{
    struct pingo__buffer b;
    struct pingo__view_style style = cli_style(cli, stdout);
    pingo__buffer_init(&b);
    style.indent = "  ";
    style.paint = NULL;
    if (view != &pingo__view_state)
        pingo__view_heading(&b, view, &style);
    for (size_t i = 0; i < n; i++)
        pingo__view_line(&b, view, (const char *)rows + i * view->size, &style);
    cli_put(cli, &b);
}

static void print_states(struct cli *cli, const struct pingo_report *r)
{
    heading("Managed datasets by state");
    for (enum pingo_dataset_state state = 1; pingo_dataset_state_name(state); state++) {
        struct pingo__view_state row = {state, r->ndatasets[state], r->bytes[state]};
        if (row.ndatasets > 0 && pingo_dataset_state_takes_space(state))
            print_rows(cli, &pingo__view_state, &row, 1);
    }
}

/* The most of each piece of the period, as a line of bars that are as high as the budget, or the peak. */
static void print_use(const struct cli *cli, const struct pingo_report *r)
{
    static const char *const bars[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                       "\u2585", "\u2586", "\u2587", "\u2588"};
    int64_t peak = pingo__view_peak(r),
            top = r->usage->budget_bytes > peak ? r->usage->budget_bytes : peak;
    char most[PINGO__UNITS_SIZE], from[PINGO__UNITS_SIZE];
    size_t n = r->nsteps < BARS ? r->nsteps : BARS;
    if (peak == 0)
        return;
    pingo__units_print_size(most, peak);
    cli_format_time(from, r->from_ms, cli->time_style);
    heading("The budget's use over time");
    printf("  |");
    for (size_t i = 0; i < n; i++) {
        int64_t high = 0;
        for (size_t k = i * r->nsteps / n; k < (i + 1) * r->nsteps / n; k++)
            high = r->steps[k].held_bytes > high ? r->steps[k].held_bytes : high;
        fputs(bars[high == 0 ? 0 : 1 + (int)((double)high / (double)top * 7)], stdout);
    }
    printf("|  at most %s were held", most);
    print_share(r->usage, peak);
    putchar('\n');
}

static void print_table(struct cli *cli, const char *title, const struct pingo__view_table *view,
                        const void *rows, size_t n)
{
    if (n == 0)
        return;
    heading(title);
    print_rows(cli, view, rows, n);
}

void cli_report_text(struct cli *cli, const struct pingo_report *r)
{
    print_sums(cli, r);
    print_pool(r->usage);
    print_states(cli, r);
    print_use(cli, r);
    print_table(cli, "Evictions by algorithm", &pingo__view_report_algorithm, r->algorithms,
                r->nalgorithms);
    print_table(cli, "The most valuable datasets", &pingo__view_report_dataset, r->valuable,
                r->nvaluable);
    print_table(cli, "The most regretted evictions", &pingo__view_report_dataset, r->regretted,
                r->nregretted);
}
