/* decide.c - pingo decide: what an algorithm would delete, in a scenario or (dry_run.c) in the
 * store; changes nothing. */
#include <inttypes.h>
#include <pingo.h>
#include <string.h>

#include "args.h"
#include "dry_run.h"
#include "json.h"
#include "message.h"
#include "parameters.h"
#include "session.h"

struct printer {
    const struct cli *cli;
    struct cli_json json;
    const char *algorithm;
    bool opened; /* the document was begun, or the heading printed */
};

static void open_output(struct printer *p)
{
    if (p->opened)
        return;
    p->opened = true;
    if (!p->cli->json) {
        printf("%sDATASET            SIZE      TIME         SCORE  WHY%s\n",
               cli_colour(stdout, CLI_BOLD), cli_colour(stdout, CLI_PLAIN));
        return;
    }
    cJSON *head = cli_json_object();
    cli_json_text(head, "algorithm", p->algorithm);
    cli_json_begin(&p->json, stdout);
    cli_json_open(&p->json, NULL, '{');
    cli_json_members(&p->json, head);
    cli_json_open(&p->json, "victims", '[');
}

static int on_victim(void *context, const struct pingo_scenario_victim *victim)
{
    struct printer *p = context;
    open_output(p);
    if (p->cli->json) {
        cJSON *o = cli_json_object();
        cli_json_hash(o, "hash", &victim->hash);
        cli_json_add(o, "score", cJSON_CreateNumber(victim->score));
        cli_json_known(o, "sizeBytes", victim->size_bytes);
        cli_json_known(o, "computeMs", victim->compute_ms);
        cli_json_text(o, "reason", victim->reason);
        cli_json_item(&p->json, NULL, o);
        return 0;
    }
    char hash[CLI_SHORT_HASH], size[PINGO__UNITS_SIZE], time[PINGO__UNITS_SIZE];
    cli_short_hash(hash, &victim->hash);
    pingo__units_print_size(size, victim->size_bytes);
    pingo__units_print_duration(time, victim->compute_ms);
    printf("%s  ", hash);
    cli_pad_left(stdout, size, 9);
    printf("  ");
    cli_pad_left(stdout, time, 8);
    printf("  %12.6g  ", victim->score);
    cli_print_clean(stdout, victim->reason);
    putchar('\n');
    return 0;
}

static void print_result(struct printer *p, const struct pingo_decision_result *result)
{
    if (p->cli->json) {
        open_output(p);
        cli_json_close(&p->json); /* victims */
        cJSON *o = cli_json_object();
        cli_json_int(o, "freedBytes", (int64_t)result->freed_bytes);
        cli_json_int(o, "shortfallBytes", (int64_t)result->shortfall_bytes);
        cli_json_members(&p->json, o);
        cli_json_close(&p->json);
        return;
    }
    char freed[PINGO__UNITS_SIZE], shortfall[PINGO__UNITS_SIZE];
    pingo__units_print_size(freed, (int64_t)result->freed_bytes);
    printf("%zu dataset%s would go, %s\n", result->nvictims, result->nvictims == 1 ? "" : "s",
           freed);
    if (result->shortfall_bytes > 0) {
        pingo__units_print_size(shortfall, (int64_t)result->shortfall_bytes);
        printf("%s more cannot be freed: nothing else may go\n", shortfall);
    }
}

static int list_algorithms(const struct cli *cli)
{
    struct cli_json json;
    const struct pingo_decision_algorithm *algorithm;
    if (cli->json) {
        cli_json_begin(&json, stdout);
        cli_json_open(&json, NULL, '[');
    }
    for (size_t i = 0; (algorithm = pingo_decision_at(i)) != NULL; i++) {
        if (cli->json) {
            cJSON *o = cli_json_object(), *list = cli_json_array();
            for (size_t k = 0; k < algorithm->nparameters; k++)
                cli_json_add(list, NULL, cli_parameter_json(&algorithm->parameters[k]));
            cli_json_text(o, "name", algorithm->name);
            cli_json_text(o, "summary", algorithm->summary);
            cli_json_add(o, "parameters", list);
            cli_json_item(&json, NULL, o);
        } else {
            printf("%s  %s\n", algorithm->name, algorithm->summary);
            for (size_t k = 0; k < algorithm->nparameters; k++)
                cli_parameter_print(&algorithm->parameters[k]);
        }
    }
    if (cli->json)
        cli_json_close(&json);
    return CLI_OK;
}

