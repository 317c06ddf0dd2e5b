/* import.c - pingo import: recorded runs of other systems, made into a history.
 *
 * Nothing is written before every file was understood. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pingo-lab.h>

#include "elsewhere.h"
#include "histories.h"
#include "session.h"

/* In the order of enum pingo_import_as, from PINGO_IMPORT_GROWTH on. */
static const char *const kinds[] = {"growth", "sweep", "users", "code-change", "targets", NULL};

static const char *choice(const char *option, size_t i, const char **meaning)
{
    (void)meaning;
    return strcmp(option, "as") == 0 ? kinds[i] : NULL;
}

static int read_kind(const struct cli_args *args, enum pingo_import_as *as)
{
    const char *kind = cli_value(args, "as");
    *as = PINGO_IMPORT_GROWTH;
    if (!kind)
        return CLI_OK;
    size_t n = 0;
    for (; kinds[n]; n++) {
        if (strcmp(kind, kinds[n]) == 0) {
            *as = (enum pingo_import_as)(PINGO_IMPORT_GROWTH + n);
            return CLI_OK;
        }
    }
    const char *near = pingo__text_nearest(kind, kinds, n);
    return cli_usage(args, "--as takes growth, sweep, users, code-change or targets%s%s%s",
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* An option that belongs to one kind alone. */
static int read_own(const struct cli_args *args, const char *option, bool fits, int64_t max,
                    uint32_t *value)
{
    *value = (uint32_t)cli_number(args, option, 1, max, 0);
    if (cli_check(args) == CLI_OK && cli_value(args, option) && !fits)
        return cli_usage(args, "--%s does not go with this --as", option);
    return cli_check(args);
}

static int read_options(const struct cli_args *args, struct pingo_import_options *options)
{
    int rc = read_kind(args, &options->as);
    options->version = 1;
    options->seed = (uint64_t)cli_number(args, "seed", 0, INT64_MAX, 0);
    if (rc == CLI_OK)
        rc = read_own(args, "submissions", true, PINGO_IMPORT_SUBMISSIONS_MAX,
                      &options->nsubmissions);
    if (rc == CLI_OK)
        rc = read_own(args, "users", options->as == PINGO_IMPORT_USERS, PINGO_IMPORT_USERS_MAX,
                      &options->nusers);
    if (rc == CLI_OK)
        rc = read_own(args, "every", options->as == PINGO_IMPORT_CODE_CHANGE,
                      PINGO_IMPORT_SUBMISSIONS_MAX, &options->every);
    if (rc == CLI_OK)
        rc = read_own(args, "targets", options->as == PINGO_IMPORT_TARGETS,
                      PINGO_IMPORT_TARGETS_MAX, &options->ntargets);
    return rc;
}

static int read_files(struct cli *cli, const struct cli_args *args, struct pingo_import *import)
{
    for (size_t i = 1; i < args->noperands; i++) {
        struct cli_document document = {0};
        char *progress = cli_format("reading %zu of %zu", i, args->noperands - 1);
        cli_progress_show(progress);
        free(progress);
        int rc = cli_document_read(&document, cli_operand(args, i), 0);
        if (rc == CLI_OK && pingo_import_wfformat(import, document.label, document.text,
                                                  document.length, &cli->err) != 0) {
            cli_progress_clear();
            if (cli->err.code == PINGO_ENOMEM)
                rc = cli_error(cli);
            else {
                cli_message("%s: %s", document.label, cli->err.message);
                rc = cli_exit_of(cli->err.code);
            }
        }
        cli_document_clear(&document);
        if (rc != CLI_OK)
            return rc;
    }
    cli_progress_clear();
    return CLI_OK;
}

static void print_summary(const struct pingo_import_facts *facts,
                          const struct pingo_history *history)
{
    cli_note("%" PRIu32 " run%s of %" PRIu32 " application%s: %" PRIu64 " tasks, %" PRIu64
             " distinct; %" PRIu32 " submissions with %" PRIu32 " distinct actions",
             facts->nruns, facts->nruns == 1 ? "" : "s", facts->napplications,
             facts->napplications == 1 ? "" : "s", facts->ntasks, facts->ndistinct,
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

const struct cli_command cli_import = {"import", "format file+", run, .choice = choice};
