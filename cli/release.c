/* release.c - pingo release: results are no longer kept for their own sake. */
#include <string.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

static int tell(const struct cli *cli, size_t released)
{
    if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_int(o, "released", (int64_t)released);
        cli_json_print(stdout, o);
    } else {
        cli_note("released %zu dataset%s", released, released == 1 ? "" : "s");
    }
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_hash hash;
    struct pingo_error err = {0};
    const char *first = cli_operand(args, 0);
    int64_t workflow, number;
    size_t released = 0;
    int status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    bool is_number = strcmp(first, "last") == 0 || cli_number(first, 1, INT64_MAX, &number);
    /* Digits alone are a workflow's number where there is one, else the beginning of a hash. */
    if (args->noperands == 1 && is_number) {
        int rc = pingo_store_resolve_workflow(cli->store, first, &workflow, &err);
        if (rc == 0)
            rc = pingo_store_release_workflow(cli->store, workflow, &released, &err);
        if (rc == 0)
            return tell(cli, released);
        if (rc != PINGO_ENOTFOUND || strlen(first) < 5)
            return cli_error(cli, &err);
    }
    status = cli_dataset_of(cli, args, &hash);
    if (status != CLI_OK)
        return status;
    if (pingo_store_release(cli->store, &hash, &err) != 0)
        return cli_error(cli, &err);
    return tell(cli, 1);
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
