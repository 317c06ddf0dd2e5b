/* kill.c - pingo kill: ends a workflow, or one action and what descends from it. */
#include <inttypes.h>

#include "answer.h"
#include "drivers.h"
#include "message.h"
#include "select.h"
#include "session.h"
#include "view/columns.h"

struct killing {
    int64_t workflow;
    size_t killed;
};

#define ROW struct killing
static const struct pingo__view_column columns[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    COLUMN("killed", COUNT, killed, "how many actions' state changed"),
};
static const struct pingo__view_table view = VIEW("kill", columns, ROW);
#undef ROW

/* Several actions: what ended meanwhile, or with another of them, is passed over, if anything was killed. */
static int kill_all(struct cli *cli, const struct cli_selection *s, size_t *killed)
{
    struct pingo_error err = {0};
    int rc = 0;
    for (size_t i = 0; i < s->n && (rc == 0 || rc == PINGO_ESTATE); i++) {
        char id[32];
        size_t n = 0;
        snprintf(id, sizeof id, "%" PRId64, s->list[i].id);
        int one = pingo_store_kill(cli->store, s->workflow, id, &n, &err);
        *killed += n;
        rc = one != 0 ? one : rc;
    }
    if (rc == 0 || (rc == PINGO_ESTATE && *killed > 0))
        return CLI_OK;
    return cli_error(cli, &err);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_selection s;
    size_t killed = 0;
    struct cli_orphans orphans = {0};
    struct pingo_error err = {0};
    int rc = cli_select_actions(cli, args, args->noperands - 1, &s);
    if (rc != CLI_OK)
        return rc;
    cli_orphans_look(cli, s.workflow, &orphans);
    if (!s.is_everything)
        rc = kill_all(cli, &s, &killed);
    else if (pingo_store_kill(cli->store, s.workflow, NULL, &killed, &err) != 0)
        rc = cli_error(cli, &err);
    if (rc == CLI_OK && !cli_answer(cli, &view, &(struct killing){s.workflow, killed}))
        cli_note("killed %zu action%s of workflow %" PRId64, killed, killed == 1 ? "" : "s",
                 s.workflow);
    cli_selection_clear(&s);
    return rc == CLI_OK ? cli_orphans_end(cli, &orphans) : rc;
}

static const struct cli_option options[] = {CLI_LABEL_OPTION};
static const char *const operands[] = {"workflow", "action", NULL};

const struct cli_command cli_kill = {
    .name = "kill",
    .synopsis = "WORKFLOW [ACTION]...",
    .summary = "kill a workflow or actions",
    .description =
        "Kills a workflow, or actions of it with all that descends from them.  What another\n"
        "live workflow needs goes on.  What runs is ended by the process that drives it; where\n"
        "that is gone or stopped, this command ends it.",
    .example = "  pingo kill last\n  pingo kill 12 simulate\n  pingo kill 12 'kmers*'\n",
    CLI_OPTIONS(options),
    CLI_PRINTS(&view),
    .flags = CLI_TAKES_JSON | CLI_OPENS_STORE,
    .exits = cli_exits_notfound,
    .min_operands = 1,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
