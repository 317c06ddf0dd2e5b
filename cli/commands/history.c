/* history.c - pingo history: what was submitted, computed and reused, in any period. */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "select.h"

struct question {
    struct cli *cli;
    struct pingo_history *history;
    struct pingo_history_query query;
    struct pingo_hash action;
    struct cli_answer answer;
};

static int on_row(void *context, const struct pingo_history_row *row)
{
    struct question *v = context;
    return cli_row(&v->answer,
                   &(struct pingo__view_history){*row, v->query.by == PINGO_HISTORY_BY_USER});
}

static int show(struct question *v)
{
    int first = v->query.by == PINGO_HISTORY_BY_USER       ? PINGO__VIEW_OF_USER
                : v->query.by == PINGO_HISTORY_BY_WORKFLOW ? PINGO__VIEW_OF_WORKFLOW
                                                           : PINGO__VIEW_FROM;
    cli_list(&v->answer, v->cli,
             v->query.by == PINGO_HISTORY_BY_NOTHING ? &pingo__view_history_all
                                                     : &pingo__view_history);
    v->answer.style.shown = 1u << first;
    int rc = pingo_history_query(v->history, &v->query, on_row, v, &v->cli->err);
    rc = cli_list_end(&v->answer, NULL, rc);
    if (rc == CLI_OK && v->answer.n == 0 && v->answer.form == CLI_ANSWER_TEXT)
        cli_note("nothing was submitted");
    return rc;
}

static bool is_asked(const struct question *v, const struct pingo_history_submission *s,
                     uint32_t action)
{
    if (v->query.user && strcmp(v->query.user, s->user) != 0)
        return false;
    if (v->query.workflow && strcmp(v->query.workflow, s->workflow) != 0)
        return false;
    for (size_t i = 0; v->query.action; i++) {
        if (i == s->nactions)
            return false;
        if (s->actions[i] == action)
            break;
    }
    return true;
}

static int export_all(struct question *v, bool anonymous)
{
    struct pingo_hash salt;
    struct pingo_history_print_options options = {
        .version = 1, .anonymous = anonymous, .rehash = pingo_history_rehash, .context = &salt};
    uint32_t action = v->query.action ? pingo_history_find(v->history, v->query.action) : 0;
    if (anonymous && pingo_history_salt(&salt, &v->cli->err) != 0)
        return cli_error(v->cli);
    for (uint32_t i = 0; i < pingo_history_count_submissions(v->history) && !ferror(stdout); i++) {
        struct pingo_history_submission s = {.size = sizeof s};
        char *line = NULL;
        pingo_history_submission(v->history, i, &s);
        if (!is_asked(v, &s, action))
            continue;
        if (pingo_history_print_line(v->history, i, &options, &line, &v->cli->err) != 0)
            return cli_error(v->cli);
        fputs(line, stdout);
        free(line);
    }
    return CLI_OK;
}

/* The one action of the history whose hash begins so. */
static int find_action(struct question *v, const char *prefix)
{
    size_t n = strlen(prefix);
    uint32_t found = PINGO_HISTORY_NONE;
    if (n < 4 || strspn(prefix, "0123456789abcdef") != n) {
        cli_message("\"%s\" is no prefix of a hash: give at least 4 of its lower-case hex digits",
                    prefix);
        return CLI_NOTFOUND;
    }
    for (uint32_t i = 0; i < pingo_history_count_actions(v->history); i++) {
        char hex[PINGO_HASH_HEX_SIZE];
        pingo_hash_to_hex(pingo_history_hash(v->history, i), hex);
        if (strncmp(hex, prefix, n) != 0)
            continue;
        if (found != PINGO_HISTORY_NONE) {
            cli_message("more than one action has a hash that begins with %s; give more digits",
                        prefix);
            return CLI_NOTFOUND;
        }
        found = i;
    }
    if (found == PINGO_HISTORY_NONE) {
        cli_message("no action that was submitted then has a hash that begins with %s", prefix);
        return CLI_NOTFOUND;
    }
    v->action = *pingo_history_hash(v->history, found);
    v->query.action = &v->action;
    return CLI_OK;
}

static int on_known(void *known, const struct pingo_history_row *row)
{
    *(bool *)known = row->nsubmissions > 0;
    return 0;
}

/* What is not in what was loaded may be of another time. */
static int check_names(struct question *v)
{
    bool is_known = false;
    struct pingo_history_query q = {
        .version = 1, .user = v->query.user, .workflow = v->query.workflow};
    if (!q.user && !q.workflow)
        return CLI_OK;
    if (pingo_history_query(v->history, &q, on_known, &is_known, &v->cli->err) != 0)
        return cli_error(v->cli);
    return is_known ? CLI_OK : cli_check_submitted(v->cli, q.user, q.workflow);
}

static int read_question(struct question *v, const struct cli_args *args)
{
    bool export = cli_flag(args, "export");
    v->query.workflow = cli_value(args, "workflow");
    v->query.user = cli_value(args, "user");
    v->query.by = (enum pingo_history_by)(PINGO_HISTORY_BY_MINUTE + cli_choice(args, "by", -1));
    struct cli_period period = cli_period(args, "since", "until");
    v->query.since_ms = period.since_ms;
    v->query.until_ms = period.until_ms;
    if (cli_check(args) != CLI_OK)
        return CLI_USAGE;
    if (export && (v->cli->csv || v->cli->json || v->query.by != PINGO_HISTORY_BY_NOTHING))
        return cli_usage(args,
                         "--export prints submissions: it goes without --by, --csv and --json");
    if (!export && cli_flag(args, "anonymous"))
        return cli_usage(args, "--anonymous goes with --export");
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct question v = {.cli = cli, .query = {.version = 1}};
    const char *action = cli_value(args, "action");
    int rc = read_question(&v, args);
    if (rc == CLI_OK)
        rc = cli_open(cli);
    if (rc != CLI_OK)
        return rc;
    /* What was evicted in a period may have been made before it. */
    bool export = cli_flag(args, "export");
    struct pingo_store_history_options options = {
        .version = 1, .since_ms = export ? v.query.since_ms : 0, .until_ms = v.query.until_ms};
    if (pingo_store_history(cli->store, &options, &v.history, &cli->err) != 0)
        return cli_error(cli);
    rc = check_names(&v);
    if (rc == CLI_OK && action)
        rc = find_action(&v, action);
    if (rc == CLI_OK)
        rc = export ? export_all(&v, cli_flag(args, "anonymous")) : show(&v);
    pingo_history_free(v.history);
    return rc;
}

const struct cli_command cli_history = {"history", NULL, run, CLI_PRINTS_LIST(&pingo__view_history)};
