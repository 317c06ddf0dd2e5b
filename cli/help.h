/* help.h - help texts, made from the tables of the commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

void cli_help_command(const struct cli_command *command);
void cli_help_overview(FILE *out);

#endif
