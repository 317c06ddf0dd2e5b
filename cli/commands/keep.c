/* keep.c - pingo keep: datasets that are never evicted. */
#include "args.h"
#include "retain.h"
#include "select.h"

static int keep_workflow(struct pingo_store *store, int64_t workflow,
                         struct pingo_released *released, struct pingo_error *err)
{
    return pingo_store_keep_workflow(store, workflow, &released->released, err);
}

static int keep_dataset(struct pingo_store *store, int64_t workflow, const struct pingo_hash *hash,
                        struct pingo_released *released, struct pingo_error *err)
{
    bool changed = false;
    int rc = pingo_store_keep(store, hash, &changed, err);
    (void)workflow;
    released->released = changed;
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    static const struct cli_retain keep = {.done = "kept",
                                           .nothing =
                                               "nothing to keep: pinned already, or not there",
                                           .of_workflow = keep_workflow,
                                           .of_dataset = keep_dataset};
    return cli_retain(cli, args, &keep);
}

static const struct cli_option options[] = {CLI_LABEL_OPTION};
static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow|dataset", "action", NULL};

const struct cli_command cli_keep = {
    .name = "keep",
    .synopsis = "WORKFLOW [ACTION]... | HASH...",
    .summary = "never evict a dataset",
    .description =
        "Pins datasets: they are never evicted, until pingo release takes the pin off.  What is\n"
        "about to be deleted and still whole is saved.  With a workflow alone: all its leaves;\n"
        "with actions (ids, names or patterns) or labels: what these made.\n"
        "Digits alone are a workflow's number where there is such a workflow, else the beginning\n"
        "of a hash.",
    .example = "  pingo keep last\n  pingo keep 12 split\n  pingo keep 3f2a91b0\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
