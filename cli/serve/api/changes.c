/* changes.c - what is done with submissions and datasets: kill, pause, resume, keep, release, remove.
 *
 * Who may do it, and that it was done, is the library's to say and to note: pingo_store_act_for(). */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

/* ---- submissions --------------------------------------------------------------------------------- */

void serve_api_kill(struct serve_worker *worker, const struct serve_request *request,
                    struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    struct pingo__view_killed killed = {.workflow = serve_ask_workflow(&ask, 0)};
    const char *action = request->nparts > 1 ? request->parts[1] : NULL;
    if (!serve_begin(&ask))
        return;
    serve_done(&ask,
               pingo_store_kill(worker->store, &(struct pingo_action_name){killed.workflow, action},
                                &killed.killed, &worker->err));
    if (!ask.is_wrong)
        serve_json(answer, &pingo__view_killed, &killed);
    answer->status = ask.is_wrong ? answer->status : 202;
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
    struct serve_worker *w = ask->worker;
    struct pingo__view_paused row = {.workflow = serve_ask_workflow(ask, 0)};
    if (!serve_begin(ask))
        return;
    serve_done(ask, change(w->store, row.workflow, &row.changed, &w->err));
    if (!ask->is_wrong)
        serve_end(ask,
                  pingo_store_workflow(w->store, row.workflow, take_state, &row.state, &w->err));
    if (!ask->is_wrong)
        serve_json(ask->answer, &pingo__view_paused, &row);
}

void serve_api_pause(struct serve_worker *worker, const struct serve_request *request,
                     struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    change_pause(&ask, pingo_store_pause_workflow);
}

void serve_api_resume(struct serve_worker *worker, const struct serve_request *request,
                      struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    change_pause(&ask, pingo_store_resume_workflow);
}

void serve_api_keep_workflow(struct serve_worker *worker, const struct serve_request *request,
                             struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    struct pingo_released row = {.size = sizeof row};
    int64_t workflow = serve_ask_workflow(&ask, 0);
    if (!serve_begin(&ask))
        return;
    serve_done(&ask,
               pingo_store_keep_workflow(worker->store, workflow, &row.released, &worker->err));
    if (!ask.is_wrong)
        serve_json(answer, &pingo__view_kept, &row);
}

void serve_api_release_workflow(struct serve_worker *worker, const struct serve_request *request,
                                struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    struct pingo_released row = {.size = sizeof row};
    int64_t workflow = serve_ask_workflow(&ask, 0);
    if (!serve_begin(&ask))
        return;
    serve_done(&ask, pingo_store_release_workflow(worker->store, workflow, &row, &worker->err));
    if (!ask.is_wrong)
        serve_json(answer, &pingo__view_released, &row);
}

/* ---- datasets ------------------------------------------------------------------------------------ */

typedef int (*retain_fn)(struct pingo_store *store, const struct pingo_hash *hash, bool *changed,
                         struct pingo_error *err);

static void retain(struct serve_ask *ask, retain_fn change, const struct pingo__view_table *view)
{
    struct serve_worker *w = ask->worker;
    struct pingo_released row = {.size = sizeof row};
    struct pingo_hash hash = serve_ask_dataset(ask, ask->request->parts[0]);
    bool changed = false;
    if (!serve_begin(ask))
        return;
    serve_done(ask, change(w->store, &hash, &changed, &w->err));
    row.released = changed;
    if (!ask->is_wrong)
        serve_json(ask->answer, view, &row);
}

void serve_api_keep(struct serve_worker *worker, const struct serve_request *request,
                    struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    retain(&ask, pingo_store_keep, &pingo__view_kept);
}

void serve_api_release(struct serve_worker *worker, const struct serve_request *request,
                       struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    retain(&ask, pingo_store_release, &pingo__view_released);
}

void serve_api_remove(struct serve_worker *worker, const struct serve_request *request,
                      struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    char hex[PINGO_HASH_HEX_SIZE], *hashes[] = {hex};
    struct pingo__view_removed row = {
        .first = serve_ask_dataset(&ask, request->parts[0]), .hashes = hashes, .n = 1};
    if (!serve_begin(&ask))
        return;
    serve_done(&ask, pingo_store_remove(worker->store, &row.first, &worker->err));
    pingo_hash_to_hex(&row.first, hex);
    if (!ask.is_wrong)
        serve_json(answer, &pingo__view_removed, &row);
    answer->status = ask.is_wrong ? answer->status : 202;
}