static int decide(struct cli *cli, const char *operand,
                  const struct pingo_decision_selection *selection)
{
    const struct pingo_decision_algorithm *algorithm = pingo_decision_selection_algorithm(selection);
    struct printer printer = {.cli = cli, .algorithm = algorithm->name};
    struct cli_document document = {0};
    struct pingo_scenario *scenario = NULL;
    struct pingo_decision_result result = {.size = sizeof result};
    struct pingo_error err = {0};
    int status = cli_document_read(&document, operand, 0);
    if (status != CLI_OK)
        return status;
    if (pingo_scenario_parse(document.text, document.length, &scenario, &err) != 0) {
        cli_message("%s: %s", document.label, err.message);
        status = cli_exit_of(err.code);
    } else if (pingo_scenario_decide(scenario, algorithm, pingo_decision_selection_values(selection),
                                     on_victim, &printer, &result, &err) != 0) {
        status = cli_error(cli, &err);
    } else {
        print_result(&printer, &result);
    }
    pingo_scenario_free(scenario);
    cli_document_clear(&document);
    return status;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *file = cli_value(args, "scenario"), *name = cli_value(args, "algorithm");
    struct pingo_decision_selection *selection = NULL;
    struct pingo_error err = {0};
    bool is_dry_run = cli_flag(args, "dry-run"), is_list = cli_flag(args, "list");
    if (is_list && (is_dry_run || file != NULL || name != NULL))
        return cli_usage(args, "--list goes without --dry-run, --scenario and --algorithm");
    if (is_dry_run && file != NULL)
        return cli_usage(args, "--dry-run and --scenario exclude each other");
    if (!is_list && !is_dry_run && file == NULL)
        return cli_usage(args, "give --dry-run, --scenario FILE, or --list");
    if (cli_value(args, "free") != NULL && !is_dry_run)
        return cli_usage(args, "--free goes with --dry-run");
    if (is_list)
        return list_algorithms(cli);
    if (is_dry_run)
        return cli_dry_run(cli, args);
    int rc = pingo_decision_select(name == NULL ? PINGO_DECISION_DEFAULT : name, &selection, &err);
    if (rc == PINGO_EINVAL || rc == PINGO_EVERSION || rc == PINGO_EIO)
        return cli_usage(args, "%s", err.message);
    if (rc != 0)
        return cli_error(cli, &err);
    int status = decide(cli, file, selection);
    pingo_decision_selection_free(selection);
    return status;
}

static const char *choice(const char *option, size_t i, const char **meaning)
{
    return strcmp(option, "algorithm") == 0 ? cli_algorithm_at(i, meaning) : NULL;
}

static const struct cli_option options[] = {
    {0, "dry-run", NULL, "what would go of the store now"},
    {0, "free", "SIZE", "with --dry-run: to free so much; default what the budget asks for"},
    {0, "scenario", "FILE", "a history, what is stored, and the bytes to free, in JSON"},
    {0, "algorithm", "NAME",
     "NAME, NAME:KEY=VALUE,..., or ./PLUG-IN.so; default the store's (--scenario: chain)"},
    {0, "list", NULL, "show the built-in algorithms and their parameters"},
};
static const int exits[] = {CLI_INVALID, CLI_NOTFOUND, 0};
static const char *const operands[] = {NULL};

const struct cli_command cli_decide = {
    .name = "decide",
    .synopsis = "--dry-run | --scenario FILE | --list",
    .summary = "show which datasets would be deleted to make room, and why",
    .description =
        "Prints what the decision algorithm would delete, in order, with its score, the time that\n"
        "making it again would take, and the reason.  Deletes nothing.  --dry-run asks for the\n"
        "store as it is now.  --scenario reads a history of submissions, the stored datasets and\n"
        "the bytes to free (pingo-decision(7)), and needs no store; FILE - is standard input.",
    .example = "  pingo decide --dry-run\n  pingo decide --dry-run --free 10G --algorithm lru\n"
               "  pingo decide --scenario full.json --algorithm gdsf:cost=local\n"
               "  pingo decide --list\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .operands = operands,
    .choice = choice,
    .run = run,
};
