/* executor_settings.h - settings of executors' own: executor.NAME.KEY. */
#ifndef PINGO__ENGINE_EXECUTOR_SETTINGS_H
#define PINGO__ENGINE_EXECUTOR_SETTINGS_H

#include "engine/engine.h"
#include "executor/registry.h"

struct pingo__engine_executor_key {
    const char *key;                          /* whole; in the arena where it was listed */
    const struct pingo_executor_type *type;   /* NULL: not known here */
    const struct pingo_executor_setting *row; /* NULL likewise */
    char name[65];
};
/* Is it of the form executor.NAME.KEY? */
bool pingo__engine_executor_key_split(const char *key, struct pingo__engine_executor_key *k);
/* Errors: PINGO_ENOTFOUND: the executor is known, and has no such setting. */
int pingo__engine_executor_key_find(struct pingo_store *store, const char *key,
                                    struct pingo__engine_executor_key *k, struct pingo_error *err);
/* All of executors that are known, and what is set of others; in no order, in the arena. */
int pingo__engine_executor_key_list(struct pingo_store *store, struct pingo__arena *arena,
                                    struct pingo__engine_executor_key **keys, size_t *n,
                                    struct pingo_error *err);

/* What an executor is opened with: the store's settings, and its own, checked.  Clear also after an error.  Errors:
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
