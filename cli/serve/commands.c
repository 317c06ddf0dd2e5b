/* commands.c - the command of pingo-server. */
#include "command.h"

extern const struct cli_command cli_serve;

static const struct cli_command *const commands[] = {&cli_serve, NULL};

const struct cli_command *const *cli_commands(void)
{
    return commands;
}

const char cli_overview[] = "usage: pingo-server [-C DIR] serve [OPTION]...\n\n"
                            "\"pingo serve\" is the same.\n\ncommands:\n";
