/* health.c - is it there, is it ready, what is it, and who asks. */
#include "serve/route/routes.h"

#include <stdlib.h>

#include "base/world.h"
#include "serve/work/ticks.h"
#include "view/views.h"

#define READY_MS 60000 /* a scheduler that has not ticked for so long is stuck */

void serve_api_healthz(struct serve_ask *ask)
{
    serve_json(ask->answer, &pingo__view_health, &(struct pingo__view_health){"ok"});
}

/* The store can be read, and its scheduler goes on. */
void serve_api_readyz(struct serve_ask *ask)
{
    char *value = NULL;
    if (pingo_store_get(ask->store, "executor", &value, ask->err) != 0) {
        serve_refuse(ask->answer, 503, "%s", ask->err->message);
        return;
    }
    free(value);
    int64_t since = serve_ticks_last(ask->worker->serve->ticks);
    if (since == 0)
        since = ask->worker->serve->started_ms;
    if (ask->worker->serve->runs && pingo__world_wall_ms() - since > READY_MS) {
        serve_refuse(ask->answer, 503, "the scheduler has not gone on for %d s", READY_MS / 1000);
        return;
    }
    serve_json(ask->answer, &pingo__view_health, &(struct pingo__view_health){"ready"});
}

void serve_api_version(struct serve_ask *ask)
{
    serve_json(ask->answer, &pingo__view_server,
               &(struct pingo__view_server){pingo_version(), "v1"});
}

/* So that who shows buttons shows those that work. */
void serve_api_me(struct serve_ask *ask)
{
    struct pingo__view_me me = {ask->request->who.user, (enum pingo_role)ask->request->who.role};
    serve_json(ask->answer, &pingo__view_me, &me);
}
