/* plan.c - pingo plan: what a submission would do now; changes nothing. */

#include "reasons.h"
#include "remote/remote.h"
#include "signals.h"

struct printer {
    struct cli_answer answer;
    bool all; /* skipped ones too */
    struct cli_reasons reasons;
};

static int on_planned(void *context, const struct pingo_planned *planned)
{
    struct printer *p = context;
    struct pingo__view_why why = {0};
    if (planned->why)
        why = (struct pingo__view_why){*planned->why,
                                       cli_reasons_add(&p->reasons, planned->why, false)};
    if (!p->answer.cli->json && planned->decision == PINGO_PLAN_SKIP && !p->all)
        return 0;
    return cli_row(&p->answer, &(struct pingo__view_planned){*planned, planned->why ? &why : NULL});
}

static void print_reasons(struct cli *cli, const struct cli_reasons *reasons)
{
    if (cli->json || reasons->n + reasons->inherited == 0)
        return;
    putchar('\n');
    cli_reasons_print(reasons, true);
}

/* The name goes before the actions, so it is known before the plan is.  What is wrong with the text is told by no
 * server that plans it. */
static char *name_of(const struct cli_document *document, struct pingo_problems **problems)
{
    struct pingo_workflow *workflow = cli_document_parse(document, problems);
    char *name = workflow ? cli_copy(pingo_workflow_name(workflow)) : NULL;
    pingo_workflow_free(workflow);
    return name;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct printer p = {.all = cli_flag(args, "all")};
    struct pingo__view_plan plan = {.totals.size = sizeof plan.totals};
    struct cli_document document = {0};
    struct pingo_submit_options submit;
    struct pingo_problems *problems = NULL;
    int rc = cli_submit_options_read(&submit, cli, args);
    if (rc == CLI_OK)
        rc = cli_open(cli);
    if (rc == CLI_OK)
        rc = cli_document_read(&document, cli_operand(args, 0), cli_document_limit(cli));
    if (rc != CLI_OK)
        goto out;
    cli_signals_catch();
    submit.base_dir = document.base_dir;
    submit.why = cli_flag(args, "why");
    submit.planned = on_planned;
    submit.context = &p;
    if (cli->json || cli->remote)
        plan.workflow = name_of(&document, cli->remote ? &problems : NULL);
    cli_list_within(&p.answer, cli, &pingo__view_plan, &plan);
    if (cli->remote)
        rc = cli_remote_plan(cli->remote, &document, on_planned, &p, &plan);
    else if (pingo_store_plan(cli->store,
                              &(struct pingo_document){document.text, document.length, &problems},
                              &submit, &plan.totals, &cli->err) != 0)
        rc = cli_submit_failed(cli, &document, problems);
    cli_progress_clear();
    if (rc != CLI_OK)
        goto out;
    cli_problems_show(document.label, CLI_WARNINGS_SHOWN, problems, 0);
    cli_list_end(&p.answer, &plan, 0);
    print_reasons(cli, &p.reasons);
    if (cli_flag(args, "check") && plan.totals.summary.compute > 0)
        rc = CLI_FAILED;
out:
    cli_list_drop(&p.answer);
    cli_reasons_clear(&p.reasons);
    pingo_problems_free(problems);
    return rc;
}

const struct cli_command cli_plan = {"plan", "file", run, CLI_PRINTS(&pingo__view_plan)};
