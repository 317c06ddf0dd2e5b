/* health.c - is it there, is it ready, what is it, and who asks. */
#include "serve/route/routes.h"

#include <stdlib.h>

#include "base/world.h"
#include "serve/work/ticks.h"
#include "view/views.h"

#define READY_MS 60000 /* a scheduler that has not ticked for so long is stuck */

void serve_api_healthz(struct serve_worker *worker, const struct serve_request *request,
                       struct serve_answer *answer)
{
    (void)worker, (void)request;
    serve_json(answer, &pingo__view_health, &(struct pingo__view_health){"ok"});
}

/* The store can be read, and its scheduler goes on. */
void serve_api_readyz(struct serve_worker *worker, const struct serve_request *request,
                      struct serve_answer *answer)
{
    (void)request;
    char *value = NULL;
    if (pingo_store_get(worker->store, "executor", &value, &worker->err) != 0) {
        serve_refuse(answer, 503, "%s", worker->err.message);
        return;
    }
    free(value);
    int64_t since = serve_ticks_last(worker->serve->ticks);
    if (since == 0)
        since = worker->serve->started_ms;
    if (worker->serve->runs && pingo__world_wall_ms() - since > READY_MS) {
        serve_refuse(answer, 503, "the scheduler has not gone on for %d s", READY_MS / 1000);
        return;
    }
    serve_json(answer, &pingo__view_health, &(struct pingo__view_health){"ready"});
}

void serve_api_version(struct serve_worker *worker, const struct serve_request *request,
                       struct serve_answer *answer)
{
    (void)worker, (void)request;
    serve_json(answer, &pingo__view_server, &(struct pingo__view_server){pingo_version(), "v1"});
}

/* So that who shows buttons shows those that work. */
void serve_api_me(struct serve_worker *worker, const struct serve_request *request,
                  struct serve_answer *answer)
{
    (void)worker;
    struct pingo__view_me me = {request->who.user, (enum pingo_role)request->who.role};
    serve_json(answer, &pingo__view_me, &me);
}
