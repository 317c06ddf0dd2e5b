/* storage.c - the least budget with at most so much recomputation.
 *
 * It is looked for with the simulator itself, between the budgets that were simulated: an interval
 * whose lower end is too little and whose upper end is enough is cut into four, again and
 * again.  So what is told is a budget that was simulated and is enough.  More storage can
 * now and then do worse, so that another one below may be enough as well. */
#include <math.h>
#include <stdlib.h>

#include <pingo-lab/simulate.h>

#include "base/error.h"
#include "lab/simulate/workload.h"

#define CUTS 3         /* budgets that are tried at once */
#define MOST_ROUNDS 16 /* 4^16: more than there is to gain */

/* What is looked for, and with what. */
struct search {
    const struct pingo_experiment *whole;
    struct pingo_experiment e; /* one algorithm, one number of slots, the samples of one group */
    struct pingo_experiment_sample *samples;
    struct pingo_experiment_budget budgets[CUTS];
    double most_rho;
    double low, high; /* percent: too little (or nothing), and enough (or not tried yet) */
    struct pingo_experiment_storage *found;
    uint64_t ndone, nall; /* searches */
};

static int on_progress(void *context, uint64_t done, uint64_t all)
{
    const struct search *s = context;
    (void)done;
    (void)all;
    return s->whole->progress(s->whole->context, s->ndone, s->nall);
}

/* ---- one search ------------------------------------------------------------------------------ */

/* Notes what a budget gives; one without a byte is none. */
static void note(struct search *s, double percent, double rho, double bytes)
{
    if (rho <= s->most_rho && (s->found->percent < 0 || percent <= s->high)) {
        s->high = s->found->percent = bytes > 0 ? percent : 0;
        s->found->budget_bytes = bytes;
        s->found->rho = rho;
    }
}

/* The lower end: what was tried, is below the upper one, and was too little. */
static void note_low(struct search *s, double percent, double rho)
{
    if (rho > s->most_rho && percent < s->high && percent > s->low)
        s->low = percent;
}

/* Simulates some budgets. */
static int try(struct search *s, size_t n, struct pingo_error *err)
{
    struct pingo_experiment_row *rows = NULL;
    double rho[CUTS] = {0}, bytes[CUTS] = {0};
    size_t nrows = 0;
    s->e.nbudgets = n;
    int rc = pingo_experiment_run(&s->e, &rows, &nrows, err);
    for (size_t i = 0; i < nrows; i++) {
        rho[rows[i].budget] += rows[i].rho / (double)s->e.nsamples;
        bytes[rows[i].budget] += (double)rows[i].budget_bytes / (double)s->e.nsamples;
    }
    free(rows);
    for (size_t i = 0; rc == 0 && i < n; i++)
        note(s, s->budgets[i].percent, rho[i], bytes[i]);
    for (size_t i = 0; rc == 0 && i < n; i++)
        note_low(s, s->budgets[i].percent, rho[i]);
    return rc;
}

/* To four digits, so that it can be told, and asked for again, as it was simulated. */
static double rounded(double percent)
{
    double scale = 1;
    while (percent * scale < 1000)
        scale *= 10;
    return floor(percent * scale + 0.5) / scale;
}

static int run_search(struct search *s, struct pingo_error *err)
{
    int rc = 0;
    if (s->found->percent < 0) { /* none of the budgets was enough: is all of it? */
        s->budgets[0].percent = s->high;
        rc = try(s, 1, err);
        if (rc != 0 || s->found->percent < 0)
            return rc;
    }
    for (int round = 0; round < MOST_ROUNDS && rc == 0; round++) {
        if (s->high - s->low <= s->high / 100) /* it is known to one part in a hundred */
            break;
        double step = (s->high - s->low) / (CUTS + 1);
        for (size_t i = 0; i < CUTS; i++)
            s->budgets[i].percent = rounded(s->low + step * (double)(i + 1));
        rc = try(s, CUTS, err);
    }
    return rc;
}

