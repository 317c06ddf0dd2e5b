/* wait.c - pingo wait: until workflows have ended, without starting anything. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "remote/remote.h"
#include "running.h"
#include "signals.h"
#include "status.h"
#include "view/columns.h"

#define GRACE_MS 5000 /* nobody may drive a workflow for so long, as between two processes */
#define LOOK_MS 1000  /* how often we look who does */

struct running_list {
    int64_t *numbers;
    size_t n;
};

static int add_running(void *context, const void *row)
{
    struct running_list *list = context;
    const struct pingo__view_workflow *w = row;
    list->numbers = cli_more(list->numbers, list->n, sizeof *list->numbers);
    list->numbers[list->n++] = w->status.workflow;
    return 0;
}

static int on_running(void *list, const struct pingo_workflow_status *s)
{
    return add_running(list, &(struct pingo__view_workflow){.status = *s});
}

/* The operands, or every workflow that runs now. */
static int collect(struct cli *cli, const struct cli_args *args, struct running_list *list)
{
    const struct pingo_workflow_query running = {.version = 1,
                                                 .states = 1u << PINGO_WORKFLOW_RUNNING};
    const struct cli_remote_list there = {
        "/v1/workflows?state=RUNNING", &pingo__view_workflow, add_running, list, NULL, false};
    if (args->noperands == 0) {
        int rc = cli->remote
                     ? cli_remote_each(cli->remote, &there)
                     : pingo_store_workflows(cli->store, &running, on_running, list, &cli->err);
        return rc == 0 ? CLI_OK : cli_error(cli);
    }
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

static void say_undriven(struct cli *cli, const struct pingo__view_workflow *row)
{
    char *text = cli_text(cli, pingo__view_driven, &pingo__view_workflow, row);
    cli_message("workflow %" PRId64 ": %s", row->status.workflow, text);
    free(text);
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
            say_undriven(w->cli, &l);
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
static int wait_here(struct waiting *w, int64_t workflow, struct pingo_workflow_status *s)
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

/* ---- a server, which waits with its answer ---- */

#define LONG_WAIT "Prefer: wait=25"
#define PAUSE_MS 500

/* Asks until it has ended. */
static int wait_there(const struct waiting *w, int64_t workflow, struct pingo_workflow_status *s)
{
    struct cli_remote *r = w->cli->remote;
    int64_t undriven_ms = 0, asked_ms = 0, gone_ms = 0;
    for (bool is_first = true;; is_first = false) {
        cli_remote_pause_until(is_first ? 0 : asked_ms + PAUSE_MS);
        asked_ms = pingo__world_monotonic_ms();
        struct pingo__view_workflow row = {0};
        struct cli_ask ask = {.path = cli_remote_path("/v1/workflows/%d", workflow),
                              .header = is_first || undriven_ms > 0 ? "Prefer: wait=1" : LONG_WAIT,
                              .view = &pingo__view_workflow,
                              .row = &row};
        int rc = cli_remote_ask(r, &ask);
        if (cli_remote_is_asked_again(r, rc, &gone_ms))
            continue;
        if (rc != 0)
            return cli_error(w->cli);
        gone_ms = 0;
        *s = row.status;
        if (pingo_workflow_state_is_final(s->state))
            return CLI_OK;
        int64_t now = pingo__world_monotonic_ms();
        undriven_ms = row.driven ? 0 : undriven_ms > 0 ? undriven_ms : now;
        if (undriven_ms > 0 && now - undriven_ms >= w->grace_ms) {
            say_undriven(w->cli, &row);
            return CLI_UNDRIVEN;
        }
    }
}

/* ---- the command ---- */

#define ROW struct pingo_workflow_status
static const struct pingo__view_column columns[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    COLUMN("state", NAME, state, "how it ended", .names = pingo__view_workflow_state_name),
};
static const struct pingo__view_table end_view = VIEW("end", columns, ROW);
static const struct pingo__view_column whole[] = {STREAM("workflows", &end_view, "that have ended")};
static const struct pingo__view_table view = VIEW("ends", whole, ROW);
#undef ROW

static void tell_end(struct cli_answer *ends, const struct pingo_workflow_status *s, int *result)
{
    if (s->state != PINGO_WORKFLOW_FINISHED)
        *result = CLI_FAILED;
    if (ends->cli->json)
        cli_row(ends, s);
    else if (s->state != PINGO_WORKFLOW_FINISHED || !cli_is_quiet())
        cli_tell("workflow %" PRId64 " %s", s->workflow, pingo_workflow_state_name(s->state));
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
    cli_list_within(&ends, cli, &view, NULL);
    for (size_t i = 0; i < list.n && rc == CLI_OK; i++) {
        struct pingo_workflow_status s;
        rc = cli->remote ? wait_there(&waiting, list.numbers[i], &s)
                         : wait_here(&waiting, list.numbers[i], &s);
        if (rc == CLI_OK)
            tell_end(&ends, &s, &result);
    }
    rc = cli_list_close(&ends, rc);
    pingo_scheduler_close(waiting.scheduler);
    return rc != CLI_OK ? rc : result;
}

const struct cli_command cli_wait = {"wait", "workflow*", run, CLI_PRINTS(&view)};
