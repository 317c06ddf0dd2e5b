/* counters.h - GPUs and licences, of which an executor has so many for all schedulers of the store.
 *
 * What always holds: what open attempts and claimed actions ask for is held, so that it is never more than there is,
 * whoever died; inside the write transaction that claims, nobody else claims.  An action that waits for what is held
 * is overtaken only by those that ask for nothing of the kind. */
#ifndef PINGO__MANAGER_COUNTERS_H
#define PINGO__MANAGER_COUNTERS_H

#include "base/map.h"
#include "store/action/actions.h"

struct pingo__manager_counter {
    const char *name; /* of a licence; "": GPUs */
    int64_t total, held;
    int64_t barred; /* by this action, which came before and waits; 0: by none */
};

/* Of one executor, as far as asked for. */
struct pingo__manager_counters {
    struct pingo__store_db *db;
    struct pingo__arena *arena;
    const char *executor;
    /* How many there are, as in the table of an executor; -1: it is not counted here. */
    int64_t (*total)(void *context, const char *licence);
    void *context;
    bool is_known; /* who holds what */
    struct pingo__manager_counter *rows;
    size_t n, capacity;
    struct pingo__map by_name; /* in the arena */
};

/* How many there are of a counter of this name, now. */
int64_t pingo__manager_counters_total(const struct pingo__manager_counters *c, const char *name);

enum pingo__manager_fit { PINGO__FITS, PINGO__WAITS, PINGO__NEVER_FITS };
struct pingo__manager_ask {
    enum pingo__manager_fit fit;
    const struct pingo__manager_counter *counter; /* what is lacking; NULL: it fits */
    int64_t asked;                                /* of that */
    int64_t behind; /* there is as much, but it is kept for this action; 0: there is not */
};
/* Can it be claimed?  And then: nothing; or, where it waits, nobody overtakes it; or that, and where it fits, it holds
 * what it asks for from now on. */
enum pingo__manager_weighing { PINGO__WEIGH_ASKS, PINGO__WEIGH_BARS, PINGO__WEIGH_TAKES };
int pingo__manager_counters_weigh(struct pingo__manager_counters *c,
                                  const struct pingo__store_action_row *row,
                                  enum pingo__manager_weighing how,
                                  struct pingo__manager_ask *answer, struct pingo_error *err);
/* What is lacking, for people: "2 of the licence "matlab"", "1 GPU". */
const char *pingo__manager_ask_text(struct pingo__arena *arena,
                                    const struct pingo__manager_ask *ask);

#endif
