/* scheduler.h - the inside of a scheduler handle. */
#ifndef PINGO__ENGINE_SCHEDULER_H
#define PINGO__ENGINE_SCHEDULER_H

#include "engine/engine.h"
#include "engine/hooks.h"
#include "manager/dataset/dataset_manager.h"

struct pingo_scheduler {
    struct pingo_store *store;
    struct pingo__manager_context context; /* the store's, with our owner */
    struct pingo__manager_owner owner;
    struct pingo__manager_executor *executors;
    size_t nexecutors;
    struct pingo__external *external; /* NULL: external actions are not ours; owned by executors */
    struct pingo__manager_actions actions;
    struct pingo__manager_decisions decisions;
    struct pingo__manager_budget budget; /* as the settings were when they were last read: */
    char *algorithm;                     /* its text; NULL: they were not */
    int64_t settings_version, settings_serial;
    struct pingo__manager_datasets datasets;
    struct pingo__engine_hooks hooks;
    const char **sandbox_read; /* the setting, as it was read last; of the context */
    int poll_fd;
    int64_t recovered_at; /* monotonic ms; 0: never */
    bool again;           /* there is more to do at once */
    bool scope_untold;    /* others do not know yet for whom it claims */
    bool has_recovered;   /* what somebody left who died */
    bool must_sweep;      /* at once: somebody died, or the pool was asked for what lies there */
    int64_t archive_ms;   /* monotonic: nothing is to be moved to the archive before that */
    bool trim;            /* it is time to ask what executors may forget */
};

/* Before anything is done: the settings are read, and we are an owner; quick where nothing changed. */
int pingo__engine_scheduler_register(struct pingo_scheduler *s, struct pingo_error *err);
/* What the store's settings say is known to managers; quick where they did not change. */
int pingo__engine_scheduler_read_settings(struct pingo_scheduler *s, struct pingo_error *err);
int pingo__engine_scheduler_read_sandbox(struct pingo_scheduler *s, struct pingo_error *err);
/* Of external jobs that were taken over and are not known yet: their time limits, and since when they count. */
int pingo__engine_external_learn(struct pingo_scheduler *s, struct pingo_error *err);
/* Nothing moves: is what is left of the workflows (n 0: of all) waiting for an executor that nobody here has?
 * PINGO_EUNSUPPORTED. */
int pingo__engine_check_foreign(struct pingo_scheduler *s, const int64_t *workflows, size_t n,
                                struct pingo_error *err);
/* The Decision Manager's part of a tick. */
int pingo__engine_decide_tick(struct pingo_scheduler *s, struct pingo_tick_result *r,
                              struct pingo_error *err);
/* Is there no space, and nothing that could give some? */
int pingo__engine_look_at_space(struct pingo_scheduler *s, struct pingo_tick_result *r,
                                struct pingo_error *err);
/* What no row knows is reclaimed, old logs and failed attempts go: once an hour for the whole store, and
 * where *must (when somebody died) at once.  *must: call again, it is not done yet. */
int pingo__engine_sweep_tick(struct pingo__manager_context *c, struct pingo_store *store,
                             bool *must, struct pingo_error *err);
/* There is nothing else to do: some of what ended long ago moves to its month file.  What fails is logged. */
void pingo__engine_archive_tick(struct pingo_scheduler *s);
/* Before we go: what was begun of that is done, or the next scheduler begins it. */
void pingo__engine_sweep_finish(struct pingo_scheduler *s);

#endif
