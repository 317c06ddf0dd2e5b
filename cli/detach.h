/* detach.h - a run that goes on without its terminal. */
#ifndef CLI_DETACH_H
#define CLI_DETACH_H

#include "running.h"

struct cli_detached {
    int64_t pid;
    char *log; /* where what it says is written; yours */
};

/* Starts this program anew, in a session of its own, to run these workflows; returns when it has them in hand.
 * CLI_OK, or the exit status after a message. */
int cli_detach(struct cli *cli, const struct cli_running *running, struct cli_detached *detached);

#endif
