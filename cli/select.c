/* select.c - see select.h. */
#include "select.h"

#include <string.h>

#include "base/map.h"
#include "remote/remote.h"

/* ---- what an operand means ---- */

int cli_not_found(struct cli *cli, const char *workflow)
{
    int64_t number;
    int rc = cli_error(cli);
    if (cli->err.code != PINGO_ENOTFOUND || cli->remote)
        return rc;
    bool known = workflow && pingo_store_resolve_workflow(cli->store, workflow, &number, NULL) == 0;
    cli_try("%s status%s%s", cli_program(cli), known ? " " : "", known ? workflow : "");
    return rc;
}

int cli_workflow_of(struct cli *cli, const char *operand, int64_t *workflow)
{
    const char *name = operand ? operand : "last";
    struct pingo__view_workflow row = {0};
    int rc = cli->remote ? cli_remote_workflow(cli->remote, name, &row)
                         : pingo_store_resolve_workflow(cli->store, name, workflow, &cli->err);
    if (rc != 0)
        return cli_not_found(cli, NULL);
    *workflow = cli->remote ? row.status.workflow : *workflow;
    return CLI_OK;
}

int cli_workflows_of(struct cli *cli, const struct cli_args *args, int64_t **workflows)
{
    int rc = CLI_OK;
    *workflows = cli_alloc(args->noperands * sizeof **workflows);
    for (size_t i = 0; rc == CLI_OK && i < args->noperands; i++)
        rc = cli_workflow_of(cli, cli_operand(args, i), &(*workflows)[i]);
    return rc;
}

bool cli_is_dataset(const struct cli_args *args)
{
    const char *first = cli_operand(args, 0);
    int64_t number;
    if (cli_operand(args, 1) ||
        (strcmp(first, "last") != 0 && !pingo__text_to_int64(first, 0, 999, &number)))
        return true;
    cli_usage(args, "name the action too: pingo %s %s ACTION", args->command->name, first);
    return false;
}

static int hash_of(struct cli *cli, const char *operand, struct pingo_hash *hash)
{
    if (pingo_store_resolve_dataset(cli->store, operand, NULL, hash, &cli->err) == 0)
        return CLI_OK;
    int rc = cli_error(cli);
    if (cli->err.code == PINGO_ENOTFOUND)
        cli_try("%s datasets", cli_program(cli));
    return rc;
}

int cli_dataset_of(struct cli *cli, const struct cli_args *args, struct pingo_hash *hash)
{
    const char *first = cli_operand(args, 0), *action = cli_operand(args, 1);
    if (!cli_is_dataset(args))
        return CLI_USAGE;
    if (!action)
        return hash_of(cli, first, hash);
    return pingo_store_resolve_dataset(cli->store, first, action, hash, &cli->err) == 0
               ? CLI_OK
               : cli_not_found(cli, first);
}

/* ---- what several mean ---- */

static void add(struct cli_selection *s, const struct pingo_selected *one)
{
    s->list = cli_more(s->list, s->n, sizeof *s->list);
    s->list[s->n] = *one;
    s->list[s->n++].name = cli_copy(one->name);
}

static int on_selected(void *context, const struct pingo_selected *selected)
{
    add(context, selected);
    return 0;
}

int cli_mean_action(void *selection, const void *row)
{
    const struct pingo_action_status *a = row;
    add(selection, &(struct pingo_selected){.id = a->id, .name = a->name, .hash = a->hash});
    return 0;
}

static int select_there(struct cli_remote *r, const struct pingo_selection *wanted,
                        struct cli_selection *s)
{
    char *path = cli_remote_path("/v1/workflows/%d/actions", wanted->workflow);
    for (size_t i = 0; i < wanted->nactions; i++)
        cli_remote_query(&path, "action", wanted->actions[i]);
    for (size_t i = 0; i < wanted->nlabels; i++)
        cli_remote_query(&path, "label", wanted->labels[i]);
    return cli_remote_each(
        r, &(struct cli_remote_list){path, &pingo__view_action, cli_mean_action, s, NULL, false});
}

int cli_select_actions(struct cli *cli, const struct cli_args *args, size_t nactions,
                       struct cli_selection *s)
{
    struct pingo_selection wanted = {
        .version = 1, .actions = args->operands + 1, .nactions = nactions};
    memset(s, 0, sizeof *s);
    int rc = cli_workflow_of(cli, cli_operand(args, 0), &s->workflow);
    if (rc != CLI_OK)
        return rc;
    wanted.workflow = s->workflow;
    wanted.labels = cli_values(args, "label", &wanted.nlabels);
    s->is_everything = nactions == 0 && wanted.nlabels == 0;
    if (!s->is_everything)
        rc = cli->remote ? select_there(cli->remote, &wanted, s)
                         : pingo_store_select(cli->store, &wanted, on_selected, s, &cli->err);
    return rc == 0 ? CLI_OK : cli_not_found(cli, cli_operand(args, 0));
}

