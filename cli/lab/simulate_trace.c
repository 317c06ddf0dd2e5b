/* simulate_trace.c - pingo simulate --trace: all that happens in the runs, a line of JSON each. */
#include "json.h"
#include "simulate.h"

static const char *const kinds[] = {NULL,      "submit", "reuse",     "join", "run",
                                    "publish", "evict",  "shortfall", "end"};

/* The rows stand by sample, then slots, budget, algorithm. */
static void begin_run(const struct cli_experiment *x, FILE *out, size_t row)
{
    size_t algorithm = row % x->nalgorithms;
    size_t budget = row / x->nalgorithms % x->nbudgets;
    size_t slots = row / x->nalgorithms / x->nbudgets % x->nslots;
    size_t sample = row / x->nalgorithms / x->nbudgets / x->nslots;
    cJSON *o = cli_json_object();
    cli_json_text(o, "event", "begin");
    cli_json_text(o, "history", x->names[sample]);
    cli_json_text(o, "algorithm", x->algorithm_names[algorithm]);
    cli_json_text(o, "budget", x->budget_names[budget]);
    cli_json_int(o, "slots", x->slots[slots]);
    cli_json_int(o, "seed", (int64_t)x->samples[sample].seed);
    cli_json_print(out, o);
}

static void add_counts(cJSON *o, const struct pingo_simulation_event *e)
{
    cli_json_int(o, "computed", e->ncomputed);
    cli_json_int(o, "reused", e->nreused);
    cli_json_int(o, "joined", e->njoined);
    cli_json_int(o, "skipped", e->nskipped);
}

static cJSON *to_json(const struct pingo_history *history, const struct pingo_simulation_event *e)
{
    cJSON *o = cli_json_object();
    cli_json_text(o, "event", kinds[e->kind]);
    cli_json_int(o, "atMs", e->at_ms);
    cli_json_int(o, "submission", (int64_t)e->submission + 1);
    if (e->action != PINGO_HISTORY_NONE)
        cli_json_hash(o, "hash", pingo_history_hash(history, e->action));
    if (e->kind == PINGO_SIMULATION_SUBMIT)
        add_counts(o, e);
    if (e->kind == PINGO_SIMULATION_RUN)
        cli_json_int(o, "ms", e->ms);
    if (e->kind == PINGO_SIMULATION_PUBLISH || e->kind == PINGO_SIMULATION_EVICT ||
        e->kind == PINGO_SIMULATION_SHORTFALL)
        cli_json_int(o, "bytes", e->bytes);
    if (e->kind == PINGO_SIMULATION_PUBLISH)
        cli_json_flag(o, "leaf", e->leaf);
    if (e->kind == PINGO_SIMULATION_EVICT)
        cli_json_add(o, "score", cJSON_CreateNumber(e->score));
    return o;
}

int cli_trace_event(struct cli_trace *t, size_t row, const struct pingo_simulation_event *e)
{
    const struct cli_experiment *x = t->x;
    size_t sample = row / x->nalgorithms / x->nbudgets / x->nslots;
    if (t->row != row + 1)
        begin_run(x, t->out, row);
    t->row = row + 1;
    cli_json_print(t->out, to_json(x->sample_histories[sample], e));
    return ferror(t->out) != 0;
}
