/* job.h - a row of an action -> what an executor is asked to run. */
#ifndef PINGO__MANAGER_JOB_H
#define PINGO__MANAGER_JOB_H

#include <pingo/executor.h>

#include "manager/context.h"
#include "store/actions.h"
#include "store/datasets.h"

/* An action with all that its attempt needs; everything lies in one arena. */
struct pingo__prepared {
    struct pingo__action_row action;
    struct pingo_description *description; /* freed by pingo__prepared_clear() */
    struct pingo__action_original *originals;
    size_t noriginals;
    struct pingo__dataset_list claimed;
    struct pingo_job job;
};

/* Reads it from the store, and renders the job of its current epoch.  Errors: PINGO_ECORRUPT. */
int pingo__prepare(struct pingo__context *c, const struct pingo__action_row *action,
                   struct pingo__arena *arena, struct pingo__prepared *p, struct pingo_error *err);
void pingo__prepared_clear(struct pingo__prepared *p);

#endif
