/* why.c - pingo why: why an action was computed, and what differs from what was known before. */
#include <inttypes.h>

#include "base/error.h"
#include "reasons.h"
#include "remote/remote.h"
#include "select.h"
#include "status.h"

struct whys {
    struct cli_answer answer;
    struct cli_reasons reasons;
    bool of_one; /* action: it is told whatever it differs through */
    char memory[200];
};

static int tell(void *whys, const struct pingo_why *why)
{
    struct whys *w = whys;
    snprintf(w->memory, sizeof w->memory, "%s", why->memory_text ? why->memory_text : "");
    size_t group = cli_reasons_add(&w->reasons, why, w->of_one);
    return w->answer.cli->json && group > 0
               ? cli_row(&w->answer, &(struct pingo__view_why){*why, group})
               : 0;
}

/* ---- a server, which is asked of each ---- */

#define MOST 1000 /* are asked of, one by one */

struct computed {
    int64_t *ids;
    size_t n;
};

static int add_computed(void *computed, const void *row)
{
    struct computed *c = computed;
    const struct pingo_action_status *s = row;
    if (s->state == 0 || s->decision != PINGO_PLAN_COMPUTE)
        return 0;
    c->ids = cli_more(c->ids, c->n, sizeof *c->ids);
    c->ids[c->n++] = s->id;
    return c->n > MOST;
}

static int ask_one(struct whys *w, int64_t workflow, const char *action)
{
    struct pingo__view_why row = {0};
    int rc = cli_remote_get(w->answer.cli->remote, &pingo__view_why, &row,
                            "/v1/workflows/%d/actions/%s/why", workflow, action);
    const struct pingo_why *why = &row.why;
    if (rc == 0 && (w->of_one || why->decision == PINGO_PLAN_COMPUTE))
        rc = tell(w, why) != 0 ? PINGO_EINTERRUPTED : 0;
    return rc;
}

static int ask_all(struct whys *w, int64_t workflow)
{
    struct cli *cli = w->answer.cli;
    struct computed computed = {0};
    struct cli_remote_list list = {.path = cli_remote_path("/v1/workflows/%d/actions", workflow),
                                   .view = &pingo__view_action,
                                   .fn = add_computed,
                                   .context = &computed};
    int rc = cli_remote_each(cli->remote, &list);
    if (computed.n > MOST)
        return pingo__fail(&cli->err, PINGO_ELIMIT,
                           "workflow %" PRId64 " computed more than %d actions, and a server is "
                           "asked of each: name one, as pingo why %" PRId64 " ACTION",
                           workflow, MOST, workflow);
    for (size_t i = 0; rc == 0 && i < computed.n; i++)
        rc = ask_one(w, workflow, cli_format("%" PRId64, computed.ids[i]));
    return rc;
}

static int ask(struct whys *w, int64_t workflow, const char *action)
{
    int rc = action ? cli_remote_action(w->answer.cli->remote, workflow, &action) : 0;
    return rc != 0 ? rc : action ? ask_one(w, workflow, action) : ask_all(w, workflow);
}

/* ---- the command ---- */

static void print(struct whys *w, int64_t workflow, const char *action)
{
    struct cli_unstarted u = {0};
    if (w->reasons.n + w->reasons.inherited == 0)
        printf("nothing of workflow %" PRId64 " was to be computed\n", workflow);
    else
        cli_reasons_print(&w->reasons, false);
    if (w->of_one && *w->memory)
        printf("memory: %s\n", w->memory);
    cli_unstarted(w->answer.cli, workflow, action, &u);
    if (u.reason)
        cli_note("%zu action%s cannot start now: %s", u.n, u.n == 1 ? "" : "s", u.reason);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *action = cli_operand(args, 1);
    struct whys w = {.of_one = action};
    int64_t workflow;
    int rc = cli_workflow_of(cli, cli_operand(args, 0), &workflow);
    if (rc != CLI_OK)
        return rc;
    cli_list(&w.answer, cli, &pingo__view_why);
    rc = cli->remote ? ask(&w, workflow, action)
                     : pingo_store_why(cli->store, &(struct pingo_action_name){workflow, action},
                                       tell, &w, &cli->err);
    rc = cli_list_end(&w.answer, NULL, rc);
    if (cli->err.code == PINGO_ENOTFOUND && !cli->remote)
        cli_try("%s status %" PRId64, cli_program(cli), workflow);
    if (!cli->json && rc == CLI_OK)
        print(&w, workflow, action);
    cli_reasons_clear(&w.reasons);
    return rc;
}

const struct cli_command cli_why = {"why", "workflow action?", run, CLI_OPENS_STORE,
                                    CLI_PRINTS_LIST(&pingo__view_why)};
