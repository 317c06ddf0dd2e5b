/* status.c - pingo status: the workflows, or the actions of one, as text or JSON. */
#include "status.h"

#include <inttypes.h>

/* ---- all workflows --------------------------------------------------------------- */

#define DEFAULT_LIMIT 20
#define UNDRIVEN_SHOWN 10

struct listing {
    struct cli_answer answer;
    struct pingo_selection labels; /* only workflows with such an action */
    int failed;                    /* looking for them */
    char *undriven;                /* " 3 4": unfinished, and no process runs them */
    size_t nundriven;
};

/* One action is enough. */
static int on_labelled(void *context, const struct pingo_selected *selected)
{
    (void)selected;
    *(bool *)context = true;
    return 1;
}

static bool is_labelled(struct listing *l, int64_t workflow)
{
    struct cli *cli = l->answer.cli;
    bool has = l->labels.nlabels == 0;
    if (has)
        return true;
    l->labels.workflow = workflow;
    int rc = pingo_store_select(cli->store, &l->labels, on_labelled, &has, &cli->err);
    l->failed = has || rc == PINGO_ENOTFOUND ? 0 : rc;
    return has;
}

static int list_one(void *context, const struct pingo_workflow_status *s)
{
    struct listing *l = context;
    struct pingo__view_workflow look;
    if (!is_labelled(l, s->workflow))
        return l->failed;
    cli_workflow_look(l->answer.cli, s, &look, NULL);
    if (s->state == PINGO_WORKFLOW_RUNNING && look.has_drivers && !look.driven &&
        l->nundriven++ < UNDRIVEN_SHOWN)
        cli_append(&l->undriven, " %" PRId64, s->workflow);
    int rc = cli_row(&l->answer, &look);
    return rc != 0 || (l->labels.nlabels > 0 && l->answer.n == l->answer.limit);
}

static void note_undriven(const struct listing *l)
{
    bool few = l->nundriven <= UNDRIVEN_SHOWN;
    if (l->nundriven > 0 && !l->answer.cli->json)
        cli_note("no process runs%s%s; go on with: %s run%s", l->undriven, few ? "" : " and others",
                 cli_program(l->answer.cli), few ? l->undriven : "");
}

static int list_workflows(struct cli *cli, const struct cli_args *args)
{
    struct listing l = {.labels.version = 1};
    struct pingo_error err = {0};
    int rc = cli_pages(&l.answer, args, &pingo__view_workflow_page, 0);
    if (rc != CLI_OK)
        return rc;
    if (!l.answer.is_page && !cli->json)
        l.answer.limit = DEFAULT_LIMIT;
    const char *const *labels = l.labels.labels = cli_values(args, "label", &l.labels.nlabels);
    struct pingo_workflow_query query = {.version = 1,
                                         .limit = labels ? 0 : l.answer.limit,
                                         .after = l.answer.after,
                                         .next = l.answer.next};
    rc = pingo_store_workflows(cli->store, &query, list_one, &l, &err);
    if (labels && rc == PINGO_EINTERRUPTED)
        rc = l.failed; /* 0: they are enough */
    else
        cli->err = err;
    rc = cli_list_end(&l.answer, NULL, rc);
    if (rc == CLI_OK && labels && l.answer.n == 0) {
        cli_message("no workflow has an action with %s",
                    l.labels.nlabels > 1 ? "these labels" : "this label");
        rc = CLI_NOTFOUND;
    } else if (rc == CLI_OK && !cli->json && l.answer.n == 0) {
        cli_note("nothing was submitted yet");
    }
    if (rc == CLI_OK)
        note_undriven(&l);
    return rc;
}

/* ---- one workflow --------------------------------------------------------------- */

CLI_ROWS(print_action, struct pingo_action_status)

struct one {
    struct cli *cli;
    struct cli_answer answer;
    bool is_all; /* of the actions, not some or a page */
};

/* The actions that are meant: all, or a part of all, or those that are selected, which come in the same order. */
static int each_action(struct one *one, const struct cli_selection *s, struct pingo_error *err)
{
    struct cli_answer *a = &one->answer;
    struct pingo_action_query query = {.version = 1, .workflow = s->workflow, CLI_PART(*a)};
    char id[32];
    int rc = 0;
    if (s->is_everything)
        return pingo_store_actions(one->cli->store, &query, print_action, a, err);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        snprintf(id, sizeof id, "%" PRId64, s->list[i].id);
        rc = pingo_store_action(one->cli->store, &(struct pingo_action_name){s->workflow, id},
                                print_action, a, err);
    }
    return rc;
}

