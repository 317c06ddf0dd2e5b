/* datasets.c - datasets: lists, one, where it comes from. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

#include <string.h>

#include "base/text.h"

SERVE_ROWS(on_dataset, struct pingo_dataset_status)
SERVE_ONE(on_one, struct pingo_dataset_status, pingo__view_dataset)

static const char *state_name(int state)
{
    return pingo_dataset_state_name((enum pingo_dataset_state)state);
}

/* The words of sort, by enum pingo_dataset_order. */
static const char *order_name(int order)
{
    static const char *const names[] = {"age",  "state",    "size", "value",
                                        "user", "workflow", "name"};
    return (size_t)order < sizeof names / sizeof *names ? names[order] : NULL;
}

static enum pingo_dataset_order ask_order(struct serve_ask *ask)
{
    unsigned bits = serve_ask_names(ask, "sort", order_name, 0);
    int order = 0;
    while (bits >> order > 1)
        order++;
    return (enum pingo_dataset_order)order;
}

/* A number or "last" is one submission, anything else a name. */
static void ask_workflow(struct serve_ask *ask, struct pingo_dataset_query *query)
{
    const char *text = serve_query(ask->request, "workflow");
    struct serve_worker *w = ask->worker;
    int64_t number;
    if (ask->is_wrong || !text)
        return;
    if (strcmp(text, "last") != 0 && !pingo__text_to_int64(text, INT64_MIN, INT64_MAX, &number))
        query->workflow_name = text;
    else
        serve_end(ask, pingo_store_resolve_workflow(w->store, text, &query->workflow, &w->err));
}

/* No dataset has INT64_MAX bytes. */
static int64_t below(int64_t most)
{
    return most < INT64_MAX ? most + 1 : most;
}

void serve_api_datasets(struct serve_worker *worker, const struct serve_request *request,
                        struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer,
                                     "state|user|workflow|name|label|minSize|maxSize|newer|older|"
                                     "all|sort|reverse|" SERVE_PAGE);
    struct serve_list list;
    serve_list(&list, &ask, &pingo__view_dataset);
    struct pingo_dataset_query query = {.version = 1,
                                        .states = serve_ask_names(&ask, "state", state_name, 1),
                                        .user = serve_query(request, "user"),
                                        .min_bytes = serve_ask_size(&ask, "minSize", 0),
                                        .below_bytes = below(serve_ask_size(&ask, "maxSize", -1)),
                                        .since_ms = serve_ask_time(&ask, "newer"),
                                        .until_ms = serve_ask_time(&ask, "older"),
                                        .reverse = serve_ask_flag(&ask, "reverse"),
                                        .limit = list.limit,
                                        .after = list.after,
                                        .next = list.next};
    query.names = serve_ask_all(&ask, "name", &query.nnames);
    query.labels = serve_ask_all(&ask, "label", &query.nlabels);
    query.order = ask_order(&ask);
    query.values = query.order == PINGO_DATASETS_BY_VALUE;
    query.all = serve_ask_flag(&ask, "all") || (query.states & 1u << PINGO_DATASET_DELETED) != 0;
    ask_workflow(&ask, &query);
    int rc = ask.is_wrong
                 ? PINGO_EINVAL
                 : pingo_store_datasets(worker->store, &query, on_dataset, &list, &worker->err);
    serve_list_end(&list, rc);
}

void serve_api_dataset(struct serve_worker *worker, const struct serve_request *request,
                       struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    struct pingo_hash hash = serve_ask_dataset(&ask, 0);
    if (!ask.is_wrong)
        serve_end(&ask, pingo_store_dataset(worker->store, &hash, on_one, answer, &worker->err));
}

static int on_origin(void *context, const struct pingo_provenance *p)
{
    struct pingo__writer *w = context;
    pingo__view_object(w, NULL, &pingo__view_provenance, p);
    return w->out.failed;
}

void serve_api_provenance(struct serve_worker *worker, const struct serve_request *request,
                          struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "depth|limit");
    struct pingo__view_origin origin = {.hash = serve_ask_dataset(&ask, 0)};
    struct pingo_provenance_query query = {
        .version = 1,
        .hash = origin.hash,
        .is_bounded = serve_query(request, "depth"),
        .depth = (size_t)serve_ask_number(&ask, "depth", (struct serve_range){0, INT32_MAX, 0}),
        .limit = (size_t)serve_ask_number(&ask, "limit", (struct serve_range){1, 1000, 100}),
        .more = &origin.more};
    struct pingo__writer w;
    if (ask.is_wrong)
        return;
    pingo__writer_init(&w, NULL, NULL);
    pingo__view_open(&w, NULL, &pingo__view_origin, &origin);
    serve_end(&ask, pingo_store_provenance(worker->store, &query, on_origin, &w, &worker->err));
    pingo__view_close(&w, &pingo__view_origin, &origin);
    if (!ask.is_wrong)
        serve_written(answer, &w);
    pingo__writer_clear(&w);
}
