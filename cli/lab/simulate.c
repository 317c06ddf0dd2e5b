/* simulate.c - pingo simulate: what algorithms and budgets would have made of histories. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "histories.h"
#include "page.h"
#include "signals.h"
#include "simulate.h"

static void clear(struct cli_experiment *x)
{
    for (size_t i = 0; i < x->nworkloads; i++) {
        pingo_workload_free(x->workloads[i]);
        pingo_history_free(x->histories[i]);
    }
    for (size_t i = 0; x->selections && i < x->e.nalgorithms; i++)
        pingo_decision_selection_free(x->selections[i]);
    free(x->rows);
    free(x->sums.rows);
    free(x->storage);
}

/* ---- running ------------------------------------------------------------------------- */

static int on_progress(void *context, uint64_t done, uint64_t all)
{
    (void)context;
    cli_progress_show("simulating: %" PRIu64 " of %" PRIu64 " submissions (%d %%)", done, all,
                      all > 0 ? (int)((double)done / (double)all * 100) : 100);
    return cli_signal_caught() != 0;
}

static int on_event(void *context, size_t row, const struct pingo_simulation_event *event)
{
    return cli_trace_event(context, row, event) != 0 || cli_signal_caught() != 0;
}

static int on_user(void *context, size_t row, const struct pingo_simulation_user *user)
{
    struct cli_experiment *x = ((struct cli_trace *)context)->x;
    x->users = cli_more(x->users, x->nusers, sizeof *x->users);
    x->users[x->nusers++] = (struct cli_run_user){row, *user};
    return 0;
}

static int run_all(struct cli_experiment *x, struct cli_trace *trace)
{
    struct pingo_experiment *e = &x->e;
    e->version = 2;
    e->samples = x->samples;
    e->algorithms = x->algorithms;
    e->budgets = x->budgets;
    e->slots = x->slots;
    e->progress = on_progress;
    e->event = trace->out ? on_event : NULL;
    e->user = on_user;
    e->context = trace;
    int rc = pingo_experiment_run(e, &x->rows, &x->nrows, &x->cli->err);
    cli_progress_clear();
    if (rc == PINGO_EINTERRUPTED &&
        cli_signal_caught() == 0) /* the trace could not be written: told when it is closed */
        return CLI_OK;
    if (rc == 0)
        rc = pingo_experiment_summarize(e, x->rows, x->nrows, &x->sums, &x->cli->err);
    return rc == 0 ? CLI_OK : cli_error(x->cli);
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

/* Before any run: can the files be written, in the end? */
static int check_outputs(const struct cli_args *args)
{
    const char *trace = cli_value(args, "trace"), *html = cli_value(args, "html");
    if ((trace && strcmp(trace, "-") == 0) || (html && strcmp(html, "-") == 0))
        return cli_usage(args, "--trace and --html take the name of a file, not -");
    if (trace && html && strcmp(trace, html) == 0)
        return cli_usage(args, "--trace and --html name the same file");
    int rc = cli_history_check_output(args, "trace");
    if (rc == CLI_OK)
        rc = cli_history_check_output(args, "html");
    return rc == CLI_OK && html ? cli_page_check(html) : rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_experiment x = {.cli = cli};
    int rc = cli_experiment_read_choice(&x, args);
    if (rc == CLI_OK)
        rc = cli_experiment_read_arrivals(&x, args);
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
    if (rc == CLI_OK)
        cli_experiment_note_weights(&x);
    if (rc == CLI_OK && cli_value(args, "html"))
        rc = cli_experiment_write_page(&x, cli_value(args, "html"));
    if (rc == CLI_OK && (cli->json || cli->csv)) {
        cli_experiment_print_rows(&x);
    } else if (rc == CLI_OK) {
        cli_experiment_print(&x);
        cli_experiment_print_storage(&x);
    }
    clear(&x);
    return rc;
}

const struct cli_command cli_simulate = {"simulate", "file*", run, CLI_PRINTS_LIST(&cli_run_view),
                                         .choice = cli_simulate_choice};