/* Is the first operand a workflow? */
static bool names_workflow(struct cli *cli, const struct cli_args *args)
{
    const char *first = cli_operand(args, 0);
    int64_t number;
    if (strcmp(first, "last") == 0 || cli_flag(args, "label"))
        return true;
    if (!pingo__text_to_int64(first, 1, INT64_MAX, &number))
        return false;
    return strlen(first) < 4 || pingo_store_resolve_workflow(cli->store, first, &number, NULL) == 0;
}

/* Equal actions have one dataset. */
static void once_each(struct cli_selection *s)
{
    struct pingo__map seen = {0};
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t known;
        struct pingo_selected *one = &s->list[n];
        *one = s->list[i];
        if (!pingo__map_insert(&seen, one->hash.bytes, PINGO_HASH_SIZE, (uint32_t)n, &known))
            cli_alloc(SIZE_MAX); /* ends the program */
        if (known == PINGO__MAP_NONE)
            n++;
        else
            s->list[known].is_named |= one->is_named;
    }
    s->n = n;
    pingo__map_clear(&seen);
}

static int hashes_of(struct cli *cli, const struct cli_args *args, struct cli_selection *s)
{
    int rc = CLI_OK;
    for (size_t i = 0; i < args->noperands && rc == CLI_OK; i++) {
        struct pingo_selected one = {.is_named = true};
        rc = hash_of(cli, args->operands[i], &one.hash);
        if (rc == CLI_OK)
            add(s, &one);
    }
    return rc;
}

int cli_select_datasets(struct cli *cli, const struct cli_args *args, bool alone,
                        struct cli_selection *s)
{
    memset(s, 0, sizeof *s);
    int rc = CLI_OK;
    if (!names_workflow(cli, args)) {
        rc = hashes_of(cli, args, s);
    } else if (args->noperands > 1 || cli_flag(args, "label")) {
        rc = cli_select_actions(cli, args, args->noperands - 1, s);
    } else if (alone) {
        s->is_everything = true;
        rc = cli_workflow_of(cli, cli_operand(args, 0), &s->workflow);
    } else {
        return cli_usage(args, "name the action too: pingo %s %s ACTION", args->command->name,
                         cli_operand(args, 0));
    }
    if (rc == CLI_OK)
        once_each(s);
    return rc;
}

/* Of several, a message says which one it means. */
static const char *label_of(const struct pingo_selected *one)
{
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(&one->hash, hex);
    return one->name ? cli_format("%.12s  %s", hex, one->name) : cli_format("%.12s", hex);
}

void cli_each_note(struct cli_each *each, size_t at, int failed)
{
    const struct pingo_selected *one = &each->selection->list[at];
    each->done += failed == 0;
    if (failed == 0)
        return;
    if (!one->is_named && (failed == PINGO_ESTATE || failed == PINGO_ENOTFOUND)) {
        each->passed++;
        return;
    }
    int told =
        each->selection->n > 1 ? cli_error_of(each->cli, label_of(one)) : cli_error(each->cli);
    each->status = each->status == CLI_OK ? told : each->status;
}

int cli_each_end(const struct cli_each *each)
{
    if (each->done > 0 || each->status != CLI_OK)
        return each->status;
    cli_message("nothing of what is meant is stored");
    return CLI_NOTFOUND;
}

int cli_each_dataset(struct cli *cli, const struct cli_selection *s, cli_dataset_fn fn,
                     void *context)
{
    struct cli_each each = {.cli = cli, .selection = s};
    for (size_t i = 0; i < s->n; i++)
        cli_each_note(&each, i, fn(context, s, &s->list[i]));
    return cli_each_end(&each);
}

static int on_any(void *context, const struct pingo_dataset_status *s)
{
    (void)context;
    (void)s;
    return 1;
}

int cli_check_submitted(struct cli *cli, const char *user, const char *workflow)
{
    const struct pingo_dataset_query queries[] = {
        {.version = 1, .user = user, .limit = 1},
        {.version = 1, .workflow_name = workflow, .limit = 1}};
    const char *given[] = {user, workflow};
    for (size_t i = 0; i < 2; i++)
        if (given[i] && pingo_store_datasets(cli->store, &queries[i], on_any, NULL, &cli->err) ==
                            PINGO_ENOTFOUND)
            return cli_error(cli);
    return CLI_OK;
}
