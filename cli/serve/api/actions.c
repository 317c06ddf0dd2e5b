/* actions.c - actions of a submission: lists, one, its attempts, why, a script. */
#include "serve/api/own.h"
#include "serve/route/routes.h"

#include <stdlib.h>
#include <string.h>

SERVE_ROWS(on_action, struct pingo_action_status)
SERVE_ROWS(on_attempt, struct pingo_attempt)

/* NONE: reused or skipped. */
static const char *state_name(int state)
{
    return state == 0 ? "NONE" : pingo_action_state_name((enum pingo_action_state)state);
}

void serve_api_actions(struct serve_worker *worker, const struct serve_request *request,
                       struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "state|name|" SERVE_PAGE);
    struct serve_list list;
    serve_list(&list, &ask, &pingo__view_action);
    struct pingo_action_query query = {.version = 1,
                                       .workflow = serve_ask_workflow(&ask, 0),
                                       .states = serve_ask_names(&ask, "state", state_name, 0),
                                       .name = serve_query(request, "name"),
                                       .limit = list.limit,
                                       .after = list.after,
                                       .next = list.next};
    int rc = ask.is_wrong
                 ? PINGO_EINVAL
                 : pingo_store_actions(worker->store, &query, on_action, &list, &worker->err);
    serve_list_end(&list, rc);
}

static int on_one(void *context, const struct pingo_action_status *s)
{
    struct serve_ask *ask = context;
    if (serve_is_due(ask, s->state == 0 || pingo_action_state_is_final(s->state)))
        serve_json(ask->answer, &pingo__view_action, s);
    return 0;
}

void serve_api_action(struct serve_worker *worker, const struct serve_request *request,
                      struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    int64_t workflow = serve_ask_workflow(&ask, 0);
    if (!ask.is_wrong)
        serve_end(&ask, pingo_store_action(worker->store,
                                           &(struct pingo_action_name){workflow, request->parts[1]},
                                           on_one, &ask, &worker->err));
}

void serve_api_attempts(struct serve_worker *worker, const struct serve_request *request,
                        struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, SERVE_PAGE);
    struct serve_list list;
    serve_list(&list, &ask, &pingo__view_attempt);
    struct pingo_attempt_query query = {.version = 1,
                                        .workflow = serve_ask_workflow(&ask, 0),
                                        .action = request->nparts > 1 ? request->parts[1] : NULL,
                                        .limit = list.limit,
                                        .after = list.after,
                                        .next = list.next};
    int rc = ask.is_wrong
                 ? PINGO_EINVAL
                 : pingo_store_attempts(worker->store, &query, on_attempt, &list, &worker->err);
    serve_list_end(&list, rc);
}

/* It is alone, and so the first of its group. */
static int on_why(void *context, const struct pingo_why *why)
{
    struct serve_ask *ask = context;
    struct pingo__view_why told = {serve_own_why(ask, why), 1};
    serve_json(ask->answer, &pingo__view_why, &told);
    return 0;
}

void serve_api_why(struct serve_worker *worker, const struct serve_request *request,
                   struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    int64_t workflow = serve_ask_workflow(&ask, 0);
    if (!ask.is_wrong)
        serve_end(&ask, pingo_store_why(worker->store,
                                        &(struct pingo_action_name){workflow, request->parts[1]},
                                        on_why, &ask, &worker->err));
}

void serve_api_script(struct serve_worker *worker, const struct serve_request *request,
                      struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    int64_t workflow = serve_ask_workflow(&ask, 0);
    char *script = NULL;
    if (ask.is_wrong)
        return;
    serve_end(&ask, pingo_store_script(worker->store,
                                       &(struct pingo_action_name){workflow, request->parts[1]},
                                       &script, &worker->err));
    if (script) {
        answer->type = "text/plain; charset=utf-8";
        pingo__buffer_text(&answer->body, script);
    }
    free(script);
}
