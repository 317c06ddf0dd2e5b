/* rm.c - pingo rm: deletes one dataset from the pool. */
#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_hash hash;
    struct pingo_error err = {0};
    char hex[PINGO_HASH_HEX_SIZE];
    int status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_dataset_of(cli, args, &hash);
    if (status != CLI_OK)
        return status;
    if (pingo_store_remove(cli->store, &hash, &err) != 0)
        return cli_error(cli, &err);
    pingo_hash_to_hex(&hash, hex);
    if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_text(o, "hash", hex);
        cli_json_print(stdout, o);
    } else {
        cli_note("deleted %.12s; a tick removes the bytes", hex);
    }
    return CLI_OK;
}

static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow|dataset", "action", NULL};

const struct cli_command cli_rm = {
    .name = "rm",
    .synopsis = "WORKFLOW ACTION | HASH",
    .summary = "delete a dataset",
    .description =
        "Deletes the dataset of an action, or the one whose hash begins so (at least 4 digits).\n"
        "The next tick of anyone removes the bytes.  What an unfinished action claims is not\n"
        "deleted.  A later workflow that needs it computes it again.",
    .example = "  pingo rm last split\n  pingo rm 3f2a91b0\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = 2,
    .operands = operands,
    .run = run,
};
