/* decision_manager.h - what goes when the pool is too full: the Decision Manager of thesis 3.7.
 *
 * What always holds: a decision is made on a survey of one moment, outside the lock, and
 * carried out in write transactions that look at each victim again and take no more than
 * is still needed then; so any number of schedulers free no more than one would.  Only
 * STORED, managed, unclaimed datasets without a pin go.  Each that goes is in the ledger. */
#ifndef PINGO__MANAGER_DECISION_MANAGER_H
#define PINGO__MANAGER_DECISION_MANAGER_H

#include "manager/decision/disk.h"
#include "manager/decision/survey.h"

/* What the store's settings say. */
struct pingo__manager_budget {
    int64_t budget_bytes;          /* -1: none */
    int64_t high_bytes, low_bytes; /* more than high: free down to low */
    int64_t leaf_ms;               /* leaves not used for so long may go; -1: never */
    int64_t thousandths; /* that a byte counts: 0 or 1000, or more where the budget means replicas too */
    int64_t copies;      /* thousandths that a byte takes with its replicas */
    const char *algorithm; /* as pingo_decision_select() takes it */
};

struct pingo__manager_decisions {
    struct pingo__manager_context *c;
    struct pingo__manager_survey survey;
    char *broken;       /* an algorithm that was asked for and cannot be used; NULL */
    int64_t carried_ms; /* when victims are let go */
    int64_t decided_ms; /* when something was last freed, or tried to be, for a full disk; 0: never */
    int64_t disk_share; /* of what the pool uses, in percent, to be freed next time; 0: the first */
    /* The last decision that ended short, and what the store was like then: nothing is decided again
     * until that changes.  patience: how many changed rows are waited for, because a look is dear; who
     * cannot wait makes it 0. */
    bool is_short;
    bool counted; /* that the pool holds more than its disk was looked into */
    int64_t version, changes, patience, looked_ms;
    int64_t shortfall_bytes;
    char message[512];
    int64_t said_bytes, said_ms; /* of the last warning */
};

struct pingo__manager_decided {
    size_t nevicted;
    int64_t shortfall_bytes; /* what could not be freed; 0: none */
    const char *message;     /* why not; "" */
    int64_t took_us;         /* -1: nothing was to be decided */
};

void pingo__manager_decisions_init(struct pingo__manager_decisions *m,
                                   struct pingo__manager_context *c);
void pingo__manager_decisions_clear(struct pingo__manager_decisions *m);

/* Decides where that is needed.  disk: looked at just now.  decided: strings are borrowed until the next call. */
int pingo__manager_decisions_tick(struct pingo__manager_decisions *m,
                                  const struct pingo__manager_budget *budget,
                                  const struct pingo__manager_disk *disk,
                                  struct pingo__manager_decided *decided, struct pingo_error *err);

/* How much is to be freed for the budget, as datasets are long; 0: nothing. */
int64_t pingo__manager_budget_excess(const struct pingo__manager_budget *budget,
                                     const struct pingo__store_usage *usage);
/* As long as datasets are that count so many bytes against it. */
int64_t pingo__manager_budget_length(const struct pingo__manager_budget *budget, int64_t bytes);
/* The algorithm that a survey uses: the one asked for or, where that cannot be used, with a warning the default
 * one.  *broken: the text of the last one that could not, kept and freed here; NULL at first. */
int pingo__manager_decision_algorithm(struct pingo__manager_context *c,
                                      struct pingo__manager_survey *survey, const char *text,
                                      char **broken, struct pingo_error *err);

#endif
