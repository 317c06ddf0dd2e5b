/* report.c - pingo report: what was saved, what was lost, and how the budget is used. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "message.h"
#include "page.h"
#include "session.h"

static int on_entry(void *context, const struct pingo_eviction *e)
{
    return cli_row(context, e);
}

static int show_ledger(struct cli *cli, const struct pingo_eviction_query *options)
{
    struct cli_answer a;
    struct pingo_error err = {0};
    cli_list(&a, cli, &pingo__view_eviction);
    int rc = pingo_store_evictions(cli->store, options, on_entry, &a, &err);
    int status = cli_list_end(&a, NULL, rc, &err);
    if (status == CLI_OK && !cli->json)
        cli_note("%zu eviction%s", a.n, a.n == 1 ? "" : "s");
    return status;
}

/* ---- the report ------------------------------------------------------------------------------ */

static int write_page(struct cli *cli, const struct pingo_report *report, const char *path)
{
    struct cli_page page;
    int rc = cli_page_open(&page, path);
    if (rc != CLI_OK)
        return rc;
    struct pingo__writer w;
    cli_writer(&w, page.data);
    pingo__view_object(&w, NULL, &pingo__view_report, report);
    cli_write(cli, &w);
    rc = cli_page_close(&page, true);
    if (rc == CLI_OK)
        cli_note("wrote %s", path);
    return rc;
}

static int show_report(struct cli *cli, const struct pingo_report_options *options, const char *html)
{
    struct pingo_report *report = NULL;
    struct pingo_error err = {0};
    int rc = CLI_OK;
    if (pingo_store_report(cli->store, options, &report, &err) != 0)
        return cli_error(cli, &err);
    if (html)
        rc = write_page(cli, report, html);
    else if (!cli_answer(cli, &pingo__view_report, report))
        cli_report_text(cli, report);
    pingo_report_free(report);
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *html = cli_value(args, "html");
    int64_t since = 0, until = 0, limit = 0;
    bool evictions = cli_flag(args, "evictions");
    int rc = cli_value_time(args, "since", &since);
    if (rc == CLI_OK)
        rc = cli_value_time(args, "until", &until);
    if (rc == CLI_OK)
        rc = cli_value_number(args, "limit", 1, 1000000, &limit);
    if (rc == CLI_OK && html && (evictions || cli->json))
        rc = cli_usage(args, "--html goes without --json and --evictions");
    if (rc == CLI_OK)
        rc = cli_open(cli);
    if (rc != CLI_OK)
        return rc;
    if (evictions)
        return show_ledger(cli, &(struct pingo_eviction_query){.version = 1,
                                                               .since_ms = since,
                                                               .until_ms = until,
                                                               .newest_first = true,
                                                               .limit = (size_t)limit});
    return show_report(
        cli,
        &(struct pingo_report_options){
            .version = 1, .since_ms = since, .until_ms = until, .limit = (size_t)limit},
        html);
}

static const struct cli_option options[] = {
    {0, "since", "TIME", "what happened from then on: a time, or how long ago (7d)"},
    {0, "until", "TIME", "up to then"},
    {'n', "limit", "N", "so many datasets, or evictions, in a list; default 10, or all"},
    {0, "evictions", NULL, "list the evictions themselves, the newest first"},
    {0, "html", "FILE", "write a page with plots"},
};

static const struct pingo__view_document documents[] = {
    {NULL, &pingo__view_report, false}, {"with --evictions", &pingo__view_eviction, true}, {0}};

const struct cli_command cli_report = {
    .name = "report",
    .synopsis = "",
    .summary = "show what reuse saved, what evictions cost, and what the pool holds",
    .description =
        "Sums up the compute time that was spent, saved by reuse, and lost because something\n"
        "evicted had to be made again; the pool against its budget, now and over time; how each\n"
        "algorithm did; the most valuable datasets, and those whose eviction cost most.",
    .example = "  pingo report --since 30d\n  pingo report --evictions --limit 20\n"
               "  pingo report --html report.html\n",
    CLI_OPTIONS(options),
    .documents = documents,
    .flags = CLI_TAKES_JSON | CLI_TAKES_TIMES | CLI_NEEDS_STORE,
    .exits = cli_exits_notfound,
    .run = run,
};
