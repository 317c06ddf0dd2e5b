/* errors.c - pingo errors: what failed, how often, where and with what loss of time. */
#include <string.h>

#include "remote/remote.h"
#include "select.h"

CLI_ROWS(on_failure, struct pingo_failure)
CLI_ROWS(on_sum, struct pingo_summary_row)

struct errors {
    struct cli_answer answer;
    struct pingo_summary_query query;
    bool is_list; /* of attempts */
};

struct met {
    const char *asked, **values;
    size_t n;
    bool has;
};

static int add_met(void *context, const void *sum)
{
    struct met *met = context;
    const struct pingo_summary_row *row = sum;
    met->values = cli_more(met->values, met->n, sizeof *met->values);
    met->values[met->n++] = cli_copy(row->value);
    met->has |= strcmp(row->value, met->asked) == 0;
    return 0;
}

CLI_EACH(on_met, add_met, struct pingo_summary_row)

/* All that ended, ever. */
static int find_met(struct cli *cli, enum pingo_summary_by by, struct met *met)
{
    const struct pingo_summary_query all = {.version = 1, .by = by};
    char *path = cli_copy("/v1/errors?limit=1000");
    if (!cli->remote)
        return pingo_store_summary(cli->store, &all, on_met, met, &cli->err);
    cli_remote_query(&path, "by", by == PINGO_SUMMARY_BY_NODE ? "node" : "executor");
    cli_remote_query_time(&path, "from", 1);
    return cli_remote_each(cli->remote, &(struct cli_remote_list){path, &pingo__view_errors,
                                                                  add_met, met, NULL, true});
}

/* what: "on a node", ... */
static int check_met(struct cli *cli, enum pingo_summary_by by, const char *what, const char *asked)
{
    struct met met = {.asked = asked};
    if (asked && find_met(cli, by, &met) != 0)
        return cli_error(cli);
    if (!asked || met.has)
        return CLI_OK;
    const char *near = pingo__text_nearest(asked, met.values, met.n);
    cli_message("nothing has ended %s \"%s\" yet%s%s%s", what, cli_shown(asked),
                near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return CLI_NOTFOUND;
}

static int check_user(struct cli *cli, const char *user)
{
    char *path = cli_copy("/v1/datasets?limit=1");
    if (!cli->remote)
        return cli_check_submitted(cli, user, NULL);
    cli_remote_query(&path, "user", user);
    return cli_remote_ask(cli->remote, &(struct cli_ask){.path = path}) == 0 ? CLI_OK
                                                                             : cli_error(cli);
}

/* Where nothing was told, a note; of whom or what the store never met, a message. */
static int tell_none(const struct errors *e)
{
    const struct pingo_summary_query *q = &e->query;
    struct cli *cli = e->answer.cli;
    if (e->answer.n > 0)
        return CLI_OK;
    int rc = q->user ? check_user(cli, q->user) : CLI_OK;
    if (rc == CLI_OK)
        rc = check_met(cli, PINGO_SUMMARY_BY_EXECUTOR, "by an executor", q->executor);
    if (rc == CLI_OK)
        rc = check_met(cli, PINGO_SUMMARY_BY_NODE, "on a node", q->node);
    if (rc == CLI_OK && e->answer.form == CLI_ANSWER_TEXT)
        cli_note("nothing failed then");
    return rc;
}

/* What a server is asked. */
static char *path_of(const struct errors *e, const char *path)
{
    char *whole = cli_copy(path);
    cli_remote_query_options(e->answer.cli->remote, &whole, "by|step|error|executor|node|user|name");
    cli_remote_query_time(&whole, "from", e->query.since_ms);
    cli_remote_query_time(&whole, "to", e->query.until_ms);
    return whole;
}

/* They come whole: what is beyond the limit is summed there. */
static int sum_there(struct errors *e)
{
    char *path = path_of(e, "/v1/errors");
    cli_remote_query_number(&path, "limit", (int64_t)e->query.limit);
    return cli_remote_each(e->answer.cli->remote,
                           &(struct cli_remote_list){path, &pingo__view_errors, cli_row, &e->answer,
                                                     &e->answer, true});
}

static int sum(struct cli *cli, struct errors *e)
{
    bool by_error = e->query.by == PINGO_SUMMARY_BY_ERROR;
    bool by_step = e->query.step != PINGO_SUMMARY_ALL;
    int rc = cli_open(cli);
    if (rc != CLI_OK)
        return rc;
    cli_list(&e->answer, cli, by_error && !by_step ? &pingo__view_error_kinds : &pingo__view_errors);
    e->answer.style.shown = (by_step ? 1u << PINGO__VIEW_BY_STEP : 0) |
                            (by_error ? 1u << PINGO__VIEW_BY_ERROR : 1u << PINGO__VIEW_BY_VALUE);
    return cli_list_end(
        &e->answer, NULL,
        cli->remote ? sum_there(e)
                    : pingo_store_summary(cli->store, &e->query, on_sum, &e->answer, &cli->err));
}

static int list(struct cli *cli, const struct cli_args *args, struct errors *e)
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
    rc = cli->remote ? cli_remote_tell(cli->remote, path_of(e, "/v1/errors/attempts"), answer, false)
                     : pingo_store_failures(cli->store, &query, on_failure, answer, &cli->err);
    return cli_list_end(answer, NULL, rc);
}

static int read_query(struct errors *e, const struct cli_args *args)
{
    bool is_list = cli_flag(args, "list");
    struct cli_period period = cli_period(args, "since", "until");
    int64_t end_ms = period.until_ms > 0 ? period.until_ms : pingo__world_wall_ms();
    *e = (struct errors){
        .is_list = is_list,
        .query = {.version = 1,
                  .by = (enum pingo_summary_by)(PINGO_SUMMARY_BY_ERROR + cli_choice(args, "by", 0)),
                  .step = (enum pingo_summary_step)(1 + cli_choice(args, "step", -1)),
                  .error = cli_number(args, "error", 1, INT64_MAX, 0),
                  .executor = cli_value(args, "executor"),
                  .node = cli_value(args, "node"),
                  .user = cli_value(args, "user"),
                  .name = cli_value(args, "name"),
                  .since_ms = cli_value(args, "since") ? period.since_ms : end_ms - INT64_C(86400000),
                  .until_ms = period.until_ms,
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
    struct errors e;
    int rc = read_query(&e, args);
    if (rc == CLI_OK)
        rc = e.is_list ? list(cli, args, &e) : sum(cli, &e);
    return rc == CLI_OK ? tell_none(&e) : rc;
}

const struct cli_command cli_errors = {
    "errors", NULL, run,
    CLI_DOCUMENTS({"without --list", &pingo__view_errors, true},
                  {"with --list", &pingo__view_failed, true},
                  {"with --list and --after", &pingo__view_failed_page, false})};
