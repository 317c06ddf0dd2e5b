/* adopt.c - pingo adopt: takes an output that was made before Pingo. */
#include <stdlib.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_error err = {0};
    struct pingo_hash hash;
    int64_t workflow;
    const char *action = cli_operand(args, 1), *path = cli_operand(args, 2);
    int status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_workflow_of(cli, cli_operand(args, 0), &workflow);
    if (status != CLI_OK)
        return status;
    if (pingo_store_adopt(cli->store, workflow, action, path, &hash, &err) != 0)
        return cli_error(cli, &err);
    if (cli->json) {
        char *from = cli_absolute(path);
        cJSON *o = cli_json_object();
        cli_json_int(o, "workflow", workflow);
        cli_json_text(o, "action", action);
        cli_json_hash(o, "hash", &hash);
        cli_json_text(o, "path", from);
        cli_json_print(stdout, o);
        free(from);
    } else {
        char hex[PINGO_HASH_HEX_SIZE];
        pingo_hash_to_hex(&hash, hex);
        cli_note("adopted as %.12s; it is kept until it is released", hex);
    }
    return CLI_OK;
}

static const int exits[] = {CLI_NOTFOUND, CLI_NOSPACE, CLI_INPUT, 0};
static const char *const operands[] = {"workflow", "action", "file", NULL};

const struct cli_command cli_adopt = {
    .name = "adopt",
    .synopsis = "WORKFLOW ACTION PATH",
    .summary = "take an output that was made before Pingo",
    .description =
        "Copies a file or directory into the pool as the output of an action that was submitted\n"
        "and has not started: the action is FINISHED, and what reads it goes on.  Nothing checks\n"
        "that the action would have made it; provenance says that it was adopted.",
    .example = "  pingo submit w.json; pingo adopt last align old/align.bam; pingo run last\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 3,
    .max_operands = 3,
    .operands = operands,
    .run = run,
};
