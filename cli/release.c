/* release.c - pingo release: results are no longer kept for their own sake. */
#include "args.h"
#include "retain.h"

static int run(struct cli *cli, const struct cli_args *args)
{
    static const struct cli_retain release = {.done = "released",
                                              .nothing =
                                                  "nothing to release: no result, and not pinned",
                                              .one = pingo_store_release,
                                              .leaves = pingo_store_release_workflow};
    return cli_retain(cli, args, &release);
}

static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow|dataset", "action", NULL};

const struct cli_command cli_release = {
    .name = "release",
    .synopsis = "WORKFLOW [ACTION] | HASH",
    .summary = "let results be evicted",
    .description =
        "Takes away what keeps datasets for ever: a leaf becomes an ordinary stored dataset, a\n"
        "pin is taken off.  Nothing is deleted now; the pool may do so when it needs space.\n"
        "With a workflow alone: all its leaves.  Digits alone are a workflow's number where\n"
        "there is such a workflow, else the beginning of a hash.",
    .example = "  pingo release 12\n  pingo release last rank\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = 2,
    .operands = operands,
    .run = run,
};
