/* elsewhere.h - programs beside this one: where they lie, and the commands that they have.
 *
 * They lie in this program's own libexec directory, or beside it in a build tree; PATH is never
 * searched. */
#ifndef CLI_ELSEWHERE_H
#define CLI_ELSEWHERE_H

#include <limits.h>
#include <stdio.h>

#include "command.h"

/* The directory in which a program lies, from its name.  false: there is none. */
bool cli_elsewhere_find(const char *program, char directory[PATH_MAX]);
/* The path of a file that lies there. */
bool cli_elsewhere_file(const char *name, char path[PATH_MAX]);
/* Names what else can be started as pingo NAME, on a line after an empty one; nothing where there is none. */
void cli_elsewhere_list(FILE *out);
/* Becomes the program that has a command, with the line as it was given.  Only returns where that cannot
 * be: the exit status, after a message. */
int cli_elsewhere_run(struct cli *cli, const struct cli_command *command);
/* Becomes pingo-NAME, with all of the line but NAME, which is word `at` of it.  Returns where there is none. */
void cli_elsewhere_try(struct cli *cli, int at);

#endif
