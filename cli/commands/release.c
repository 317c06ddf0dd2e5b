/* release.c - pingo release: results are no longer kept for their own sake. */
#include "message.h"
#include "retain.h"
#include "select.h"
#include "session.h"

static int release_dataset(struct pingo_store *store, int64_t workflow,
                           const struct pingo_hash *hash, struct pingo_released *released,
                           struct pingo_error *err)
{
    bool changed = false;
    int rc;
    if (workflow > 0)
        return pingo_store_release_dataset(store, workflow, hash, released, err);
    rc = pingo_store_release(store, hash, &changed, err);
    released->released = changed;
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    static const struct cli_retain release = {.done = "released",
                                              .nothing =
                                                  "nothing to release: no result, and not pinned",
                                              .of_workflow = pingo_store_release_workflow,
                                              .of_dataset = release_dataset};
    const char *name = cli_value(args, "superseded");
    struct pingo_released released = {.size = sizeof released};
    struct pingo_error err = {0};
    int status;
    if (name == NULL && args->noperands == 0)
        return cli_usage(args, "which results? WORKFLOW [ACTION], a HASH, or --superseded NAME");
    if (name == NULL)
        return cli_retain(cli, args, &release);
    if (args->noperands > 0)
        return cli_usage(args, "--superseded names all that is released");
    status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    if (pingo_store_release_superseded(cli->store, name, &released, &err) != 0)
        return cli_error(cli, &err);
    return cli_retain_tell(cli, &release, &released);
}

static const struct cli_option options[] = {
    CLI_LABEL_OPTION,
    {0, "superseded", "NAME", "what the newest submission of this name does not ask for any more"},
};
static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow|dataset", "action", NULL};

const struct cli_command cli_release = {
    .name = "release",
    .synopsis = "WORKFLOW [ACTION]... | HASH... | --superseded NAME",
    .summary = "let results be evicted",
    .description =
        "A result is kept until every submission that asked for it has released it.  With a\n"
        "workflow alone: all that it asked for; with an action: that result of it; with a hash:\n"
        "for all submissions.  What nobody wants any more becomes an ordinary stored dataset, its\n"
        "pin is taken off.  Actions are ids, names or patterns; with --label those with the "
        "label.\n"
        "Nothing is deleted now; the pool may do so when it needs space.\n"
        "Digits alone are a workflow's number where there is such a workflow, else the beginning\n"
        "of a hash.",
    .example =
        "  pingo release 12\n  pingo release last rank\n  pingo release --superseded words\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 0,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
