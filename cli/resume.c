/* resume.c - pingo resume: the way back from pause, and from an interrupted run. */
#include <inttypes.h>

#include "message.h"
#include "pausing.h"

static void say_next(struct cli *cli, int64_t workflow)
{
    cli_note("who drives all goes on with it; or: %s run %" PRId64, cli_program(cli), workflow);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    static const struct cli_pausing pausing = {.change = pingo_store_resume_workflow,
                                               .done = "is not paused any more",
                                               .before = "was not paused",
                                               .next = say_next};
    return cli_pausing(cli, args, &pausing);
}

static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow", NULL};

const struct cli_command cli_resume = {
    .name = "resume",
    .synopsis = "WORKFLOW...",
    .summary = "let paused workflows go on",
    .description =
        "Takes back the pause of pingo pause, or of an interrupted pingo run.  Runs nothing\n"
        "itself: whoever drives all workflows (pingo run --all, pingo tick) goes on with these.\n"
        "To resume and run at once: pingo run WORKFLOW.",
    .example = "  pingo resume last\n  pingo resume 12 13 && pingo tick\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
