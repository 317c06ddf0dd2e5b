/* adopt.c - pingo adopt: takes an output that was made before Pingo. */

#include "answer.h"
#include "select.h"
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
    struct pingo_hash hash;
    int64_t workflow;
    const char *action = cli_operand(args, 1), *path = cli_operand(args, 2);
    int rc = cli_workflow_of(cli, cli_operand(args, 0), &workflow);
    if (rc != CLI_OK)
        return rc;
    if (pingo_store_adopt(cli->store, &(struct pingo_action_name){workflow, action}, path, &hash,
                          &cli->err) != 0)
        return cli_not_found(cli, cli_operand(args, 0));
    cli_answer(cli, CLI_NOTE, &view, &(struct adopted){workflow, action, hash, cli_absolute(path)});
    return CLI_OK;
}

const struct cli_command cli_adopt = {"adopt", "workflow action file", run, CLI_OPENS_STORE,
                                      CLI_PRINTS(&view)};
