/* report.c - pingo report: what was saved, what was lost, and how the budget is used. */
#include <inttypes.h>
#include <stdlib.h>

#include "page.h"
#include "remote/remote.h"
#include "running.h"
#include "status.h"

CLI_ROWS(on_entry, struct pingo_eviction)

/* What a server is asked. */
static char *path_of(const char *path, int64_t since, int64_t until)
{
    char *whole = cli_copy(path);
    cli_remote_query_time(&whole, "since", since);
    cli_remote_query_time(&whole, "until", until);
    return whole;
}

static int show_ledger(struct cli *cli, const struct cli_args *args, int64_t since, int64_t until)
{
    struct cli_answer a;
    int rc = cli_pages(&a, args, &pingo__view_eviction_page, 1);
    if (rc != CLI_OK)
        return rc;
    struct pingo_eviction_query query = {
        .version = 1, .since_ms = since, .until_ms = until, .newest_first = true, CLI_PART(a)};
    rc = cli->remote
             ? cli_remote_tell(cli->remote, path_of("/v1/pool/evictions", since, until), &a, false)
             : pingo_store_evictions(cli->store, &query, on_entry, &a, &cli->err);
    rc = cli_list_end(&a, NULL, rc);
    if (rc == CLI_OK && !cli->json)
        cli_note("%zu eviction%s", a.n, a.n == 1 ? "" : "s");
    return rc;
}

#define BARS 50 /* characters of the line that shows the budget's use */

static void print_heading(const char *text)
{
    printf("\n%s%s%s\n", cli_colour(stdout, PINGO__TONE_BOLD), text,
           cli_colour(stdout, PINGO__TONE_PLAIN));
}

static void print_table(struct cli *cli, const char *title, const struct pingo__view_table *view,
                        const void *rows, size_t n)
{
    struct cli_answer a;
    if (n == 0)
        return;
    print_heading(title);
    cli_list(&a, cli, view);
    a.style.indent = "  ";
    a.style.paint = NULL;
    for (size_t i = 0; i < n; i++)
        cli_row(&a, (const char *)rows + i * view->size);
    cli_list_end(&a, NULL, 0);
}

static void print_states(struct cli *cli, const struct pingo_report *r)
{
    print_heading("Managed datasets by state");
    for (enum pingo_dataset_state state = 1; state < r->nstates; state++)
        if (pingo_dataset_state_takes_space(state))
            cli_answer(cli, CLI_DATA, &pingo__view_state,
                       &(struct pingo__view_state){state, r->ndatasets[state], r->bytes[state]});
}

/* The most of each piece of the period, as a line of bars that are as high as the budget, or the peak. */
static void print_use(const struct pingo_report *r)
{
    static const char *const bars[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                       "\u2585", "\u2586", "\u2587", "\u2588"};
    int64_t peak = 0;
    for (size_t i = 0; i < r->nsteps; i++)
        peak = r->steps[i].held_bytes > peak ? r->steps[i].held_bytes : peak;
    int64_t top = r->usage->budget_bytes > peak ? r->usage->budget_bytes : peak;
    char most[PINGO__UNITS_SIZE];
    size_t n = r->nsteps < BARS ? r->nsteps : BARS;
    if (peak == 0)
        return;
    pingo__units_print_size(most, peak);
    print_heading("The budget's use over time");
    printf("  |");
    for (size_t i = 0; i < n; i++) {
        int64_t high = 0;
        for (size_t k = i * r->nsteps / n; k < (i + 1) * r->nsteps / n; k++)
            high = r->steps[k].held_bytes > high ? r->steps[k].held_bytes : high;
        fputs(bars[high == 0 ? 0 : 1 + (int)((double)high / (double)top * 7)], stdout);
    }
    printf("|  at most %s were held", most);
    if (r->usage->budget_bytes > 0)
        printf(" (%.1f %% of the budget)", (double)peak / (double)r->usage->budget_bytes * 100);
    putchar('\n');
}

static void print_report(struct cli *cli, const struct pingo_report *r)
{
    cli_answer(cli, CLI_DATA, &pingo__view_report, r);
    print_heading("The pool now");
    cli_answer(cli, CLI_DATA, &pingo__view_usage, r->usage);
    print_states(cli, r);
    print_use(r);
    print_table(cli, "Evictions by algorithm", &pingo__view_report_algorithm, r->algorithms,
                r->nalgorithms);
    print_table(cli, "The most valuable datasets", &pingo__view_report_dataset, r->valuable,
                r->nvaluable);
    print_table(cli, "The most regretted evictions", &pingo__view_report_dataset, r->regretted,
                r->nregretted);
}

