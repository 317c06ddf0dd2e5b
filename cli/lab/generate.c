/* generate.c - pingo generate: a history made by chance, or workflow files that run it for real. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pingo-lab/generate.h>

#include "answer.h"
#include "base/file.h"
#include "histories.h"
#include "view/columns.h"

/* ---- families --------------------------------------------------------------------------------- */

static bool has_parameter(const struct pingo_generate_family *family, const char *name)
{
    struct pingo_decision_parameter p;
    for (size_t i = 0; pingo_generate_parameter_at(family, i, &p) == 0; i++)
        if (strcmp(p.name, name) == 0)
            return true;
    return false;
}

/* The families that have a parameter: "a, b, c"; yours. */
static char *families_with(const char *name)
{
    const struct pingo_generate_family *family;
    char *all = cli_copy("");
    for (size_t i = 0; (family = pingo_generate_family_at(i)); i++)
        if (has_parameter(family, name))
            cli_append(&all, "%s%s", all[0] == '\0' ? "" : ", ", family->name);
    return all;
}

/* The parameters that the families before the i-th do not have, under a heading with all that do. */
static void print_parameters(struct cli *cli, size_t i)
{
    struct pingo_decision_parameter p;
    char *heading = cli_copy("");
    for (size_t k = 0; pingo_generate_parameter_at(pingo_generate_family_at(i), k, &p) == 0; k++) {
        bool is_known = false;
        for (size_t before = 0; before < i; before++)
            is_known = is_known || has_parameter(pingo_generate_family_at(before), p.name);
        char *families = families_with(p.name);
        if (!is_known && strcmp(families, heading) != 0)
            printf("  %s\n", families);
        if (!is_known)
            cli_answer(cli, CLI_DATA, &pingo__view_parameter, &p);
        heading = families;
    }
}

static void print_families(struct cli *cli)
{
    const struct pingo_generate_family *family;
    printf("families:\n");
    for (size_t i = 0; (family = pingo_generate_family_at(i)); i++)
        printf("  %-10s %s\n", family->name, family->summary);
    printf("\nparameters, with the defaults of the first family that has them:\n");
    for (size_t i = 0; pingo_generate_family_at(i); i++)
        print_parameters(cli, i);
}

static void each_parameter(const void *row, void (*fn)(void *context, const void *element),
                           void *context)
{
    struct pingo_decision_parameter p;
    for (size_t k = 0; pingo_generate_parameter_at(row, k, &p) == 0; k++)
        fn(context, &p);
}

#define ROW struct pingo_generate_family
static const struct pingo__view_column columns[] = {
    COLUMN("name", TEXT, name, "the name"),
    COLUMN("summary", TEXT, summary, "what it makes"),
    EACH("parameters", &pingo__view_parameter, each_parameter, "what can be set of it"),
};
static const struct pingo__view_table family_view = VIEW("family", columns, ROW);
#undef ROW

static void print_families_json(struct cli *cli)
{
    const struct pingo_generate_family *family;
    struct cli_answer a;
    cli_list(&a, cli, &family_view);
    for (size_t i = 0; (family = pingo_generate_family_at(i)); i++)
        cli_row(&a, family);
    cli_list_end(&a, NULL, 0);
}

/* ---- the history -------------------------------------------------------------------------------- */

/* All --set, with commas between. */
static char *join_parameters(const struct cli_args *args)
{
    size_t n;
    const char **given = cli_values(args, "set", &n);
    char *all = cli_copy("");
    for (size_t i = 0; i < n; i++)
        cli_append(&all, "%s%s", i == 0 ? "" : ",", given[i]);
    return all;
}

static int make_history(struct cli *cli, const struct cli_args *args, struct pingo_history **history)
{
    int64_t seed = cli_number(args, "seed", 0, INT64_MAX, 1);
    if (cli_check(args) != CLI_OK)
        return CLI_USAGE;
    struct pingo_generate_options options = {.version = 1,
                                             .family = cli_value(args, "family"),
                                             .parameters = join_parameters(args),
                                             .seed = (uint64_t)seed};
    int rc = pingo_generate(&options, history, &cli->err);
    if (rc == PINGO_EINVAL)
        return cli_usage(args, "%s", cli->err.message);
    return rc == 0 ? CLI_OK : cli_error(cli);
}

/* ---- workflow files --------------------------------------------------------------------------------- */

/* DIGITS[.DIGITS], more than 0 where zero is not allowed; the locale does not matter. */
static int read_scale(const struct cli_args *args, const char *option, bool zero_too, double *scale)
{
    const char *text = cli_value(args, option);
    if (!text)
        return CLI_OK;
    if (text[0] != '-' && pingo__text_to_real(text, scale) && *scale <= 1e6 &&
        (*scale > 0 || zero_too))
        return CLI_OK;
    return cli_usage(args, "--%s takes a decimal number %s, at most 1000000, such as 0.001", option,
                     zero_too ? "from 0 on" : "greater than 0");
}

