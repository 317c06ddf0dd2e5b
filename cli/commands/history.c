/* history.c - pingo history: what was submitted, computed and reused, in any period. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/history.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"
#include "text.h"

struct view {
    struct cli *cli;
    struct pingo_history *history;
    struct pingo_history_query query;
    struct pingo_hash action;
    struct cli_json json;
    bool csv;
    size_t rows;
};

/* ---- rows ----------------------------------------------------------------------------------- */

static bool by_name(const struct view *v)
{
    return v->query.by == PINGO_HISTORY_BY_WORKFLOW || v->query.by == PINGO_HISTORY_BY_USER;
}

static cJSON *rate_item(double rate)
{
    char digits[32];
    if (rate < 0)
        return NULL;
    snprintf(digits, sizeof digits, "%.4f", rate);
    for (char *comma = strchr(digits, ','); comma != NULL; comma = NULL)
        *comma = '.';
    return cJSON_CreateRaw(digits);
}

static cJSON *to_json(const struct view *v, const struct pingo_history_row *row)
{
    bool user = v->query.by == PINGO_HISTORY_BY_USER;
    cJSON *o = cli_json_object(), *rate = rate_item(pingo_history_reuse_rate(row));
    cli_json_time(o, "from", row->from_ms);
    cli_json_text(o, "workflow", user ? NULL : row->name);
    cli_json_text(o, "user", user ? row->name : NULL);
    cli_json_int(o, "submissions", (int64_t)row->nsubmissions);
    cli_json_int(o, "mentions", (int64_t)row->nmentions);
    cli_json_int(o, "computed", (int64_t)row->ncomputed);
    cli_json_int(o, "joined", (int64_t)row->njoined);
    cli_json_int(o, "reused", (int64_t)row->nreused);
    cli_json_int(o, "skipped", (int64_t)row->nskipped);
    if (rate != NULL)
        cli_json_add(o, "reuseRate", rate);
    else
        cli_json_null(o, "reuseRate");
    cli_json_int(o, "spentMs", row->spent_ms);
    cli_json_int(o, "savedMs", row->saved_ms);
    cli_json_int(o, "madeBytes", row->made_bytes);
    cli_json_known(o, "evictedBytes", row->evicted_bytes);
    return o;
}

static void print_csv(const struct view *v, const struct pingo_history_row *row)
{
    char from[PINGO__UNITS_SIZE] = "";
    double rate = pingo_history_reuse_rate(row);
    if (row->from_ms >= 0)
        pingo__times_print(from, row->from_ms);
    printf("%s,", from);
    if (v->query.by == PINGO_HISTORY_BY_USER)
        putchar(',');
    cli_print_csv_field(row->name != NULL ? row->name : "");
    if (v->query.by != PINGO_HISTORY_BY_USER)
        putchar(',');
    printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
           row->nsubmissions, row->nmentions, row->ncomputed, row->njoined, row->nreused,
           row->nskipped);
    if (rate >= 0)
        printf("%.4f", rate);
    printf(",%" PRId64 ",%" PRId64 ",%" PRId64 ",", row->spent_ms, row->saved_ms, row->made_bytes);
    if (row->evicted_bytes >= 0)
        printf("%" PRId64, row->evicted_bytes);
    putchar('\n');
}

struct texts {
    char rate[16], spent[PINGO__UNITS_SIZE], saved[PINGO__UNITS_SIZE], made[PINGO__UNITS_SIZE],
        evicted[PINGO__UNITS_SIZE];
};

static void to_texts(struct texts *t, const struct pingo_history_row *row)
{
    double rate = pingo_history_reuse_rate(row);
    snprintf(t->rate, sizeof t->rate, rate < 0 ? "-" : "%.1f %%", rate * 100);
    pingo__units_print_duration(t->spent, row->spent_ms);
    pingo__units_print_duration(t->saved, row->saved_ms);
    pingo__units_print_size(t->made, row->made_bytes);
    pingo__units_print_size(t->evicted, row->evicted_bytes);
}

