/* errors.c - pingo errors: what failed, how often, where and with what loss of time. */
#include <string.h>

#include "select.h"
#include "told.h"

CLI_ROWS(on_failure, struct pingo_failure)

/* What did not fail is no answer for people who ask what did. */
int cli_errors_row(void *errors, const struct pingo_summary_row *row)
{
    struct cli_errors *e = errors;
    bool by_value = e->query.by > PINGO_SUMMARY_BY_ERROR;
    return row->failed == 0 && !by_value && e->query.step == PINGO_SUMMARY_ALL
               ? 0
               : cli_row(&e->answer, row);
}

void cli_errors_begin(struct cli_errors *e, const struct cli_args *args)
{
    bool by_error = e->query.by == PINGO_SUMMARY_BY_ERROR;
    bool by_step = e->query.step != PINGO_SUMMARY_ALL;
    cli_list(&e->answer, args->cli,
             by_error && !by_step ? &pingo__view_error_kinds : &pingo__view_errors);
    e->answer.style.shown = (by_step ? 1u << PINGO__VIEW_BY_STEP : 0) |
                            (by_error ? 1u << PINGO__VIEW_BY_ERROR : 1u << PINGO__VIEW_BY_VALUE);
}

struct met {
    const char *asked, **values;
    size_t n;
    bool has;
};

static int on_met(void *context, const struct pingo_summary_row *row)
{
    struct met *met = context;
    met->values = cli_more(met->values, met->n, sizeof *met->values);
    met->values[met->n++] = cli_copy(row->value);
    met->has |= strcmp(row->value, met->asked) == 0;
    return 0;
}

static int all_here(void *context, enum pingo_summary_by by, pingo_summary_fn fn, void *met)
{
    struct cli *cli = context;
    const struct pingo_summary_query all = {.version = 1, .by = by};
    return pingo_store_summary(cli->store, &all, fn, met, &cli->err) == 0 ? CLI_OK : cli_error(cli);
}

/* what: "on a node", ... */
static int check_met(cli_errors_all all, void *context, enum pingo_summary_by by, const char *what,
                     const char *asked)
{
    struct met met = {.asked = asked};
    int rc = asked ? all(context, by, on_met, &met) : CLI_OK;
    if (!asked || rc != CLI_OK || met.has)
        return rc;
    const char *near = pingo__text_nearest(asked, met.values, met.n);
    cli_message("nothing has ended %s \"%s\" yet%s%s%s", what, cli_shown(asked),
                near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return CLI_NOTFOUND;
}

int cli_errors_none(const struct cli_errors *e, cli_errors_all all, void *context)
{
    const struct pingo_summary_query *q = &e->query;
    if (e->answer.n > 0)
        return CLI_OK;
    int rc = check_met(all, context, PINGO_SUMMARY_BY_EXECUTOR, "by an executor", q->executor);
    if (rc == CLI_OK)
        rc = check_met(all, context, PINGO_SUMMARY_BY_NODE, "on a node", q->node);
    if (rc == CLI_OK && e->answer.form == CLI_ANSWER_TEXT)
        cli_note("nothing failed then");
    return rc;
}

static int none_here(const struct cli_errors *e)
{
    struct cli *cli = e->answer.cli;
    int rc = CLI_OK;
    if (e->answer.n == 0 && e->query.user)
        rc = cli_check_submitted(cli, e->query.user, NULL);
    return rc == CLI_OK ? cli_errors_none(e, all_here, cli) : rc;
}

static int show(struct cli *cli, const struct cli_args *args, struct cli_errors *e)
{
    int rc = cli_open(cli);
    if (rc != CLI_OK)
        return rc;
    cli_errors_begin(e, args);
    rc = cli_list_end(&e->answer, NULL,
                      pingo_store_summary(cli->store, &e->query, cli_errors_row, e, &cli->err));
    return rc == CLI_OK ? none_here(e) : rc;
}

static int list(struct cli *cli, const struct cli_args *args, struct cli_errors *e)
{
    const struct pingo_summary_query *q = &e->query;
    struct cli_answer *answer = &e->answer;
    int rc = cli_pages(answer, args, &pingo__view_failed_page, 1);
    if (rc != CLI_OK)
        return rc;
    struct pingo_failure_query query = {.version = 1,
                                        .since_ms = q->since_ms,
                                        .until_ms = q->until_ms,
                                        .error = q->error,
                                        .executor = q->executor,
                                        .node = q->node,
                                        .user = q->user,
                                        .name = q->name,
                                        CLI_PART(*answer)};
    rc = cli_list_end(answer, NULL,
                      pingo_store_failures(cli->store, &query, on_failure, answer, &cli->err));
    return rc == CLI_OK ? none_here(e) : rc;
}

int cli_errors_read(struct cli_errors *e, const struct cli_args *args)
{
    bool is_list = cli_flag(args, "list");
    int64_t until_ms = cli_time(args, "until", 0);
    int64_t day_before_ms = (until_ms > 0 ? until_ms : pingo__world_wall_ms()) - INT64_C(86400000);
    *e = (struct cli_errors){
        .is_list = is_list,
        .query = {.version = 1,
                  .by = (enum pingo_summary_by)(PINGO_SUMMARY_BY_ERROR + cli_choice(args, "by", 0)),
                  .step = (enum pingo_summary_step)(1 + cli_choice(args, "step", -1)),
                  .error = cli_number(args, "error", 1, INT64_MAX, 0),
                  .executor = cli_value(args, "executor"),
                  .node = cli_value(args, "node"),
                  .user = cli_value(args, "user"),
                  .name = cli_value(args, "name"),
                  .since_ms = cli_time(args, "since", day_before_ms),
                  .until_ms = until_ms,
                  .limit = (size_t)cli_number(args, "limit", 1, INT32_MAX, is_list ? 0 : 50)}};
    if (cli_check(args) != CLI_OK)
        return CLI_USAGE;
    if (is_list && (cli_value(args, "by") || cli_value(args, "step")))
        return cli_usage(args, "--list prints attempts: it goes without --by and --step");
    if (!is_list && cli_value(args, "after"))
        return cli_usage(args, "--after goes with --list");
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_errors e;
    int rc = cli_errors_read(&e, args);
    return rc != CLI_OK ? rc : e.is_list ? list(cli, args, &e) : show(cli, args, &e);
}

const struct cli_command cli_errors = {
    "errors", NULL, run,
    CLI_DOCUMENTS({"without --list", &pingo__view_errors, true},
                  {"with --list", &pingo__view_failed, true},
                  {"with --list and --after", &pingo__view_failed_page, false})};
