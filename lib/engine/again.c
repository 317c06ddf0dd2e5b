/* again.c - what was submitted once is submitted once more. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "engine/request.h"
#include "store/submission/shape.h"

struct again {
    struct pingo_store *store;
    struct pingo__arena arena;
    struct pingo__store_workflow_row row;
    struct pingo__store_document document;
    struct pingo__store_position_list targets;
    const char **names; /* of the targets: ids */
    size_t nnames;
};

static int by_position(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int add_target(void *context, const void *row, struct pingo_error *err)
{
    struct again *a = context;
    const struct pingo__store_shape_node *node = row;
    uint32_t position = (uint32_t)node->parents.position;
    if (!bsearch(&position, a->targets.rows, a->targets.n, sizeof position, by_position))
        return 0;
    a->names[a->nnames] = pingo__arena_format(&a->arena, "%" PRId64, node->user_id);
    return a->names[a->nnames++] ? 0 : pingo__fail_memory(err);
}

/* What it asked for, by ids: names may stand twice. */
static int read_targets(struct again *a, struct pingo_error *err)
{
    const struct pingo__store_each nodes = {.fn = add_target, .context = a};
    a->targets.arena = &a->arena;
    int rc = pingo__store_shape_targets(&a->store->db, a->row.id, &a->targets, err);
    if (rc || !a->targets.n)
        return rc;
    qsort(a->targets.rows, a->targets.n, sizeof *a->targets.rows, by_position);
    a->names = pingo__arena_array(&a->arena, a->targets.n, sizeof *a->names);
    return a->names ? pingo__store_shape_nodes(&a->store->db, a->row.graph, &nodes, err)
                    : pingo__fail_memory(err);
}

static int read(struct again *a, int64_t workflow, bool with_targets, struct pingo_error *err)
{
    struct pingo__store_db *db = &a->store->db;
    int rc = pingo__store_db_begin(db, err);
    if (!rc)
        rc = pingo__store_db_end(
            db, pingo__engine_may_workflow(a->store, "submit again", workflow, err), err);
    if (!rc)
        rc = pingo__engine_submission_get(a->store, workflow, &a->arena, &a->row, err);
    if (!rc)
        rc = pingo__store_document_load(db, a->row.document, &a->arena, &a->document, err);
    return rc || !with_targets ? rc : read_targets(a, err);
}

int pingo_store_submit_again(struct pingo_store *store, int64_t workflow,
                             const struct pingo_submit_options *options,
                             struct pingo_submission *submission, struct pingo_error *err)
{
    struct again a = {.store = store};
    struct pingo__engine_request r;
    struct pingo_problems *problems = NULL;
    int rc = pingo__engine_request_open(&r, store, options, err);
    struct pingo_submit_options o = r.options;
    pingo__engine_request_close(&r);
    if (!rc)
        rc = read(&a, workflow, !o.ntargets, err);
    o.version = 3;
    o.base_dir = a.document.base_dir && *a.document.base_dir ? a.document.base_dir : NULL;
    if (a.nnames) {
        o.targets = a.names;
        o.ntargets = a.nnames;
    }
    if (!rc)
        rc = pingo_store_submit(
            store, &(struct pingo_document){a.document.text, a.document.text_length, &problems}, &o,
            submission, err);
    pingo_problems_free(problems);
    pingo__arena_clear(&a.arena);
    return rc;
}
