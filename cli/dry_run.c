/* dry_run.c - pingo decide --dry-run: what a decision would delete of the store now. */
#include "dry_run.h"

#include <pingo.h>
#include <pingo/pool.h>

#include "json.h"
#include "message.h"
#include "session.h"

struct printer {
    const struct cli *cli;
    struct cli_json json;
    bool opened; /* the heading was printed */
};

static void print_row(const struct pingo_decided *d)
{
    char hash[CLI_SHORT_HASH], size[PINGO__UNITS_SIZE], time[PINGO__UNITS_SIZE], name[24];
    cli_short_hash(hash, &d->hash);
    pingo__units_print_size(size, d->size_bytes);
    pingo__units_print_duration(time, d->remake_ms);
    cli_clean(name, sizeof name, d->name);
    printf("%s  ", hash);
    cli_pad(stdout, name, 16);
    printf("  ");
    cli_pad_left(stdout, size, 9);
    printf("  ");
    cli_pad_left(stdout, time, 12);
    printf("  %12.6g  ", d->score);
    cli_print_clean(stdout, d->reason);
    putchar('\n');
}

static int on_decided(void *context, const struct pingo_decided *d)
{
    struct printer *p = context;
    if (p->cli->json) {
        cJSON *o = cli_json_object();
        cli_json_hash(o, "hash", &d->hash);
        cli_json_text(o, "name", d->name);
        cli_json_add(o, "score", cJSON_CreateNumber(d->score));
        cli_json_int(o, "sizeBytes", d->size_bytes);
        cli_json_known(o, "computeMs", d->compute_ms);
        cli_json_int(o, "remakeMs", d->remake_ms);
        cli_json_text(o, "reason", d->reason);
        cli_json_item(&p->json, NULL, o);
        return 0;
    }
    if (!p->opened)
        printf("%sDATASET       NAME                   SIZE    MAKE AGAIN         SCORE  WHY%s\n",
               cli_colour(stdout, CLI_BOLD), cli_colour(stdout, CLI_PLAIN));
    p->opened = true;
    print_row(d);
    return 0;
}

static cJSON *usage_json(const struct pingo_pool_usage *u)
{
    cJSON *o = cli_json_object();
    cli_json_known(o, "budgetBytes", u->budget_bytes);
    cli_json_known(o, "highBytes", u->high_bytes);
    cli_json_known(o, "lowBytes", u->low_bytes);
    cli_json_int(o, "usedBytes", u->used_bytes);
    cli_json_int(o, "storedBytes", u->stored_bytes);
    cli_json_int(o, "keptBytes", u->kept_bytes);
    cli_json_int(o, "claimedBytes", u->claimed_bytes);
    cli_json_int(o, "candidateBytes", u->candidate_bytes);
    cli_json_int(o, "leafBytes", u->leaf_bytes);
    cli_json_int(o, "leavingBytes", u->leaving_bytes);
    cli_json_int(o, "undeletableBytes", u->undeletable_bytes);
    cli_json_int(o, "failedBytes", u->failed_bytes);
    cli_json_int(o, "orphanBytes", u->orphan_bytes);
    return o;
}

static void print_summary_json(struct printer *p, const struct pingo_decide_summary *s,
                               const struct pingo_pool_usage *usage)
{
    cJSON *o = cli_json_object();
    cli_json_close(&p->json); /* victims */
    cli_json_text(o, "algorithm", s->algorithm);
    cli_json_add(o, "usage", usage_json(usage));
    cli_json_int(o, "freeBytes", s->free_bytes);
    cli_json_int(o, "freedBytes", s->freed_bytes);
    cli_json_int(o, "shortfallBytes", s->shortfall_bytes);
    cli_json_int(o, "remakeMs", s->remake_ms);
    cli_json_members(&p->json, o);
    cli_json_close(&p->json);
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
    int rc = name == NULL ? 0 : pingo_decision_select(name, &selection, &err);
    pingo_decision_selection_free(selection);
    return rc == 0 ? CLI_OK : cli_usage(args, "%s", err.message);
}

int cli_dry_run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_pool_usage usage = {.size = sizeof usage};
    struct pingo_decide_options options = {
        .version = 1, .algorithm = cli_value(args, "algorithm"), .free_bytes = -1, .usage = &usage};
    struct printer printer = {.cli = cli};
    struct pingo_decide_summary summary = {.size = sizeof summary};
    struct pingo_error err = {0};
    int status = cli_value_size(args, "free", &options.free_bytes);
    if (status == CLI_OK)
        status = check_algorithm(args, options.algorithm);
    if (status == CLI_OK)
        status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    if (cli->json) {
        cli_json_begin(&printer.json, stdout);
        cli_json_open(&printer.json, NULL, '{');
        cli_json_open(&printer.json, "victims", '[');
    }
    if (pingo_store_decide(cli->store, &options, on_decided, &printer, &summary, &err) != 0)
        return cli_error(cli, &err);
    if (cli->json)
        print_summary_json(&printer, &summary, &usage);
    else
        print_summary(&summary, &usage);
    return CLI_OK;
}
