/* status.c - pingo --server: status and wait. */
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "remote/remote.h"
#include "signals.h"
#include "told.h"

/* ---- status --------------------------------------------------------------------------------------------- */

static int list_workflows(struct cli_remote *r)
{
    struct cli_answer a;
    cli_pages_begin(&a, r->args, &pingo__view_workflow_page, 0);
    if (cli_check(r->args) != CLI_OK)
        return CLI_USAGE;
    if (!a.is_page && !r->cli->json)
        a.limit = 20;
    int rc = cli_list_end(&a, NULL, cli_remote_tell(r, "/v1/workflows", &a, false));
    if (rc == CLI_OK && !r->cli->json && a.n == 0)
        cli_note("nothing was submitted yet");
    return rc;
}

/* A submission, above its actions: it is told with the first of these, for where a word means none, nothing is. */
struct telling {
    struct cli *cli;
    const struct pingo__view_workflow *workflow;
    bool has_begun;
    struct cli_answer answer;
};

static void begin(struct telling *t)
{
    if (!t->has_begun)
        cli_list_within(&t->answer, t->cli, &pingo__view_workflow_actions, t->workflow);
    t->has_begun = true;
}

static int on_action(void *telling, const void *row)
{
    struct telling *t = telling;
    begin(t);
    return cli_row(&t->answer, row);
}

/* actions: their path, without a limit.  workflow: as another connection told it, whose answer stays. */
static int tell_workflow(struct cli_remote *r, const char *actions,
                         const struct pingo__view_workflow *workflow, size_t limit)
{
    struct telling t = {.cli = r->cli, .workflow = workflow};
    struct cli_answer page = {.limit = limit, .after = cli_value(r->args, "after")};
    struct cli_remote_list list = {actions, &pingo__view_action, on_action, &t, &page, false};
    int rc = cli_remote_each(r, &list);
    if (rc == 0)
        begin(&t);
    if (!t.has_begun)
        return cli_error(r->cli);
    t.answer.is_page = cli_flag(r->args, "limit") || page.after;
    memcpy(t.answer.next, page.next, sizeof page.next);
    return cli_list_end(&t.answer, &(struct pingo__view_workflow){.next = page.next}, rc);
}

static int on_ready(void *unstarted, const void *row)
{
    return cli_unstarted_add(unstarted, row);
}

/* Why what is ready cannot start. */
static int find_unstarted(struct cli_remote *r, int64_t number, struct pingo__view_workflow *row)
{
    struct cli_unstarted u = {0};
    struct cli_remote_list ready = {
        .path = cli_remote_path("/v1/workflows/%d/actions?state=READY", number),
        .view = &pingo__view_action,
        .fn = on_ready,
        .context = &u};
    int rc = cli_remote_each(r, &ready);
    row->blocked = u.reason;
    row->nblocked = u.n;
    row->nothers = u.nothers;
    return rc;
}

/* The path of its actions: of all, or of those that the operands behind it, and --label, mean. */
static char *actions_path(struct cli_remote *r, int64_t number)
{
    char *path = cli_remote_path("/v1/workflows/%d/actions", number);
    for (size_t i = 1; i < r->args->noperands; i++)
        cli_remote_query(&path, "action", r->args->operands[i]);
    cli_remote_query_options(r, &path, "label*");
    return path;
}

static int one_workflow(struct cli_remote *r)
{
    const struct cli_args *args = r->args;
    struct cli_remote asking = {.cli = r->cli, .args = args, .where = r->where};
    struct pingo__view_workflow row = {0};
    bool is_some = args->noperands > 1 || cli_flag(args, "label");
    bool is_page = cli_flag(args, "limit") || cli_flag(args, "after");
    size_t limit = (size_t)cli_number(args, "limit", 0, INT64_C(1) << 40, 0);
    int rc = cli_check(args);
    if (rc != CLI_OK)
        return rc;
    if (is_some && is_page)
        return cli_usage(args, "--limit and --after are for all actions, not for some");
    if (cli_remote_get(r, &pingo__view_workflow, &row, "/v1/workflows/%s", cli_operand(args, 0)) != 0)
        return cli_error(r->cli);
    int64_t number = row.status.workflow;
    rc = cli_remote_open(&asking);
    if (rc == 0 && !is_some && !is_page && !r->cli->json && row.status.ready > row.status.for_space)
        rc = find_unstarted(&asking, number, &row);
    rc = rc != 0 ? cli_error(r->cli) : tell_workflow(&asking, actions_path(r, number), &row, limit);
    cli_remote_close(&asking);
    return rc;
}

static int attempts(struct cli_remote *r)
{
    const char *workflow = cli_operand(r->args, 0), *action = cli_operand(r->args, 1);
    struct cli_answer a;
    if (r->args->noperands == 0 || r->args->noperands > 2)
        return cli_usage(r->args, "--attempts takes a workflow, and an action of it if you like");
    cli_pages_begin(&a, r->args, &pingo__view_attempt_page, 0);
    if (cli_check(r->args) != CLI_OK)
        return CLI_USAGE;
    if (action && cli_remote_action(r, workflow, &action) != 0)
        return cli_list_end(&a, NULL, r->cli->err.code);
    int rc = cli_remote_tell(
        r,
        action ? cli_remote_path("/v1/workflows/%s/actions/%s/attempts", workflow, action)
               : cli_remote_path("/v1/workflows/%s/attempts", workflow),
        &a, false);
    if (rc == 0 && a.n == 0)
        cli_note("nothing of it was run: it was reused or joined, or has not started");
    return cli_list_end(&a, NULL, rc);
}