/* The directory is made where it is not there; there may be nothing in it. */
static int open_directory(const char *path)
{
    DIR *dir;
    if (mkdir(path, 0777) == 0)
        return CLI_OK;
    if (errno != EEXIST || !(dir = opendir(path)))
        return cli_file_error("make the directory", path, errno);
    bool is_empty = !pingo__file_next(dir);
    closedir(dir);
    if (is_empty)
        return CLI_OK;
    cli_message("%s is not empty: name a directory that is, or that is not there yet", path);
    return CLI_NOTFOUND;
}

static int write_file(const char *path, const char *text, size_t length)
{
    FILE *out = fopen(path, "wex");
    bool ok = out && fwrite(text, 1, length, out) == length;
    if (out)
        ok = fclose(out) == 0 && ok;
    if (ok)
        return CLI_OK;
    return cli_file_error("write", path, errno);
}

/* Numbers from 1, as wide as the last, but at least 4 digits: the shell's order is that of submission. */
static int write_workflow(struct cli *cli, const struct pingo_history *history, uint32_t i,
                          const struct pingo_generate_workflow_options *options,
                          const char *directory)
{
    char *text = NULL;
    int width = snprintf(NULL, 0, "%" PRIu32, pingo_history_count_submissions(history));
    if (pingo_generate_workflow(history, i, options, &text, &cli->err) != 0)
        return cli_error(cli);
    char *path = cli_format("%s/%0*" PRIu32 ".json", directory, width < 4 ? 4 : width, i + 1);
    int rc = write_file(path, text, strlen(text));
    free(path);
    free(text);
    return rc;
}

static int write_workflows(struct cli *cli, const struct cli_args *args,
                           const struct pingo_history *history, const char *directory)
{
    struct pingo_generate_workflow_options options = {.version = 1, .time_scale = 1, .size_scale = 1};
    uint32_t n = pingo_history_count_submissions(history);
    int rc = read_scale(args, "time-scale", true, &options.time_scale);
    if (options.time_scale == 0) /* which the library would take for the default */
        options.time_scale = -1;
    if (rc == CLI_OK)
        rc = read_scale(args, "size-scale", false, &options.size_scale);
    if (rc == CLI_OK)
        rc = open_directory(directory);
    for (uint32_t i = 0; rc == CLI_OK && i < n; i++)
        rc = write_workflow(cli, history, i, &options, directory);
    if (rc == CLI_OK)
        cli_note("%" PRIu32 " workflow%s in %s, %" PRIu32 " distinct actions", n, n == 1 ? "" : "s",
                 directory, pingo_history_count_actions(history));
    return rc;
}

/* ---- the command --------------------------------------------------------------------------------------- */

#define MAKING "family|seed|set|output|workflows|time-scale|size-scale|from"
static int check_options(struct cli *cli, const struct cli_args *args)
{
    bool workflows = cli_value(args, "workflows");
    for (size_t i = 0; cli_flag(args, "list") && i < args->ngiven; i++)
        if (pingo__text_is_among(MAKING, args->given[i].option->long_name))
            return cli_usage(args, "--list goes without --%s", args->given[i].option->long_name);
    if (cli->json && !cli_flag(args, "list"))
        return cli_usage(args, "--json goes with --list; a history is JSON lines as it is");
    if (workflows && cli_value(args, "output"))
        return cli_usage(args, "--output and --workflows exclude each other");
    if (!workflows && (cli_value(args, "time-scale") || cli_value(args, "size-scale")))
        return cli_usage(args, "--time-scale and --size-scale go with --workflows");
    if (cli_value(args, "from") &&
        (cli_value(args, "family") || cli_value(args, "seed") || cli_value(args, "set")))
        return cli_usage(args,
                         "--from brings a history: it goes without --family, --seed and --set");
    if (cli_value(args, "from") && !workflows)
        return cli_usage(args, "--from goes with --workflows");
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *from = cli_value(args, "from"), *directory = cli_value(args, "workflows");
    struct pingo_history *history = NULL;
    int rc = check_options(cli, args);
    if (rc != CLI_OK)
        return rc;
    if (cli_flag(args, "list")) {
        if (cli->json)
            print_families_json(cli);
        else
            print_families(cli);
        return CLI_OK;
    }
    rc = from ? cli_history_read(cli, from, &history) : make_history(cli, args, &history);
    if (rc == CLI_OK)
        rc = directory ? write_workflows(cli, args, history, directory)
                       : cli_history_write(cli, history, cli_value(args, "output"));
    pingo_history_free(history);
    return rc;
}

static const char *choice(const char *option, size_t i, const char **meaning)
{
    return strcmp(option, "family") == 0 ? cli_family_at(i, meaning) : NULL;
}

const struct cli_command cli_generate = {"generate",
                                         NULL,
                                         run,
                                         CLI_DOCUMENTS({"with --list", &family_view, true}),
                                         .more = print_families,
                                         .choice = choice};
