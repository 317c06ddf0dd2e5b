/* drivers.h - who goes on with a workflow, for status, wait and run. */
#ifndef CLI_DRIVERS_H
#define CLI_DRIVERS_H

#include <pingo.h>

#include "command.h"

/* The processes other than this one. */
struct cli_drivers {
    struct pingo_driver *list;
    size_t n;
    bool driven; /* one of them goes on: it is not stopped */
};

/* 0 or a PINGO_E*; clear it in any case. */
int cli_drivers_find(struct cli *cli, int64_t workflow, struct cli_drivers *drivers,
                     struct pingo_error *err);
void cli_drivers_clear(struct cli_drivers *drivers);
/* "process 12 drives it", "process 12, which has 3 of its actions in hand, is stopped", "no process runs it", ...
 * with what to do; a sentence without a full stop.  Yours. */
char *cli_drivers_text(const struct cli *cli, const struct cli_drivers *drivers,
                       const struct pingo_workflow_status *status);

/* Attempts that are to be ended, and whose owners are gone or stopped: this process does it for them. */
struct cli_orphans {
    bool any, stopped;
};
/* Before a kill: does something of this workflow run that nobody would end? */
void cli_orphans_look(struct cli *cli, int64_t workflow, struct cli_orphans *orphans);
/* After it: ends that, within some seconds.  CLI_OK, or the exit status after a message. */
int cli_orphans_end(struct cli *cli, const struct cli_orphans *orphans);

#endif
