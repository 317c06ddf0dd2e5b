/* simulate_storage.c - pingo simulate --storage: the least budgets, asked for and told. */

#include "message.h"
#include "signals.h"
#include "simulate.h"

int cli_experiment_read_storage(struct cli_experiment *x, const struct cli_args *args)
{
    const char *text = cli_value(args, "storage");
    x->has_storage = text || cli_flag(args, "html");
    x->e.most_percent = 5;
    if (!text)
        return CLI_OK;
    if (!cli_value(args, "html") && (x->cli->json || x->cli->csv))
        return cli_usage(args, "--storage goes without --csv and --json, which have a run each");
    if (!cli_decimal(text, 1000, &x->e.most_percent))
        return cli_usage(args, "--storage takes how much recomputation there may be, in percent of "
                               "the ideal time, such as 5 or 2.5, up to 1000");
    return CLI_OK;
}

static int on_progress(void *context, uint64_t done, uint64_t all)
{
    (void)context;
    cli_progress_show("looking for the least budgets: %d of %d", (int)done, (int)all);
    return cli_signal_caught() != 0;
}

int cli_experiment_find_storage(struct cli_experiment *x)
{
    struct pingo_experiment e = x->e;
    if (!x->has_storage)
        return CLI_OK;
    e.progress = on_progress;
    int rc = pingo_experiment_find_storage(&e, x->sums.rows, x->sums.n, &x->storage, &x->cli->err);
    x->nstorage = x->sums.n / x->e.nbudgets;
    cli_progress_clear();
    return rc == 0 ? CLI_OK : cli_error(x->cli);
}

static void print_head(const struct cli_experiment *x, const struct pingo_experiment_storage *found)
{
    unsigned slots = x->slots[found->slots];
    printf("\n%s", cli_colour(stdout, PINGO__TONE_BOLD));
    cli_print_clean(stdout, x->groups[found->group]);
    printf("%s: the least budget for at most %.4g %% recomputation, %u slot%s\n",
           cli_colour(stdout, PINGO__TONE_PLAIN), x->e.most_percent, slots, slots == 1 ? "" : "s");
}

void cli_experiment_print_storage(const struct cli_experiment *x)
{
    for (size_t i = 0; x->has_storage && i < x->nstorage; i++) {
        const struct pingo_experiment_storage *found = &x->storage[i];
        char share[PINGO__UNITS_SIZE] = "not found", size[PINGO__UNITS_SIZE] = "-";
        char rho[PINGO__UNITS_SIZE] = "-";
        if (found->algorithm == 0)
            print_head(x, found);
        if (found->percent >= 0) {
            snprintf(share, sizeof share, found->percent > 0 ? "%.9g %%" : "nothing",
                     found->percent);
            pingo__units_print_size(size, (int64_t)found->budget_bytes);
            snprintf(rho, sizeof rho, "%.3f", found->rho);
        }
        printf("  ");
        cli_pad(stdout, cli_shown(x->algorithm_names[found->algorithm]), 18);
        printf("  %9s  %9s  %s\n", share, size, rho);
    }
}
