/* report_page.c - the documents of a report's page: what GET of the API would have answered, by its path. */
#include "page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "running.h"
#include "status.h"

#define FAILURES                                                                                   \
    20 /* whose last words are told: SAID of serve/page/views/run.js, which asks for them */
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

int cli_report_run(struct cli *cli, const char *workflow, const char *path)
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

int cli_report_period(struct cli *cli, const struct pingo_report *report, const char *path)
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
