/* report.c - pingo report: what was saved, what was lost, and how the budget is used. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "page.h"
#include "session.h"

/* ---- the ledger ------------------------------------------------------------------------- */

struct ledger {
    const struct cli *cli;
    struct cli_json json;
    size_t n;
};

static void entry_json(struct ledger *l, const struct pingo_eviction *e)
{
    cJSON *o = cli_json_object();
    cli_json_time(o, "at", e->evicted_ms);
    cli_json_hash(o, "hash", &e->hash);
    cli_json_text(o, "name", e->name);
    cli_json_int(o, "sizeBytes", e->size_bytes);
    cli_json_text(o, "algorithm", e->algorithm);
    cli_json_add(o, "score", cJSON_CreateNumber(e->score));
    cli_json_text(o, "reason", e->reason);
    cli_json_int(o, "remakeMs", e->remake_ms);
    cli_json_time(o, "rescued", e->rescued_ms);
    cli_json_time(o, "remade", e->regretted_ms);
    cli_json_known(o, "regretMs", e->regret_ms);
    cli_json_item(&l->json, NULL, o);
}

static void entry_text(const struct ledger *l, const struct pingo_eviction *e)
{
    char at[PINGO__UNITS_SIZE], hash[CLI_SHORT_HASH], size[PINGO__UNITS_SIZE],
        remake[PINGO__UNITS_SIZE];
    char name[32], algorithm[20], end[PINGO__UNITS_SIZE], cost[PINGO__UNITS_SIZE];
    cli_format_time(at, e->evicted_ms, l->cli->time_style);
    cli_short_hash(hash, &e->hash);
    pingo__units_print_size(size, e->size_bytes);
    pingo__units_print_duration(remake, e->remake_ms);
    cli_clean(name, sizeof name, e->name);
    cli_clean(algorithm, sizeof algorithm, e->algorithm);
    if (l->n == 0)
        printf("%sEVICTED               DATASET            SIZE     REMAKE  ALGORITHM            "
               "     SCORE  NAME%s\n",
               cli_colour(stdout, CLI_BOLD), cli_colour(stdout, CLI_PLAIN));
    cli_pad(stdout, at, 20);
    printf("  %s  ", hash);
    cli_pad_left(stdout, size, 9);
    printf("  ");
    cli_pad_left(stdout, remake, 9);
    printf("  ");
    cli_pad(stdout, algorithm, 18);
    printf("  %12.6g  %s", e->score, name);
    cli_format_time(end, e->rescued_ms >= 0 ? e->rescued_ms : e->regretted_ms, l->cli->time_style);
    pingo__units_print_duration(cost, e->regret_ms);
    if (e->rescued_ms >= 0)
        printf("  (rescued %s)", end);
    else if (e->regretted_ms >= 0)
        printf("  (made again %s, %s)", end, cost);
    if (*e->reason != '\0') {
        printf("\n    ");
        cli_print_clean(stdout, e->reason);
    }
    putchar('\n');
}

static int on_entry(void *context, const struct pingo_eviction *e)
{
    struct ledger *l = context;
    if (l->cli->json)
        entry_json(l, e);
    else
        entry_text(l, e);
    l->n++;
    return ferror(stdout) != 0;
}

static int show_ledger(struct cli *cli, const struct pingo_eviction_query *options)
{
    struct ledger l = {.cli = cli};
    struct pingo_error err = {0};
    if (cli->json) {
        cli_json_begin(&l.json, stdout);
        cli_json_open(&l.json, NULL, '[');
    }
    int rc = pingo_store_evictions(cli->store, options, on_entry, &l, &err);
    if (rc != 0 && rc != PINGO_EINTERRUPTED)
        return cli_error(cli, &err);
    if (cli->json)
        cli_json_close(&l.json);
    else
        cli_note("%zu eviction%s", l.n, l.n == 1 ? "" : "s");
    return CLI_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

static int write_page(const struct pingo_report *report, const char *path)
{
    struct cli_page page;
    int status = cli_page_open(&page, path);
    if (status != CLI_OK)
        return status;
    cli_report_json(page.data, report);
    status = cli_page_close(&page, true);
    if (status == CLI_OK)
        cli_note("wrote %s", path);
    return status;
}

static int show_report(struct cli *cli, const struct pingo_report_options *options, const char *html)
{
    struct pingo_report *report = NULL;
    struct pingo_error err = {0};
    int status = CLI_OK;
    if (pingo_store_report(cli->store, options, &report, &err) != 0)
        return cli_error(cli, &err);
    if (html != NULL)
        status = write_page(report, html);
    else if (cli->json)
        cli_report_json(stdout, report);
    else
        cli_report_text(cli, report);
    pingo_report_free(report);
    return status;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *html = cli_value(args, "html");
    int64_t since = 0, until = 0, limit = 0;
    bool evictions = cli_flag(args, "evictions");
    int status = cli_value_time(args, "since", &since);
    if (status == CLI_OK)
        status = cli_value_time(args, "until", &until);
    if (status == CLI_OK)
        status = cli_value_number(args, "limit", 1, 1000000, &limit);
    if (status == CLI_OK && html != NULL && (evictions || cli->json))
        status = cli_usage(args, "--html goes without --json and --evictions");
    if (status == CLI_OK)
        status = cli_open(cli);
    if (status != CLI_OK)
        return status;
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
static const int exits[] = {CLI_NOTFOUND, 0};

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
    .flags = CLI_TAKES_JSON | CLI_TAKES_TIMES | CLI_NEEDS_STORE,
    .exits = exits,
    .run = run,
};
