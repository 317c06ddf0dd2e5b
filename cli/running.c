/* running.c - runs workflows of the store to their end and answers to signals.
 *
 * The first INT pauses them and waits for what runs; the second ends it, the third waits no
 * longer for that; TERM and HUP leave it running.  Whatever happens, the last line says how to go on. */
#include "running.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "signals.h"
#include "status.h"

#define WHOM_MS 3000 /* of nothing to do, until it is said whom we wait for */
#define WHY_MS 30000 /* between two looks at what is ready and does not start */
#define REASONS 8    /* are told; what fails in so many ways is looked at with status */

struct state {
    struct cli *cli;
    const struct cli_running *running;
    int64_t idle_ms; /* since when nothing happens; 0: something did */
    bool said_whom, said_others;
    int64_t why_ms;         /* when to look for what does not start */
    char *reasons[REASONS]; /* that were told */
    size_t nreasons;
    struct cli_watch *watch;
    int said, seen; /* which step of interrupting was told, and asked for at the last tick */
    char shortfall[sizeof((struct pingo_tick_result *)0)->shortfall_message]; /* as of the last tick */
};

static int say_driver(void *context, const struct pingo_driver *d)
{
    if (d->handed > 0 && d->pid != getpid())
        cli_note("waiting for %s, which has %zu of the actions of workflow %" PRId64 " in hand%s",
                 d->pid ? cli_format("process %" PRId64, d->pid)
                        : "a process of another container (PID namespace)",
                 d->handed, *(const int64_t *)context, d->stopped ? " and is stopped" : "");
    return 0;
}

/* Once in a while of nothing: who has in hand what we wait for? */
static void say_whom(struct state *s, const struct pingo_tick_result *tick)
{
    int64_t now = pingo__world_monotonic_ms();
    bool waits = tick->active == 0 && tick->idle && !s->running->unwatched;
    if (!waits || s->idle_ms == 0) {
        s->idle_ms = waits ? now : 0;
        s->said_whom = s->said_whom && waits;
        return;
    }
    if (s->said_whom || now - s->idle_ms < WHOM_MS)
        return;
    s->said_whom = true;
    for (size_t i = 0; i < s->running->nworkflows; i++) {
        int64_t workflow = s->running->workflows[i];
        pingo_store_drivers(s->cli->store, workflow, say_driver, &workflow, NULL);
    }
}

/* What is ready and cannot start says so once, whatever else runs. */
static void say_why(struct state *s, const struct pingo_tick_result *tick)
{
    int64_t now = pingo__world_monotonic_ms();
    if (s->why_ms == 0)
        s->why_ms = now + WHOM_MS;
    if (!tick->idle || now < s->why_ms || s->running->unwatched)
        return;
    s->why_ms = now + WHY_MS;
    for (size_t i = 0; i < s->running->nworkflows; i++) {
        struct pingo_workflow_status w;
        bool any = cli_workflow_status(s->cli, s->running->workflows[i], &w, NULL) == 0 &&
                   w.state == PINGO_WORKFLOW_RUNNING && w.ready > 0;
        while (any && s->nreasons < REASONS) {
            struct cli_unstarted u = {.told = s->reasons, .ntold = s->nreasons};
            cli_unstarted(s->cli, w.workflow, NULL, &u);
            if (!u.reason)
                break;
            if (!s->cli->waits || !strstr(s->cli->waits, u.reason)) {
                cli_note("%zu action%s of workflow %" PRId64 " cannot start now: %s", u.n,
                         u.n == 1 ? "" : "s", w.workflow, u.reason);
                cli_append(&s->cli->waits, "%s\n", u.reason);
            }
            s->reasons[s->nreasons++] = u.reason;
        }
    }
}

static int check(void *context, const struct pingo_tick_result *tick)
{
    struct state *s = context;
    cli_watch_show(s->watch);
    if (tick) {
        memcpy(s->shortfall, tick->shortfall_message, sizeof s->shortfall);
        say_whom(s, tick);
        say_why(s, tick);
    }
    int number = cli_signal_caught(), step = 0;
    if (number == SIGTERM || number == SIGHUP)
        step = 3;
    else if (number == SIGINT)
        step = cli_signal_interrupts() < 3 ? cli_signal_interrupts() : 3;
    /* Only after the tick behind the pause is it known what had started. */
    if (step == 1 && s->seen == 1 && s->said < 1 && tick && tick->active > 0) {
        cli_tell("interrupted: nothing more starts, waiting for what runs (%zu); "
                 "interrupt again to end it",
                 tick->active);
        s->said = 1;
    }
    if (step == 2 && s->said < 2)
        cli_tell("interrupted again: ending what runs; interrupt once more to wait for nothing");
    /* Likewise. */
    if (step == 2 && s->seen == 2 && !s->said_others && tick && tick->active > tick->ending) {
        cli_tell("%zu of what runs goes on, and is waited for: other workflows need it, too, "
                 "or its executor is away",
                 tick->active - tick->ending);
        s->said_others = true;
    }
    if (step > s->said && step > 1)
        s->said = step;
    s->seen = step;
    return step;
}

