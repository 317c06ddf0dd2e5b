/* running.h - runs workflows of the store to their end, as `run` and `exec` do. */
#ifndef CLI_RUNNING_H
#define CLI_RUNNING_H

#include <pingo.h>

#include "command.h"

struct cli_running {
    const int64_t *workflows;
    size_t nworkflows;
    bool all;         /* drive all that are not paused, until none is unfinished */
    int64_t max_jobs; /* 0: no limit of its own */
    bool fail_fast;
    bool unwatched; /* no lines, no progress */
};

/* Runs them; answers to signals as pingo(1) says.  CLI_OK when all have ended, also where some
 * failed; else the exit status after a message that says how to go on. */
int cli_run_workflows(struct cli *cli, const struct cli_running *running);
/* Says that somebody else paused it while it ran: the exit status of that. */
int cli_tell_paused(struct cli *cli, int64_t workflow);
/* Is somebody to be told of an end?  A workflow that had ended when it was submitted needs nothing run but that. */
bool cli_has_notices(struct cli *cli);

/* Says what failed in a workflow: name, status, the end of its standard error, scratch directory. */
void cli_failures_show(struct cli *cli, int64_t workflow);
/* The last bytes of a file, at most so many: *n, yours, free().  NULL: it cannot be read. */
char *cli_tail(const char *path, size_t most, size_t *n);
/* The last lines of a file, each behind a prefix.  Nothing where it cannot be read. */
void cli_tail_show(const char *path, int lines, const char *prefix);
/* Why an action failed: what the store says of it, else how its last attempt ended.  Yours. */
char *cli_failure_text(const struct pingo_action_status *status);

#endif
