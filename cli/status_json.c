/* status_json.c - the status of a submission as JSON, action by action in constant memory. */
#include <inttypes.h>
#include <string.h>

#include "drivers.h"
#include "status.h"

cJSON *cli_summary_json(const struct pingo_plan_summary *summary)
{
    cJSON *o = cli_json_object();
    cli_json_int(o, "compute", (int64_t)summary->compute);
    cli_json_int(o, "reuse", (int64_t)summary->reuse);
    cli_json_int(o, "join", (int64_t)summary->join);
    cli_json_int(o, "skip", (int64_t)summary->skip);
    return o;
}

cJSON *cli_workflow_json(struct cli *cli, const struct pingo_workflow_status *s)
{
    cJSON *o = cli_json_object();
    cli_json_int(o, "workflow", s->workflow);
    cli_json_text(o, "name", s->name);
    cli_json_text(o, "state", pingo_workflow_state_name((int)s->state));
    cli_json_text(o, "user", s->user);
    cli_json_text(o, "tag", s->tag);
    cli_json_time(o, "submitted", s->submitted_ms);
    cli_json_time(o, "ended", s->ended_ms);
    cli_json_int(o, "priority", s->priority);
    cli_json_int(o, "actionCount", (int64_t)s->actions);
    cli_json_add(o, "summary", cli_summary_json(&s->summary));
    cJSON *counts = cli_json_object();
    cli_json_int(counts, "waiting", (int64_t)s->waiting);
    cli_json_int(counts, "ready", (int64_t)s->ready);
    cli_json_int(counts, "running", (int64_t)s->running);
    cli_json_int(counts, "armed", (int64_t)s->armed);
    cli_json_int(counts, "finished", (int64_t)s->finished);
    cli_json_int(counts, "failed", (int64_t)s->failed);
    cli_json_int(counts, "forSpace", (int64_t)s->for_space);
    cli_json_add(o, "counts", counts);
    cli_drivers_json(cli, o, s);
    return o;
}

struct heading {
    struct cli *cli;
    struct cli_json *json;
};

static int print_head(void *context, const struct pingo_workflow_status *status)
{
    struct heading *h = context;
    cli_json_members(h->json, cli_workflow_json(h->cli, status));
    return 0;
}

/* The actions that are printed: all, or those that are selected, which come in the same order. */
int cli_each_selected(struct cli *cli, int64_t workflow, const struct cli_selection *s,
                      pingo_action_status_fn fn, void *context, struct pingo_error *err)
{
    char id[32];
    int rc = 0;
    if (s == NULL || s->is_everything)
        return pingo_store_actions(cli->store,
                                   &(struct pingo_action_query){.version = 1, .workflow = workflow},
                                   fn, context, err);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        snprintf(id, sizeof id, "%" PRId64, s->list[i].id);
        rc = pingo_store_action(cli->store, workflow, id, fn, context, err);
    }
    return rc;
}

static int print_action(void *context, const struct pingo_action_status *s)
{
    struct cli_json *json = context;
    cJSON *o = cli_json_object();
    bool has_row = s->state != 0;
    cli_json_int(o, "id", s->id);
    cli_json_text(o, "name", s->name);
    cli_json_hash(o, "hash", &s->hash);
    cli_json_text(o, "decision", pingo_plan_decision_name(s->decision));
    cli_json_text(o, "state", has_row ? pingo_action_state_name(s->state) : NULL);
    cli_json_known(o, "attempts", has_row ? s->attempts : -1);
    cli_json_known(o, "exitCode", has_row ? s->exit_code : -1);
    cli_json_known(o, "signal", has_row && s->signal > 0 ? s->signal : -1);
    cli_json_known(o, "wallMs", has_row ? s->wall_ms : -1);
    cli_json_known(o, "userMs", has_row ? s->user_ms : -1);
    cli_json_known(o, "systemMs", has_row ? s->system_ms : -1);
    cli_json_known(o, "maxRssBytes", has_row ? s->max_rss_bytes : -1);
    if (has_row && s->confined >= 0)
        cli_json_flag(o, "confined", s->confined == 1);
    else
        cli_json_null(o, "confined");
    cli_json_time(o, "started", has_row ? s->started_ms : -1);
    cli_json_time(o, "ended", has_row ? s->ended_ms : -1);
    cli_json_text(o, "message", s->message != NULL && *s->message != '\0' ? s->message : NULL);
    cli_json_text(o, "attemptDir", s->attempt_dir);
    cli_json_known(o, "waitsFor", has_row ? (int64_t)s->waits_for : -1);
    cli_labels_json(o, s->labels, s->nlabels);
    cli_json_text(o, "adoptedFrom", s->adopted_from);
    cli_json_known(o, "diskFullBytes", s->disk_full_bytes);
    cli_json_text(o, "executor", s->executor);
    cli_json_flag(o, "uncollected", s->uncollected);
    cli_json_text(o, "node", s->node);
    cli_json_item(json, NULL, o);
    return 0;
}

int cli_status_json(struct cli *cli, struct cli_json *json, int64_t workflow,
                    const struct cli_selection *selection, struct pingo_error *err)
{
    cli_json_open(json, NULL, '{');
    struct heading heading = {cli, json};
    int rc = pingo_store_workflow(cli->store, workflow, print_head, &heading, err);
    cli_json_open(json, "actions", '[');
    if (rc == 0)
        rc = cli_each_selected(cli, workflow, selection, print_action, json, err);
    cli_json_close(json);
    cli_json_close(json);
    return rc;
}
