/* status.c - see status.h. */
#include "status.h"

#include <search.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "remote/remote.h"

static int copy_status(void *context, const struct pingo_workflow_status *status)
{
    struct pingo_workflow_status *copy = context;
    *copy = *status;
    copy->name = copy->user = copy->tag = NULL;
    return 0;
}

int cli_workflow_status(struct cli *cli, int64_t workflow, struct pingo_workflow_status *status,
                        struct pingo_error *err)
{
    struct pingo__view_workflow row = {0};
    memset(status, 0, sizeof *status);
    if (!cli->remote)
        return pingo_store_workflow(cli->store, workflow, copy_status, status, err);
    int rc = cli_remote_get(cli->remote, &pingo__view_workflow, &row, "/v1/workflows/%d", workflow);
    return rc == 0 ? copy_status(status, &row.status) : rc;
}

static int add_driver(void *context, const struct pingo_driver *driver)
{
    static struct pingo_driver *drivers; /* of the last look */
    struct pingo__view_workflow *look = context;
    if (driver->pid == getpid())
        return 0;
    drivers = cli_more(drivers, look->ndrivers, sizeof *drivers);
    drivers[look->ndrivers++] = *driver;
    look->drivers = drivers;
    look->driven = look->driven || !driver->stopped;
    return 0;
}

int cli_workflow_look(struct cli *cli, const struct pingo_workflow_status *s,
                      struct pingo__view_workflow *look, struct pingo_error *err)
{
    *look = (struct pingo__view_workflow){.status = *s};
    if (pingo_workflow_state_is_final(s->state))
        return 0;
    int rc = pingo_store_drivers(cli->store, s->workflow, add_driver, look, err);
    look->has_drivers = rc == 0;
    return rc;
}

struct part {
    struct cli *cli;
    struct pingo__writer *w;
};

static int open_status(void *context, const struct pingo_workflow_status *s)
{
    struct part *p = context;
    struct pingo__view_workflow look;
    cli_workflow_look(p->cli, s, &look, NULL);
    pingo__view_open(p->w, &pingo__view_workflow_actions, &look);
    return 0;
}

static int write_action(void *context, const struct pingo_action_status *s)
{
    pingo__view_object(((struct part *)context)->w, NULL, &pingo__view_action, s);
    return 0;
}

int cli_status_write(struct cli *cli, struct pingo__writer *w, int64_t workflow,
                     struct pingo_error *err)
{
    struct part part = {cli, w};
    struct pingo_action_query query = {.version = 1, .workflow = workflow};
    int rc = pingo_store_workflow(cli->store, workflow, open_status, &part, err);
    if (rc == 0)
        rc = pingo_store_actions(cli->store, &query, write_action, &part, err);
    if (rc == 0)
        pingo__view_close(w, &pingo__view_workflow_actions, &(struct pingo__view_workflow){0});
    return rc;
}

static int add_unstarted(void *context, const void *row)
{
    struct cli_unstarted *u = context;
    const struct pingo_action_status *a = row;
    if (a->state != PINGO_ACTION_READY || !a->message || *a->message == '\0')
        return 0;
    if (lfind(&a->message, u->told, &u->ntold, sizeof a->message, pingo__array_by_text))
        return 0;
    if (!u->reason)
        u->reason = cli_copy(a->message);
    *(strcmp(u->reason, a->message) == 0 ? &u->n : &u->nothers) += 1;
    return 0;
}

CLI_EACH(on_ready, add_unstarted, struct pingo_action_status)

void cli_unstarted(struct cli *cli, int64_t workflow, const char *action, struct cli_unstarted *u)
{
    if (cli->remote) {
        char *path = cli_remote_path("/v1/workflows/%d/actions", workflow);
        cli_remote_query(&path, action ? "action" : "state", action ? action : "READY");
        cli_remote_each(cli->remote, &(struct cli_remote_list){path, &pingo__view_action,
                                                               add_unstarted, u, NULL, false});
        return;
    }
    struct pingo_action_query ready = {
        .version = 1, .workflow = workflow, .states = 1u << PINGO_ACTION_READY};
    if (action)
        pingo_store_action(cli->store, &(struct pingo_action_name){workflow, action}, on_ready, u,
                           NULL);
    else
        pingo_store_actions(cli->store, &ready, on_ready, u, NULL);
}
