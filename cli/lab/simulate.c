/* simulate.c - pingo simulate: what algorithms and budgets would have made of histories. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
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

/* ---- --trace: all that happens in the runs, a line of JSON each ---------------------------------- */

struct trace {
    struct cli_experiment *x;
    FILE *out;
    size_t row; /* whose events were printed last, and 1; 0: of none */
};

static const char *const kinds[] = {NULL,      "submit", "reuse",     "join", "run",
                                    "publish", "evict",  "shortfall", "end"};

/* The rows stand by sample, then slots, budget, algorithm. */
static void begin_run(const struct cli_experiment *x, struct pingo__writer *w, size_t row)
{
    size_t algorithm = row % x->e.nalgorithms;
    size_t budget = row / x->e.nalgorithms % x->e.nbudgets;
    size_t slots = row / x->e.nalgorithms / x->e.nbudgets % x->e.nslots;
    size_t sample = row / x->e.nalgorithms / x->e.nbudgets / x->e.nslots;
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "event", "begin");
    pingo__writer_text(w, "history", x->names[sample]);
    pingo__writer_text(w, "algorithm", x->algorithm_names[algorithm]);
    pingo__writer_text(w, "budget", x->budget_names[budget]);
    pingo__writer_int(w, "slots", x->slots[slots]);
    pingo__writer_int(w, "seed", (int64_t)x->samples[sample].seed);
    pingo__writer_close(w);
}

static void put_counts(struct pingo__writer *w, const struct pingo_simulation_event *e)
{
    pingo__writer_int(w, "computed", e->ncomputed);
    pingo__writer_int(w, "reused", e->nreused);
    pingo__writer_int(w, "joined", e->njoined);
    pingo__writer_int(w, "skipped", e->nskipped);
}

/* Which members there are is told by the kind. */
static void put_event(struct pingo__writer *w, const struct pingo_history *history,
                      const struct pingo_simulation_event *e)
{
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "event", kinds[e->kind]);
    pingo__writer_int(w, "atMs", e->at_ms);
    pingo__writer_int(w, "submission", (int64_t)e->submission + 1);
    if (e->action != PINGO_HISTORY_NONE) {
        char hex[PINGO_HASH_HEX_SIZE];
        pingo_hash_to_hex(pingo_history_hash(history, e->action), hex);
        pingo__writer_text(w, "hash", hex);
    }
    if (e->kind == PINGO_SIMULATION_SUBMIT)
        put_counts(w, e);
    if (e->kind == PINGO_SIMULATION_RUN)
        pingo__writer_int(w, "ms", e->ms);
    if (e->kind == PINGO_SIMULATION_PUBLISH || e->kind == PINGO_SIMULATION_EVICT ||
        e->kind == PINGO_SIMULATION_SHORTFALL)
        pingo__writer_int(w, "bytes", e->bytes);
    if (e->kind == PINGO_SIMULATION_PUBLISH)
        pingo__writer_flag(w, "leaf", e->leaf);
    if (e->kind == PINGO_SIMULATION_EVICT)
        pingo__writer_real(w, "score", e->score, -1);
    pingo__writer_close(w);
}

static int on_event(void *context, size_t row, const struct pingo_simulation_event *e)
{
    struct trace *t = context;
    const struct cli_experiment *x = t->x;
    size_t sample = row / x->e.nalgorithms / x->e.nbudgets / x->e.nslots;
    struct pingo__writer w;
    cli_writer(&w, t->out);
    if (t->row != row + 1)
        begin_run(x, &w, row);
    t->row = row + 1;
    w.filled[0] = false;
    put_event(&w, x->sample_histories[sample], e);
    cli_write(x->cli, &w);
    return ferror(t->out) != 0 || cli_signal_caught() != 0;
}

/* ---- running ------------------------------------------------------------------------- */

static int on_progress(void *context, uint64_t done, uint64_t all)
{
    (void)context;
    cli_progress_show("simulating: %" PRIu64 " of %" PRIu64 " submissions (%d %%)", done, all,
                      all > 0 ? (int)((double)done / (double)all * 100) : 100);
    return cli_signal_caught() != 0;
}

static int on_user(void *context, size_t row, const struct pingo_simulation_user *user)
{
    struct cli_experiment *x = ((struct trace *)context)->x;
    x->users = cli_more(x->users, x->nusers, sizeof *x->users);
    x->users[x->nusers++] = (struct cli_run_user){row, *user};
    return 0;
}

static int run_all(struct cli_experiment *x, struct trace *trace)
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
    struct trace trace = {.x = x};
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
static int check_outputs(struct cli_experiment *x, const struct cli_args *args)
{
    (void)x;
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
    static int (*const before[])(struct cli_experiment * x, const struct cli_args *args) = {
        cli_experiment_read_seeds,     cli_experiment_read_algorithms, cli_experiment_read_budgets,
        cli_experiment_read_slots,     cli_experiment_read_conditions, cli_experiment_read_arrivals,
        cli_experiment_check_bounds,   cli_experiment_read_storage,    check_outputs,
        cli_experiment_read_histories,
    };
    struct cli_experiment x = {.cli = cli};
    int rc = CLI_OK;
    for (size_t i = 0; rc == CLI_OK && i < sizeof before / sizeof *before; i++)
        rc = before[i](&x, args);
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
