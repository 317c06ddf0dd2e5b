/* forget.c - pingo forget: a submission's text is erased. */

#include "answer.h"
#include "select.h"
#include "view/columns.h"

struct forgetting {
    size_t n;
    struct pingo_forgotten f;
};

#define ROW struct forgetting
static const struct pingo__view_column columns[] = {
    COLUMN("forgotten", COUNT, n, "how many workflows were named"),
    COLUMN("texts", COUNT, f.texts, "how many texts were erased"),
    COLUMN("descriptions", COUNT, f.descriptions, "how many descriptions of actions were"),
    COLUMN("attempts", COUNT, f.attempts, "how many attempts' logs were"),
    COLUMN("shared", COUNT, f.shared, "how many workflows' text stays, for another has the same"),
    COLUMN("sharedBy", COUNT, f.shared_by, "one that has", .null = PINGO__NULL_ZERO),
};
static const struct pingo__view_table view = VIEW_TEXT(
    "forgotten", columns, ROW,
    "forgot {forgotten} workflow{forgotten||s}: erased {texts} text{texts||s}, {descriptions} "
    "description{descriptions||s}, the logs of {attempts} attempt{attempts||s}",
    "[shared>0?{shared} text{shared| stays|s stay}, as workflow {sharedBy} has the same: forget "
    "that too]");
#undef ROW

static int run(struct cli *cli, const struct cli_args *args)
{
    int64_t *workflows = NULL;
    struct pingo_forgotten forgotten = {.size = sizeof forgotten};
    int rc = cli_workflows_of(cli, args, &workflows);
    if (rc == CLI_OK &&
        pingo_store_forget(cli->store, workflows, args->noperands, &forgotten, &cli->err) != 0)
        rc = cli_error(cli);
    if (rc == CLI_OK)
        cli_answer(cli, CLI_NOTE, &view, &(struct forgetting){args->noperands, forgotten});
    return rc;
}

const struct cli_command cli_forget = {"forget", "workflow+", run, CLI_OPENS_STORE,
                                       CLI_PRINTS(&view)};
