/* simulate_cost.c - pingo simulate --html: what was computed again, added up over a history.
 *
 * Runs go once more, with their events.  What counts is the compute time of the submissions up to each
 * one, less what the same ones take with unlimited storage. */
#include <stdlib.h>

#include "message.h"
#include "signals.h"
#include "simulate.h"

#define POINTS 400 /* at most so many of a line */

struct spending {
    double *ms; /* by submission */
    uint32_t n;
};

static int on_event(void *context, const struct pingo_simulation_event *event)
{
    struct spending *s = context;
    if (event->kind == PINGO_SIMULATION_RUN && event->submission < s->n)
        s->ms[event->submission] += (double)event->ms;
    return cli_signal_caught() != 0;
}

static int on_row_event(void *context, size_t row, const struct pingo_simulation_event *event)
{
    struct spending *s = context; /* one for each row */
    return on_event(&s[row], event);
}

/* What unlimited storage makes of a sample. */
static int run_ideal(const struct cli_experiment *x, const struct pingo_experiment_sample *sample,
                     unsigned slots, struct spending *spending, struct pingo_error *err)
{
    struct pingo_simulation_result result = {.size = sizeof result};
    const struct pingo_simulation_options options = {.version = 2,
                                                     .arrive = x->e.arrive,
                                                     .weights = x->e.weights,
                                                     .nweights = x->e.nweights,
                                                     .budget_bytes = -1,
                                                     .slots = slots,
                                                     .decide = x->e.decide,
                                                     .leaves_outside = x->e.leaves_outside,
                                                     .noise = x->e.noise,
                                                     .seed = sample->seed,
                                                     .event = on_event,
                                                     .context = spending};
    return pingo_workload_simulate(sample->workload, &options, &result, err);
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
    e.event = on_row_event;
    e.progress = NULL;
    e.user = NULL;
    e.context = list;
    int rc = pingo_experiment_run(&e, &rows, &nrows, err);
    free(rows);
    return rc;
}

/* Adds up, and takes at most so many points. */
static void add_up(struct cli_cost *cost, const struct spending *list, const struct spending *ideal)
{
    uint32_t n = ideal->n, step = n / POINTS + 1;
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
                sum += list[k].ms[done] - ideal->ms[done];
            cost->submissions[i] = until;
            cost->lost_ms[k][i] = sum;
        }
    }
}

static struct spending new_spending(uint32_t n)
{
    return (struct spending){.ms = cli_alloc((n + 1) * sizeof(double)), .n = n};
}

int cli_experiment_cost(const struct cli_experiment *x, size_t group, struct cli_cost *cost)
{
    const struct pingo_experiment_sample *sample = x->samples;
    struct pingo_workload_facts facts = {.size = sizeof facts};
    while (sample->group != group)
        sample++;
    pingo_workload_look(sample->workload, &facts);
    struct spending ideal = new_spending(facts.nsubmissions);
    struct spending *list = cli_alloc(x->e.nalgorithms * sizeof *list);
    for (size_t i = 0; i < x->e.nalgorithms; i++)
        list[i] = new_spending(facts.nsubmissions);
    cost->nalgorithms = x->e.nalgorithms;
    cost->seed = sample->seed;
    int rc = run_ideal(x, sample, x->slots[cost->slots], &ideal, &x->cli->err);
    if (rc == 0)
        rc = run_all(x, sample, cost, list, &x->cli->err);
    if (rc == 0)
        add_up(cost, list, &ideal);
    return rc == 0 ? CLI_OK : cli_error(x->cli);
}
