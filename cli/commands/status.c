/* status.c - pingo status: the workflows, or the actions of one, as text or JSON. */
#include "status.h"

#include <inttypes.h>
#include <string.h>

#include "remote/remote.h"

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
    /* PINGO_ESTATE: it was forgotten, and its labels with it. */
    l->failed = has || rc == PINGO_ENOTFOUND || rc == PINGO_ESTATE ? 0 : rc;
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

static int each_workflow(struct listing *l)
{
    struct cli *cli = l->answer.cli;
    struct pingo_error err = {0};
    bool is_some = l->labels.nlabels > 0;
    struct pingo_workflow_query query = {.version = 1,
                                         .limit = is_some ? 0 : l->answer.limit,
                                         .after = l->answer.after,
                                         .next = l->answer.next};
    int rc = pingo_store_workflows(cli->store, &query, list_one, l, &err);
    if (is_some && rc == PINGO_EINTERRUPTED)
        return l->failed; /* 0: they are enough */
    cli->err = err;
    return rc;
}

static int list_workflows(struct cli *cli, const struct cli_args *args)
{
    struct listing l = {.labels.version = 1};
    if (cli_flag(args, "label") && cli_flag(args, "after"))
        return cli_usage(args, "--label without a workflow goes without --after");
    int rc = cli_pages(&l.answer, args, &pingo__view_workflow_page, 0);
    if (rc != CLI_OK)
        return rc;
    if (!l.answer.is_page && !cli->json)
        l.answer.limit = DEFAULT_LIMIT;
    l.labels.labels = cli_values(args, "label", &l.labels.nlabels);
    if (cli->remote)
        rc = cli_remote_tell(cli->remote, "/v1/workflows", &l.answer, false);
    else
        rc = each_workflow(&l);
    rc = cli_list_end(&l.answer, NULL, rc);
    if (rc == CLI_OK && l.labels.nlabels > 0 && l.answer.n == 0) {
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

struct one {
    struct cli *cli;
    struct cli_answer answer, page; /* page: what is asked for */
    bool is_all;                    /* of the actions, not some or a page */
    struct pingo__view_workflow row;
    bool has_begun;
};

static void look_at(struct one *one, const struct pingo__view_workflow *row)
{
    struct cli_unstarted u = {0};
    if (one->is_all && !one->cli->json && row->status.ready > row->status.for_space)
        cli_unstarted(one->cli, row->status.workflow, NULL, &u);
    one->row = *row;
    one->row.blocked = u.reason;
    one->row.nblocked = u.n;
    one->row.nothers = u.nothers;
}

/* What stands above the actions. */
static void begin(struct one *one)
{
    if (!one->has_begun)
        cli_list_within(&one->answer, one->cli, &pingo__view_workflow_actions, &one->row);
    one->has_begun = true;
}

static int on_workflow(void *context, const struct pingo_workflow_status *s)
{
    struct one *one = context;
    struct pingo__view_workflow look;
    cli_workflow_look(one->cli, s, &look, NULL);
    look_at(one, &look);
    begin(one);
    return 0;
}

static int tell_action(void *context, const void *row)
{
    struct one *one = context;
    begin(one);
    return cli_row(&one->answer, row);
}

CLI_EACH(on_action, tell_action, struct pingo_action_status)

/* The actions that are meant: all, or a part of all, or those that are selected, which come in the same order. */
static int tell_here(struct one *one, const struct cli_selection *s)
{
    struct pingo_store *store = one->cli->store;
    struct pingo_error *err = &one->cli->err;
    struct pingo_action_query query = {.version = 1, .workflow = s->workflow, CLI_PART(one->page)};
    char id[32];
    int rc = pingo_store_workflow(store, s->workflow, on_workflow, one, err);
    if (rc == 0 && s->is_everything)
        return pingo_store_actions(store, &query, on_action, one, err);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        snprintf(id, sizeof id, "%" PRId64, s->list[i].id);
        rc = pingo_store_action(store, &(struct pingo_action_name){s->workflow, id}, on_action, one,
                                err);
    }
    return rc;
}

/* Where a word means none, which the list of them says, nothing is told. */
static int tell_there(struct one *one, const struct cli_args *args)
{
    struct cli_remote *r = one->cli->remote;
    struct pingo__view_workflow row = {0};
    int rc = cli_remote_workflow(r, cli_operand(args, 0), &row);
    if (rc != 0)
        return rc;
    cli_remote_keep(r);
    look_at(one, &row);
    char *path = cli_remote_path("/v1/workflows/%d/actions", row.status.workflow);
    for (size_t i = 1; i < args->noperands; i++)
        cli_remote_query(&path, "action", args->operands[i]);
    cli_remote_query_options(r, &path, "label*");
    rc = cli_remote_each(r, &(struct cli_remote_list){path, &pingo__view_action, tell_action, one,
                                                      &one->page, false});
    if (rc == 0)
        begin(one);
    return rc;
}

static int one_workflow(struct cli *cli, const struct cli_args *args)
{
    struct cli_selection s;
    struct one one = {.cli = cli, .page.after = cli_value(args, "after")};
    bool is_page = cli_flag(args, "limit") || one.page.after;
    one.page.limit = (size_t)cli_number(args, "limit", 0, INT64_C(1) << 40, 0);
    one.is_all = !is_page && args->noperands == 1 && !cli_flag(args, "label");
    int rc = cli_check(args);
    if (rc == CLI_OK && is_page && (args->noperands > 1 || cli_flag(args, "label")))
        rc = cli_usage(args, "--limit and --after are for all actions, not for some");
    if (rc == CLI_OK && !cli->remote)
        rc = cli_select_actions(cli, args, args->noperands - 1, &s);
    if (rc != CLI_OK)
        return rc;
    rc = cli->remote ? tell_there(&one, args) : tell_here(&one, &s);
    if (!one.has_begun)
        return cli_error(cli);
    one.answer.is_page = is_page;
    memcpy(one.answer.next, one.page.next, sizeof one.answer.next);
    return cli_list_end(&one.answer, &(struct pingo__view_workflow){.next = one.page.next}, rc);
}

CLI_ROWS(on_attempt, struct pingo_attempt)

static int attempts_here(struct cli_answer *a, int64_t workflow, const char *action)
{
    struct pingo_attempt_query query = {
        .version = 1, .workflow = workflow, .action = action, CLI_PART(*a)};
    return pingo_store_attempts(a->cli->store, &query, on_attempt, a, &a->cli->err);
}

static int attempts_there(struct cli_answer *a, int64_t workflow, const char *action)
{
    struct cli_remote *r = a->cli->remote;
    int rc = action ? cli_remote_action(r, workflow, &action) : 0;
    char *path = action ? cli_remote_path("/v1/workflows/%d/actions/%s/attempts", workflow, action)
                        : cli_remote_path("/v1/workflows/%d/attempts", workflow);
    return rc == 0 ? cli_remote_tell(r, path, a, false) : rc;
}

static int all_attempts(struct cli *cli, const struct cli_args *args)
{
    struct cli_answer a;
    int64_t workflow;
    const char *action = cli_operand(args, 1);
    if (args->noperands == 0 || args->noperands > 2 || cli_flag(args, "label"))
        return cli_usage(args, "--attempts takes a workflow, and an action of it if you like, "
                               "and goes without --label");
    int rc = cli_workflow_of(cli, args->operands[0], &workflow);
    if (rc == CLI_OK)
        rc = cli_pages(&a, args, &pingo__view_attempt_page, 0);
    if (rc != CLI_OK)
        return rc;
    rc = cli->remote ? attempts_there(&a, workflow, action) : attempts_here(&a, workflow, action);
    if (rc == PINGO_ENOTFOUND && action && strpbrk(action, "*?[")) {
        cli_list_drop(&a);
        return cli_usage(args, "--attempts takes an action by its id or name, not by a pattern");
    }
    if (rc == 0 && a.n == 0)
        cli_note("nothing of it was run: it was reused or joined, or has not started");
    return cli_list_end(&a, NULL, rc);
}

CLI_ROWS(on_group, struct pingo_group)

static int all_groups(struct cli *cli, const struct cli_args *args)
{
    struct cli_answer a;
    int64_t workflow;
    if (args->noperands != 1 || cli_flag(args, "attempts") || cli_flag(args, "label") ||
        cli_flag(args, "limit") || cli_flag(args, "after"))
        return cli_usage(args, "--groups takes a workflow, and goes without --attempts, --label, "
                               "--limit and --after");
    int rc = cli_workflow_of(cli, args->operands[0], &workflow);
    if (rc != CLI_OK)
        return rc;
    cli_list(&a, cli, &pingo__view_group);
    rc = cli->remote
             ? cli_remote_tell(cli->remote, cli_remote_path("/v1/workflows/%d/groups", workflow),
                               &a, true)
             : pingo_store_groups(cli->store, workflow, on_group, &a, &cli->err);
    return cli_list_end(&a, NULL, rc);
}

static int follow(struct cli *cli, const struct cli_args *args)
{
    if (args->noperands > 1 || cli_flag(args, "attempts") || cli_flag(args, "groups") ||
        cli_flag(args, "label") || cli_flag(args, "limit") || cli_flag(args, "after"))
        return cli_usage(args, "--follow takes a workflow, or nothing, and goes without "
                               "--attempts, --groups, --label, --limit and --after");
    return cli->remote ? cli_remote_follow(cli->remote) : cli_follow(cli, cli_operand(args, 0));
}

static int run(struct cli *cli, const struct cli_args *args)
{
    bool is_all = args->noperands == 0 || cli_flag(args, "groups");
    if (cli->remote && cli_flag(args, "label") && is_all)
        return cli_usage(args, "--label needs a workflow where a server is asked; pingo datasets "
                               "--label tells what actions of all have made");
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
