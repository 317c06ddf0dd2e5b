/* datasets.c - pingo datasets: what the pool holds, sorted and filtered.
 *
 * The library finds, filters and sorts; rows are printed as they come. */
#include <string.h>

#include "answer.h"
#include "remote/remote.h"
#include "select.h"
#include "view/columns.h"

struct listing {
    struct cli_answer answer;
    int64_t bytes, outside_bytes; /* in the pool; of unmanaged outputs */
};

static int tell(void *listing, const void *row)
{
    struct listing *l = listing;
    const struct pingo_dataset_status *s = row;
    if (s->size_bytes > 0 && pingo_dataset_state_is_there(s->state)) /* not all are told paths */
        *(s->is_managed ? &l->bytes : &l->outside_bytes) += s->size_bytes;
    return cli_row(&l->answer, s);
}

CLI_EACH(on_dataset, tell, struct pingo_dataset_status)

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
    struct cli_period period = cli_period(args, "newer", "older");
    q->since_ms = period.since_ms;
    q->until_ms = period.until_ms;
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
    if (!text || cli->remote)
        return CLI_OK;
    if (strcmp(text, "last") == 0 || pingo__text_to_int64(text, INT64_MIN, INT64_MAX, &number))
        return cli_workflow_of(cli, text, &q->workflow);
    q->workflow_name = text;
    return CLI_OK;
}

/* Those of a server, as the options that were given say, and the query. */
static int each_there(struct listing *l, const struct pingo_dataset_query *q,
                      const struct cli_remote_list *how)
{
    struct cli_remote *r = l->answer.cli->remote;
    struct cli_remote_list list = *how;
    char *path = cli_copy("/v1/datasets");
    cli_remote_query_options(r, &path, "user|workflow|label*|min-size|max-size|sort|reverse");
    for (unsigned state = 1; q->states >> state > 0; state++)
        if (q->states >> state & 1) /* as read_states() has understood it */
            cli_remote_query(&path, "state",
                             pingo_dataset_state_name((enum pingo_dataset_state)state));
    cli_remote_query(&path, "all", q->all ? "true" : NULL);
    cli_remote_query_time(&path, "newer", q->since_ms);
    cli_remote_query_time(&path, "older", q->until_ms);
    for (size_t i = 0; i < q->nnames; i++)
        cli_remote_query(&path, "name", q->names[i]);
    list.path = path;
    return cli_remote_each(r, &list);
}

static int add_any(void *context, const void *row)
{
    ++*(size_t *)context;
    (void)row;
    return 1; /* one is enough */
}

CLI_EACH(on_any, add_any, struct pingo_dataset_status)

/* Is there any that is asked for, be it deleted? */
static bool any_of(struct listing *l, struct pingo_dataset_query query)
{
    struct cli_answer one = {.limit = 1};
    size_t n = 0;
    query.all = true;
    if (l->answer.cli->remote)
        each_there(l, &query,
                   &(struct cli_remote_list){
                       .view = &pingo__view_dataset, .fn = add_any, .context = &n, .answer = &one});
    else
        pingo_store_datasets(l->answer.cli->store, &query, on_any, &n, NULL);
    return n > 0;
}

#define NAMES_TOLD 10 /* each is looked for once more */
static int none_named(struct listing *l, const struct pingo_dataset_query *query)
{
    for (size_t i = 0; i < query->nnames && i < NAMES_TOLD; i++) {
        const char *name = query->names[i];
        struct pingo_dataset_query one = *query;
        one.names = &name;
        one.nnames = 1;
        if (!query->all && any_of(l, one))
            cli_message("what actions named \"%s\" made is deleted (--all shows it)",
                        cli_shown(name));
        else
            cli_message("no such dataset was made by an action named \"%s\"", cli_shown(name));
    }
    if (query->nnames > NAMES_TOLD)
        cli_message("nor is there one of the other %zu names", query->nnames - NAMES_TOLD);
    return CLI_NOTFOUND;
}

static int none_labelled(struct listing *l, const struct pingo_dataset_query *query)
{
    const char *labels = query->nlabels > 1 ? "these labels" : "this label";
    if (!query->all && any_of(l, *query))
        cli_message("what actions with %s made is deleted (--all shows it)", labels);
    else
        cli_message("no such dataset was made by an action with %s", labels);
    return CLI_NOTFOUND;
}

#define ROW struct listing
static const struct pingo__view_column total_columns[] = {
    SHOWN("n", COUNT, answer.n),
    SHOWN("inside", BYTES, bytes),
    SHOWN("outside", BYTES, outside_bytes),
};
static const struct pingo__view_table total = VIEW("total", total_columns, ROW);
#undef ROW

static int list(struct cli *cli, struct listing *l, struct pingo_dataset_query *query)
{
    struct cli_answer *a = &l->answer;
    query->limit = a->limit;
    query->after = a->after;
    query->next = a->next;
    a->style.shown = query->values ? 1u << 1 : 0;
    int rc = cli->remote ? each_there(l, query,
                                      &(struct cli_remote_list){
                                          .view = a->rows, .fn = tell, .context = l, .answer = a})
                         : pingo_store_datasets(cli->store, query, on_dataset, l, &cli->err);
    rc = cli_list_end(a, NULL, rc);
    if (rc != CLI_OK)
        return rc;
    if (a->n == 0 && query->nnames > 0)
        return none_named(l, query);
    if (a->n == 0 && query->nlabels > 0)
        return none_labelled(l, query);
    if (!cli->json)
        cli_say(cli, CLI_NOTE,
                "{n} dataset{n||s}, {inside}[outside>0? in the pool, {outside} outside]", &total, l);
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_dataset_query query = {.version = 1};
    struct listing l = {.bytes = 0};
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
    return list(cli, &l, &query);
}

const struct cli_command cli_datasets = {
    "datasets", "name*", run,
    CLI_DOCUMENTS({"without --after", &pingo__view_dataset, true},
                  {"with --after", &pingo__view_dataset_page, false})};
