/* dry_run.c - pingo decide --dry-run: what a decision would delete of the store now. */
#include "dry_run.h"

#include <pingo.h>
#include <pingo/pool.h>

#include "answer.h"
#include "message.h"
#include "session.h"

static int on_decided(void *context, const struct pingo_decided *d)
{
    return cli_row(context, d);
}

/* Nothing has to go. */
static void say_why_not(const struct pingo_pool_usage *u)
{
    char used[PINGO__UNITS_SIZE], budget[PINGO__UNITS_SIZE];
    pingo__units_print_size(used, u->used_bytes);
    pingo__units_print_size(budget, u->budget_bytes);
    if (u->budget_bytes < 0)
        printf("the pool holds %s and has no budget (pool.budget): nothing has to go; --free SIZE "
               "asks what would\n",
               used);
    else
        printf("the pool holds %s of its budget of %s: nothing has to go; --free SIZE asks what "
               "would\n",
               used, budget);
}

static void say_shortfall(const struct pingo_decide_summary *s, const struct pingo_pool_usage *u)
{
    char shortfall[PINGO__UNITS_SIZE], leaves[PINGO__UNITS_SIZE], kept[PINGO__UNITS_SIZE],
        claimed[PINGO__UNITS_SIZE];
    pingo__units_print_size(shortfall, s->shortfall_bytes);
    pingo__units_print_size(leaves, u->leaf_bytes);
    pingo__units_print_size(kept, u->kept_bytes);
    pingo__units_print_size(claimed, u->claimed_bytes);
    printf("%s more cannot be freed: leaves hold %s (pingo release), kept datasets %s, claimed "
           "ones %s\n",
           shortfall, leaves, kept, claimed);
}

static void print_summary(const struct pingo_decide_summary *s, const struct pingo_pool_usage *usage)
{
    char freed[PINGO__UNITS_SIZE], remake[PINGO__UNITS_SIZE];
    if (s->free_bytes <= 0) {
        say_why_not(usage);
        return;
    }
    pingo__units_print_size(freed, s->freed_bytes);
    pingo__units_print_duration(remake, s->remake_ms);
    printf("%zu dataset%s would go, %s, %s to make again, chosen by %s\n", s->nvictims,
           s->nvictims == 1 ? "" : "s", freed, remake, s->algorithm);
    if (s->shortfall_bytes > 0)
        say_shortfall(s, usage);
}

/* One that cannot be used is wrong usage. */
static int check_algorithm(const struct cli_args *args, const char *name)
{
    struct pingo_decision_selection *selection = NULL;
    struct pingo_error err = {0};
    int rc = name ? pingo_decision_select(name, &selection, &err) : 0;
    pingo_decision_selection_free(selection);
    return rc == 0 ? CLI_OK : cli_usage(args, "%s", err.message);
}

int cli_dry_run(struct cli *cli, const struct cli_args *args)
{
    struct pingo__view_decision d = {.summary.size = sizeof d.summary, .usage.size = sizeof d.usage};
    struct pingo_decide_options options = {
        .version = 1, .algorithm = cli_value(args, "algorithm"), .free_bytes = -1, .usage = &d.usage};
    struct pingo_error err = {0};
    int status = cli_value_size(args, "free", &options.free_bytes);
    if (status == CLI_OK)
        status = check_algorithm(args, options.algorithm);
    if (status == CLI_OK)
        status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    struct cli_answer answer;
    cli_list_within(&answer, cli, &pingo__view_decision, &d);
    int rc = pingo_store_decide(cli->store, &options, on_decided, &answer, &d.summary, &err);
    status = cli_list_end(&answer, &d, rc, &err);
    if (status == CLI_OK && !cli->json)
        print_summary(&d.summary, &d.usage);
    return status;
}
