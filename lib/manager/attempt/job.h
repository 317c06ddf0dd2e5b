/* job.h - a row of an action -> what an executor is asked to run. */
#ifndef PINGO__MANAGER_JOB_H
#define PINGO__MANAGER_JOB_H

#include <pingo/executor.h>
#include <pingo/query.h>

#include "manager/context.h"
#include "store/action/actions.h"
#include "store/dataset/datasets.h"
#include "workflow/resources.h"

/* An action with all that its attempt needs; everything lies in one arena. */
struct pingo__manager_prepared {
    struct pingo__store_action_row action;
    struct pingo_description *description; /* freed by pingo__manager_prepared_clear() */
    struct pingo__store_action_original_list originals;
    struct pingo__store_dataset_list claimed;
    struct pingo__workflow_resources resources; /* of this try */
    struct pingo_job job;
    enum pingo_memory_from memory_from;
    bool takes_places; /* given: its executor finds what lies elsewhere by itself */
};

/* Reads it from the store, and renders the job of its current epoch; what it reads of a pool that lies elsewhere comes
 * to this machine, where its executor does not take places.  Errors: PINGO_ECORRUPT. */
int pingo__manager_prepare(struct pingo__manager_context *c,
                           const struct pingo__store_action_row *action, struct pingo__arena *arena,
                           struct pingo__manager_prepared *p, struct pingo_error *err);
/* How long its current try may run; 0: it has no limit.  Errors: PINGO_EINVAL: a damaged row. */
int pingo__manager_time_limit(const struct pingo__store_action_row *action,
                              struct pingo__arena *arena, int64_t *ms, struct pingo_error *err);
void pingo__manager_prepared_clear(struct pingo__manager_prepared *p);

struct pingo__manager_originals_check {
    const struct pingo__manager_prepared
        *p; /* description: on its PATH tools are looked for again; NULL: where they were */
    struct pingo__arena *arena;
    uint64_t *stamps; /* room for one an original, or NULL: each is another when what it stands for was touched */
    /* found: */
    const char *changed; /* one changed or is gone: which, and since when; NULL: none */
};
int pingo__manager_originals_check(struct pingo__manager_context *c,
                                   struct pingo__manager_originals_check *check,
                                   struct pingo_error *err);

#endif
