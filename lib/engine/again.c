/* again.c - what was submitted once is submitted once more. */

#include "engine/engine.h"
#include "engine/request.h"

struct again {
    struct pingo_store *store;
    struct pingo__arena arena;
    struct pingo__store_workflow_row row;
    struct pingo__store_document document;
    struct pingo__store_text_list targets; /* ids: names may stand twice */
};

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
    a->targets.arena = &a->arena;
    return rc || !with_targets ? rc : pingo__store_target_ids(db, workflow, &a->targets, err);
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
    if (a.targets.n) {
        o.targets = a.targets.rows;
        o.ntargets = a.targets.n;
    }
    if (!rc)
        rc = pingo_store_submit(
            store, &(struct pingo_document){a.document.text, a.document.text_length, &problems}, &o,
            submission, err);
    pingo_problems_free(problems);
    pingo__arena_clear(&a.arena);
    return rc;
}