static void print_all(const struct pingo_history_row *row)
{
    struct texts t = {0};
    to_texts(&t, row);
    printf("submissions     %" PRIu64 "\n", row->nsubmissions);
    printf("actions         %" PRIu64 ": %" PRIu64 " computed, %" PRIu64 " joined, %" PRIu64
           " reused, %" PRIu64 " skipped\n",
           row->nmentions, row->ncomputed, row->njoined, row->nreused, row->nskipped);
    printf("reuse rate      %s\n", t.rate);
    printf("compute time    %s spent, %s saved\n", t.spent, t.saved);
    printf("bytes           %s made, %s evicted\n", t.made, t.evicted);
}

static void print_row(const struct view *v, const struct pingo_history_row *row)
{
    struct texts t = {0};
    char key[PINGO__UNITS_SIZE], submissions[24], mentions[24], computed[24];
    to_texts(&t, row);
    if (by_name(v))
        cli_clean(key, 40, row->name);
    else
        cli_format_time(key, row->from_ms, v->cli->time_style);
    if (v->rows == 1)
        printf("%s%-20s  SUBMITTED  MENTIONED  COMPUTED    REUSE        SPENT        SAVED      "
               "MADE   EVICTED%s\n",
               cli_colour(stdout, CLI_BOLD),
               v->query.by == PINGO_HISTORY_BY_USER       ? "USER"
               : v->query.by == PINGO_HISTORY_BY_WORKFLOW ? "WORKFLOW"
                                                          : "FROM",
               cli_colour(stdout, CLI_PLAIN));
    snprintf(submissions, sizeof submissions, "%" PRIu64, row->nsubmissions);
    snprintf(mentions, sizeof mentions, "%" PRIu64, row->nmentions);
    snprintf(computed, sizeof computed, "%" PRIu64, row->ncomputed);
    cli_pad(stdout, key, 20);
    printf("  %9s  %9s  %8s  %7s  %11s  %11s  %8s  %8s\n", submissions, mentions, computed, t.rate,
           t.spent, t.saved, t.made, t.evicted);
}

static int on_row(void *context, const struct pingo_history_row *row)
{
    struct view *v = context;
    v->rows++;
    if (v->cli->json)
        cli_json_item(&v->json, NULL, to_json(v, row));
    else if (v->csv)
        print_csv(v, row);
    else if (v->query.by == PINGO_HISTORY_BY_NOTHING)
        print_all(row);
    else
        print_row(v, row);
    return ferror(stdout) != 0;
}

static int show(struct view *v)
{
    struct pingo_error err = {0};
    if (v->cli->json) {
        cli_json_begin(&v->json, stdout);
        cli_json_open(&v->json, NULL, '[');
    } else if (v->csv) {
        printf("from,workflow,user,submissions,mentions,computed,joined,reused,skipped,reuseRate,"
               "spentMs,savedMs,madeBytes,evictedBytes\n");
    }
    int rc = pingo_history_query(v->history, &v->query, on_row, v, &err);
    if (rc != 0 && rc != PINGO_EINTERRUPTED)
        return cli_error(v->cli, &err);
    if (v->cli->json)
        cli_json_close(&v->json);
    else if (v->rows == 0 && !v->csv)
        cli_note("nothing was submitted");
    return CLI_OK;
}

/* ---- export ------------------------------------------------------------------------------------ */

static bool is_asked(const struct view *v, const struct pingo_history_submission *s, uint32_t action)
{
    if (v->query.user != NULL && strcmp(v->query.user, s->user) != 0)
        return false;
    if (v->query.workflow != NULL && strcmp(v->query.workflow, s->workflow) != 0)
        return false;
    for (size_t i = 0; v->query.action != NULL; i++) {
        if (i == s->nactions)
            return false;
        if (s->actions[i] == action)
            break;
    }
    return true;
}

static int export_all(struct view *v, bool anonymous)
{
    struct pingo_hash salt;
    struct pingo_history_print_options options = {
        .version = 1, .anonymous = anonymous, .rehash = pingo_history_rehash, .context = &salt};
    struct pingo_error err = {0};
    uint32_t action = v->query.action != NULL ? pingo_history_find(v->history, v->query.action) : 0;
    if (anonymous && pingo_history_salt(&salt, &err) != 0)
        return cli_error(v->cli, &err);
    for (uint32_t i = 0; i < pingo_history_count_submissions(v->history) && !ferror(stdout); i++) {
        struct pingo_history_submission s = {.size = sizeof s};
        char *line = NULL;
        size_t length;
        pingo_history_submission(v->history, i, &s);
        if (!is_asked(v, &s, action))
            continue;
        if (pingo_history_print_line(v->history, i, &options, &line, &length, &err) != 0)
            return cli_error(v->cli, &err);
        fwrite(line, 1, length, stdout);
        free(line);
    }
    return CLI_OK;
}

