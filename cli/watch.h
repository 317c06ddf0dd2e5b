/* watch.h - what a person sees while workflows run: a line for each action that starts or ends,
 * and on a terminal a progress line. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <pingo.h>

#include "command.h"

struct cli_watch;

/* Watches these workflows (borrowed).  quiet: nothing is shown, as with --quiet. */
struct cli_watch *cli_watch_new(struct cli *cli, const int64_t *workflows, size_t n, bool quiet);
/* Notes a committed transition; does not call the store. */
void cli_watch_event(struct cli_watch *watch, const struct pingo_event *event);
/* Shows what was noted and renews the progress line; may ask the store. */
void cli_watch_show(struct cli_watch *watch);

#endif