/* They come whole, and in no pages. */
static int groups(struct cli_remote *r)
{
    struct cli_answer a;
    if (r->args->noperands != 1)
        return cli_usage(r->args, "--groups takes a workflow");
    cli_list(&a, r->cli, &pingo__view_group);
    char *path = cli_remote_path("/v1/workflows/%s/groups", r->args->operands[0]);
    return cli_list_end(&a, NULL, cli_remote_tell(r, path, &a, true));
}

int cli_remote_status(struct cli_remote *r)
{
    if (cli_flag(r->args, "label") && (r->args->noperands == 0 || cli_flag(r->args, "groups")))
        return cli_usage(r->args,
                         "--label needs a workflow where a server is asked; pingo datasets "
                         "--label tells what actions of all have made");
    if (cli_flag(r->args, "follow") && (cli_flag(r->args, "attempts") || cli_flag(r->args, "label") ||
                                        cli_flag(r->args, "limit") || cli_flag(r->args, "after")))
        return cli_usage(r->args, "--follow takes a workflow, or nothing");
    if (cli_flag(r->args, "follow"))
        return cli_remote_follow(r);
    if (cli_flag(r->args, "groups"))
        return groups(r);
    if (cli_flag(r->args, "attempts"))
        return attempts(r);
    return r->args->noperands == 0 ? list_workflows(r) : one_workflow(r);
}

/* ---- wait --------------------------------------------------------------------------------------------------- */

#define LONG_WAIT "Prefer: wait=25"
#define PAUSE_MS 500
#define GRACE_MS 5000
#define GONE_MS 60000

/* A server that answers at once, though it was asked to wait, is not asked without a pause. */
static void pause_until(int64_t due_ms)
{
    int64_t now = pingo__world_monotonic_ms();
    if (now < due_ms && cli_signal_caught() == 0)
        poll(NULL, 0, (int)(due_ms - now));
}

bool cli_remote_is_asked_again(const struct cli_remote *r, int rc, int64_t *gone_ms)
{
    if (rc != PINGO_EAWAY || !r->has_answered || cli_signal_caught() != 0)
        return false;
    if (*gone_ms == 0) {
        *gone_ms = pingo__world_monotonic_ms();
        cli_note("%s does not answer; it is asked for a minute", r->where);
    }
    return pingo__world_monotonic_ms() - *gone_ms < GONE_MS;
}

/* Asks until it has ended. */
static int wait_for(struct cli_remote *r, const char *workflow, int64_t grace_ms,
                    struct pingo_workflow_status *s)
{
    int64_t undriven_ms = 0, asked_ms = 0, gone_ms = 0;
    for (bool is_first = true;; is_first = false) {
        pause_until(is_first ? 0 : asked_ms + PAUSE_MS);
        asked_ms = pingo__world_monotonic_ms();
        struct pingo__view_workflow row = {0};
        struct cli_ask ask = {.path = cli_remote_path("/v1/workflows/%s", workflow),
                              .header = is_first || undriven_ms > 0 ? "Prefer: wait=1" : LONG_WAIT,
                              .view = &pingo__view_workflow,
                              .row = &row};
        int rc = cli_remote_ask(r, &ask);
        if (cli_remote_is_asked_again(r, rc, &gone_ms))
            continue;
        if (rc != 0)
            return cli_error(r->cli);
        gone_ms = 0;
        *s = row.status;
        if (pingo_workflow_state_is_final(s->state))
            return CLI_OK;
        int64_t now = pingo__world_monotonic_ms();
        undriven_ms = row.driven ? 0 : undriven_ms > 0 ? undriven_ms : now;
        if (undriven_ms > 0 && now - undriven_ms >= grace_ms) {
            char *text = cli_text(r->cli, pingo__view_driven, &pingo__view_workflow, &row);
            cli_message("workflow %" PRId64 ": %s", s->workflow, text);
            return CLI_UNDRIVEN;
        }
    }
}

struct waits {
    char **names;
    size_t n;
};

static int add_running(void *context, const void *row)
{
    const struct pingo__view_workflow *w = row;
    struct waits *list = context;
    list->names = cli_more(list->names, list->n, sizeof *list->names);
    list->names[list->n++] = cli_format("%" PRId64, w->status.workflow);
    return 0;
}

int cli_remote_wait(struct cli_remote *r)
{
    struct waits waits = {0};
    int64_t grace_ms = cli_duration(r->args, "grace", GRACE_MS);
    struct cli_remote_list running = {
        "/v1/workflows?state=RUNNING", &pingo__view_workflow, add_running, &waits, NULL, false};
    struct cli_answer ends;
    int result = CLI_OK, rc = cli_check(r->args);
    if (rc == CLI_OK && r->args->noperands == 0 && cli_remote_each(r, &running) != 0)
        rc = cli_error(r->cli);
    size_t n = r->args->noperands > 0 ? r->args->noperands : waits.n;
    if (rc != CLI_OK)
        return rc;
    cli_list_within(&ends, r->cli, &cli_ends_view, NULL);
    for (size_t i = 0; i < n && rc == CLI_OK; i++) {
        struct pingo_workflow_status s;
        rc = wait_for(r, r->args->noperands > 0 ? r->args->operands[i] : waits.names[i], grace_ms,
                      &s);
        if (rc == CLI_OK)
            cli_end_tell(&ends, &s, &result);
    }
    rc = cli_list_close(&ends, rc);
    return rc != CLI_OK ? rc : result;
}
