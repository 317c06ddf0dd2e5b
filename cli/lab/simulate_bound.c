/* simulate_bound.c - pingo simulate --bound: what no policy stays below, for each history and budget.
 *
 * A bound holds for one slot and times as they are; it does not depend on algorithms or
 * seeds, so it is found once for each workload and budget. */
#include <inttypes.h>

#include "message.h"
#include "signals.h"
#include "simulate.h"

struct progress {
    size_t done, all;
};

static int on_progress(void *context, uint64_t iterations, uint64_t most)
{
    const struct progress *p = context;
    (void)most;
    cli_progress_show("bounds: %zu of %zu (%" PRIu64 " iterations)", p->done, p->all, iterations);
    return cli_signal_caught() != 0;
}

/* A row of one slot with a sample and a budget. */
static const struct pingo_experiment_row *row_of(const struct cli_experiment *x, size_t sample,
                                                 size_t budget)
{
    for (size_t i = 0; i < x->e.nslots; i++)
        if (x->slots[i] == 1) /* rows are by sample, then slots, budget, algorithm */
            return &x->rows[((sample * x->e.nslots + i) * x->e.nbudgets + budget) * x->e.nalgorithms];
    return NULL;
}

/* An earlier sample with the same history has the same bound. */
static const struct cli_bound *earlier(const struct cli_experiment *x, size_t sample, size_t budget)
{
    for (size_t i = 0; i < sample; i++)
        if (x->sample_histories[i] == x->sample_histories[sample])
            return &x->bounds[i * x->e.nbudgets + budget];
    return NULL;
}

static int find_one(struct cli_experiment *x, size_t sample, size_t budget,
                    struct progress *progress)
{
    const struct pingo_experiment_row *row = row_of(x, sample, budget);
    const struct cli_bound *same = earlier(x, sample, budget);
    struct cli_bound *bound = &x->bounds[sample * x->e.nbudgets + budget];
    struct pingo_bound_options options = {.version = 1,
                                          .leaves_outside = x->e.leaves_outside,
                                          .progress = on_progress,
                                          .context = progress};
    struct pingo_bound_result result = {.size = sizeof result};
    if (!row)
        return CLI_OK;
    if (same) {
        *bound = *same;
        return CLI_OK;
    }
    options.budget_bytes = row->budget_bytes;
    int rc = pingo_simulate_bound(x->sample_histories[sample], &options, &result, &x->cli->err);
    if (rc == PINGO_EUNSUPPORTED) { /* no solver */
        cli_error(x->cli);
        return CLI_HELPER;
    }
    if (rc != 0)
        return cli_error(x->cli);
    if (!result.is_solved)
        cli_note(
            "%s, budget %s: the solver was stopped before it was done, as that takes too long; "
            "its bound holds, and is lower than need be",
            x->groups[x->samples[sample].group], x->budget_names[budget]);
    *bound = (struct cli_bound){
        .ms = result.bound_ms,
        .rho = result.ideal_ms > 0 ? (double)result.bound_ms / (double)result.ideal_ms : 1};
    return CLI_OK;
}

int cli_experiment_check_bounds(struct cli_experiment *x, const struct cli_args *args)
{
    x->has_bounds = cli_flag(args, "bound");
    if (!x->has_bounds)
        return CLI_OK;
    if (x->e.noise > 0)
        return cli_usage(args, "--bound and --noise exclude each other: a bound holds for the "
                               "times of the history");
    if (x->e.arrive == PINGO_SIMULATION_ARRIVE_TIMES)
        return cli_usage(args, "--bound and --arrive times exclude each other: submissions run "
                               "side by side then, and it does not hold");
    for (size_t i = 0; i < x->e.nslots; i++)
        if (x->slots[i] == 1)
            return CLI_OK;
    return cli_usage(args,
                     "--bound needs one slot among --slots: with more of them submissions run "
                     "side by side, and it does not hold");
}

int cli_experiment_find_bounds(struct cli_experiment *x)
{
    struct progress progress = {.all = x->e.nsamples * x->e.nbudgets};
    int rc = CLI_OK;
    if (!x->has_bounds)
        return CLI_OK;
    x->bounds = cli_alloc((progress.all + 1) * sizeof *x->bounds);
    for (size_t i = 0; i < progress.all; i++)
        x->bounds[i] = (struct cli_bound){.ms = -1};
    for (; rc == CLI_OK && progress.done < progress.all; progress.done++) {
        on_progress(&progress, 0, 0);
        rc = find_one(x, progress.done / x->e.nbudgets, progress.done % x->e.nbudgets, &progress);
    }
    cli_progress_clear();
    return rc;
}

int64_t cli_experiment_bound(const struct cli_experiment *x, const struct pingo_experiment_row *row)
{
    if (!x->has_bounds || x->slots[row->slots] != 1)
        return -1;
    return x->bounds[row->sample * x->e.nbudgets + row->budget].ms;
}

double cli_experiment_bound_rho(const struct cli_experiment *x,
                                const struct pingo_experiment_summary *s)
{
    double sum = 0;
    if (!x->has_bounds || x->slots[s->slots] != 1)
        return -1;
    for (size_t i = 0; i < x->e.nsamples; i++)
        if (x->samples[i].group == s->group)
            sum += x->bounds[i * x->e.nbudgets + s->budget].rho;
    return s->nsamples > 0 ? sum / (double)s->nsamples : 1;
}
