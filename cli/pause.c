/* pause.c - pingo pause: nothing more of a workflow starts. */
#include <inttypes.h>

#include "message.h"
#include "pausing.h"
#include "status.h"

static void say_next(struct cli *cli, int64_t workflow)
{
    struct pingo_workflow_status s;
    const char *program = cli_program(cli);
    if (cli_workflow_status(cli, workflow, &s, NULL) == 0 && s.running > 0)
        cli_note("what has started goes on; what has not is taken back by who had it");
    cli_note("go on: %s run %" PRId64 "; kill: %s kill %" PRId64, program, workflow, program,
             workflow);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    static const struct cli_pausing pausing = {.change = pingo_store_pause_workflow,
                                               .done = "is paused",
                                               .before = "was paused before",
                                               .next = say_next};
    return cli_pausing(cli, args, &pausing);
}

static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow", NULL};

const struct cli_command cli_pause = {
    .name = "pause",
    .synopsis = "WORKFLOW...",
    .summary = "start nothing more of workflows",
    .description =
        "Nothing more of these workflows starts until pingo resume or pingo run names them, but\n"
        "for what another workflow that is not paused needs.  What runs goes on.  A pingo run\n"
        "that drives nothing else ends when that has ended, also one that was detached.",
    .example = "  pingo pause last\n  pingo pause 12 13\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
