/* pause.c - pingo pause: nothing more of a workflow starts; pingo resume: the way back, also from an interrupted
 * run. */
#include <inttypes.h>

#include "remote/remote.h"
#include "status.h"
#include "view/columns.h"

static const struct pingo__view_column whole[] = {
    STREAM("workflows", &pingo__view_paused, "in the order in which they were named"),
};
static const struct pingo__view_table view = VIEW("change", whole, struct pingo__view_paused);

struct change {
    const char *path; /* of a server */
    int (*change)(struct pingo_store *store, int64_t workflow, bool *changed,
                  struct pingo_error *err);
    const char *done, *before; /* of a workflow that was changed, and of one that was so before */
    void (*next)(struct cli *cli, int64_t workflow);
};

static int change(struct cli *cli, const struct change *how, struct pingo__view_paused *row)
{
    struct pingo_workflow_status s;
    if (cli->remote)
        return cli_remote_ask(cli->remote,
                              &(struct cli_ask){.method = "POST",
                                                .path = cli_remote_path(how->path, row->workflow),
                                                .view = &pingo__view_paused,
                                                .row = row});
    int rc = how->change(cli->store, row->workflow, &row->changed, &cli->err);
    if (rc == 0)
        rc = cli_workflow_status(cli, row->workflow, &s, &cli->err);
    row->state = rc == 0 ? s.state : row->state;
    return rc;
}

static int change_one(struct cli_answer *a, const struct change *how, int64_t workflow)
{
    struct cli *cli = a->cli;
    struct pingo__view_paused row = {.workflow = workflow};
    if (change(cli, how, &row) != 0)
        return cli_error(cli);
    if (cli->json)
        cli_row(a, &row);
    else
        cli_note("workflow %" PRId64 " %s", workflow, row.changed ? how->done : how->before);
    if (!cli->json && !cli->remote)
        how->next(cli, workflow);
    return CLI_OK;
}

/* All operands, or none where one is no workflow. */
static int change_all(struct cli *cli, const struct cli_args *args, const struct change *how)
{
    int64_t *workflows = NULL;
    struct cli_answer a;
    int rc = cli_workflows_of(cli, args, &workflows);
    cli_list_within(&a, cli, &view, NULL);
    for (size_t i = 0; rc == CLI_OK && i < args->noperands; i++)
        rc = change_one(&a, how, workflows[i]);
    return cli_list_close(&a, rc);
}

static void say_paused(struct cli *cli, int64_t workflow)
{
    struct pingo_workflow_status s;
    const char *program = cli_program(cli);
    if (cli_workflow_status(cli, workflow, &s, NULL) == 0 && s.running > 0)
        cli_note("what has started goes on; what has not is taken back by who had it");
    cli_note("go on: %s run %" PRId64 "; kill: %s kill %" PRId64, program, workflow, program,
             workflow);
}

static void say_resumed(struct cli *cli, int64_t workflow)
{
    cli_note("who drives all goes on with it; or: %s run %" PRId64, cli_program(cli), workflow);
}

static int run_pause(struct cli *cli, const struct cli_args *args)
{
    static const struct change how = {"/v1/workflows/%d/pause", pingo_store_pause_workflow,
                                      "is paused", "was paused before", say_paused};
    return change_all(cli, args, &how);
}

static int run_resume(struct cli *cli, const struct cli_args *args)
{
    static const struct change how = {"/v1/workflows/%d/resume", pingo_store_resume_workflow,
                                      "is not paused any more", "was not paused", say_resumed};
    return change_all(cli, args, &how);
}

const struct cli_command cli_pause = {"pause", "workflow+", run_pause, CLI_OPENS_STORE,
                                      CLI_PRINTS(&view)};

const struct cli_command cli_resume = {"resume", "workflow+", run_resume, CLI_OPENS_STORE,
                                       CLI_PRINTS(&view)};
