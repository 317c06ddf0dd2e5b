/* report.c - pingo report: what was saved, what was lost, and how the budget is used. */
#include <stdio.h>

#include "page.h"
#include "remote/remote.h"

CLI_ROWS(on_entry, struct pingo_eviction)

/* What a server is asked. */
static char *path_of(const char *path, int64_t since, int64_t until)
{
    char *whole = cli_copy(path);
    cli_remote_query_time(&whole, "since", since);
    cli_remote_query_time(&whole, "until", until);
    return whole;
}

static int show_ledger(struct cli *cli, const struct cli_args *args, int64_t since, int64_t until)
{
    struct cli_answer a;
    int rc = cli_pages(&a, args, &pingo__view_eviction_page, 1);
    if (rc != CLI_OK)
        return rc;
    struct pingo_eviction_query query = {
        .version = 1, .since_ms = since, .until_ms = until, .newest_first = true, CLI_PART(a)};
    rc = cli->remote
             ? cli_remote_tell(cli->remote, path_of("/v1/pool/evictions", since, until), &a, false)
             : pingo_store_evictions(cli->store, &query, on_entry, &a, &cli->err);
    rc = cli_list_end(&a, NULL, rc);
    if (rc == CLI_OK && !cli->json)
        cli_note("%zu eviction%s", a.n, a.n == 1 ? "" : "s");
    return rc;
}

/* ---- the report ------------------------------------------------------------------------------ */

#define BARS 50 /* characters of the line that shows the budget's use */

static void print_heading(const char *text)
{
    printf("\n%s%s%s\n", cli_colour(stdout, PINGO__TONE_BOLD), text,
           cli_colour(stdout, PINGO__TONE_PLAIN));
}

static void print_table(struct cli *cli, const char *title, const struct pingo__view_table *view,
                        const void *rows, size_t n)
{
    struct cli_answer a;
    if (n == 0)
        return;
    print_heading(title);
    cli_list(&a, cli, view);
    a.style.indent = "  ";
    a.style.paint = NULL;
    for (size_t i = 0; i < n; i++)
        cli_row(&a, (const char *)rows + i * view->size);
    cli_list_end(&a, NULL, 0);
}

static void print_states(struct cli *cli, const struct pingo_report *r)
{
    print_heading("Managed datasets by state");
    for (enum pingo_dataset_state state = 1; state < r->nstates; state++)
        if (pingo_dataset_state_takes_space(state))
            cli_answer(cli, CLI_DATA, &pingo__view_state,
                       &(struct pingo__view_state){state, r->ndatasets[state], r->bytes[state]});
}

/* The most of each piece of the period, as a line of bars that are as high as the budget, or the peak. */
static void print_use(const struct pingo_report *r)
{
    static const char *const bars[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                       "\u2585", "\u2586", "\u2587", "\u2588"};
    int64_t peak = 0;
    for (size_t i = 0; i < r->nsteps; i++)
        peak = r->steps[i].held_bytes > peak ? r->steps[i].held_bytes : peak;
    int64_t top = r->usage->budget_bytes > peak ? r->usage->budget_bytes : peak;
    char most[PINGO__UNITS_SIZE];
    size_t n = r->nsteps < BARS ? r->nsteps : BARS;
    if (peak == 0)
        return;
    pingo__units_print_size(most, peak);
    print_heading("The budget's use over time");
    printf("  |");
    for (size_t i = 0; i < n; i++) {
        int64_t high = 0;
        for (size_t k = i * r->nsteps / n; k < (i + 1) * r->nsteps / n; k++)
            high = r->steps[k].held_bytes > high ? r->steps[k].held_bytes : high;
        fputs(bars[high == 0 ? 0 : 1 + (int)((double)high / (double)top * 7)], stdout);
    }
    printf("|  at most %s were held", most);
    if (r->usage->budget_bytes > 0)
        printf(" (%.1f %% of the budget)", (double)peak / (double)r->usage->budget_bytes * 100);
    putchar('\n');
}

static void print_report(struct cli *cli, const struct pingo_report *r)
{
    cli_answer(cli, CLI_DATA, &pingo__view_report, r);
    print_heading("The pool now");
    cli_answer(cli, CLI_DATA, &pingo__view_usage, r->usage);
    print_states(cli, r);
    print_use(r);
    print_table(cli, "Evictions by algorithm", &pingo__view_report_algorithm, r->algorithms,
                r->nalgorithms);
    print_table(cli, "The most valuable datasets", &pingo__view_report_dataset, r->valuable,
                r->nvaluable);
    print_table(cli, "The most regretted evictions", &pingo__view_report_dataset, r->regretted,
                r->nregretted);
}

/* A server tells it as JSON alone. */
static int show_there(struct cli *cli, const struct pingo_report_options *options)
{
    char *path = path_of("/v1/pool/report", options->since_ms, options->until_ms);
    if (options->limit > 0)
        cli_remote_query_number(&path, "limit", (int64_t)options->limit);
    return cli_remote_document(cli->remote, path);
}

static int show_report(struct cli *cli, const struct pingo_report_options *options, const char *html)
{
    struct pingo_report *report = NULL;
    int rc = CLI_OK;
    if (pingo_store_report(cli->store, options, &report, &cli->err) != 0)
        return cli_error(cli);
    if (html)
        rc = cli_report_period(cli, report, html);
    else if (cli->json)
        cli_answer(cli, CLI_DATA, &pingo__view_report, report);
    else
        print_report(cli, report);
    pingo_report_free(report);
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *html = cli_value(args, "html");
    struct cli_period period = cli_period(args, "since", "until");
    int64_t since = period.since_ms, until = period.until_ms;
    bool evictions = cli_flag(args, "evictions");
    if (html && (evictions || cli->json))
        return cli_usage(args, "--html goes without --json and --evictions");
    if (!evictions && cli_flag(args, "after"))
        return cli_usage(args, "--after goes with --evictions");
    if (args->noperands > 0) {
        if (!html || since > 0 || until > 0 || cli_flag(args, "limit"))
            return cli_usage(args, "of a workflow there is --html alone%s",
                             cli->remote ? ", which needs the store: the page of the server shows "
                                           "the same"
                                         : "");
        int opened = cli_open(cli);
        return opened == CLI_OK ? cli_report_run(cli, args->operands[0], html) : opened;
    }
    if (evictions)
        return show_ledger(cli, args, since, until);
    struct pingo_report_options options = {
        .version = 1,
        .since_ms = since,
        .until_ms = until,
        .limit = (size_t)cli_number(args, "limit", 1, cli->remote ? 1000 : 1000000, 0)};
    int rc = cli_open(cli);
    return rc != CLI_OK  ? rc
           : cli->remote ? show_there(cli, &options)
                         : show_report(cli, &options, html);
}

const struct cli_command cli_report = {
    "report", "workflow?", run,
    CLI_DOCUMENTS({NULL, &pingo__view_report, false},
                  {"with --evictions", &pingo__view_eviction, true},
                  {"with --evictions and --after", &pingo__view_eviction_page, false})};
