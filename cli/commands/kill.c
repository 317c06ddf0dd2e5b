/* kill.c - pingo kill: ends a workflow, or one action and what descends from it. */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>

#include "remote/remote.h"
#include "status.h"

#define TAKE_OVER_MS                                                                               \
    8000                 /* what a stopped process has in hand can be taken from it after so long */
#define AT_ONCE 100      /* actions: a server takes so many parts of a query */
#define ORPHANS_MS 30000 /* what does not end in so long is ended by a tick */

/* Attempts that are to be ended, and whose owners are gone or stopped: this process does it for them. */
struct orphans {
    bool any, stopped;
};

/* Before a kill: does something of this workflow run that nobody would end? */
static void look_for_orphans(struct cli *cli, int64_t workflow, struct orphans *orphans)
{
    struct pingo_workflow_status s;
    struct pingo__view_workflow look;
    if (cli->remote || cli_workflow_status(cli, workflow, &s, NULL) != 0 || s.running == 0)
        return;
    cli_workflow_look(cli, &s, &look, NULL);
    orphans->any = look.has_drivers && !look.driven;
    orphans->stopped = orphans->any && look.ndrivers > 0;
}

/* After it: ends that, within some seconds, by a handle that has on the disk what it deletes files for. */
static int end_orphans(struct cli *cli, const struct orphans *orphans)
{
    struct pingo_scheduler *scheduler = NULL;
    struct pingo_tick_result tick = {.size = sizeof tick};
    if (!orphans->any)
        return CLI_OK;
    int64_t start = pingo__world_monotonic_ms(), least = orphans->stopped ? TAKE_OVER_MS : 0,
            elapsed = 0;
    pingo_store_close(cli->store);
    cli->store = NULL;
    int rc = cli_open_scheduler(cli, 0, &scheduler);
    if (rc == CLI_OK && pingo_scheduler_pause(scheduler, &cli->err) != 0)
        rc = cli_error(cli);
    while (rc == CLI_OK && elapsed < ORPHANS_MS) {
        struct pollfd fd = {.fd = pingo_scheduler_poll_fd(scheduler), .events = POLLIN};
        if (pingo_scheduler_tick(scheduler, &tick, &cli->err) != 0)
            rc = cli_error(cli);
        elapsed = pingo__world_monotonic_ms() - start;
        if (elapsed >= least && tick.ending == 0)
            break;
        poll(&fd, 1, (int)pingo_scheduler_timeout_ms(scheduler));
    }
    pingo_scheduler_close(scheduler);
    return rc;
}

static int ask_to_kill(struct cli *cli, const struct pingo_selection *meant, size_t *killed)
{
    struct pingo__view_killed row = {0};
    bool one = meant->nactions == 1;
    char *path = one ? cli_remote_path("/v1/workflows/%d/actions/%s/kill", meant->workflow,
                                       meant->actions[0])
                     : cli_remote_path("/v1/workflows/%d/kill", meant->workflow);
    for (size_t i = 0; i < meant->nactions && !one; i++)
        cli_remote_query(&path, "action", meant->actions[i]);
    struct cli_ask ask = {.method = "POST", .path = path, .view = &pingo__view_killed, .row = &row};
    int rc = cli_remote_ask(cli->remote, &ask);
    free(path);
    *killed = row.killed;
    return rc;
}

/* All of the workflow, where no action is meant. */
static int kill_some(struct cli *cli, const struct pingo_selection *meant, size_t *killed)
{
    struct pingo_action_name all = {meant->workflow, NULL};
    if (cli->remote)
        return ask_to_kill(cli, meant, killed);
    return meant->nactions > 0 ? pingo_store_kill_selected(cli->store, meant, killed, &cli->err)
                               : pingo_store_kill(cli->store, &all, killed, &cli->err);
}

/* Several actions: what ended meanwhile, or with another of them, is passed over, if anything was killed. */
static int kill_all(struct cli *cli, const struct cli_selection *s, size_t *killed)
{
    const char *ids[AT_ONCE];
    struct pingo_selection meant = {.version = 1, .workflow = s->workflow, .actions = ids};
    int rc = 0;
    for (size_t i = 0; i < s->n && (rc == 0 || rc == PINGO_ESTATE);) {
        size_t n = 0;
        for (meant.nactions = 0; i < s->n && meant.nactions < AT_ONCE; i++)
            ids[meant.nactions++] = cli_format("%" PRId64, s->list[i].id);
        int some = kill_some(cli, &meant, &n);
        *killed += n;
        rc = some != 0 ? some : rc;
    }
    if (rc == 0 || (rc == PINGO_ESTATE && *killed > 0))
        return CLI_OK;
    return cli_error(cli);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_selection s;
    size_t killed = 0;
    struct orphans orphans = {0};
    int rc = cli_open_for_many(cli);
    if (rc == CLI_OK)
        rc = cli_select_actions(cli, args, args->noperands - 1, &s);
    if (rc != CLI_OK)
        return rc;
    look_for_orphans(cli, s.workflow, &orphans);
    if (!s.is_everything)
        rc = kill_all(cli, &s, &killed);
    else if (kill_some(cli, &(struct pingo_selection){.version = 1, .workflow = s.workflow},
                       &killed) != 0)
        rc = cli_error(cli);
    int synced = cli_sync(cli);
    rc = rc == CLI_OK ? synced : rc;
    if (rc == CLI_OK || killed > 0)
        cli_answer(cli, CLI_NOTE, &pingo__view_killed,
                   &(struct pingo__view_killed){s.workflow, killed});
    if (rc == CLI_OK && killed == 0)
        cli_note("what has not ended goes on: others need it");
    return rc == CLI_OK ? end_orphans(cli, &orphans) : rc;
}

const struct cli_command cli_kill = {"kill", "workflow action*", run,
                                     CLI_PRINTS(&pingo__view_killed)};
