/* wait.c - pingo --server wait. */
#include <inttypes.h>
#include <poll.h>

#include "remote/remote.h"
#include "signals.h"
#include "told.h"

#define LONG_WAIT "Prefer: wait=25"
#define PAUSE_MS 500
#define GRACE_MS 5000
#define GONE_MS 60000

void cli_remote_pause_until(int64_t due_ms)
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
        cli_remote_pause_until(is_first ? 0 : asked_ms + PAUSE_MS);
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
