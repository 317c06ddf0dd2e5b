/* kill.c - pingo kill: ends a workflow, or one action and what descends from it. */
#include <inttypes.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

static int run(struct cli *cli, const struct cli_args *args)
{
    int64_t workflow;
    size_t killed = 0;
    struct pingo_error err = {0};
    int status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_workflow_of(cli, cli_operand(args, 0), &workflow);
    if (status != CLI_OK)
        return status;
    if (pingo_store_kill(cli->store, workflow, cli_operand(args, 1), &killed, &err) != 0)
        return cli_error(cli, &err);
    if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_int(o, "workflow", workflow);
        cli_json_int(o, "killed", (int64_t)killed);
        cli_json_print(stdout, o);
    } else {
        cli_note("killed %zu action%s of workflow %" PRId64, killed, killed == 1 ? "" : "s",
                 workflow);
    }
    return CLI_OK;
}

static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow", "action", NULL};

const struct cli_command cli_kill = {
    .name = "kill",
    .synopsis = "WORKFLOW [ACTION]",
    .summary = "kill a workflow or an action",
    .description =
        "Kills a workflow, or one action of it with all that descends from it.  What another\n"
        "live workflow needs goes on.  What runs is ended by the process that ticks the store,\n"
        "or by the next pingo tick.",
    .example = "  pingo kill last\n  pingo kill 12 simulate\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = 2,
    .operands = operands,
    .run = run,
};
