/* simulate_trace.c - pingo simulate --trace: all that happens in the runs, a line of JSON each. */
#include "answer.h"
#include "simulate.h"

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

int cli_trace_event(struct cli_trace *t, size_t row, const struct pingo_simulation_event *e)
{
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
    return ferror(t->out) != 0;
}
