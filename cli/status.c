/* status.c - see status.h: action by action in constant memory. */
#include "status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers.h"

void cli_workflow_look(struct cli *cli, const struct pingo_workflow_status *s,
                       struct pingo__view_workflow *look)
{
    struct cli_drivers drivers = {0};
    bool unfinished = !pingo_workflow_state_is_final(s->state);
    *look = (struct pingo__view_workflow){.status = *s};
    look->has_drivers = unfinished && cli_drivers_find(cli, s->workflow, &drivers, NULL) == 0;
    look->driven = drivers.driven;
    look->drivers = drivers.list;
    look->ndrivers = drivers.n;
}

void cli_workflow_look_clear(struct pingo__view_workflow *look)
{
    free((void *)(uintptr_t)look->drivers);
}

struct part {
    struct cli *cli;
    struct pingo__writer *w;
};

static int open_status(void *context, const struct pingo_workflow_status *s)
{
    struct part *p = context;
    struct pingo__view_workflow look;
    cli_workflow_look(p->cli, s, &look);
    pingo__view_open(p->w, NULL, &pingo__view_workflow_actions, &look);
    cli_workflow_look_clear(&look);
    return 0;
}

static int write_action(void *context, const struct pingo_action_status *s)
{
    pingo__view_object(((struct part *)context)->w, NULL, &pingo__view_action, s);
    return 0;
}

int cli_status_write(struct cli *cli, struct pingo__writer *w, int64_t workflow,
                     const struct cli_selection *selection, struct pingo_error *err)
{
    struct part part = {cli, w};
    int rc = pingo_store_workflow(cli->store, workflow, open_status, &part, err);
    if (rc == 0)
        rc = cli_each_selected(cli, workflow, selection, write_action, &part, err);
    if (rc == 0)
        pingo__view_close(w, &pingo__view_workflow_actions, NULL);
    return rc;
}

/* The actions that are printed: all, or those that are selected, which come in the same order. */
int cli_each_selected(struct cli *cli, int64_t workflow, const struct cli_selection *s,
                      pingo_action_status_fn fn, void *context, struct pingo_error *err)
{
    char id[32];
    int rc = 0;
    if (!s || s->is_everything)
        return pingo_store_actions(cli->store,
                                   &(struct pingo_action_query){.version = 1, .workflow = workflow},
                                   fn, context, err);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        snprintf(id, sizeof id, "%" PRId64, s->list[i].id);
        rc = pingo_store_action(cli->store, workflow, id, fn, context, err);
    }
    return rc;
}
