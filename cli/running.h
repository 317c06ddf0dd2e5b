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

/* detach.c: a run that goes on without its terminal. */
struct cli_detached {
    int64_t pid;
    char *log; /* where what it says is written; yours */
};
/* Starts this program anew, in a session of its own, to run these workflows; returns when it has them in hand.
 * CLI_OK, or the exit status after a message. */
int cli_detach(struct cli *cli, const struct cli_running *running, struct cli_detached *detached);

/* watch.c: what a person sees while workflows run: a line for each action that starts or ends, and on a terminal a
 * progress line. */
struct cli_watch;
/* Watches these workflows (borrowed).  quiet: nothing is shown, as with --quiet. */
struct cli_watch *cli_watch_new(struct cli *cli, const int64_t *workflows, size_t n, bool quiet);
/* Notes a committed transition; does not call the store. */
void cli_watch_event(struct cli_watch *watch, const struct pingo_event *event);
/* Shows what was noted and renews the progress line; may ask the store. */
void cli_watch_show(struct cli_watch *watch);

/* Has a state in the store changed since this was asked last?  *changes: yours, 0 at first.  Where that cannot be told,
 * it has. */
bool cli_has_changed(struct cli *cli, int64_t *changes);

/* Says what failed in a workflow: name, status, the end of its standard error, scratch directory. */
void cli_failures_show(struct cli *cli, int64_t workflow);
/* The last bytes of a file, at most so many: *n, yours, free().  NULL: it cannot be read. */
char *cli_tail(const char *path, size_t most, size_t *n);
/* The last lines of a file, each behind a prefix.  Nothing where it cannot be read. */
void cli_tail_show(const char *path, int lines, const char *prefix);
/* Why an action failed: what the store says of it, else how its last attempt ended.  Yours. */
char *cli_failure_text(const struct pingo_action_status *status);

#endif
