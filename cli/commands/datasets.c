/* datasets.c - pingo datasets: what the pool holds, sorted and filtered.
 *
 * The library finds, filters and sorts; rows are printed as they come. */
#include <string.h>

#include "answer.h"
#include "select.h"
#include "told.h"
#include "view/columns.h"

int cli_dataset_row(void *datasets, const struct pingo_dataset_status *s)
{
    struct cli_datasets *l = datasets;
    if (s->size_bytes > 0 && s->path)
        *(s->is_managed ? &l->bytes : &l->outside_bytes) += s->size_bytes;
    return cli_row(&l->answer, s);
}

/* ---- what is asked for ---------------------------------------------------------------- */

/* A state of this name, which has a length; in any case, with "-" for "_" if you like.  0: none, after a message. */
static enum pingo_dataset_state state_of(const struct cli_args *args, const char *text,
                                         size_t length)
{
    char upper[32];
    const char *names[16], *list = "";
    size_t n = 0;
    cli_cut(upper, sizeof upper, text, length);
    for (char *p = upper; *p != '\0'; p++)
        *p = *p == '-' ? '_' : *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    for (; (names[n] = pingo_dataset_state_name((enum pingo_dataset_state)(n + 1))); n++)
        if (strcmp(upper, names[n]) == 0)
            return (enum pingo_dataset_state)(n + 1);
    for (size_t i = 0; i < n; i++)
        list = cli_format("%s%s, ", list, names[i]);
    const char *near = pingo__text_nearest(upper, names, n);
    cli_usage(args, "--state takes %sor some of them with commas between, not \"%s\"%s%s%s", list,
              cli_shown(upper), near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return 0;
}

/* --state A,B --state C */
static int read_states(const struct cli_args *args, unsigned *states)
{
    size_t n;
    const char **values = cli_values(args, "state", &n);
    int rc = CLI_OK;
    for (size_t i = 0; i < n && rc == CLI_OK; i++) {
        const char *p = values[i];
        do {
            size_t length = strcspn(p, ",");
            enum pingo_dataset_state state = state_of(args, p, length);
            rc = state == 0 ? CLI_USAGE : CLI_OK;
            *states |= 1u << state;
            p += length;
        } while (*p++ == ',' && rc == CLI_OK);
    }
    return rc;
}

static int read_query(const struct cli_args *args, struct pingo_dataset_query *q)
{
    int rc = read_states(args, &q->states);
    q->order = (enum pingo_dataset_order)cli_choice(args, "sort", 0);
    q->min_bytes = cli_size(args, "min-size", 0);
    int64_t most_bytes = cli_size(args, "max-size", -1);
    q->below_bytes = most_bytes < INT64_MAX ? most_bytes + 1 : 0;
    q->min_value_ms = cli_duration(args, "min-value", 0);
    q->since_ms = cli_time(args, "newer", 0);
    q->until_ms = cli_time(args, "older", 0);
    q->all = cli_flag(args, "all") || (q->states & 1u << PINGO_DATASET_DELETED) != 0;
    q->values = cli_flag(args, "value") || cli_flag(args, "min-value") ||
                q->order == PINGO_DATASETS_BY_VALUE;
    q->reverse = cli_flag(args, "reverse");
    q->user = cli_value(args, "user");
    q->names = args->operands;
    q->nnames = args->noperands;
    return rc;
}

/* A number or "last" is one submission, anything else a name. */
static int read_workflow(struct cli *cli, const struct cli_args *args, struct pingo_dataset_query *q)
{
    const char *text = cli_value(args, "workflow");
    int64_t number;
    if (!text)
        return CLI_OK;
    if (strcmp(text, "last") == 0 || pingo__text_to_int64(text, INT64_MIN, INT64_MAX, &number))
        return cli_workflow_of(cli, text, &q->workflow);
    q->workflow_name = text;
    return CLI_OK;
}

static int on_any(void *context, const struct pingo_dataset_status *s)
{
    ++*(size_t *)context;
    (void)s;
    return 1; /* one is enough */
}

#define NAMES_TOLD 10 /* each is looked for once more */
int cli_datasets_none(const struct cli_args *args, cli_datasets_any_fn any, void *context)
{
    for (size_t i = 0; i < args->noperands && i < NAMES_TOLD; i++) {
        const char *name = cli_operand(args, i);
        if (!cli_flag(args, "all") && any(context, name))
            cli_message("what actions named \"%s\" made is deleted (--all shows it)",
                        cli_shown(name));
        else
            cli_message("no such dataset was made by an action named \"%s\"", cli_shown(name));
    }
    if (args->noperands > NAMES_TOLD)
        cli_message("nor is there one of the other %zu names", args->noperands - NAMES_TOLD);
    return CLI_NOTFOUND;
}

struct naming {
    struct cli *cli;
    struct pingo_dataset_query query;
};

static bool any_named(void *context, const char *name)
{
    const struct naming *naming = context;
    struct pingo_dataset_query query = naming->query;
    size_t n = 0;
    query.names = &name;
    query.nnames = 1;
    query.all = true;
    pingo_store_datasets(naming->cli->store, &query, on_any, &n, NULL);
    return n > 0;
}

#define ROW struct cli_datasets
static const struct pingo__view_column total_columns[] = {
    SHOWN("n", COUNT, answer.n),
    SHOWN("inside", BYTES, bytes),
    SHOWN("outside", BYTES, outside_bytes),
};
static const struct pingo__view_table total = VIEW("total", total_columns, ROW);
#undef ROW

void cli_datasets_total(struct cli *cli, const struct cli_datasets *datasets)
{
    cli_say(cli, CLI_NOTE, "{n} dataset{n||s}, {inside}[outside>0? in the pool, {outside} outside]",
            &total, datasets);
}

static int list(struct cli_datasets *l, const struct cli_args *args,
                struct pingo_dataset_query *query)
{
    query->limit = l->answer.limit;
    query->after = l->answer.after;
    query->next = l->answer.next;
    l->answer.style.shown = query->values ? 1u << 1 : 0;
    int rc = pingo_store_datasets(args->cli->store, query, cli_dataset_row, l, &args->cli->err);
    rc = cli_list_end(&l->answer, NULL, rc);
    if (rc != CLI_OK)
        return rc;
    if (l->answer.n == 0 && query->nnames > 0)
        return cli_datasets_none(args, any_named, &(struct naming){args->cli, *query});
    if (l->answer.n == 0 && query->nlabels > 0) {
        cli_message("no such dataset was made by an action with %s",
                    query->nlabels > 1 ? "these labels" : "this label");
        return CLI_NOTFOUND;
    }
    if (!args->cli->json)
        cli_datasets_total(args->cli, l);
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_dataset_query query = {.version = 1};
    struct cli_datasets l = {.bytes = 0};
    int rc = read_query(args, &query);
    if (rc == CLI_OK)
        rc = cli_pages(&l.answer, args, &pingo__view_dataset_page, 1);
    if (rc == CLI_OK)
        rc = read_workflow(cli, args, &query);
    if (rc != CLI_OK) {
        cli_list_drop(&l.answer);
        return rc;
    }
    query.labels = cli_values(args, "label", &query.nlabels);
    return list(&l, args, &query);
}

const struct cli_command cli_datasets = {
    "datasets", "name*", run,
    CLI_DOCUMENTS({"without --after", &pingo__view_dataset, true},
                  {"with --after", &pingo__view_dataset_page, false})};
