/* simulate_storage.c - pingo simulate: the least budget with at most so much recomputation.
 *
 * It is looked for with the simulator itself, between the budgets that were simulated: an interval
 * whose lower end is too little and whose upper end is enough is cut into four, again and
 * again.  So what is told is a budget that was simulated and is enough.  More storage can
 * now and then do worse, so that another one below may be enough as well. */
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "signals.h"
#include "simulate.h"

#define CUTS 3         /* budgets that are tried at once */
#define MOST_ROUNDS 16 /* 4^16: more than there is to gain */
#define MOST_PERCENT 1000.0

/* What is looked for, and with what. */
struct search {
    const struct cli_experiment *x;
    struct pingo_experiment e; /* one algorithm, one number of slots, the samples of one group */
    struct pingo_experiment_sample *samples;
    struct pingo_experiment_budget budgets[CUTS];
    double most_rho;
    double low, high; /* percent: too little (or nothing), and enough (or not tried yet) */
    struct cli_storage *found;
};

/* ---- the question ------------------------------------------------------------------------- */

int cli_experiment_read_storage(struct cli_experiment *x, const struct cli_args *args)
{
    const char *text = cli_value(args, "storage");
    x->has_storage = text != NULL || cli_flag(args, "html");
    x->storage_percent = 5;
    if (text == NULL)
        return CLI_OK;
    if (cli_value(args, "html") == NULL && (x->cli->json || cli_flag(args, "csv")))
        return cli_usage(args, "--storage goes without --csv and --json, which have a run each");
    if (!cli_decimal(text, 1000, &x->storage_percent))
        return cli_usage(args, "--storage takes how much recomputation there may be, in percent of "
                               "the ideal time, such as 5 or 2.5, up to 1000");
    return CLI_OK;
}

/* ---- one search ------------------------------------------------------------------------------ */

static int on_progress(void *context, uint64_t done, uint64_t all)
{
    (void)context;
    (void)done;
    (void)all;
    return cli_signal_caught() != 0;
}

/* Notes what a budget gives. */
static void note(struct search *s, double percent, double rho, double bytes)
{
    if (rho <= s->most_rho && (s->found->percent < 0 || percent <= s->high)) {
        s->high = percent;
        *s->found = (struct cli_storage){.percent = percent, .bytes = (int64_t)bytes, .rho = rho};
    }
}

/* The lower end: what was tried, is below the upper one, and was too little. */
static void note_low(struct search *s, double percent, double rho)
{
    if (rho > s->most_rho && percent < s->high && percent > s->low)
        s->low = percent;
}

/* Simulates some budgets. */
static int try(struct search *s, size_t n)
{
    struct pingo_experiment_row *rows = NULL;
    struct pingo_error err = {0};
    double rho[CUTS] = {0}, bytes[CUTS] = {0};
    size_t nrows = 0;
    s->e.nbudgets = n;
    int rc = pingo_experiment_run(&s->e, &rows, &nrows, &err);
    if (rc != 0)
        return rc == PINGO_EINTERRUPTED ? cli_signal_status() : cli_error(s->x->cli, &err);
    for (size_t i = 0; i < nrows; i++) {
        rho[rows[i].budget] += rows[i].rho / (double)s->e.nsamples;
        bytes[rows[i].budget] += (double)rows[i].budget_bytes / (double)s->e.nsamples;
    }
    free(rows);
    for (size_t i = 0; i < n; i++)
        note(s, s->budgets[i].percent, rho[i], bytes[i]);
    for (size_t i = 0; i < n; i++)
        note_low(s, s->budgets[i].percent, rho[i]);
    return CLI_OK;
}

/* Is it known to one part in a hundred, or to a hundredth of a percent? */
static bool is_narrow(const struct search *s)
{
    double width = s->high - s->low;
    return width <= 0.01 || width <= s->high / 100;
}

