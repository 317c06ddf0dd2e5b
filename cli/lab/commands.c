/* commands.c - the commands of pingo-lab, in the order in which help shows them. */
#include "command.h"

extern const struct cli_command cli_generate, cli_import, cli_simulate;

static const struct cli_command *const commands[] = {&cli_generate, &cli_import, &cli_simulate,
                                                     NULL};

const struct cli_command *const *cli_commands(void)
{
    return commands;
}

const char cli_overview[] =
    "usage: pingo-lab [-C DIR] COMMAND [OPTION]... [OPERAND]...\n\n"
    "The laboratory of Pingo: histories that are made up or were recorded elsewhere, and what\n"
    "decision algorithms and budgets would have made of them.  \"pingo COMMAND\" is the same.\n\n"
    "commands:\n";
