/* executor_opening.h - what an executor needs to be opened, or only tried. */
#ifndef PINGO__ENGINE_EXECUTOR_OPENING_H
#define PINGO__ENGINE_EXECUTOR_OPENING_H

#include "engine/engine.h"
#include "executor/registry.h"

/* The store's settings, and its own, checked.  Clear also after an error.  Errors:
 * PINGO_EINVAL. */
struct pingo__engine_opening {
    struct pingo_executor_context context;
    struct pingo__executor_values values;
    struct pingo__arena arena;
};
int pingo__engine_executor_prepare(struct pingo_store *store, const struct pingo_executor_type *type,
                                   struct pingo__engine_opening *opening, struct pingo_error *err);
void pingo__engine_executor_clear(struct pingo__engine_opening *opening);

#endif
