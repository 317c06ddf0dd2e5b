/* driving.c - pausing and resuming workflows, and who drives them. */
#include <inttypes.h>

#include "base/error.h"
#include "engine/engine.h"
#include "store/driving.h"

static int set_paused(struct pingo_store *store, int64_t workflow, bool paused, bool *changed,
                      struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__workflow_row row;
    int rc = pingo__db_begin(&store->db, err);

    if (changed)
        *changed = false;
    if (rc)
        return rc;
    pingo__arena_init(&arena);
    rc = pingo__workflow_get(&store->db, workflow, &arena, &row, err);
    if (rc == 0)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "there is no workflow %" PRId64, workflow);
    else if (rc == 1 && row.state != PINGO_WORKFLOW_RUNNING)
        rc = pingo__fail(err, PINGO_ESTATE, "workflow %" PRId64 " has ended already (%s)", workflow,
                         pingo_workflow_state_name(row.state));
    if (rc == 1)
        rc = pingo__workflow_set_paused(&store->db, workflow, paused, err);
    if (changed)
        *changed = rc == 1;
    rc = pingo__db_end(&store->db, rc < 0 ? rc : 0, err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_pause_workflow(struct pingo_store *store, int64_t workflow, bool *changed,
                               struct pingo_error *err)
{
    return set_paused(store, workflow, true, changed, err);
}

int pingo_store_resume_workflow(struct pingo_store *store, int64_t workflow, bool *changed,
                                struct pingo_error *err)
{
    return set_paused(store, workflow, false, changed, err);
}