/* A server tells it as JSON alone. */
static int show_there(struct cli *cli, const struct pingo_report_options *options)
{
    char *path = path_of("/v1/pool/report", options->since_ms, options->until_ms);
    if (options->limit > 0)
        cli_remote_query_number(&path, "limit", (int64_t)options->limit);
    return cli_remote_document(cli->remote, path);
}

/* ---- --html: what GET of the API would have answered, by its path ------------------------------------ */

/* Whose last words are told: SAID of serve/page/views/run.js, which asks for them. */
#define FAILURES 20
#define WORDS_MOST 4096 /* and so much of each: 4K there */
#define EVICTIONS 1000  /* of a period; more make a page slow, and --evictions lists all */

static void open_list(struct pingo__writer *w, const char *of)
{
    pingo__writer_open(w, of, PINGO__WRITER_OBJECT);
    pingo__writer_open(w, "items", PINGO__WRITER_LINES);
}

static void close_list(struct pingo__writer *w)
{
    pingo__writer_close(w);
    pingo__writer_null(w, "next");
    pingo__writer_close(w);
}

#define ROWS(name, row_type, view)                                                                 \
    static int name(void *w, const row_type *row)                                                  \
    {                                                                                              \
        pingo__view_object(w, NULL, &(view), row);                                                 \
        return 0;                                                                                  \
    }
ROWS(on_group, struct pingo_group, pingo__view_group)
ROWS(on_critical, struct pingo_critical, pingo__view_critical)
ROWS(on_action, struct pingo_action_status, pingo__view_action)
ROWS(on_attempt, struct pingo_attempt, pingo__view_attempt)
ROWS(on_eviction, struct pingo_eviction, pingo__view_eviction)

struct run {
    struct cli *cli;
    struct pingo__writer page;
    int64_t workflow;
    char key[128];
};

static const char *key_of(struct run *r, const char *below)
{
    snprintf(r->key, sizeof r->key, "/v1/workflows/%" PRId64 "%s", r->workflow, below);
    return r->key;
}

static int on_workflow(void *context, const struct pingo_workflow_status *s)
{
    struct run *r = context;
    struct pingo__view_workflow look;
    cli_workflow_look(r->cli, s, &look, NULL);
    pingo__view_object(&r->page, key_of(r, ""), &pingo__view_workflow, &look);
    return 0;
}

/* As a browser reads a text of bytes: what is no character is shown as one. */
static char *read_words(const char *path)
{
    struct pingo__buffer b = {0};
    size_t n = 0;
    char *bytes = cli_tail(path, WORDS_MOST, &n);
    for (size_t i = 0, length; i < n; i += length ? length : 1) {
        length = pingo__text_utf8_next(bytes + i, n - i);
        if (length && bytes[i])
            pingo__buffer_append(&b, bytes + i, length);
        else
            pingo__buffer_text(&b, "\xef\xbf\xbd");
    }
    free(bytes);
    return cli_take(&b);
}

static int on_failure(void *context, const struct pingo_action_status *s)
{
    struct run *r = context;
    char id[24], below[64], *path = NULL;
    snprintf(id, sizeof id, "%" PRId64, s->id);
    snprintf(below, sizeof below, "/actions/%s/stderr?tail=4K", id);
    if (pingo_store_log_path(r->cli->store, &(struct pingo_action_name){r->workflow, id},
                             PINGO_STREAM_STDERR, &path, NULL) == 0 &&
        path) {
        char *words = read_words(path);
        pingo__writer_text(&r->page, key_of(r, below), words);
        free(words);
    }
    free(path);
    return 0;
}

