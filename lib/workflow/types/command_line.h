/* command_line.h - the environment of commands, and the warnings of command-line actions. */
#ifndef PINGO__WORKFLOW_COMMAND_LINE_H
#define PINGO__WORKFLOW_COMMAND_LINE_H

#include <pingo/action_type.h>

/* Of the encoding: pingo-hash(7).  Names and values, in byte order of the names. */
#define PINGO__COMMAND_CONSTANTS 3
extern const char *const pingo__workflow_command_constants[PINGO__COMMAND_CONSTANTS][2];
/* The PATH on which a command with these fields finds programs. */
const char *pingo__workflow_command_path(const struct pingo_field *fields, size_t nfields);

/* Looks at a command's text for what is probably a mistake: a role or input that is never
 * mentioned, in/X that is no role, an undeclared file, shell operators among arguments. */
void pingo__workflow_command_warn(const struct pingo_action *action,
                                  const struct pingo_field *command, struct pingo_problem_sink *sink,
                                  const struct pingo_workflow_options *options);

#endif
