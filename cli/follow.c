/* follow.c - pingo status --follow: what changes, as it changes, until a workflow has ended.  What is told of it is the
 * same of a store behind a server (remote/follow.c). */
#include <stdlib.h>
#include <time.h>

#include "remote/remote.h"
#include "signals.h"
#include "status.h"

#define LOOK_MS 50

static void end_in(struct cli_following *f, enum pingo_workflow_state state)
{
    f->has_ended = f->workflow && pingo_workflow_state_is_final(state);
    f->state = state;
}

static int copy_name(void *context, const struct pingo_action_status *s)
{
    *(char **)context = cli_copy(s->name);
    return 0;
}

/* The name of an event's action, yours; NULL: it is not known. */
static char *name_of(struct cli *cli, const struct pingo_event *e)
{
    struct pingo_action_status action = {0};
    char id[32], *name = NULL;
    snprintf(id, sizeof id, "%lld", (long long)e->id);
    if (!cli->remote)
        pingo_store_action(cli->store, &(struct pingo_action_name){e->workflow, id}, copy_name,
                           &name, NULL);
    else if (cli_remote_get(cli->remote, &pingo__view_action, &action,
                            "/v1/workflows/%d/actions/%d", e->workflow, e->id) == 0)
        name = cli_copy(action.name);
    return name;
}

static void print(struct cli_following *f, const struct pingo_change *change)
{
    struct pingo__view_change row = {.change = *change};
    const struct pingo_event *e = &change->event;
    char *name = NULL;
    if (!f->cli->json &&
        (e->kind == PINGO_EVENT_DATASET || (e->kind == PINGO_EVENT_MANY && e->workflow == 0)))
        return; /* lines for people are of actions */
    if (e->kind == PINGO_EVENT_ACTION)
        name = name_of(f->cli, e);
    row.name = name;
    cli_answer(f->cli, CLI_DATA, &pingo__view_change, &row);
    f->is_unread = fflush(stdout) != 0;
    free(name);
}

int cli_follow_state(struct cli_following *f, int64_t number)
{
    struct pingo_workflow_status s;
    int rc = cli_workflow_status(f->cli, f->workflow, &s, &f->cli->err);
    if (rc != 0)
        return rc;
    end_in(f, s.state);
    print(f, &(struct pingo_change){.number = number,
                                    .at_ms = pingo__world_wall_ms(),
                                    .event = {.kind = PINGO_EVENT_WORKFLOW,
                                              .workflow = f->workflow,
                                              .to = (int)s.state,
                                              .id = -1}});
    return 0;
}

int cli_follow_change(void *following, const struct pingo_change *change)
{
    struct cli_following *f = following;
    const struct pingo_event *e = &change->event;
    bool is_meant = !f->workflow || e->workflow == f->workflow || e->workflow < 0;
    if (!is_meant || f->has_ended || f->is_unread)
        return 0;
    print(f, change);
    if (e->kind == PINGO_EVENT_WORKFLOW)
        end_in(f, (enum pingo_workflow_state)e->to);
    return e->kind == PINGO_EVENT_MANY && f->workflow ? cli_follow_state(f, change->number) : 0;
}

int cli_follow(struct cli *cli, const char *workflow)
{
    struct cli_following f = {.cli = cli};
    int64_t at = -1;
    cli_signals_catch();
    if (workflow && pingo_store_resolve_workflow(cli->store, workflow, &f.workflow, &cli->err) != 0)
        return cli_not_found(cli, workflow);
    if (pingo_store_follow(cli->store, &at, cli_follow_change, &f, &cli->err) != 0)
        return cli_error(cli);
    if (f.workflow && cli_follow_state(&f, at) != 0)
        return cli_error(cli);
    int rc = CLI_OK;
    while (rc == CLI_OK && !f.has_ended) {
        if (f.is_unread)
            return CLI_OK;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000}, NULL);
        if (cli_signal_caught())
            return cli_signal_status();
        if (pingo_store_follow(cli->store, &at, cli_follow_change, &f, &cli->err) != 0)
            rc = cli_error(cli);
    }
    return rc != CLI_OK || f.state == PINGO_WORKFLOW_FINISHED ? rc : CLI_FAILED;
}
