/* retain.h - what pingo keep and pingo release share: WORKFLOW [ACTION] | HASH, and how many changed. */
#ifndef CLI_RETAIN_H
#define CLI_RETAIN_H

#include <pingo.h>

#include "args.h"

struct cli_retain {
    const char *done;    /* "released", also the key in JSON */
    const char *nothing; /* where none changed */
    int (*of_workflow)(struct pingo_store *store, int64_t workflow, struct pingo_released *released,
                       struct pingo_error *err);
    /* workflow: by which it was named; 0: by its hash. */
    int (*of_dataset)(struct pingo_store *store, int64_t workflow, const struct pingo_hash *hash,
                      struct pingo_released *released, struct pingo_error *err);
};
/* Runs the command. */
int cli_retain(struct cli *cli, const struct cli_args *args, const struct cli_retain *how);
/* Says what became of it; returns CLI_OK. */
int cli_retain_tell(const struct cli *cli, const struct cli_retain *how,
                    const struct pingo_released *released);

#endif
