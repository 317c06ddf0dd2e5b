/* simulate.c - pingo simulate: what algorithms and budgets would have made of histories. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elsewhere.h"
#include "answer.h"
#include "message.h"
#include "page.h"
#include "signals.h"
#include "simulate.h"

static void clear(struct cli_experiment *x)
{
    for (size_t i = 0; i < x->nworkloads; i++) {
        pingo_workload_free(x->workloads[i]);
        pingo_history_free(x->histories[i]);
    }
    for (size_t i = 0; x->selections && i < x->nalgorithms; i++) {
        pingo_decision_selection_free(x->selections[i]);
        free(x->values[i]);
    }
    free(x->rows);
    free(x->workloads);
    free(x->histories);
    free(x->samples);
    free(x->sample_histories);
    free(x->selections);
    free(x->values);
    free(x->algorithms);
    free(x->budgets);
    free(x->slots);
    free(x->bounds);
    free(x->storage);
    cli_list_free(x->names, x->nsamples);
    cli_list_free(x->groups, x->ngroups);
    cli_list_free(x->algorithm_names, x->nalgorithms);
    cli_list_free(x->budget_names, x->nbudgets);
}

/* ---- running ------------------------------------------------------------------------- */

static int on_progress(void *context, uint64_t done, uint64_t all)
{
    (void)context;
    if (cli_has_progress()) {
        char *text = cli_format("simulating: %" PRIu64 " of %" PRIu64 " submissions (%d %%)", done,
                                all, all > 0 ? (int)((double)done / (double)all * 100) : 100);
        cli_progress_show(text);
        free(text);
    }
    return cli_signal_caught() != 0;
}

static int on_event(void *context, size_t row, const struct pingo_simulation_event *event)
{
    return cli_trace_event(context, row, event) != 0 || cli_signal_caught() != 0;
}

static int run_all(struct cli_experiment *x, struct cli_trace *trace)
{
    struct pingo_experiment *e = &x->e;
    struct pingo_error err = {0};
    e->version = 1;
    e->samples = x->samples;
    e->nsamples = x->nsamples;
    e->algorithms = x->algorithms;
    e->nalgorithms = x->nalgorithms;
    e->budgets = x->budgets;
    e->nbudgets = x->nbudgets;
    e->slots = x->slots;
    e->nslots = x->nslots;
    e->progress = on_progress;
    e->event = trace->out ? on_event : NULL;
    e->context = trace;
    int rc = pingo_experiment_run(e, &x->rows, &x->nrows, &err);
    cli_progress_clear();
    if (rc == PINGO_EINTERRUPTED && cli_signal_caught() != 0)
        return cli_signal_status();
    if (rc == PINGO_EINTERRUPTED) /* the trace could not be written: told when it is closed */
        return CLI_OK;
    return rc == 0 ? CLI_OK : cli_error(x->cli, &err);
}

static int run_traced(struct cli_experiment *x, const char *path)
{
    struct cli_trace trace = {.x = x};
    if (!path)
        return run_all(x, &trace);
    trace.out = fopen(path, "we");
    if (!trace.out)
        return cli_file_error("write", path, errno);
    int rc = run_all(x, &trace);
    bool failed = ferror(trace.out) != 0;
    if ((fclose(trace.out) != 0 || failed) && rc == CLI_OK)
        rc = cli_file_error("write", path, errno);
    return rc;
}

static int print(const struct cli_experiment *x)
{
    int rc = cli_experiment_print(x);
    if (rc == CLI_OK)
        cli_experiment_print_storage(x);
    return rc;
}

