/* one.h - an action of a submission, as a person names it. */
#ifndef PINGO__ENGINE_LOOK_ONE_H
#define PINGO__ENGINE_LOOK_ONE_H

#include "engine/engine.h"

struct pingo__engine_one {
    struct pingo__arena arena; /* cleared by the caller, also after failure */
    struct pingo__store_workflow_row workflow;
    struct pingo__store_planned action;
    bool has_row;
    struct pingo__store_action_row row; /* its newest */
};
int pingo__engine_one_find(struct pingo_store *store, int64_t workflow, const char *action,
                           struct pingo__engine_one *one, struct pingo_error *err);

#endif