/* " 3 4"; only those in this state where it is not 0. */
static char *numbers_of(struct cli *cli, const struct cli_running *running,
                        enum pingo_workflow_state state)
{
    char *text = cli_copy("");
    for (size_t i = 0; i < running->nworkflows; i++) {
        struct pingo_workflow_status s;
        if (state != 0 &&
            (cli_workflow_status(cli, running->workflows[i], &s, NULL) != 0 || s.state != state))
            continue;
        cli_append(&text, " %" PRId64, running->workflows[i]);
    }
    return text;
}

static int say_how_to_go_on(struct cli *cli, const struct cli_running *running)
{
    int number = cli_signal_caught();
    bool leaves = number == SIGTERM || number == SIGHUP;
    char *numbers = numbers_of(cli, running, leaves ? 0 : PINGO_WORKFLOW_PAUSED);
    const char *program = cli_program(cli);
    const char *all = running->all ? " --all" : numbers;
    const char *one =
        strchr(numbers, ' ') == strrchr(numbers, ' ') && *numbers != '\0' ? numbers : " WORKFLOW";
    if (leaves)
        cli_tell("left running; see it end: %s wait%s; go on: %s run%s; kill: %s kill%s", program,
                 numbers, program, all, program, one);
    else if (*numbers != '\0')
        cli_tell("stopped, paused:%s; go on: %s run%s; kill: %s kill%s", numbers, program, numbers,
                 program, one);
    else
        cli_tell("stopped; go on: %s run%s", program, all);
    return cli_signal_status();
}

int cli_tell_paused(struct cli *cli, int64_t workflow)
{
    cli_message("workflow %" PRId64 " was paused", workflow);
    cli_try("%s run %" PRId64, cli_program(cli), workflow);
    return CLI_UNDRIVEN;
}

static int note_one(void *context, const struct pingo_hook *hook)
{
    (void)hook;
    *(bool *)context = true;
    return 0;
}

bool cli_has_notices(struct cli *cli)
{
    const struct pingo_hook_query pending = {
        .version = 1, .states = 1u << PINGO_HOOK_PENDING, .limit = 1};
    bool has = false;
    return pingo_store_hooks(cli->store, &pending, note_one, &has, NULL) == 0 && has;
}

int cli_run_workflows(struct cli *cli, const struct cli_running *running)
{
    struct pingo_scheduler *scheduler = NULL;
    struct state state = {.cli = cli, .running = running};
    struct pingo_run_options options = {
        .version = 1, .fail_fast = running->fail_fast, .check = check, .context = &state};
    cli_signals_catch();
    cli_signals_survive_pipes();
    int rc = cli_open_scheduler(cli, running->max_jobs, &scheduler);
    if (rc != CLI_OK)
        return rc;
    state.watch = cli_watch_new(cli, running->workflows, running->nworkflows, running->unwatched);
    cli->watch = state.watch;
    rc = pingo_scheduler_run(scheduler, running->workflows, running->all ? 0 : running->nworkflows,
                             &options, &cli->err);
    cli_watch_show(state.watch);
    cli->watch = NULL;
    cli_progress_clear();
    pingo_scheduler_close(scheduler);
    if (*state.shortfall != '\0' && !running->unwatched)
        cli_note("%s", state.shortfall);
    if (rc == PINGO_EINTERRUPTED)
        return say_how_to_go_on(cli, running);
    if (rc == 0)
        return CLI_OK;
    rc = cli_error(cli);
    char *numbers = numbers_of(cli, running, PINGO_WORKFLOW_RUNNING);
    if (*numbers != '\0' && cli->err.code != PINGO_ENOSTORE)
        cli_tell("unfinished; go on: %s run%s", cli_program(cli), numbers);
    return rc;
}
