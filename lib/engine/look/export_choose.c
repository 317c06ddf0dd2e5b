/* export_choose.c - which outputs are exported, and what is known of each. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/look/export.h"
#include "engine/look/nearest.h"
#include "store/labels.h"

struct choosing {
    struct pingo__engine_export_list *list;
    struct pingo_store *store;
    const struct pingo_export_options *options;
};

/* What its command calls its output, and its labels. */
static int describe_action(struct choosing *x, struct pingo__engine_exported *e,
                           struct pingo_error *err)
{
    struct pingo__store_labelled of = {x->list->named.workflow.document, e->node.position};
    struct pingo__store_text_list labels = {.arena = &x->list->named.arena};
    struct pingo_description *d = NULL;
    size_t n = 0;
    bool is_stdout = false;
    int rc = pingo__store_definition_decoded(&x->store->db, &e->node.hash, &d, err);
    e->output = "";
    const struct pingo_field *fields = d ? pingo_description_fields(d, &n) : NULL;
    for (size_t i = 0; !rc && i < n; i++) {
        if (strcmp(fields[i].key, "stdout") == 0 && fields[i].nvalues)
            is_stdout = strcmp(fields[i].values[0], "true") == 0;
        else if (strcmp(fields[i].key, "output") == 0 && fields[i].nvalues)
            e->output = pingo__arena_format(&x->list->named.arena, "%s", fields[i].values[0]);
    }
    if (!rc && !e->output)
        rc = pingo__fail_memory(err);
    if (is_stdout)
        e->output = "";
    pingo_description_free(d);
    if (!rc)
        rc = pingo__store_labels_read(&x->store->db, &of, &labels, err);
    e->labels = labels.rows;
    e->nlabels = labels.n;
    return rc;
}

static int compare_positions(const void *a, const void *b)
{
    int64_t x = ((const struct pingo__store_planned *)a)->node.position;
    int64_t y = ((const struct pingo__store_planned *)b)->node.position;
    return x < y ? -1 : x > y;
}

static int read_action(struct choosing *x, int64_t position, struct pingo__store_planned *planned,
                       struct pingo_error *err)
{
    int rc = pingo__engine_named_read(x->store, &x->list->named, position, err);
    *planned = x->list->named.action;
    return rc;
}

static int choose_ids(struct choosing *x, struct pingo__store_planned_list *chosen,
                      struct pingo_error *err)
{
    const struct pingo_export_options *o = x->options;
    size_t kept = 0;
    int rc = 0;
    chosen->rows = pingo__arena_array(&x->list->named.arena, o->nids, sizeof *chosen->rows);
    if (!chosen->rows)
        return pingo__fail_memory(err);
    for (chosen->n = 0; !rc && chosen->n < o->nids; chosen->n++) {
        int64_t position = -1;
        rc = pingo__store_node_find(&x->store->db, x->list->named.workflow.graph, o->ids[chosen->n],
                                    &position, err);
        if (!rc && position < 0)
            return pingo__fail(err, PINGO_ENOTFOUND, "no action has the id %" PRId64,
                               o->ids[chosen->n]);
        if (!rc)
            rc = read_action(x, position, &chosen->rows[chosen->n], err);
    }
    if (rc)
        return rc;
    qsort(chosen->rows, chosen->n, sizeof *chosen->rows, compare_positions);
    for (size_t i = 0; i < chosen->n; i++)
        if (!kept || compare_positions(&chosen->rows[kept - 1], &chosen->rows[i]) != 0)
            chosen->rows[kept++] = chosen->rows[i];
    chosen->n = kept;
    return 0;
}

static int choose(struct choosing *x, const char *action, struct pingo__store_planned_list *chosen,
                  struct pingo_error *err)
{
    size_t kept = 0;
    if (action) {
        int64_t position = 0;
        chosen->rows = pingo__arena_alloc(&x->list->named.arena, sizeof *chosen->rows);
        chosen->n = 1;
        if (!chosen->rows)
            return pingo__fail_memory(err);
        int rc = pingo__store_node_resolve(&x->store->db, x->list->named.workflow.graph, action,
                                           &position, err);
        return rc ? rc : read_action(x, position, chosen->rows, err);
    }
    if (x->options->nids)
        return choose_ids(x, chosen, err);
    chosen->arena = &x->list->named.arena;
    int rc = pingo__store_planned_wanted(&x->store->db, x->list->named.workflow.id, chosen, err);
    for (size_t i = 0; !rc && i < chosen->n; i++)
        if (!chosen->rows[i].node.output_path)
            chosen->rows[kept++] = chosen->rows[i];
    chosen->n = kept;
    return rc;
}

int pingo__engine_export_choose(struct pingo__engine_export_list *list, struct pingo_store *store,
                                const struct pingo_export_options *options, const char *action,
                                struct pingo_error *err)
{
    struct choosing x = {list, store, options};
    struct pingo__store_planned_list chosen = {.n = 0};
    int rc = choose(&x, action, &chosen, err);
    if (rc)
        return rc;
    list->actions = pingo__arena_array(&list->named.arena, chosen.n + 1, sizeof *list->actions);
    if (!list->actions)
        return pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < chosen.n; i++) {
        list->actions[i].node = chosen.rows[i].node;
        rc = describe_action(&x, &list->actions[list->n++], err);
    }
    return rc;
}
