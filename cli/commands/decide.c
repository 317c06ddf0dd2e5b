/* decide.c - pingo decide: what an algorithm would delete, in a scenario or (dry_run.c) in the
 * store; changes nothing. */
#include <inttypes.h>
#include <pingo.h>
#include <string.h>

#include "answer.h"
#include "args.h"
#include "dry_run.h"
#include "message.h"
#include "parameters.h"
#include "session.h"

static int on_victim(void *context, const struct pingo_scenario_victim *victim)
{
    return cli_row(context, victim);
}

static void print_result(const struct pingo_decision_result *result)
{
    char size[PINGO__UNITS_SIZE];
    printf("%zu dataset%s would go, %s\n", result->nvictims, result->nvictims == 1 ? "" : "s",
           pingo__units_print_size(size, (int64_t)result->freed_bytes));
    if (result->shortfall_bytes > 0)
        printf("%s more cannot be freed: nothing else may go\n",
               pingo__units_print_size(size, (int64_t)result->shortfall_bytes));
}

static int list_algorithms(struct cli *cli)
{
    struct cli_answer a;
    const struct pingo_decision_algorithm *algorithm;
    cli_list(&a, cli, &pingo__view_algorithm);
    for (size_t i = 0; (algorithm = pingo_decision_at(i)); i++) {
        if (cli->json) {
            cli_row(&a, algorithm);
            continue;
        }
        printf("%s  %s\n", algorithm->name, algorithm->summary);
        for (size_t k = 0; k < algorithm->nparameters; k++)
            cli_parameter_print(&algorithm->parameters[k]);
    }
    return cli_list_end(&a, NULL, 0, NULL);
}

static int decide(struct cli *cli, const char *operand,
                  const struct pingo_decision_selection *selection)
{
    const struct pingo_decision_algorithm *algorithm = pingo_decision_selection_algorithm(selection);
    struct pingo__view_scenario whole = {.algorithm = algorithm->name,
                                         .result.size = sizeof whole.result};
    struct cli_document document = {0};
    struct pingo_scenario *scenario = NULL;
    struct pingo_error err = {0};
    int status = cli_document_read(&document, operand, 0);
    if (status != CLI_OK)
        return status;
    if (pingo_scenario_parse(document.text, document.length, &scenario, &err) != 0) {
        cli_message("%s: %s", document.label, err.message);
        status = cli_exit_of(err.code);
    } else {
        struct cli_answer answer;
        cli_list_within(&answer, cli, &pingo__view_scenario, &whole);
        int rc =
            pingo_scenario_decide(scenario, algorithm, pingo_decision_selection_values(selection),
                                  on_victim, &answer, &whole.result, &err);
        status = cli_list_end(&answer, &whole, rc, &err);
        if (status == CLI_OK && !cli->json)
            print_result(&whole.result);
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
    if (is_list && (is_dry_run || file || name))
        return cli_usage(args, "--list goes without --dry-run, --scenario and --algorithm");
    if (is_dry_run && file)
        return cli_usage(args, "--dry-run and --scenario exclude each other");
    if (!is_list && !is_dry_run && !file)
        return cli_usage(args, "give --dry-run, --scenario FILE, or --list");
    if (cli_value(args, "free") && !is_dry_run)
        return cli_usage(args, "--free goes with --dry-run");
    if (is_list)
        return list_algorithms(cli);
    if (is_dry_run)
        return cli_dry_run(cli, args);
    int rc = pingo_decision_select(name ? name : PINGO_DECISION_DEFAULT, &selection, &err);
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

static const struct pingo__view_document documents[] = {
    {"with --dry-run", &pingo__view_decision, false},
    {"with --scenario", &pingo__view_scenario, false},
    {"with --list", &pingo__view_algorithm, true},
    {0},
};

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
    .documents = documents,
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .operands = operands,
    .choice = choice,
    .run = run,
};
