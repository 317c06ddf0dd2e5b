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
    const struct pingo_executor_setting *row; /* NULL: its executor is not known here */
    char name[65];
};
/* Is it of the form executor.NAME.KEY? */
bool pingo__engine_executor_key_split(const char *key, struct pingo__engine_executor_key *k);
/* Errors: PINGO_ENOTFOUND: the executor is known, and has no such setting. */
int pingo__engine_executor_key_find(struct pingo_store *store, const char *key,
                                    struct pingo__engine_executor_key *k, struct pingo_error *err);

/* What is told of settings. */
struct pingo__engine_setting_told {
    const char *key, *default_value, *meaning;
};
struct pingo__engine_setting_list {
    struct pingo__arena *arena; /* given */
    struct pingo__engine_setting_told *rows;
    size_t n, capacity;
};
/* NULL among the texts but the default: there was no memory for it. */
int pingo__engine_setting_add(struct pingo__engine_setting_list *list,
                              struct pingo__engine_setting_told told, struct pingo_error *err);
/* Adds all of executors that are known, and what is set of others; in no order. */
int pingo__engine_executor_setting_add(struct pingo_store *store,
                                       struct pingo__engine_setting_list *list,
                                       struct pingo_error *err);

/* ---- what an executor needs to be opened, or only tried: executor_opening.c ---- */

/* The store's settings, and its own, checked.  Clear also after an error.  Errors: PINGO_EINVAL. */
struct pingo__engine_opening {
    struct pingo_executor_context context;
    struct pingo__executor_values values;
    struct pingo__arena arena;
};
int pingo__engine_executor_prepare(struct pingo_store *store, const struct pingo_executor_type *type,
                                   struct pingo__engine_opening *opening, struct pingo_error *err);
void pingo__engine_executor_clear(struct pingo__engine_opening *opening);

#endif