static int run_search(struct search *s)
{
    int status = CLI_OK;
    if (s->found->percent < 0) { /* none of the budgets was enough: is all of it? */
        s->budgets[0].percent = s->high;
        status = try(s, 1);
        if (status != CLI_OK || s->found->percent < 0)
            return status;
    }
    for (int round = 0; round < MOST_ROUNDS && status == CLI_OK && !is_narrow(s); round++) {
        double step = (s->high - s->low) / (CUTS + 1);
        for (size_t i = 0; i < CUTS; i++)
            s->budgets[i].percent = s->low + step * (double)(i + 1);
        status = try(s, CUTS);
    }
    return status;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static size_t index_of(const struct cli_experiment *x, size_t group, size_t slots, size_t algorithm)
{
    return (group * x->nslots + slots) * x->nalgorithms + algorithm;
}

/* The samples of a group, and a budget in percent that holds all that any of them makes. */
static void take_group(struct search *s, uint32_t group)
{
    const struct cli_experiment *x = s->x;
    s->e.nsamples = 0;
    s->high = 100;
    for (size_t i = 0; i < x->nsamples; i++) {
        struct pingo_workload_facts facts;
        if (x->samples[i].group != group)
            continue;
        s->samples[s->e.nsamples] = x->samples[i];
        s->samples[s->e.nsamples++].group = 0;
        pingo_workload_look(x->samples[i].workload, &facts);
        double rest = (double)(facts.bytes - facts.leaf_bytes);
        double all = x->e.leaves_outside || rest <= 0 ? 100 : 100 * (double)facts.bytes / rest + 1;
        s->high = all > s->high ? all : s->high;
    }
    s->high = s->high < MOST_PERCENT ? s->high : MOST_PERCENT;
}

/* What the budgets that were asked for tell. */
static void take_known(struct search *s, const struct pingo_experiment_summary *list, size_t n,
                       const struct pingo_experiment_summary *like)
{
    const struct cli_experiment *x = s->x;
    if (like->none_rho <= s->most_rho) {
        *s->found = (struct cli_storage){.percent = 0, .bytes = 0, .rho = like->none_rho};
        s->high = 0;
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            double percent = x->budgets[list[i].budget].percent;
            if (percent < 0 || list[i].group != like->group || list[i].slots != like->slots ||
                list[i].algorithm != like->algorithm)
                continue;
            if (pass == 0)
                note(s, percent, list[i].rho, list[i].budget_bytes);
            else
                note_low(s, percent, list[i].rho);
        }
}

static int search_one(struct search *s, const struct pingo_experiment_summary *list, size_t n,
                      const struct pingo_experiment_summary *like)
{
    const struct cli_experiment *x = s->x;
    struct cli_storage *found = &x->storage[index_of(x, like->group, like->slots, like->algorithm)];
    *found = (struct cli_storage){.percent = -1, .bytes = -1};
    s->found = found;
    s->low = 0;
    s->e.slots = &x->slots[like->slots];
    s->e.algorithms = &x->algorithms[like->algorithm];
    take_group(s, like->group);
    take_known(s, list, n, like);
    return run_search(s);
}

static void show_progress(size_t done, size_t all)
{
    if (!cli_has_progress())
        return;
    char *text = cli_format("looking for the least budgets: %zu of %zu", done, all);
    cli_progress_show(text);
    free(text);
}

int cli_experiment_find_storage(struct cli_experiment *x)
{
    struct search s = {.x = x, .e = x->e, .most_rho = 1 + x->storage_percent / 100};
    struct pingo_experiment_summary *list = NULL;
    struct pingo_error err = {0};
    size_t n = 0, nall = x->ngroups * x->nslots * x->nalgorithms, done = 0;
    int status = CLI_OK;
    if (!x->has_storage)
        return CLI_OK;
    if (pingo_experiment_summarize(&x->e, x->rows, x->nrows, &list, &n, &err) != 0)
        return cli_error(x->cli, &err);
    x->storage = cli_alloc((nall + 1) * sizeof *x->storage);
    s.samples = cli_alloc((x->nsamples + 1) * sizeof *s.samples);
    s.e.samples = s.samples;
    s.e.nalgorithms = s.e.nslots = 1;
    s.e.budgets = s.budgets;
    s.e.event = NULL;
    s.e.progress = on_progress;
    for (size_t i = 0; i < n && status == CLI_OK; i++)
        if (list[i].budget == 0) {
            show_progress(done++, nall);
            status = search_one(&s, list, n, &list[i]);
        }
    cli_progress_clear();
    free(s.samples);
    free(list);
    return status;
}

const struct cli_storage *cli_experiment_storage(const struct cli_experiment *x, size_t group,
                                                 size_t slots, size_t algorithm)
{
    return &x->storage[index_of(x, group, slots, algorithm)];
}

/* ---- for people ------------------------------------------------------------------------------------ */

void cli_storage_text(const struct cli_storage *found, char share[CLI_TEXT_SIZE],
                      char size[CLI_TEXT_SIZE], char rho[CLI_TEXT_SIZE])
{
    if (found->percent < 0) {
        snprintf(share, CLI_TEXT_SIZE, "not found");
        snprintf(size, CLI_TEXT_SIZE, "-");
        snprintf(rho, CLI_TEXT_SIZE, "-");
        return;
    }
    snprintf(share, CLI_TEXT_SIZE, found->percent > 0 ? "%.2f %%" : "nothing", found->percent);
    cli_format_size(size, found->bytes);
    snprintf(rho, CLI_TEXT_SIZE, "%.3f", found->rho);
}

void cli_experiment_print_storage(const struct cli_experiment *x)
{
    if (!x->has_storage)
        return;
    for (size_t group = 0; group < x->ngroups; group++)
        for (size_t slots = 0; slots < x->nslots; slots++) {
            printf("\n%s", cli_colour(stdout, CLI_BOLD));
            cli_print_clean(stdout, x->groups[group]);
            printf("%s: the least budget for at most %.4g %% recomputation, %u slot%s\n",
                   cli_colour(stdout, CLI_PLAIN), x->storage_percent, x->slots[slots],
                   x->slots[slots] == 1 ? "" : "s");
            for (size_t i = 0; i < x->nalgorithms; i++) {
                char name[64], share[CLI_TEXT_SIZE], size[CLI_TEXT_SIZE], rho[CLI_TEXT_SIZE];
                cli_clean(name, sizeof name, x->algorithm_names[i]);
                cli_storage_text(cli_experiment_storage(x, group, slots, i), share, size, rho);
                printf("  ");
                cli_pad(stdout, name, 18);
                printf("  ");
                cli_pad_left(stdout, share, 9);
                printf("  ");
                cli_pad_left(stdout, size, 9);
                printf("  %s\n", rho);
            }
        }
}
