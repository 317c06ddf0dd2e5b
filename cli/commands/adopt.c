/* adopt.c - pingo adopt: takes an output that was made before Pingo. */
#include <stdlib.h>

#include "answer.h"
#include "args.h"
#include "message.h"
#include "session.h"
#include "view/columns.h"

struct adopted {
    int64_t workflow;
    const char *action;
    struct pingo_hash hash;
    const char *path;
};

#define ROW struct adopted
static const struct pingo__view_column columns[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    COLUMN("action", TEXT, action, "as it was named"),
    COLUMN("hash", HASH, hash, "the dataset"),
    COLUMN("path", TEXT, path, "where it was taken from"),
};
static const struct pingo__view_table view =
    VIEW_TEXT("adopted", columns, ROW, "adopted as {hash}; it is kept until it is released");
#undef ROW

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_error err = {0};
    struct pingo_hash hash;
    int64_t workflow;
    const char *action = cli_operand(args, 1), *path = cli_operand(args, 2);
    int rc = cli_workflow_of(cli, cli_operand(args, 0), &workflow);
    if (rc != CLI_OK)
        return rc;
    if (pingo_store_adopt(cli->store, workflow, action, path, &hash, &err) != 0)
        return cli_error(cli, &err);
    char *from = cli_absolute(path);
    cli_answer(cli, CLI_NOTE, &view, &(struct adopted){workflow, action, hash, from});
    free(from);
    return CLI_OK;
}

const struct cli_command cli_adopt = {
    .name = "adopt",
    .synopsis = "WORKFLOW ACTION PATH",
    .summary = "take an output that was made before Pingo",
    .description =
        "Copies a file or directory into the pool as the output of an action that was submitted\n"
        "and has not started: the action is FINISHED, and what reads it goes on.  Nothing checks\n"
        "that the action would have made it; provenance says that it was adopted.",
    .example = "  pingo submit w.json; pingo adopt last align old/align.bam; pingo run last\n",
    CLI_PRINTS(&view),
    .flags = CLI_TAKES_JSON | CLI_OPENS_STORE,
    CLI_EXITS(CLI_NOTFOUND, CLI_NOSPACE, CLI_INPUT),
    .min_operands = 3,
    .max_operands = 3,
    CLI_OPERANDS("workflow", "action", "file"),
    .run = run,
};
