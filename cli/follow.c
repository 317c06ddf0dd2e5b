/* follow.c - pingo status --follow: what changes, as it changes, until a workflow has ended. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "signals.h"
#include "status.h"

#define LOOK_MS 50

struct following {
    struct cli *cli;
    int64_t workflow; /* 0: all */
    bool has_ended;
    enum pingo_workflow_state state;
};

static void end_in(struct following *f, enum pingo_workflow_state state)
{
    f->has_ended = f->workflow && pingo_workflow_state_is_final(state);
    f->state = state;
}

static int copy_name(void *context, const struct pingo_action_status *s)
{
    *(char **)context = cli_copy(s->name);
    return 0;
}

static void print(struct following *f, const struct pingo_change *change)
{
    struct pingo__view_change row = {.change = *change};
    const struct pingo_event *e = &change->event;
    char id[32], *name = NULL;
    if (!f->cli->json &&
        (e->kind == PINGO_EVENT_DATASET || (e->kind == PINGO_EVENT_MANY && e->workflow == 0)))
        return; /* lines for people are of actions */
    snprintf(id, sizeof id, "%lld", (long long)e->id);
    if (e->kind == PINGO_EVENT_ACTION)
        pingo_store_action(f->cli->store, &(struct pingo_action_name){e->workflow, id}, copy_name,
                           &name, NULL);
    row.name = name;
    cli_answer(f->cli, CLI_DATA, &pingo__view_change, &row);
    free(name);
}

/* As it is, not as it changed. */
static int print_state(struct following *f, int64_t number)
{
    struct pingo_workflow_status s;
    if (cli_workflow_status(f->cli, f->workflow, &s, &f->cli->err) != 0)
        return cli_error(f->cli);
    end_in(f, s.state);
    print(f, &(struct pingo_change){.number = number,
                                    .at_ms = cli_now_ms(),
                                    .event = {.kind = PINGO_EVENT_WORKFLOW,
                                              .workflow = f->workflow,
                                              .to = (int)s.state,
                                              .id = -1}});
    return CLI_OK;
}

static int on_change(void *context, const struct pingo_change *change)
{
    struct following *f = context;
    const struct pingo_event *e = &change->event;
    bool is_meant = !f->workflow || e->workflow == f->workflow || e->workflow < 0;
    if (!is_meant || f->has_ended)
        return 0;
    print(f, change);
    if (e->kind == PINGO_EVENT_WORKFLOW)
        end_in(f, (enum pingo_workflow_state)e->to);
    return e->kind == PINGO_EVENT_MANY && f->workflow ? print_state(f, change->number) : 0;
}

int cli_follow(struct cli *cli, const char *workflow)
{
    struct following f = {.cli = cli};
    int64_t at = -1;
    cli_signals_catch();
    if (workflow && pingo_store_resolve_workflow(cli->store, workflow, &f.workflow, &cli->err) != 0)
        return cli_not_found(cli, workflow);
    if (pingo_store_follow(cli->store, &at, on_change, &f, &cli->err) != 0)
        return cli_error(cli);
    int rc = f.workflow ? print_state(&f, at) : CLI_OK;
    while (rc == CLI_OK && !f.has_ended) {
        if (fflush(stdout) != 0)
            return CLI_OK; /* nobody reads it */
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000}, NULL);
        if (cli_signal_caught())
            return cli_signal_status();
        if (pingo_store_follow(cli->store, &at, on_change, &f, &cli->err) != 0)
            rc = cli_error(cli);
    }
    return rc != CLI_OK || f.state == PINGO_WORKFLOW_FINISHED ? rc : CLI_FAILED;
}
