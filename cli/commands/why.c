/* why.c - pingo why: why an action was computed, and what differs from what was known before. */
#include <inttypes.h>

#include "told.h"

void cli_whys_begin(struct cli_whys *w, struct cli *cli, bool of_one)
{
    *w = (struct cli_whys){.of_one = of_one};
    cli_list(&w->answer, cli, &pingo__view_why);
}

int cli_why_tell(void *whys, const struct pingo_why *why)
{
    struct cli_whys *w = whys;
    snprintf(w->memory, sizeof w->memory, "%s", why->memory_text ? why->memory_text : "");
    size_t group = cli_reasons_add(&w->reasons, why, w->of_one);
    return w->answer.cli->json ? cli_row(&w->answer, &(struct pingo__view_why){*why, group}) : 0;
}

void cli_whys_print(const struct cli_whys *w, int64_t workflow, const struct cli_unstarted *u)
{
    if (w->reasons.n == 0)
        printf("nothing of workflow %" PRId64 " was to be computed for a reason of its own\n",
               workflow);
    else
        cli_reasons_print(&w->reasons, false);
    if (w->of_one && *w->memory)
        printf("memory: %s\n", w->memory);
    if (u->reason)
        cli_note("%zu action%s cannot start now: %s", u->n, u->n == 1 ? "" : "s", u->reason);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_whys w;
    struct cli_unstarted u = {0};
    const char *action = cli_operand(args, 1);
    int64_t workflow;
    int rc = cli_workflow_of(cli, cli_operand(args, 0), &workflow);
    if (rc != CLI_OK)
        return rc;
    cli_whys_begin(&w, cli, action);
    rc = pingo_store_why(cli->store, &(struct pingo_action_name){workflow, action}, cli_why_tell,
                         &w, &cli->err);
    rc = cli_list_end(&w.answer, NULL, rc);
    if (rc == CLI_NOTFOUND)
        cli_try("%s status %" PRId64, cli_program(cli), workflow);
    if (!cli->json && rc == CLI_OK) {
        cli_unstarted(cli, workflow, action, &u);
        cli_whys_print(&w, workflow, &u);
    }
    cli_reasons_clear(&w.reasons);
    return rc;
}

const struct cli_command cli_why = {"why", "workflow action?", run, CLI_OPENS_STORE,
                                    CLI_PRINTS_LIST(&pingo__view_why)};
