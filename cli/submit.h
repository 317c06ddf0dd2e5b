/* submit.h - submitting one operand, as `submit` and `run` do. */
#ifndef CLI_SUBMIT_H
#define CLI_SUBMIT_H

#include <pingo.h>

#include "session.h"

/* Reads the operand (file or "-") and submits it to the open store.  Warnings go to standard error.
 * CLI_OK, or the exit status after a message. */
int cli_submit_operand(struct cli *cli, struct cli_submit_options *submit, const char *operand,
                       struct pingo_submission *submission);

#endif