static int begin(void *context, const struct pingo_workflow_status *s)
{
    struct one *one = context;
    struct cli *cli = one->cli;
    struct pingo__view_workflow look;
    struct cli_unstarted u = {0};
    cli_workflow_look(cli, s, &look, NULL);
    if (one->is_all && !cli->json && s->ready > s->for_space)
        cli_unstarted(cli, s->workflow, NULL, &u);
    look.blocked = u.reason;
    look.nblocked = u.n;
    look.nothers = u.nothers;
    cli_list_within(&one->answer, cli, &pingo__view_workflow_actions, &look);
    return 0;
}

static int one_workflow(struct cli *cli, const struct cli_args *args)
{
    struct cli_selection s;
    struct one one = {.cli = cli, .answer.cli = cli};
    size_t limit = (size_t)cli_number(args, "limit", 0, INT64_C(1) << 40, 0);
    bool is_page = cli_flag(args, "limit") || cli_flag(args, "after");
    int rc = cli_check(args);
    if (rc == CLI_OK)
        rc = cli_select_actions(cli, args, args->noperands - 1, &s);
    if (rc != CLI_OK)
        return rc;
    if (is_page && !s.is_everything)
        return cli_usage(args, "--limit and --after are for all actions, not for some");
    one.is_all = s.is_everything && !is_page;
    rc = pingo_store_workflow(cli->store, s.workflow, begin, &one, &cli->err);
    one.answer.limit = limit;
    one.answer.after = cli_value(args, "after");
    one.answer.is_page = is_page;
    if (rc == 0)
        rc = each_action(&one, &s, &cli->err);
    return cli_list_end(&one.answer, &(struct pingo__view_workflow){.next = one.answer.next}, rc);
}

CLI_ROWS(on_attempt, struct pingo_attempt)

static int all_attempts(struct cli *cli, const struct cli_args *args)
{
    struct cli_answer a;
    int64_t workflow;
    if (args->noperands == 0 || args->noperands > 2)
        return cli_usage(args, "--attempts takes a workflow, and an action of it if you like");
    int rc = cli_workflow_of(cli, args->operands[0], &workflow);
    if (rc == CLI_OK)
        rc = cli_pages(&a, args, &pingo__view_attempt_page, 0);
    if (rc != CLI_OK)
        return rc;
    struct pingo_attempt_query query = {
        .version = 1, .workflow = workflow, .action = cli_operand(args, 1), CLI_PART(a)};
    rc = pingo_store_attempts(cli->store, &query, on_attempt, &a, &cli->err);
    if (rc == 0 && a.n == 0)
        cli_note("nothing of it was run: it was reused or joined, or has not started");
    return cli_list_end(&a, NULL, rc);
}

CLI_ROWS(on_group, struct pingo_group)

static int all_groups(struct cli *cli, const struct cli_args *args)
{
    struct cli_answer a;
    int64_t workflow;
    if (args->noperands != 1)
        return cli_usage(args, "--groups takes a workflow");
    int rc = cli_workflow_of(cli, args->operands[0], &workflow);
    if (rc != CLI_OK)
        return rc;
    cli_list(&a, cli, &pingo__view_group);
    return cli_list_end(&a, NULL, pingo_store_groups(cli->store, workflow, on_group, &a, &cli->err));
}

static int follow(struct cli *cli, const struct cli_args *args)
{
    if (args->noperands > 1 || cli_flag(args, "attempts") || cli_flag(args, "label") ||
        cli_flag(args, "limit") || cli_flag(args, "after"))
        return cli_usage(args, "--follow takes a workflow, or nothing");
    return cli_follow(cli, cli_operand(args, 0));
}

static int run(struct cli *cli, const struct cli_args *args)
{
    if (cli_flag(args, "follow"))
        return follow(cli, args);
    if (cli_flag(args, "groups"))
        return all_groups(cli, args);
    if (cli_flag(args, "attempts"))
        return all_attempts(cli, args);
    return args->noperands == 0 ? list_workflows(cli, args) : one_workflow(cli, args);
}

const struct cli_command cli_status = {
    "status", "workflow? action*", run, CLI_OPENS_STORE,
    CLI_DOCUMENTS({"without operand", &pingo__view_workflow, true},
                  {"with a workflow", &pingo__view_workflow_actions, false},
                  {"with --attempts", &pingo__view_attempt, true},
                  {"with --groups", &pingo__view_group, true},
                  {"with --follow, each line", &pingo__view_change, false},
                  {"with --after, without operand", &pingo__view_workflow_page, false},
                  {"with --after and --attempts", &pingo__view_attempt_page, false})};
