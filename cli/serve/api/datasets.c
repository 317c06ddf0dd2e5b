/* datasets.c - datasets: lists, one, where it comes from. */
#include "serve/api/own.h"
#include "serve/route/routes.h"

#include <string.h>

#include "base/text.h"
#include "view/names.h"

static int on_dataset(void *context, const struct pingo_dataset_status *d)
{
    struct serve_list *list = context;
    struct pingo_dataset_status told = serve_own_row(list->ask, d);
    bool is_told = serve_own_wants(list->ask, &d->hash);
    return list->ask->is_wrong || (is_told && serve_row(list, &told));
}

static int on_one(void *context, const struct pingo_dataset_status *d)
{
    struct serve_ask *ask = context;
    struct pingo_dataset_status told = serve_own_row(ask, d);
    serve_json(ask->answer, &pingo__view_dataset, &told);
    return 0;
}

/* A number or "last" is one submission, anything else a name. */
static void ask_workflow(struct serve_ask *ask, struct pingo_dataset_query *query)
{
    const char *text = serve_query(ask->request, "workflow");
    int64_t number;
    if (!text)
        return;
    if (strcmp(text, "last") != 0 && !pingo__text_to_int64(text, INT64_MIN, INT64_MAX, &number))
        query->workflow_name = text;
    else
        SERVE_CALL(ask, pingo_store_resolve_workflow, text, &query->workflow);
}

/* By name, label and user, which serve_own_row() leaves out, nobody finds what others have made. */
static const char *maker(struct serve_ask *ask, const struct pingo_dataset_query *q)
{
    bool is_hidden = q->nnames || q->nlabels || q->order >= PINGO_DATASETS_BY_USER;
    return is_hidden ? serve_own(ask) : NULL;
}

void serve_api_datasets(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_dataset);
    int64_t most_bytes = serve_ask_size(ask, "maxSize", -1);
    struct pingo_dataset_query query = {
        .version = 2,
        .states = serve_ask_names(ask, "state", pingo__view_dataset_state_name, 1),
        .user = serve_own_user(ask),
        .min_bytes = serve_ask_size(ask, "minSize", 0),
        .below_bytes = most_bytes < INT64_MAX ? most_bytes + 1 : most_bytes, /* none has so many */
        .since_ms = serve_ask_time(ask, "newer"),
        .until_ms = serve_ask_time(ask, "older"),
        .reverse = serve_ask_flag(ask, "reverse"),
        SERVE_PART(list)};
    query.names = serve_ask_all(ask, "name", &query.nnames);
    query.labels = serve_ask_all(ask, "label", &query.nlabels);
    query.order = (enum pingo_dataset_order)serve_ask_word(
        ask, "sort", "age|state|size|value|user|workflow|name", 0);
    query.maker = maker(ask, &query);
    query.values = query.order == PINGO_DATASETS_BY_VALUE;
    query.all = serve_ask_flag(ask, "all") || (query.states & 1u << PINGO_DATASET_DELETED) != 0;
    ask_workflow(ask, &query);
    int rc = 0;
    if (!ask->is_wrong)
        rc = pingo_store_datasets(ask->store, &query, on_dataset, &list, ask->err);
    if (rc != PINGO_ENOTFOUND || !ask->own) /* its message names what others have submitted */
        serve_end(ask, rc);
    serve_list_end(&list);
}

void serve_api_dataset(struct serve_ask *ask)
{
    struct pingo_hash hash = serve_ask_dataset(ask, ask->request->parts[0]);
    SERVE_CALL(ask, pingo_store_dataset, &hash, on_one, ask);
}

struct origin {
    struct serve_ask *ask;
    struct pingo__writer w;
    bool is_short; /* something was left out */
};

static int on_origin(void *context, const struct pingo_provenance *p)
{
    struct origin *o = context;
    if (serve_own_has(o->ask, p->workflow))
        pingo__view_object(&o->w, NULL, &pingo__view_provenance, p);
    else
        o->is_short = true;
    return o->w.out.failed;
}

void serve_api_provenance(struct serve_ask *ask)
{
    struct pingo__view_origin origin = {.hash = serve_ask_dataset(ask, ask->request->parts[0])};
    struct pingo_provenance_query query = {
        .version = 1,
        .hash = origin.hash,
        .is_bounded = serve_query(ask->request, "depth"),
        .depth = (size_t)serve_ask_number(ask, "depth", (struct serve_range){0, INT32_MAX, 0}),
        .limit = (size_t)serve_ask_number(ask, "limit", (struct serve_range){1, 1000, 100}),
        .more = &origin.more};
    struct origin o = {.ask = ask};
    pingo__view_open(&o.w, &pingo__view_origin, &origin);
    SERVE_CALL(ask, pingo_store_provenance, &query, on_origin, &o);
    origin.more = origin.more || o.is_short;
    pingo__view_close(&o.w, &pingo__view_origin, &origin);
    serve_ask_written(ask, &o.w);
}
