/* decide.c - pingo decide: what an algorithm would delete, in a scenario or in the store; changes nothing. */
#include <string.h>

#include "answer.h"

CLI_ROWS(on_victim, struct pingo_scenario_victim)
CLI_ROWS(on_decided, struct pingo_decided)

static int list_algorithms(struct cli *cli)
{
    struct cli_answer a;
    const struct pingo_decision_algorithm *algorithm;
    cli_list(&a, cli, &pingo__view_algorithm);
    for (size_t i = 0; (algorithm = pingo_decision_at(i)); i++)
        cli_row(&a, algorithm);
    return cli_list_end(&a, NULL, 0);
}

/* One that cannot be used is wrong usage. */
static int select_algorithm(const struct cli_args *args, const char *name,
                            struct pingo_decision_selection **selection)
{
    int rc = pingo_decision_select(name, selection, &args->cli->err);
    if (rc == 0)
        return CLI_OK;
    return rc == PINGO_ENOMEM ? cli_error(args->cli) : cli_usage(args, "%s", args->cli->err.message);
}

static int decide_scenario(struct cli *cli, const char *operand,
                           const struct pingo_decision_selection *selection)
{
    const struct pingo_decision_algorithm *algorithm = pingo_decision_selection_algorithm(selection);
    struct pingo__view_scenario whole = {.algorithm = algorithm->name,
                                         .result.size = sizeof whole.result};
    struct cli_document document = {0};
    struct pingo_scenario *scenario = NULL;
    int rc = cli_document_read(&document, operand, 0);
    if (rc != CLI_OK)
        return rc;
    if (pingo_scenario_parse(document.text, document.length, &scenario, &cli->err) != 0) {
        rc = cli_error_of(cli, document.label);
    } else {
        struct cli_answer a;
        cli_list_within(&a, cli, &pingo__view_scenario, &whole);
        rc = pingo_scenario_decide(
            scenario,
            &(struct pingo_scenario_options){.version = 1,
                                             .algorithm = algorithm,
                                             .values = pingo_decision_selection_values(selection),
                                             .victim = on_victim,
                                             .context = &a},
            &whole.result, &cli->err);
        rc = cli_list_end(&a, &whole, rc);
    }
    pingo_scenario_free(scenario);
    return rc;
}

/* What a decision would delete of the store now. */
static int decide_store(struct cli *cli, const struct cli_args *args)
{
    struct pingo__view_decision d = {.summary.size = sizeof d.summary, .usage.size = sizeof d.usage};
    struct cli_answer a;
    struct pingo_decide_options options = {.version = 1,
                                           .algorithm = cli_value(args, "algorithm"),
                                           .free_bytes = cli_size(args, "free", -1),
                                           .usage = &d.usage,
                                           .decided = on_decided,
                                           .context = &a};
    struct pingo_decision_selection *selection = NULL;
    int rc = options.algorithm ? select_algorithm(args, options.algorithm, &selection) : CLI_OK;
    pingo_decision_selection_free(selection);
    if (rc == CLI_OK)
        rc = cli_open(cli);
    if (rc != CLI_OK)
        return rc;
    cli_list_within(&a, cli, &pingo__view_decision, &d);
    rc = pingo_store_decide(cli->store, &options, &d.summary, &cli->err);
    return cli_list_end(&a, &d, rc);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *file = cli_value(args, "scenario"), *name = cli_value(args, "algorithm");
    struct pingo_decision_selection *selection = NULL;
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
        return decide_store(cli, args);
    int rc = select_algorithm(args, name ? name : PINGO_DECISION_DEFAULT, &selection);
    if (rc == CLI_OK)
        rc = decide_scenario(cli, file, selection);
    pingo_decision_selection_free(selection);
    return rc;
}

static const char *choice(const char *option, size_t i, const char **meaning)
{
    return strcmp(option, "algorithm") == 0 ? cli_algorithm_at(i, meaning) : NULL;
}

const struct cli_command cli_decide = {
    "decide", NULL, run,
    CLI_DOCUMENTS({"with --dry-run", &pingo__view_decision, false},
                  {"with --scenario", &pingo__view_scenario, false},
                  {"with --list", &pingo__view_algorithm, true}),
    .choice = choice};
