/* pool.c - the pool: what it holds, what went, what would go. */
#include "serve/api/own.h"
#include "serve/route/routes.h"

#include <string.h>

static int on_eviction(void *context, const struct pingo_eviction *eviction)
{
    struct serve_list *list = context;
    struct pingo_eviction told = *eviction;
    if (serve_own(list->ask))
        told.name = ""; /* whose it was is not known */
    return list->ask->is_wrong || serve_row(list, &told);
}

void serve_api_pool(struct serve_ask *ask)
{
    struct pingo_pool_usage usage = {.size = sizeof usage};
    SERVE_CALL(ask, pingo_store_usage, &usage);
    serve_tell(ask, &pingo__view_usage, &usage);
}

void serve_api_evictions(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_eviction);
    const char *dataset = serve_query(ask->request, "dataset");
    struct pingo_hash hash = {{0}};
    if (dataset)
        hash = serve_ask_dataset(ask, dataset);
    struct pingo_eviction_query query = {.version = 1,
                                         .since_ms = serve_ask_time(ask, "since"),
                                         .until_ms = serve_ask_time(ask, "until"),
                                         .newest_first = true,
                                         SERVE_PART(list)};
    query.hash = dataset ? &hash : NULL;
    SERVE_LIST(&list, pingo_store_evictions, &query, on_eviction);
}

struct victims {
    struct serve_ask *ask;
    struct pingo__writer w;
};

static int on_victim(void *context, const struct pingo_decided *decided)
{
    struct victims *v = context;
    struct pingo_decided told = *decided;
    if (serve_own(v->ask))
        told.name = "";
    pingo__view_object(&v->w, NULL, &pingo__view_decided, &told);
    return v->ask->is_wrong || v->w.out.failed;
}

/* A plug-in is code that runs as the owner of the store: who may not set one may not have one loaded. */
static const char *ask_algorithm(struct serve_ask *ask)
{
    const char *text = serve_query(ask->request, "algorithm");
    struct pingo_decision_selection *selection = NULL;
    struct pingo_error why;
    bool is_plugin = text && text[strcspn(text, "/:")] == '/';
    int rc = 0;
    if (is_plugin && ask->request->who.role < SERVE_ADMIN)
        serve_ask_refuse(ask, 403, "plug-ins are loaded for admins alone");
    else if (is_plugin)
        rc = pingo_decision_select(text, &selection, &why);
    if (rc && rc != PINGO_ENOMEM) /* what was asked for is wrong, and not the server */
        serve_ask_refuse(ask, 400, "%s", why.message);
    pingo_decision_selection_free(selection);
    return text;
}

void serve_api_decide(struct serve_ask *ask)
{
    struct pingo__view_decision d = {.summary.size = sizeof d.summary, .usage.size = sizeof d.usage};
    struct victims v = {.ask = ask};
    struct pingo_decide_options options = {.version = 1,
                                           .algorithm = ask_algorithm(ask),
                                           .free_bytes = serve_ask_size(ask, "free", -1),
                                           .usage = &d.usage,
                                           .decided = on_victim,
                                           .context = &v};
    pingo__view_open(&v.w, &pingo__view_decision, &d);
    SERVE_CALL(ask, pingo_store_decide, &options, &d.summary);
    pingo__view_close(&v.w, &pingo__view_decision, &d);
    serve_ask_written(ask, &v.w);
}

void serve_api_report(struct serve_ask *ask)
{
    struct pingo_report_options options = {
        .version = 1,
        .since_ms = serve_ask_time(ask, "since"),
        .until_ms = serve_ask_time(ask, "until"),
        .limit = (size_t)serve_ask_number(ask, "limit", (struct serve_range){1, 1000, 10})};
    struct pingo_report *report = NULL;
    SERVE_CALL(ask, pingo_store_report, &options, &report);
    if (report && serve_own(ask))
        report->nvaluable = report->nregretted = 0;
    serve_tell(ask, &pingo__view_report, report);
    pingo_report_free(report);
}
