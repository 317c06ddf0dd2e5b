/* workflows.c - submissions: lists, one and its priority, its text. */
#include "serve/api/own.h"
#include "serve/route/routes.h"

#include <stdlib.h>

#include "base/text.h"
#include "view/names.h"

#define PRIORITY_MOST 1000000000

struct look {
    struct serve_ask *ask;
    struct pingo__view_workflow row;
    struct pingo_driver *drivers;
    size_t capacity;
};

static int add_driver(void *context, const struct pingo_driver *driver)
{
    struct look *l = context;
    if (!PINGO__ARENA_ROOM(&l->ask->worker->arena, l->drivers, l->row.ndrivers, l->capacity))
        return 1;
    l->drivers[l->row.ndrivers++] = *driver;
    l->row.driven = l->row.driven || !driver->stopped;
    return 0;
}

static struct pingo__view_workflow look_at(struct serve_ask *ask,
                                           const struct pingo_workflow_status *s)
{
    struct look l = {.ask = ask, .row.status = *s};
    if (!pingo_workflow_state_is_final(s->state))
        l.row.has_drivers = pingo_store_drivers(ask->store, s->workflow, add_driver, &l, NULL) == 0;
    l.row.drivers = l.drivers;
    return l.row;
}

static int on_listed(void *context, const struct pingo_workflow_status *s)
{
    struct serve_list *list = context;
    struct pingo__view_workflow row = look_at(list->ask, s);
    return serve_row(list, &row);
}

void serve_api_workflows(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_workflow);
    struct pingo_workflow_query query = {
        .version = 1,
        .states = serve_ask_names(ask, "state", pingo__view_workflow_state_name, 1),
        .user = serve_own_user(ask),
        .name = serve_query(ask->request, "name"),
        .tag = serve_query(ask->request, "tag"),
        .since_ms = serve_ask_time(ask, "since"),
        .until_ms = serve_ask_time(ask, "until"),
        .oldest_first = serve_ask_flag(ask, "oldestFirst"),
        SERVE_PART(list)};
    SERVE_LIST(&list, pingo_store_workflows, &query, on_listed);
}

static int tell(void *context, const struct pingo_workflow_status *s)
{
    struct serve_ask *ask = context;
    struct pingo__view_workflow row = look_at(ask, s);
    serve_json(ask->answer, &pingo__view_workflow, &row);
    return 0;
}

static int on_workflow(void *ask, const struct pingo_workflow_status *s)
{
    return serve_is_due(ask, pingo_workflow_state_is_final(s->state)) ? tell(ask, s) : 0;
}

void serve_api_workflow(struct serve_ask *ask)
{
    int64_t workflow = serve_ask_workflow(ask);
    SERVE_CALL(ask, pingo_store_workflow, workflow, on_workflow, ask);
}

void serve_api_set_priority(struct serve_ask *ask)
{
    struct serve_member m = {.key = "priority"};
    int64_t workflow = serve_ask_workflow(ask), priority = 0;
    serve_ask_members(ask, &m, 1);
    if (!ask->is_wrong &&
        !(m.value && pingo__text_to_int64(m.value, -PRIORITY_MOST, PRIORITY_MOST, &priority)))
        serve_ask_refuse(ask, 400, "priority is a number from %d to %d", -PRIORITY_MOST,
                         PRIORITY_MOST);
    SERVE_CALL(ask, pingo_store_set_priority, workflow, priority);
    SERVE_CALL(ask, pingo_store_workflow, workflow, tell, ask);
}

SERVE_ROWS(on_group, struct pingo_group)

/* They are few, and come in one page. */
void serve_api_groups(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_group);
    int64_t workflow = serve_ask_workflow(ask);
    SERVE_LIST(&list, pingo_store_groups, workflow, on_group);
}

void serve_api_cost(struct serve_ask *ask)
{
    int64_t workflow = serve_ask_workflow(ask);
    struct pingo_cost cost = {.size = sizeof cost};
    SERVE_CALL(ask, pingo_store_cost, workflow, &cost);
    serve_tell(ask, &pingo__view_cost, &cost);
}

SERVE_ROWS(on_critical, struct pingo_critical)

void serve_api_critical(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_critical);
    int64_t workflow = serve_ask_workflow(ask);
    SERVE_LIST(&list, pingo_store_critical_path, workflow, on_critical);
}

void serve_api_text(struct serve_ask *ask)
{
    int64_t workflow = serve_ask_workflow(ask);
    char *text = NULL;
    size_t length = 0;
    SERVE_CALL(ask, pingo_store_text, workflow, &text, &length);
    if (!ask->is_wrong)
        pingo__buffer_append(&ask->answer->body, text, length);
    free(text);
}