/* Before any run: can the files be written, in the end? */
static int check_outputs(const struct cli_args *args)
{
    const char *trace = cli_value(args, "trace"), *html = cli_value(args, "html");
    if ((trace && strcmp(trace, "-") == 0) || (html && strcmp(html, "-") == 0))
        return cli_usage(args, "--trace and --html take the name of a file, not -");
    if (trace && html && strcmp(trace, html) == 0)
        return cli_usage(args, "--trace and --html name the same file");
    return html ? cli_page_check(html) : CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_experiment x = {.cli = cli};
    bool csv = cli_flag(args, "csv");
    if (csv && cli->json)
        return cli_usage(args, "--csv and --json exclude each other");
    int rc = cli_experiment_read_choice(&x, args);
    if (rc == CLI_OK)
        rc = cli_experiment_check_bounds(&x, args);
    if (rc == CLI_OK)
        rc = cli_experiment_read_storage(&x, args);
    if (rc == CLI_OK)
        rc = check_outputs(args);
    if (rc == CLI_OK)
        rc = cli_experiment_read_histories(&x, args);
    cli_signals_catch();
    if (rc == CLI_OK)
        rc = run_traced(&x, cli_value(args, "trace"));
    if (rc == CLI_OK)
        rc = cli_experiment_find_bounds(&x);
    if (rc == CLI_OK)
        rc = cli_experiment_find_storage(&x);
    if (rc == CLI_OK && cli_value(args, "html"))
        rc = cli_experiment_write_page(&x, cli_value(args, "html"));
    if (rc == CLI_OK && (cli->json || csv))
        cli_experiment_print_rows(&x, csv);
    else if (rc == CLI_OK)
        rc = print(&x);
    clear(&x);
    return rc;
}

static const struct cli_option options[] = {
    {0, "algorithm", "LIST", "NAME, NAME:KEY=VALUE,..., or ./PLUG-IN.so; default: all built in"},
    {'b', "budget", "LIST", "sizes (500M, 2G) or shares (5%); default 5%,10%,25%,50%"},
    {0, "slots", "LIST", "how many actions run at once; default 1"},
    {0, "seeds", "N", "seeds 1 to N, or A-B; default 1"},
    {0, "family", "LIST", "generate a history of each seed: NAME or NAME:KEY=VALUE,..."},
    {0, "store", NULL, "the history of the store"},
    {0, "together", NULL, "all HISTORY files are samples of one workload"},
    {0, "decide", "WHEN", "publish (default) or workflow-end"},
    {0, "leaves", "WHERE", "inside (default) or outside the budget"},
    {0, "low", "PERCENT", "the low watermark in percent of the budget, default 95"},
    {0, "noise", "CV", "let times vary by this coefficient of variation"},
    {0, "bound", NULL, "tell what no policy stays below, one that sees the future included"},
    {0, "storage", "PERCENT", "tell the least budget for at most so much recomputation"},
    {0, "threads", "N", "runs at a time; default: the processors"},
    {0, "trace", "FILE", "write all that happens, a line of JSON each"},
    {0, "html", "FILE", "write a page with plots; it tells the least budgets, default for 5 %"},
    {0, "csv", NULL, "each run as comma-separated values"},
};
static const int exits[] = {CLI_INVALID, CLI_NOTFOUND, CLI_HELPER, CLI_INTERRUPTED, 0};
static const char *const operands[] = {"file", NULL};

const struct cli_command cli_simulate = {
    CLI_LAB_SIMULATE,
    .synopsis = "[HISTORY...]",
    .description =
        "Runs histories (pingo-history(5)) on a virtual clock with each algorithm, budget, number\n"
        "of slots and seed, by the rules of the engine.  Prints how much longer that took than\n"
        "with unlimited storage (rho), and how much of what storage can save was saved.  A share\n"
        "of a budget is one of the bytes of all distinct datasets that nobody asked for.  HISTORY\n"
        "- is standard input.",
    .example = "  pingo simulate --family uniform-n,zipf-h --seeds 6 --algorithm chain,lru\n"
               "  pingo history --export | pingo simulate - --budget 2G,5G --slots 1,16\n",
    CLI_OPTIONS(options),
    CLI_PRINTS_LIST(&cli_run_view),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .max_operands = CLI_ANY,
    .operands = operands,
    .choice = cli_simulate_choice,
    .run = run,
};
