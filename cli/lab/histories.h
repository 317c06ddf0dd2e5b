/* histories.h - files in the format of pingo-history(5), as several commands read and write them. */
#ifndef CLI_HISTORIES_H
#define CLI_HISTORIES_H

#include <pingo/history.h>

#include "command.h"

/* Reads a file, or "-" for standard input, line by line.  *history: yours.  CLI_OK, or the exit status
 * after a message that names the line. */
int cli_history_read(struct cli *cli, const char *operand, struct pingo_history **history);
/* Writes all submissions to a file, or to standard output where path is NULL.  CLI_OK, or the exit status
 * after a message. */
int cli_history_write(struct cli *cli, const struct pingo_history *history, const char *path);

/* Would the file that an option names be written over one that is an operand?  CLI_OK, or CLI_USAGE after a message. */
int cli_history_check_output(const struct cli_args *args, const char *option);

/* For completion: the i-th family of generated histories, and what it is; NULL past the end. */
const char *cli_family_at(size_t i, const char **summary);

#endif
