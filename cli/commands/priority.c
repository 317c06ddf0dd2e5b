/* priority.c - pingo priority: which of the submissions that run start first. */

#include <inttypes.h>

#include "remote/remote.h"
#include "status.h"
#include "view/columns.h"

static const struct pingo__view_column whole[] = {
    STREAM("workflows", &pingo__view_priority, "in the order in which they were named"),
};
static const struct pingo__view_table view = VIEW("priority", whole, struct pingo__view_priority);

static int set(struct cli *cli, int64_t workflow, int64_t wanted)
{
    return cli->remote
               ? cli_remote_ask(
                     cli->remote,
                     &(struct cli_ask){.method = "PATCH",
                                       .path = cli_remote_path("/v1/workflows/%d", workflow),
                                       .body = cli_format("{\"priority\": %" PRId64 "}", wanted)})
               : pingo_store_set_priority(cli->store, workflow, wanted, &cli->err);
}

static int tell_one(struct cli_answer *a, int64_t workflow, const int64_t *wanted)
{
    struct cli *cli = a->cli;
    struct pingo_workflow_status before, now;
    if (cli_workflow_status(cli, workflow, &before, &cli->err) != 0 ||
        (wanted && set(cli, workflow, *wanted) != 0) ||
        cli_workflow_status(cli, workflow, &now, &cli->err) != 0)
        return cli_error(cli);
    cli_row(a, &(struct pingo__view_priority){workflow, now.state, now.priority,
                                              now.priority != before.priority});
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    int64_t wanted = cli_number(args, "set", -CLI_PRIORITY_MOST, CLI_PRIORITY_MOST, 0);
    int64_t *workflows = NULL;
    struct cli_answer a;
    int rc = cli_open(cli);
    if (rc == CLI_OK)
        rc = cli_workflows_of(cli, args, &workflows);
    cli_list_within(&a, cli, &view, NULL);
    for (size_t i = 0; rc == CLI_OK && i < args->noperands; i++)
        rc = tell_one(&a, workflows[i], cli_flag(args, "set") ? &wanted : NULL);
    return cli_list_close(&a, rc);
}

const struct cli_command cli_priority = {"priority", "workflow+", run, CLI_PRINTS(&view)};