/* ---- what is asked --------------------------------------------------------------------------------- */

static int read_by(struct view *v, const struct cli_args *args)
{
    static const char *const names[] = {"minute", "hour", "day", "workflow", "user"};
    const char *by = cli_value(args, "by");
    if (by == NULL)
        return CLI_OK;
    for (unsigned i = 0; i < 5; i++) {
        if (strcmp(by, names[i]) == 0) {
            v->query.by = (enum pingo_history_by)(PINGO_HISTORY_BY_MINUTE + i);
            return CLI_OK;
        }
    }
    return cli_usage(args, "--by takes one of minute, hour, day, workflow, user");
}

/* The one action of the history whose hash begins so. */
static int find_action(struct view *v, const char *prefix)
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

static int read_question(struct view *v, const struct cli_args *args)
{
    bool export = cli_flag(args, "export");
    v->csv = cli_flag(args, "csv");
    v->query.workflow = cli_value(args, "workflow");
    v->query.user = cli_value(args, "user");
    int status = read_by(v, args);
    if (status == CLI_OK)
        status = cli_value_time(args, "since", &v->query.since_ms);
    if (status == CLI_OK)
        status = cli_value_time(args, "until", &v->query.until_ms);
    if (status != CLI_OK)
        return status;
    if (v->csv && v->cli->json)
        return cli_usage(args, "--csv and --json exclude each other");
    if (export && (v->csv || v->cli->json || v->query.by != PINGO_HISTORY_BY_NOTHING))
        return cli_usage(args,
                         "--export prints submissions: it goes without --by, --csv and --json");
    if (!export && cli_flag(args, "anonymous"))
        return cli_usage(args, "--anonymous goes with --export");
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct view v = {.cli = cli, .query = {.version = 1}};
    struct pingo_error err = {0};
    const char *action = cli_value(args, "action");
    int status = read_question(&v, args);
    if (status == CLI_OK)
        status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    /* What was evicted in a period may have been made before it. */
    bool export = cli_flag(args, "export");
    struct pingo_store_history_options options = {
        .version = 1, .since_ms = export ? v.query.since_ms : 0, .until_ms = v.query.until_ms};
    if (pingo_store_history(cli->store, &options, &v.history, &err) != 0)
        return cli_error(cli, &err);
    if (action != NULL)
        status = find_action(&v, action);
    if (status == CLI_OK)
        status = export ? export_all(&v, cli_flag(args, "anonymous")) : show(&v);
    pingo_history_free(v.history);
    return status;
}

static const struct cli_option options[] = {
    {0, "since", "TIME", "from then on: a time, or how long ago (7d)"},
    {0, "until", "TIME", "up to then"},
    {0, "by", "WHAT", "a row for each minute, hour, day, workflow or user"},
    {'w', "workflow", "NAME", "workflows of this name alone"},
    {0, "user", "NAME", "submissions of this user alone"},
    {0, "action", "HASH", "this action alone (the beginning of its hash)"},
    {0, "csv", NULL, "a table of comma-separated values"},
    {0, "export", NULL, "the submissions themselves, a line of JSON each"},
    {0, "anonymous", NULL, "with --export: other names and hashes"},
};
static const int exits[] = {CLI_NOTFOUND, 0};

const struct cli_command cli_history = {
    .name = "history",
    .synopsis = "",
    .summary = "what was submitted, computed and reused",
    .description =
        "Counts what was submitted in a period, all of it or by minute, hour, day, workflow\n"
        "or user: submissions, the actions that they mention, how many were computed, how much\n"
        "compute time was spent and how much was saved, the bytes made and evicted.  With\n"
        "--export: the submissions themselves in the format of pingo-history(5), with --anonymous\n"
        "under names and hashes that tell nobody anything.",
    .example = "  pingo history --since 7d --by day\n  pingo history --by workflow --csv\n"
               "  pingo history --export --anonymous > history.jsonl\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_TAKES_TIMES | CLI_NEEDS_STORE,
    .exits = exits,
    .run = run,
};