/* ---- all of them -------------------------------------------------------------------------------- */

/* The samples of a group, and a budget in percent that holds all that any of them makes. */
static void take_group(struct search *s, uint32_t group)
{
    const struct pingo_experiment *whole = s->whole;
    s->e.nsamples = 0;
    s->high = 100;
    for (size_t i = 0; i < whole->nsamples; i++) {
        struct pingo_workload_facts facts = {.size = sizeof facts};
        if (whole->samples[i].group != group)
            continue;
        s->samples[s->e.nsamples] = whole->samples[i];
        s->samples[s->e.nsamples++].group = 0;
        pingo_workload_look(whole->samples[i].workload, &facts);
        double rest = (double)(facts.bytes - facts.leaf_bytes);
        double all =
            whole->leaves_outside || rest <= 0 ? 100 : ceil(100 * (double)facts.bytes / rest) + 1;
        s->high = all > s->high ? all : s->high;
    }
}

/* What the budgets of a group with a number of slots, from like on, tell of its algorithm. */
static void take_known(struct search *s, const struct pingo_experiment_summary *like)
{
    const struct pingo_experiment *whole = s->whole;
    if (like->none_rho <= s->most_rho) {
        s->found->percent = s->high = 0;
        s->found->rho = like->none_rho;
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < whole->nbudgets; i++) {
            const struct pingo_experiment_summary *known = &like[i * whole->nalgorithms];
            double percent = whole->budgets[i].percent;
            if (percent >= 0 && pass == 0)
                note(s, percent, known->rho, known->budget_bytes);
            else if (percent >= 0)
                note_low(s, percent, known->rho);
        }
}

static int search_one(struct search *s, const struct pingo_experiment_summary *like,
                      struct pingo_error *err)
{
    *s->found = (struct pingo_experiment_storage){
        .group = like->group, .slots = like->slots, .algorithm = like->algorithm, .percent = -1};
    s->low = 0;
    s->e.slots = &s->whole->slots[like->slots];
    s->e.algorithms = &s->whole->algorithms[like->algorithm];
    take_group(s, like->group);
    take_known(s, like);
    return run_search(s, err);
}

int pingo_experiment_find_storage(const struct pingo_experiment *experiment,
                                  const struct pingo_experiment_summary *summaries, size_t n,
                                  struct pingo_experiment_storage **storage, struct pingo_error *err)
{
    struct pingo_experiment own, *e = &own;
    int rc = pingo__lab_experiment_take(experiment, e, err);
    *storage = NULL;
    if (rc != 0)
        return rc;
    struct search s = {.whole = e, .e = *e, .most_rho = 1 + e->most_percent / 100};
    size_t of_group = e->nbudgets * e->nalgorithms;
    if (!(e->most_percent >= 0))
        return pingo__fail(err, PINGO_EINVAL, "most_percent is at least 0");
    if (n == 0 || of_group == 0 || n % of_group != 0)
        return pingo__fail(err, PINGO_EINVAL, "the summaries are those of another experiment");
    s.nall = n / e->nbudgets;
    *storage = calloc(s.nall, sizeof **storage);
    s.e.samples = s.samples = calloc(e->nsamples + 1, sizeof *s.samples);
    if (!*storage || !s.samples)
        rc = pingo__fail_memory(err);
    s.e.nalgorithms = s.e.nslots = 1;
    s.e.budgets = s.budgets;
    s.e.event = NULL;
    s.e.user = NULL;
    s.e.progress = e->progress ? on_progress : NULL;
    s.e.context = &s;
    for (; rc == 0 && s.ndone < s.nall; s.ndone++) {
        s.found = &(*storage)[s.ndone];
        rc = search_one(
            &s, &summaries[s.ndone / e->nalgorithms * of_group + s.ndone % e->nalgorithms], err);
    }
    free(s.samples);
    if (rc != 0) {
        free(*storage);
        *storage = NULL;
    }
    return rc;
}
