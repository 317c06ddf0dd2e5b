/* retain.h - what pingo keep and pingo release share: WORKFLOW [ACTION] | HASH, and how many changed. */
#ifndef CLI_RETAIN_H
#define CLI_RETAIN_H

#include <pingo.h>

#include "command.h"

struct cli_retain {
    const char *done;    /* "kept": of the message and the key in JSON */
    const char *nothing; /* what to say where nothing changed */
    int (*one)(struct pingo_store *store, const struct pingo_hash *hash, bool *changed,
               struct pingo_error *err);
    int (*leaves)(struct pingo_store *store, int64_t workflow, size_t *changed,
                  struct pingo_error *err);
};
/* Does it to what the operands name; returns the exit status. */
int cli_retain(struct cli *cli, const struct cli_args *args, const struct cli_retain *how);

#endif
