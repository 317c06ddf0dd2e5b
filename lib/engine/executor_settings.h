/* executor_settings.h - settings of executors' own: executor.NAME.KEY. */
#ifndef PINGO__ENGINE_EXECUTOR_SETTINGS_H
#define PINGO__ENGINE_EXECUTOR_SETTINGS_H

#include "engine/engine.h"
#include "executor/registry.h"

#define PINGO__EXECUTOR_PREFIX "executor."

/* One of ours or of the embedder's; NULL: this program has none of that name. */
const struct pingo_executor_type *pingo__engine_executor_known(const struct pingo_store *store,
                                                               const char *name);

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

#endif
