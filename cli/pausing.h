/* pausing.h - what pause and resume share. */
#ifndef CLI_PAUSING_H
#define CLI_PAUSING_H

#include <pingo.h>

#include "args.h"
#include "command.h"

struct cli_pausing {
    int (*change)(struct pingo_store *store, int64_t workflow, bool *changed,
                  struct pingo_error *err);
    const char *done, *before; /* "paused", "was paused before" */
    /* Says what comes next of a workflow that was changed; NULL: nothing. */
    void (*next)(struct cli *cli, int64_t workflow);
};

/* Changes each workflow that is an operand; all must be there, or nothing is changed. */
int cli_pausing(struct cli *cli, const struct cli_args *args, const struct cli_pausing *pausing);

#endif
