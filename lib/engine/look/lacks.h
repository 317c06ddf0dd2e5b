/* lacks.h - why a READY action is not started: GPUs and licences that others hold, or that are kept for who came
 * before. */
#ifndef PINGO__ENGINE_LACKS_H
#define PINGO__ENGINE_LACKS_H

#include "engine/engine.h"
#include "manager/attempt/counters.h"

struct pingo__engine_lacks {
    struct pingo_store *store;
    struct pingo__manager_counters counters; /* of the local executor: only its are known here */
    struct pingo__arena arena;
    char *executor, *licences;           /* the settings */
    struct pingo__engine_behind *behind; /* who waits behind whom; once it was looked */
    size_t nbehind;
    struct pingo__map places; /* of actions in behind */
    bool has_looked;
};

/* l: zeroed; to be closed also after an error. */
int pingo__engine_lacks_open(struct pingo__engine_lacks *l, struct pingo_store *store,
                             struct pingo_error *err);
void pingo__engine_lacks_close(struct pingo__engine_lacks *l);
/* By whom an action is to be run: named by it, or by the setting, whose default leaves it to whoever runs the type;
 * NULL: nobody. */
const char *pingo__engine_executor_of(const struct pingo__engine_lacks *l,
                                      const struct pingo__store_action_row *row);
/* *message: in the arena; as it was where nothing lacks. */
int pingo__engine_lacks_tell(struct pingo__engine_lacks *l,
                             const struct pingo__store_action_row *row, struct pingo__arena *arena,
                             const char **message, struct pingo_error *err);

#endif
