/* engine.h - the insides of the public handles, for this room alone. */
#ifndef PINGO__ENGINE_ENGINE_H
#define PINGO__ENGINE_ENGINE_H

#include <pingo/scheduler.h>
#include <pingo/store.h>

#include "manager/action_manager.h"
#include "manager/context.h"
#include "manager/owner.h"
#include "store/actions.h"
#include "store/workflows.h"

struct pingo_store {
    struct pingo__db db;
    struct pingo__pool pool;
    struct pingo__context context;
    struct pingo_store_options options;
    char *directory, *pool_dir, *id, *user;
};

/* ---- settings ---- */
int64_t pingo__setting_number(struct pingo_store *store, const char *key);

/* ---- unmanaged outputs ---- */
/* Errors: PINGO_EWORKFLOW: an outputPath meets the store or its pool. */
int pingo__outputs_check(const struct pingo_store *store, const struct pingo_workflow *workflow,
                         struct pingo_error *err);

/* ---- a submission as it was hashed ---- */
struct pingo__loaded {
    struct pingo__arena arena;
    struct pingo__workflow_row row;
    struct pingo_workflow *workflow;
    struct pingo__graph graph; /* with hashes */
    const uint32_t *targets;
    size_t ntargets;
    const uint8_t *decisions; /* NULL: what was wanted is reused */
};
/* Errors: PINGO_ENOTFOUND. */
int pingo__loaded_open(struct pingo_store *store, int64_t number, struct pingo__loaded *l,
                       struct pingo_error *err);
void pingo__loaded_close(struct pingo__loaded *l);
void pingo__loaded_decision(const struct pingo__loaded *l, size_t i,
                            enum pingo_plan_decision *decision, enum pingo_plan_reason *reason);
/* Positions of what the user asked for: targets, or leaves. */
bool pingo__loaded_is_wanted(const struct pingo__loaded *l, size_t i);

#endif
