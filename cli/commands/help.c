/* help.c - pingo help: the overview, one command, the exit statuses; all from the tables. */
#include "help.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "args.h"
#include "elsewhere.h"
#include "message.h"

static void show_option(const struct cli_option *o)
{
    char text[64];
    snprintf(text, sizeof text, "  %c%c%s --%s%s%s", o->short_name != 0 ? '-' : ' ',
             o->short_name != 0 ? o->short_name : ' ', o->short_name != 0 ? "," : " ", o->long_name,
             o->argument ? " " : "", o->argument ? o->argument : "");
    cli_pad(stdout, text, 28);
    printf(" %s\n", o->help);
}

static void show_exit(int status)
{
    printf("  %3d  %s\n", status, cli_exit_meaning(status));
}

static bool has_exit(const struct cli_command *command, int status)
{
    if (status == CLI_OK || status == CLI_USAGE || status == CLI_INTERNAL)
        return true;
    if ((command->flags & CLI_NEEDS_STORE) != 0 && (status == CLI_NOSTORE || status == CLI_BUSY))
        return true;
    for (const int *e = command->exits; e && *e != 0; e++)
        if (*e == status)
            return true;
    return false;
}

void cli_help_command(const struct cli_command *command)
{
    printf("usage: pingo %s [OPTION]...%s%s\n\n%s\n", command->name,
           command->synopsis[0] != '\0' ? " " : "", command->synopsis, command->description);
    printf("\noptions:\n");
    const struct cli_option *o;
    for (size_t i = 0; (o = cli_option_at(command, i)); i++)
        show_option(o);
    if (command->more) {
        printf("\n");
        command->more();
    }
    printf("\nexample:\n%s\nexit status:\n", command->example);
    size_t n;
    const struct cli_exit_line *lines = cli_exit_lines(&n);
    for (size_t i = 0; i < n; i++)
        if (has_exit(command, lines[i].status))
            show_exit(lines[i].status);
}

void cli_help_overview(FILE *out)
{
    fputs(cli_overview, out);
    for (const struct cli_command *const *c = cli_commands(); *c; c++)
        if (((*c)->flags & CLI_HIDDEN) == 0)
            fprintf(out, "  %-12s %s\n", (*c)->name, (*c)->summary);
    cli_elsewhere_list(out);
    fputs("\nA workflow is addressed by its number or \"last\", an action by its id or its name,\n"
          "a dataset by WORKFLOW ACTION or by the first digits of its hash.\n"
          "The store is the .pingo of -C DIR, else $PINGO_DIR, else the nearest .pingo above.\n\n"
          "\"pingo help COMMAND\" explains a command, \"pingo help exit\" the exit statuses.\n",
          out);
}

/* For tests of the man pages and completion: every command and option, one a line.  Another program adds its
 * own in the end. */
static int list_commands(const struct cli *cli)
{
    const struct cli_command *elsewhere = NULL;
    const struct cli_option *o;
    for (const struct cli_command *const *c = cli_commands(); *c; c++) {
        if (((*c)->flags & CLI_HIDDEN) != 0)
            continue;
        if ((*c)->program) {
            elsewhere = *c;
            continue;
        }
        printf("%s\n", (*c)->name);
        for (size_t i = 0; (o = cli_option_at(*c, i)); i++)
            printf("%s --%s\n", (*c)->name, o->long_name);
    }
    return elsewhere ? cli_elsewhere_run(cli, elsewhere) : CLI_OK;
}

static int print_schema(struct cli *cli, const struct cli_command *command)
{
    struct pingo__writer w;
    char *title = cli_format("pingo %s --json", command->name);
    cli_writer(&w, stdout);
    pingo__view_schema(&w, title, command->documents);
    cli_write(cli, &w);
    free(title);
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *topic = cli_operand(args, 0);
    bool schema = cli_flag(args, "schema");
    if (cli_flag(args, "commands"))
        return list_commands(cli);
    if (schema && !topic)
        return cli_usage(args, "--schema goes with a COMMAND that has --json");
    if (!topic) {
        cli_help_overview(stdout);
        return CLI_OK;
    }
    if (strcmp(topic, "exit") == 0) {
        size_t n;
        const struct cli_exit_line *lines = cli_exit_lines(&n);
        printf("exit status:\n");
        for (size_t i = 0; i < n; i++)
            show_exit(lines[i].status);
        printf("\npingo exec ends with the exit status of its command.\n");
        return CLI_OK;
    }
    const struct cli_command *command = cli_command_find(topic);
    if (command && command->program)
        return cli_elsewhere_run(cli, command);
    if (command && schema && !command->documents)
        return cli_usage(args, "pingo %s has no --json", command->name);
    if (command && schema)
        return print_schema(cli, command);
    if (command) {
        cli_help_command(command);
        return CLI_OK;
    }
    char hint[CLI_HINT_SIZE];
    return cli_usage(args, "there is no command \"%s\"%s", cli_shown(topic),
                     cli_command_hint(hint, topic));
}

static const struct cli_option options[] = {
    {0, "commands", NULL, "list every command and option, one a line, for scripts"},
    {0, "schema", NULL, "the JSON Schema of what the command prints with --json"},
};

const struct cli_command cli_help = {
    .name = "help",
    .synopsis = "[COMMAND | exit]",
    .summary = "explain a command, or the exit statuses",
    .description = "Explains a command: what it does, its options, an example, how it can end.\n"
                   "\"exit\" explains all exit statuses.  Without operand: lists the commands.\n"
                   "With --schema: every key of what it prints with --json, as a JSON Schema.",
    .example = "  pingo help run\n  pingo help exit\n  pingo help --schema status\n",
    CLI_OPTIONS(options),
    CLI_EXITS(CLI_HELPER),
    .max_operands = 1,
    CLI_OPERANDS("topic"),
    .run = run,
};
