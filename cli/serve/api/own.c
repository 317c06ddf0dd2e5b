/* own.c - see own.h. */
#include "serve/api/own.h"

#include <stdlib.h>
#include <string.h>

/* Where it cannot be told, it is. */
static bool is_private(struct serve_ask *ask)
{
    char *value = NULL;
    SERVE_CALL(ask, pingo_store_get, "serve.private", &value);
    bool is_on = ask->is_wrong || strcmp(value, "on") == 0;
    free(value);
    return is_on;
}

const char *serve_own(struct serve_ask *ask)
{
    const struct serve_who *who = &ask->request->who;
    if (ask->is_wrong || ask->is_own_known || who->role >= SERVE_ADMIN || !who->user)
        return ask->own;
    if (is_private(ask))
        ask->own = who->user;
    ask->is_own_known = true;
    return ask->own;
}

void serve_ask_private(struct serve_ask *ask)
{
    if (!ask->is_wrong && ask->request->who.role <= SERVE_VIEWER && is_private(ask))
        serve_ask_refuse(ask, 403, "viewers read no logs and no contents here (serve.private)");
}

const char *serve_own_user(struct serve_ask *ask)
{
    const char *user = serve_query(ask->request, "user"), *own = serve_own(ask);
    if (own && user && strcmp(own, user) != 0)
        serve_ask_refuse(ask, 403, "things of others are not told here (serve.private)");
    return own ? own : user;
}

struct owner {
    const char *user;
    bool is_his;
};

static int on_workflow(void *context, const struct pingo_workflow_status *s)
{
    struct owner *owner = context;
    owner->is_his = strcmp(s->user, owner->user) == 0;
    return 0;
}

bool serve_own_has(struct serve_ask *ask, int64_t workflow)
{
    struct owner owner = {.user = serve_own(ask)};
    if (owner.user && workflow > 0)
        pingo_store_workflow(ask->store, workflow, on_workflow, &owner, NULL);
    return owner.is_his || !owner.user;
}

bool serve_own_has_it(struct serve_ask *ask, int64_t workflow)
{
    bool has = serve_own_has(ask, workflow);
    if (!has)
        serve_ask_refuse(ask, 403, "submissions of others are not told here (serve.private)");
    return has && !ask->is_wrong;
}

struct pingo_why serve_own_why(struct serve_ask *ask, const struct pingo_why *why)
{
    struct pingo_why told = *why;
    if (!serve_own_has(ask, why->nearest_workflow)) {
        told.has_nearest = false;
        told.ndifferences = told.inherited = 0;
    }
    return told;
}

bool serve_own_wants(struct serve_ask *ask, const struct pingo_hash *hash)
{
    const char *own = serve_own(ask);
    bool is_his = !own;
    if (own)
        SERVE_CALL(ask, pingo_store_dataset_is_of, hash, own, &is_his);
    return is_his;
}

int64_t serve_ask_workflow(struct serve_ask *ask)
{
    int64_t workflow = 0;
    SERVE_CALL(ask, pingo_store_resolve_workflow, ask->request->parts[0], &workflow);
    if (!ask->is_wrong)
        serve_own_has_it(ask, workflow);
    return workflow;
}

struct pingo_action_name serve_ask_action(struct serve_ask *ask)
{
    const struct serve_request *r = ask->request;
    return (struct pingo_action_name){serve_ask_workflow(ask), r->nparts > 1 ? r->parts[1] : NULL};
}

struct pingo_hash serve_ask_dataset(struct serve_ask *ask, const char *prefix)
{
    struct pingo_hash hash = {{0}};
    const char *own = serve_own(ask);
    SERVE_CALL(ask, pingo_store_resolve_dataset_of, prefix, own, &hash);
    return hash;
}

struct pingo_dataset_status serve_own_row(struct serve_ask *ask,
                                          const struct pingo_dataset_status *row)
{
    struct pingo_dataset_status told = *row;
    const char *own = serve_own(ask);
    if (!own || strcmp(row->user, own) == 0)
        return told;
    told.name = told.user = "";
    told.path = told.adopted_from = NULL;
    told.nlabels = 0;
    return told;
}
