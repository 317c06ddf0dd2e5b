/* help.c - pingo help: the overview, one command, the exit statuses; all from the pages. */
#include "texts.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "elsewhere.h"

void cli_text_print(FILE *out, const char *const *lines)
{
    for (; *lines; lines++)
        fprintf(out, "%s\n", *lines);
}

void cli_help_command(struct cli *cli, const struct cli_command *command)
{
    cli_text_print(stdout, cli_help_of(command->name)->lines);
    if (!command->more)
        return;
    putchar('\n');
    command->more(cli);
}

void cli_help_overview(FILE *out)
{
    fputs(cli_overview, out);
    for (const struct cli_command *const *c = cli_commands(); *c; c++)
        fprintf(out, "  %-12s %s\n", (*c)->name, cli_help_of((*c)->name)->summary);
    cli_elsewhere_list(out);
    fputs(
        "\nA workflow is addressed by its number or \"last\", an action by its id or its name,\n"
        "a dataset by WORKFLOW ACTION or by the first digits of its hash.\n"
        "The store is the .pingo of -C DIR, else $PINGO_DIR, else the nearest .pingo above.\n\n"
        "\"pingo help COMMAND\" explains a command, \"pingo help exit\" the exit statuses, \"man\n"
        "pingo-workflow\" how a workflow is written.\n",
        out);
}

/* For tests of the man pages and completion: every command and option, one a line. */
static int list_commands(void)
{
    for (const struct cli_command *const *c = cli_commands(); *c; c++) {
        printf("%s\n", (*c)->name);
        for (const struct cli_option *o = cli_options(*c); o->long_name; o++)
            printf("%s --%s\n", (*c)->name, o->long_name);
    }
    return CLI_OK;
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
    bool lists = cli_flag(args, "commands");
    if (lists && (schema || topic))
        return cli_usage(args, "--commands goes without --schema and without a COMMAND");
    if (lists)
        return list_commands();
    if (schema && (!topic || strcmp(topic, "exit") == 0))
        return cli_usage(args, "--schema goes with a COMMAND that has --json");
    if (!topic) {
        cli_help_overview(stdout);
        return CLI_OK;
    }
    if (strcmp(topic, "exit") == 0) {
        cli_text_print(stdout, cli_help_of("pingo")->lines);
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
        cli_help_command(cli, command);
        return CLI_OK;
    }
    char hint[CLI_HINT_SIZE];
    return cli_usage(args, "there is no command \"%s\"%s", cli_shown(topic),
                     cli_command_hint(hint, topic));
}

const struct cli_command cli_help = {.name = "help", .operands = "topic?", .run = run};