static int put_run(struct run *r, struct pingo_store *store, struct pingo_error *err)
{
    struct pingo_action_query actions = {.version = 1, .workflow = r->workflow};
    struct pingo_attempt_query attempts = {.version = 1, .workflow = r->workflow};
    struct pingo_action_query failures = {.version = 1,
                                          .workflow = r->workflow,
                                          .states = 1u << PINGO_ACTION_FAILED,
                                          .limit = FAILURES};
    struct pingo_cost cost = {.size = sizeof cost};
    int rc = pingo_store_workflow(store, r->workflow, on_workflow, r, err);
    if (rc == 0)
        rc = pingo_store_cost(store, r->workflow, &cost, err);
    pingo__view_object(&r->page, key_of(r, "/cost"), &pingo__view_cost, &cost);
    open_list(&r->page, key_of(r, "/critical"));
    if (rc == 0)
        rc = pingo_store_critical_path(store, r->workflow, on_critical, &r->page, err);
    close_list(&r->page);
    open_list(&r->page, key_of(r, "/groups"));
    if (rc == 0)
        rc = pingo_store_groups(store, r->workflow, on_group, &r->page, err);
    close_list(&r->page);
    open_list(&r->page, key_of(r, "/actions?limit=1000"));
    if (rc == 0)
        rc = pingo_store_actions(store, &actions, on_action, &r->page, err);
    close_list(&r->page);
    open_list(&r->page, key_of(r, "/attempts?limit=1000"));
    if (rc == 0)
        rc = pingo_store_attempts(store, &attempts, on_attempt, &r->page, err);
    close_list(&r->page);
    if (rc == 0)
        rc = pingo_store_actions(store, &failures, on_failure, r, err);
    return rc;
}

static int write_run(struct cli *cli, const char *workflow, const char *path)
{
    struct run r = {.cli = cli};
    char view[48];
    int rc = cli_workflow_of(cli, workflow, &r.workflow);
    snprintf(view, sizeof view, "/run/%" PRId64, r.workflow);
    if (rc != CLI_OK)
        return rc;
    cli_page_open(&r.page, view);
    if (put_run(&r, cli->store, &cli->err) != 0)
        rc = cli_error(cli);
    return cli_page_close(&r.page, path, rc);
}

static int write_period(struct cli *cli, const struct pingo_report *report, const char *path)
{
    struct pingo_eviction_query query = {.version = 1,
                                         .since_ms = report->from_ms,
                                         .until_ms = report->until_ms,
                                         .newest_first = true,
                                         .limit = EVICTIONS};
    struct pingo__writer page;
    int rc = CLI_OK;
    cli_page_open(&page, "/pool");
    pingo__view_object(&page, "/v1/pool/report", &pingo__view_report, report);
    open_list(&page, "/v1/pool/evictions?limit=50");
    if (pingo_store_evictions(cli->store, &query, on_eviction, &page, &cli->err) != 0)
        rc = cli_error(cli);
    close_list(&page);
    return cli_page_close(&page, path, rc);
}

/* ---- the command ----------------------------------------------------------------------------------- */

static int show_report(struct cli *cli, const struct pingo_report_options *options, const char *html)
{
    struct pingo_report *report = NULL;
    int rc = CLI_OK;
    if (pingo_store_report(cli->store, options, &report, &cli->err) != 0)
        return cli_error(cli);
    if (html)
        rc = write_period(cli, report, html);
    else if (cli->json)
        cli_answer(cli, CLI_DATA, &pingo__view_report, report);
    else
        print_report(cli, report);
    pingo_report_free(report);
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *html = cli_value(args, "html");
    struct cli_period period = cli_period(args, "since", "until");
    int64_t since = period.since_ms, until = period.until_ms;
    bool evictions = cli_flag(args, "evictions");
    if (html && (evictions || cli->json))
        return cli_usage(args, "--html goes without --json and --evictions");
    if (!evictions && cli_flag(args, "after"))
        return cli_usage(args, "--after goes with --evictions");
    if (args->noperands > 0) {
        if (!html || since > 0 || until > 0 || cli_flag(args, "limit"))
            return cli_usage(args, "of a workflow there is --html alone%s",
                             cli->remote ? ", which needs the store: the page of the server shows "
                                           "the same"
                                         : "");
        int opened = cli_open(cli);
        return opened == CLI_OK ? write_run(cli, args->operands[0], html) : opened;
    }
    if (evictions)
        return show_ledger(cli, args, since, until);
    struct pingo_report_options options = {
        .version = 1,
        .since_ms = since,
        .until_ms = until,
        .limit = (size_t)cli_number(args, "limit", 1, cli->remote ? 1000 : 1000000, 0)};
    int rc = cli_open(cli);
    return rc != CLI_OK  ? rc
           : cli->remote ? show_there(cli, &options)
                         : show_report(cli, &options, html);
}

const struct cli_command cli_report = {
    "report", "workflow?", run,
    CLI_DOCUMENTS({NULL, &pingo__view_report, false},
                  {"with --evictions", &pingo__view_eviction, true},
                  {"with --evictions and --after", &pingo__view_eviction_page, false})};
