/* why.c - pingo --server: why actions were computed, which is asked of each. */
#include <inttypes.h>

#include "base/error.h"
#include "remote/remote.h"
#include "told.h"

#define MOST 1000 /* are asked of, one by one */

struct whys {
    struct cli_whys whys;
    struct cli_unstarted unstarted;
    int64_t *computed; /* the ids of what has a state here */
    size_t n;
};

static int look_at(void *context, const void *row)
{
    struct whys *w = context;
    const struct pingo_action_status *s = row;
    cli_unstarted_add(&w->unstarted, s);
    if (s->state == 0 || s->decision != PINGO_PLAN_COMPUTE)
        return 0;
    w->computed = cli_more(w->computed, w->n, sizeof *w->computed);
    w->computed[w->n++] = s->id;
    return w->n > MOST;
}

/* What differs through its parents alone is told where it was asked of alone. */
static int ask_why(struct cli_remote *r, struct whys *w, int64_t workflow, const char *action)
{
    struct pingo__view_why row = {0};
    int rc = cli_remote_get(r, &pingo__view_why, &row, "/v1/workflows/%d/actions/%s/why", workflow,
                            action);
    const struct pingo_why *why = &row.why;
    bool is_inherited = why->ndifferences > 0 && why->inherited == why->ndifferences;
    if (rc == 0 && (w->whys.of_one || (why->decision == PINGO_PLAN_COMPUTE && !is_inherited)))
        rc = cli_why_tell(&w->whys, why) != 0 ? PINGO_EINTERRUPTED : 0;
    return rc;
}

static int ask_one(struct cli_remote *r, struct whys *w, int64_t workflow, const char *action)
{
    struct pingo_action_status status = {0};
    int rc = cli_remote_action(r, cli_format("%" PRId64, workflow), &action);
    if (rc == 0)
        rc = ask_why(r, w, workflow, action);
    if (rc == 0)
        rc = cli_remote_get(r, &pingo__view_action, &status, "/v1/workflows/%d/actions/%s",
                            workflow, action);
    if (rc == 0)
        cli_unstarted_add(&w->unstarted, &status);
    return rc;
}

static int ask_all(struct cli_remote *r, struct whys *w, int64_t workflow)
{
    struct cli_remote_list list = {.path = cli_remote_path("/v1/workflows/%d/actions", workflow),
                                   .view = &pingo__view_action,
                                   .fn = look_at,
                                   .context = w};
    int rc = cli_remote_each(r, &list);
    if (w->n > MOST)
        return pingo__fail(&r->cli->err, PINGO_ELIMIT,
                           "workflow %" PRId64 " computed more than %d actions, and a server is "
                           "asked of each: name one, as pingo why %" PRId64 " ACTION",
                           workflow, MOST, workflow);
    for (size_t i = 0; rc == 0 && i < w->n; i++)
        rc = ask_why(r, w, workflow, cli_format("%" PRId64, w->computed[i]));
    return rc;
}

int cli_remote_why(struct cli_remote *r)
{
    struct pingo__view_workflow row = {0};
    struct whys w = {0};
    const char *action = cli_operand(r->args, 1);
    if (cli_remote_get(r, &pingo__view_workflow, &row, "/v1/workflows/%s",
                       cli_operand(r->args, 0)) != 0)
        return cli_error(r->cli);
    int64_t workflow = row.status.workflow;
    cli_whys_begin(&w.whys, r->cli, action);
    int rc = action ? ask_one(r, &w, workflow, action) : ask_all(r, &w, workflow);
    rc = cli_list_end(&w.whys.answer, NULL, rc);
    if (rc == CLI_OK && !r->cli->json)
        cli_whys_print(&w.whys, workflow, &w.unstarted);
    cli_reasons_clear(&w.whys.reasons);
    return rc;
}
