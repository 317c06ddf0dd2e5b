/* simulate_cost.c - pingo simulate --html: what was computed again, added up over a history.
 *
 * Runs go once more, with their events.  What counts is the compute time of the runs of an action after its
 * first one, but for those that are forced: unlimited storage would not spare them. */
#include <stdlib.h>

#include "message.h"
#include "signals.h"
#include "simulate.h"

#define POINTS 400 /* at most so many of a line */

struct spending {
    double *lost_ms; /* by submission */
    bool *has_run;   /* by action */
};

static int on_event(void *context, size_t row, const struct pingo_simulation_event *event)
{
    struct spending *s = &((struct spending *)context)[row];
    if (event->kind == PINGO_SIMULATION_RUN) {
        if (s->has_run[event->action] && !event->forced)
            s->lost_ms[event->submission] += (double)event->ms;
        s->has_run[event->action] = true;
    }
    return cli_signal_caught() != 0;
}

static int run_all(const struct cli_experiment *x, const struct pingo_experiment_sample *sample,
                   const struct cli_cost *cost, struct spending *list, struct pingo_error *err)
{
    struct pingo_experiment e = x->e;
    struct pingo_experiment_row *rows = NULL;
    struct pingo_experiment_sample only = *sample;
    size_t nrows = 0;
    only.group = 0;
    e.samples = &only;
    e.nsamples = e.nbudgets = e.nslots = 1;
    e.budgets = &x->budgets[cost->budget];
    e.slots = &x->slots[cost->slots];
    e.event = on_event;
    e.progress = NULL;
    e.user = NULL;
    e.context = list;
    int rc = pingo_experiment_run(&e, &rows, &nrows, err);
    free(rows);
    return rc;
}

/* Adds up, and takes at most so many points. */
static void add_up(struct cli_cost *cost, const struct spending *list, uint32_t n)
{
    uint32_t step = n / POINTS + 1;
    cost->n = n / step + 1;
    cost->submissions = cli_alloc(cost->n * sizeof *cost->submissions);
    cost->lost_ms = cli_alloc(cost->nalgorithms * sizeof *cost->lost_ms);
    for (size_t k = 0; k < cost->nalgorithms; k++) {
        double sum = 0;
        uint32_t done = 0;
        cost->lost_ms[k] = cli_alloc(cost->n * sizeof **cost->lost_ms);
        for (size_t i = 0; i < cost->n; i++) {
            uint32_t until = i + 1 < cost->n ? (uint32_t)i * step : n;
            for (; done < until; done++)
                sum += list[k].lost_ms[done];
            cost->submissions[i] = until;
            cost->lost_ms[k][i] = sum;
        }
    }
}

int cli_experiment_cost(const struct cli_experiment *x, size_t group, struct cli_cost *cost)
{
    size_t sample = 0;
    while (x->samples[sample].group != group)
        sample++;
    const struct pingo_history *history = x->sample_histories[sample];
    uint32_t n = pingo_history_count_submissions(history);
    struct spending *list = cli_alloc(x->e.nalgorithms * sizeof *list);
    for (size_t i = 0; i < x->e.nalgorithms; i++)
        list[i] = (struct spending){.lost_ms = cli_alloc((n + 1) * sizeof(double)),
                                    .has_run = cli_alloc(pingo_history_count_actions(history) + 1)};
    cost->nalgorithms = x->e.nalgorithms;
    cost->seed = x->samples[sample].seed;
    if (run_all(x, &x->samples[sample], cost, list, &x->cli->err))
        return cli_error(x->cli);
    add_up(cost, list, n);
    return CLI_OK;
}
