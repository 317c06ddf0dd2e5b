/* why.c - pingo why: why an action was computed, and what differs from what was known before. */
#include <inttypes.h>

#include "reasons.h"
#include "status.h"

struct printer {
    struct cli_answer answer;
    struct cli_reasons reasons;
    bool of_one; /* action: it is told whatever it differs through */
    char memory[200];
};

static int on_why(void *context, const struct pingo_why *why)
{
    struct printer *p = context;
    snprintf(p->memory, sizeof p->memory, "%s", why->memory_text ? why->memory_text : "");
    size_t group = cli_reasons_add(&p->reasons, why, p->of_one);
    return p->answer.cli->json ? cli_row(&p->answer, &(struct pingo__view_why){*why, group}) : 0;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct printer p = {0};
    const char *action = cli_operand(args, 1);
    int64_t workflow;
    int rc = cli_workflow_of(cli, cli_operand(args, 0), &workflow);
    if (rc != CLI_OK)
        return rc;
    p.of_one = action;
    cli_reasons_init(&p.reasons);
    cli_list(&p.answer, cli, &pingo__view_why);
    rc = pingo_store_why(cli->store, workflow, action, on_why, &p, &cli->err);
    rc = cli_list_end(&p.answer, NULL, rc);
    if (rc == CLI_NOTFOUND)
        cli_try("%s status %" PRId64, cli_program(cli), workflow);
    if (!cli->json && rc == CLI_OK && p.reasons.n == 0)
        printf("nothing of workflow %" PRId64 " was computed for a reason of its own\n", workflow);
    else if (!cli->json && rc == CLI_OK)
        cli_reasons_print(&p.reasons, "was");
    if (!cli->json && rc == CLI_OK && p.of_one && *p.memory)
        printf("memory: %s\n", p.memory);
    struct cli_unstarted u = {0};
    if (!cli->json && rc == CLI_OK)
        cli_unstarted(cli, workflow, action, &u);
    if (u.reason)
        cli_note("%zu action%s cannot start now: %s", u.n, u.n == 1 ? "" : "s", u.reason);
    cli_reasons_clear(&p.reasons);
    return rc;
}

const struct cli_command cli_why = {"why", "workflow action?", run, CLI_OPENS_STORE,
                                    CLI_PRINTS_LIST(&pingo__view_why)};
