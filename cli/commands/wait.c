/* wait.c - pingo wait: until workflows have ended, without starting anything. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "running.h"
#include "signals.h"
#include "status.h"
#include "told.h"
#include "view/columns.h"

#define GRACE_MS 5000 /* nobody may drive a workflow for so long, as between two processes */
#define LOOK_MS 1000  /* how often we look who does */

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
    if (args->noperands == 0)
        return pingo_store_workflows(cli->store, NULL, add_running, list, &cli->err) == 0
                   ? CLI_OK
                   : cli_error(cli);
    list->n = args->noperands;
    return cli_workflows_of(cli, args, &list->numbers);
}

/* Waiting: while nobody drives a workflow, what runs of it is collected here, and nothing is started. */
struct waiting {
    struct cli *cli;
    int64_t grace_ms;
    struct pingo_scheduler *scheduler; /* NULL: not needed so far */
    int64_t looked_ms;                 /* when we looked who drives it; 0: never */
    int64_t undriven_ms;               /* since when nobody does; 0: somebody does */
    bool said;
};

static int collect_ends(struct waiting *w, bool *active)
{
    struct pingo_tick_result tick = {.size = sizeof tick};
    int rc = CLI_OK;
    if (!w->scheduler) {
        rc = cli_open_scheduler(w->cli, 0, &w->scheduler);
        if (rc == CLI_OK && pingo_scheduler_pause(w->scheduler, &w->cli->err) != 0)
            rc = cli_error(w->cli);
    }
    if (rc == CLI_OK && pingo_scheduler_tick(w->scheduler, &tick, &w->cli->err) != 0)
        rc = cli_error(w->cli);
    *active = tick.active > 0 || !tick.idle;
    return rc;
}

/* Who drives it?  CLI_UNDRIVEN after a message when nobody has for the grace period and nothing of it runs. */
static int look(struct waiting *w, const struct pingo_workflow_status *s)
{
    int64_t now = pingo__world_monotonic_ms();
    bool active = false;
    int rc = CLI_OK;
    if (w->looked_ms == 0 || now - w->looked_ms >= LOOK_MS) {
        w->looked_ms = now;
        struct pingo__view_workflow l;
        if (cli_workflow_look(w->cli, s, &l, &w->cli->err) != 0)
            return cli_error(w->cli);
        w->undriven_ms = l.driven ? 0 : w->undriven_ms > 0 ? w->undriven_ms : now;
        if (!l.driven && !w->said && now - w->undriven_ms >= w->grace_ms) {
            char *text = cli_text(w->cli, pingo__view_driven, &pingo__view_workflow, &l);
            cli_message("workflow %" PRId64 ": %s", s->workflow, text);
            free(text);
            w->said = true;
        }
        w->said = w->said && !l.driven;
    }
    if (w->undriven_ms > 0 && s->running > 0)
        rc = collect_ends(w, &active);
    if (rc == CLI_OK && w->said && !active && now - w->undriven_ms >= w->grace_ms)
        rc = CLI_UNDRIVEN;
    return rc;
}

/* Polls, ever more slowly up to twice a second. */
static int wait_for(struct waiting *w, int64_t workflow, struct pingo_workflow_status *s)
{
    int64_t changes = 0;
    long pause_ms = 20;
    w->looked_ms = w->undriven_ms = 0;
    w->said = false;
    for (;;) {
        if (cli_has_changed(w->cli, &changes) &&
            cli_workflow_status(w->cli, workflow, s, &w->cli->err) != 0)
            return cli_error(w->cli);
        if (pingo_workflow_state_is_final(s->state))
            return CLI_OK;
        if (cli_signal_caught() != 0)
            return cli_signal_status();
        int rc = look(w, s);
        if (rc == CLI_UNDRIVEN) { /* it may have ended with what was collected */
            if (cli_workflow_status(w->cli, workflow, s, &w->cli->err) != 0)
                return cli_error(w->cli);
            if (pingo_workflow_state_is_final(s->state))
                return CLI_OK;
        }
        if (rc != CLI_OK)
            return rc;
        struct timespec pause = {.tv_nsec = pause_ms * 1000000};
        nanosleep(&pause, NULL);
        pause_ms = pause_ms < 250 ? pause_ms * 2 : 500;
    }
}

#define ROW struct pingo_workflow_status
static const struct pingo__view_column columns[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    COLUMN("state", NAME, state, "how it ended", .names = pingo__view_workflow_state_name),
};
static const struct pingo__view_table end_view = VIEW("end", columns, ROW);
static const struct pingo__view_column whole[] = {STREAM("workflows", &end_view, "that have ended")};
const struct pingo__view_table cli_ends_view = VIEW("ends", whole, ROW);
#undef ROW

void cli_end_tell(struct cli_answer *ends, const struct pingo_workflow_status *s, int *result)
{
    if (s->state != PINGO_WORKFLOW_FINISHED)
        *result = CLI_FAILED;
    if (ends->cli->json)
        cli_row(ends, s);
    else
        cli_said(s->state == PINGO_WORKFLOW_FINISHED ? CLI_SAYS_NOTE : CLI_SAYS_ALWAYS,
                 "workflow %" PRId64 " %s", s->workflow, pingo_workflow_state_name(s->state));
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct running_list list = {0};
    struct waiting waiting = {.cli = cli, .grace_ms = cli_duration(args, "grace", GRACE_MS)};
    int result = CLI_OK, rc = cli_open(cli);
    if (rc == CLI_OK)
        rc = collect(cli, args, &list);
    if (rc != CLI_OK)
        return rc;
    cli_signals_catch();
    struct cli_answer ends;
    cli_list_within(&ends, cli, &cli_ends_view, NULL);
    for (size_t i = 0; i < list.n && rc == CLI_OK; i++) {
        struct pingo_workflow_status s;
        rc = wait_for(&waiting, list.numbers[i], &s);
        if (rc == CLI_OK)
            cli_end_tell(&ends, &s, &result);
    }
    rc = cli_list_close(&ends, rc);
    pingo_scheduler_close(waiting.scheduler);
    return rc != CLI_OK ? rc : result;
}

const struct cli_command cli_wait = {"wait", "workflow*", run, CLI_PRINTS(&cli_ends_view)};
