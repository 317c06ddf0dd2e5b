/* wait.c - pingo wait: until workflows have ended, without running anything. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "args.h"
#include "message.h"
#include "session.h"
#include "signals.h"
#include "status.h"

struct running_list {
    int64_t *numbers;
    size_t n;
};

static int add_running(void *context, const struct pingo_workflow_status *s)
{
    struct running_list *list = context;
    if (s->state != PINGO_WORKFLOW_RUNNING)
        return 0;
    list->numbers = cli_grow(list->numbers, (list->n + 1) * sizeof *list->numbers);
    list->numbers[list->n++] = s->workflow;
    return 0;
}

/* The operands, or every workflow that runs now. */
static int collect(struct cli *cli, const struct cli_args *args, struct running_list *list)
{
    struct pingo_error err = {0};
    if (args->noperands == 0)
        return pingo_store_workflows(cli->store, 0, add_running, list, &err) == 0
                   ? CLI_OK
                   : cli_error(cli, &err);
    list->numbers = cli_alloc(args->noperands * sizeof *list->numbers);
    for (size_t i = 0; i < args->noperands; i++) {
        int status = cli_workflow_of(cli, cli_operand(args, i), &list->numbers[i]);
        if (status != CLI_OK)
            return status;
    }
    list->n = args->noperands;
    return CLI_OK;
}

/* Polls, ever more slowly up to twice a second. */
static int wait_for(struct cli *cli, int64_t workflow, struct pingo_workflow_status *s)
{
    struct pingo_error err = {0};
    long pause_ms = 20;
    for (;;) {
        if (cli_workflow_status(cli, workflow, s, &err) != 0)
            return cli_error(cli, &err);
        if (s->state != PINGO_WORKFLOW_RUNNING)
            return CLI_OK;
        if (cli_signal_caught() != 0)
            return cli_signal_status();
        struct timespec pause = {.tv_nsec = pause_ms * 1000000};
        nanosleep(&pause, NULL);
        pause_ms = pause_ms < 250 ? pause_ms * 2 : 500;
    }
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct running_list list = {0};
    struct cli_json json;
    int result = CLI_OK, status = cli_open(cli);
    if (status == CLI_OK)
        status = collect(cli, args, &list);
    if (status != CLI_OK)
        goto out;
    cli_signals_catch();
    cJSON *ends = cli_json_array();
    for (size_t i = 0; i < list.n && status == CLI_OK; i++) {
        struct pingo_workflow_status s;
        status = wait_for(cli, list.numbers[i], &s);
        if (status != CLI_OK)
            break;
        if (s.state != PINGO_WORKFLOW_FINISHED)
            result = CLI_FAILED;
        if (cli->json) {
            cJSON *o = cli_json_object();
            cli_json_int(o, "workflow", s.workflow);
            cli_json_text(o, "state", pingo_workflow_state_name((int)s.state));
            cli_json_add(ends, NULL, o);
        } else {
            cli_note("workflow %" PRId64 " %s", s.workflow, pingo_workflow_state_name((int)s.state));
        }
    }
    if (cli->json && status == CLI_OK) {
        cli_json_begin(&json, stdout);
        cli_json_open(&json, NULL, '{');
        cli_json_item(&json, "workflows", ends);
        cli_json_close(&json);
    } else {
        cJSON_Delete(ends);
    }
out:
    free(list.numbers);
    return status != CLI_OK ? status : result;
}

static const int exits[] = {CLI_FAILED, CLI_NOTFOUND, CLI_INTERRUPTED, 0};
static const char *const operands[] = {"workflow", NULL};

const struct cli_command cli_wait = {
    .name = "wait",
    .synopsis = "[WORKFLOW...]",
    .summary = "wait until workflows have ended",
    .description =
        "Waits until the workflows have ended, and ends with status 1 if one failed or was\n"
        "killed.  Without operand: every workflow that is unfinished now.  Runs nothing itself:\n"
        "somebody else must (pingo run, pingo tick).",
    .example = "  pingo wait last && pingo export last results/\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
