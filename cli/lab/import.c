/* import.c - pingo import: recorded runs of other systems, made into a history.
 *
 * Nothing is written before every file was understood. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pingo-lab.h>

#include "histories.h"
#include "session.h"

static int read_options(const struct cli_args *args, struct pingo_import_options *options)
{
    options->version = 1;
    options->as = (enum pingo_import_as)(PINGO_IMPORT_GROWTH + cli_choice(args, "as", 0));
    options->seed = (uint64_t)cli_number(args, "seed", 0, INT64_MAX, 0);
    const struct {
        const char *option;
        int64_t most;
        uint32_t *value;
        enum pingo_import_as as; /* that it goes with; 0: all */
    } numbers[] = {
        {"submissions", PINGO_IMPORT_SUBMISSIONS_MAX, &options->nsubmissions, 0},
        {"users", PINGO_IMPORT_USERS_MAX, &options->nusers, PINGO_IMPORT_USERS},
        {"every", PINGO_IMPORT_SUBMISSIONS_MAX, &options->every, PINGO_IMPORT_CODE_CHANGE},
        {"targets", PINGO_IMPORT_TARGETS_MAX, &options->ntargets, PINGO_IMPORT_TARGETS},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && cli_check(args) == CLI_OK; i++) {
        if (cli_value(args, numbers[i].option) && numbers[i].as != 0 && numbers[i].as != options->as)
            return cli_usage(args, "--%s does not go with this --as", numbers[i].option);
        *numbers[i].value = (uint32_t)cli_number(args, numbers[i].option, 1, numbers[i].most, 0);
    }
    return cli_check(args);
}

static int read_files(struct cli *cli, const struct cli_args *args, struct pingo_import *import)
{
    for (size_t i = 1; i < args->noperands; i++) {
        struct cli_document document = {0};
        cli_progress_show("reading %zu of %zu", i, args->noperands - 1);
        int rc = cli_document_read(&document, cli_operand(args, i), 0);
        if (rc == CLI_OK && pingo_import_wfformat(import, document.label, document.text,
                                                  document.length, &cli->err) != 0)
            rc = cli_error_of(cli, document.label);
        free(document.text);
        if (rc != CLI_OK)
            return rc;
    }
    cli_progress_clear();
    return CLI_OK;
}

static void print_summary(const struct pingo_import_facts *facts,
                          const struct pingo_history *history)
{
    cli_note("runs %" PRIu32 ", applications %" PRIu32 ", tasks %" PRIu64 ", distinct %" PRIu64
             "; submissions %" PRIu32 ", distinct actions %" PRIu32,
             facts->nruns, facts->napplications, facts->ntasks, facts->ndistinct,
             pingo_history_count_submissions(history), pingo_history_count_actions(history));
    if (facts->nunknown_times > 0 || facts->nunknown_sizes > 0)
        cli_note("not known: the time of %" PRIu64 " of the tasks, the size of %" PRIu64,
                 facts->nunknown_times, facts->nunknown_sizes);
}

static int import_all(struct cli *cli, const struct cli_args *args, struct pingo_import *import)
{
    struct pingo_import_options options = {0};
    struct pingo_import_facts facts = {.size = sizeof facts};
    struct pingo_history *history = NULL;
    int rc = read_options(args, &options);
    if (rc == CLI_OK)
        rc = cli_history_check_output(args, "output");
    if (rc == CLI_OK)
        rc = read_files(cli, args, import);
    if (rc != CLI_OK)
        return rc;
    if (pingo_import_arrange(import, &options, &history, &cli->err) != 0 ||
        pingo_import_look(import, &facts, &cli->err) != 0)
        rc = cli_error(cli);
    if (rc == CLI_OK)
        rc = cli_history_write(cli, history, cli_value(args, "output"));
    if (rc == CLI_OK)
        print_summary(&facts, history);
    pingo_history_free(history);
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_import *import;
    if (strcmp(cli_operand(args, 0), "wfformat") != 0)
        return cli_usage(args, "\"%s\" is no format that can be imported; there is wfformat",
                         cli_operand(args, 0));
    if (pingo_import_new(&import, &cli->err) != 0)
        return cli_error(cli);
    int rc = import_all(cli, args, import);
    pingo_import_free(import);
    return rc;
}

static const char *const formats[] = {"wfformat", "of the WfCommons project", NULL};

const struct cli_command cli_import = {
    .name = "import", .operands = "verb file+", .run = run, .verbs = formats};
