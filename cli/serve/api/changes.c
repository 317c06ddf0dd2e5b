/* changes.c - what is done with submissions and datasets: kill, pause, resume, keep, release, remove. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

void serve_api_kill(struct serve_ask *ask)
{
    struct pingo_action_name name = serve_ask_action(ask);
    struct pingo_selection meant = {.version = 2, .workflow = name.workflow};
    struct pingo__view_killed killed = {.workflow = name.workflow};
    meant.actions = serve_ask_all(ask, "action", &meant.nactions);
    meant.labels = serve_ask_all(ask, "label", &meant.nlabels);
    if (meant.nactions + meant.nlabels > 0)
        SERVE_CALL(ask, pingo_store_kill_selected, &meant, &killed.killed);
    else
        SERVE_CALL(ask, pingo_store_kill, &name, &killed.killed);
    serve_tell(ask, &pingo__view_killed, &killed);
    ask->answer->status = ask->is_wrong ? ask->answer->status : 202;
}

typedef int (*pause_fn)(struct pingo_store *store, int64_t workflow, bool *changed,
                        struct pingo_error *err);

static int take_state(void *context, const struct pingo_workflow_status *status)
{
    *(enum pingo_workflow_state *)context = status->state;
    return 0;
}

static void change_pause(struct serve_ask *ask, pause_fn change)
{
    struct pingo__view_paused row = {.workflow = serve_ask_workflow(ask)};
    SERVE_CALL(ask, change, row.workflow, &row.changed);
    SERVE_CALL(ask, pingo_store_workflow, row.workflow, take_state, &row.state);
    serve_tell(ask, &pingo__view_paused, &row);
}

SERVE_HANDLER(serve_api_pause, change_pause, pingo_store_pause_workflow)
SERVE_HANDLER(serve_api_resume, change_pause, pingo_store_resume_workflow)

void serve_api_keep_workflow(struct serve_ask *ask)
{
    struct pingo_released row = {.size = sizeof row};
    int64_t workflow = serve_ask_workflow(ask);
    SERVE_CALL(ask, pingo_store_keep_workflow, workflow, &row.released);
    serve_tell(ask, &pingo__view_kept, &row);
}

void serve_api_release_workflow(struct serve_ask *ask)
{
    struct pingo_released row = {.size = sizeof row};
    int64_t workflow = serve_ask_workflow(ask);
    SERVE_CALL(ask, pingo_store_release_workflow, workflow, &row);
    serve_tell(ask, &pingo__view_released, &row);
}

typedef int (*retain_fn)(struct pingo_store *store, const struct pingo_hash *hash, bool *changed,
                         struct pingo_error *err);

static void retain(struct serve_ask *ask, retain_fn change, const struct pingo__view_table *view)
{
    struct pingo_released row = {.size = sizeof row};
    struct pingo_hash hash = serve_ask_dataset(ask, ask->request->parts[0]);
    bool changed = false;
    SERVE_CALL(ask, change, &hash, &changed);
    row.released = changed;
    serve_tell(ask, view, &row);
}

SERVE_HANDLER(serve_api_keep, retain, pingo_store_keep, &pingo__view_kept)
SERVE_HANDLER(serve_api_release, retain, pingo_store_release, &pingo__view_released)

/* Who wants it as a result still does. */
void serve_api_unpin(struct serve_ask *ask)
{
    struct pingo_released row = {.size = sizeof row};
    struct pingo_hash hash = serve_ask_dataset(ask, ask->request->parts[0]);
    SERVE_CALL(ask, pingo_store_release_dataset, 0, &hash, &row);
    serve_tell(ask, &pingo__view_released, &row);
}

void serve_api_remove(struct serve_ask *ask)
{
    char hex[PINGO_HASH_HEX_SIZE], *hashes[] = {hex};
    struct pingo__view_removed row = {
        .first = serve_ask_dataset(ask, ask->request->parts[0]), .hashes = hashes, .n = 1};
    SERVE_CALL(ask, pingo_store_remove, &row.first);
    pingo_hash_to_hex(&row.first, hex);
    serve_tell(ask, &pingo__view_removed, &row);
    ask->answer->status = ask->is_wrong ? ask->answer->status : 202;
}
