/* actions.c - actions of a submission: lists, one, its attempts, why, a script. */
#include "serve/api/own.h"
#include "serve/route/routes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/names.h"

SERVE_ROWS(on_action, struct pingo_action_status)
SERVE_ROWS(on_attempt, struct pingo_attempt)

/* NONE: reused or skipped. */
static const char *state_name(int state)
{
    return state == 0 ? "NONE" : pingo__view_action_state_name(state);
}

struct selected {
    struct serve_list *list;
    int64_t workflow;
};

static int on_selected(void *context, const struct pingo_selected *one)
{
    struct selected *s = context;
    struct serve_ask *ask = s->list->ask;
    char id[24];
    snprintf(id, sizeof id, "%" PRId64, one->id);
    SERVE_CALL(ask, pingo_store_action, &(struct pingo_action_name){s->workflow, id}, on_action,
               s->list);
    return ask->is_wrong;
}

void serve_api_actions(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_action);
    struct pingo_action_query query = {.version = 1,
                                       .workflow = serve_ask_workflow(ask),
                                       .states = serve_ask_names(ask, "state", state_name, 0),
                                       .name = serve_query(ask->request, "name"),
                                       SERVE_PART(list)};
    struct pingo_selection meant = {.version = 2, .workflow = query.workflow, SERVE_PART(list)};
    struct selected selected = {&list, query.workflow};
    meant.actions = serve_ask_all(ask, "action", &meant.nactions);
    meant.labels = serve_ask_all(ask, "label", &meant.nlabels);
    bool is_selection = meant.nactions + meant.nlabels > 0;
    if (is_selection && (query.states || query.name))
        serve_ask_refuse(ask, 400, "action and label go without state and name");
    if (is_selection)
        SERVE_CALL(ask, pingo_store_select, &meant, on_selected, &selected);
    else
        SERVE_CALL(ask, pingo_store_actions, &query, on_action, &list);
    serve_list_end(&list);
}

static int on_one(void *context, const struct pingo_action_status *s)
{
    struct serve_ask *ask = context;
    if (serve_is_due(ask, s->state == 0 || pingo_action_state_is_final(s->state)))
        serve_json(ask->answer, &pingo__view_action, s);
    return 0;
}

void serve_api_action(struct serve_ask *ask)
{
    struct pingo_action_name name = serve_ask_action(ask);
    SERVE_CALL(ask, pingo_store_action, &name, on_one, ask);
}

void serve_api_attempts(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_attempt);
    struct pingo_action_name name = serve_ask_action(ask);
    struct pingo_attempt_query query = {
        .version = 1, .workflow = name.workflow, .action = name.action, SERVE_PART(list)};
    SERVE_LIST(&list, pingo_store_attempts, &query, on_attempt);
}

/* It is alone, and so the first of its group. */
static int on_why(void *context, const struct pingo_why *why)
{
    struct serve_ask *ask = context;
    struct pingo__view_why told = {serve_own_why(ask, why), 1};
    serve_json(ask->answer, &pingo__view_why, &told);
    return 0;
}

void serve_api_why(struct serve_ask *ask)
{
    struct pingo_action_name name = serve_ask_action(ask);
    SERVE_CALL(ask, pingo_store_why, &name, on_why, ask);
}

/* Of somebody else's run it is not told whose it was. */
void serve_api_ran(struct serve_ask *ask)
{
    struct pingo_action_name name = serve_ask_action(ask);
    struct pingo__view_ran ran = {.workflow = name.workflow};
    SERVE_CALL(ask, pingo_store_ran, &name, &ran.ran_workflow, &ran.ran_id);
    if (!serve_own_has(ask, ran.ran_workflow))
        ran = (struct pingo__view_ran){name.workflow, 0, -1};
    serve_tell(ask, &pingo__view_ran, &ran);
}

void serve_api_script(struct serve_ask *ask)
{
    struct pingo_action_name name = serve_ask_action(ask);
    char *script = NULL;
    SERVE_CALL(ask, pingo_store_script, &name, &script);
    if (script) {
        ask->answer->type = "text/plain; charset=utf-8";
        pingo__buffer_text(&ask->answer->body, script);
    }
    free(script);
}
