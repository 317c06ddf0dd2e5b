/* lacks.h - why a READY action is not started: GPUs and licences that others hold, or that are kept for who came
 * before. */
#ifndef PINGO__ENGINE_LACKS_H
#define PINGO__ENGINE_LACKS_H

#include "engine/engine.h"
#include "manager/attempt/counters.h"

struct pingo__engine_lacks {
    struct pingo_store *store;
    /* Which executor an action is for; NULL: none.  Only the local one's counters are known here. */
    const char *(*executor_of)(void *context, const struct pingo__store_action_row *row);
    void *context;
    struct pingo__manager_counters counters;
    struct pingo__arena arena;
    char *licences;                      /* the setting */
    struct pingo__engine_behind *behind; /* who waits behind whom; once it was looked */
    size_t nbehind;
    bool has_looked;
};

/* The three members above are set. */
int pingo__engine_lacks_open(struct pingo__engine_lacks *l, struct pingo_error *err);
void pingo__engine_lacks_close(struct pingo__engine_lacks *l);
/* *message: in the arena; as it was where nothing lacks. */
int pingo__engine_lacks_tell(struct pingo__engine_lacks *l,
                             const struct pingo__store_action_row *row, struct pingo__arena *arena,
                             const char **message, struct pingo_error *err);

#endif
