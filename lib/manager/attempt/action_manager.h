/* action_manager.h - from READY to handed out, from ended to settled: thesis 3.3.
 *
 * The scraper claims READY actions (PROCESSING), the submitter checks what they
 * read and hands them to executors (SUBMITTED), the collector applies the
 * callbacks.  In memory there is only what this scheduler has handed out. */
#ifndef PINGO__MANAGER_ACTION_MANAGER_H
#define PINGO__MANAGER_ACTION_MANAGER_H

#include <pingo/executor.h>

#include "base/map.h"
#include "manager/context.h"
#include "manager/decision/disk.h"
#include "manager/attempt/executors.h"
#include "manager/attempt/counters.h"
#include "manager/attempt/scope.h"

struct pingo__manager_flight;  /* an attempt that was handed out */
struct pingo__manager_reading; /* a large original that is read before */

#define PINGO__KINDS 256 /* of what READY actions ask for; the first two say: */
enum { PINGO__KIND_UNKNOWN, PINGO__KIND_FOREIGN /* it runs where we have no executor */ };

struct pingo__manager_kind { /* what actions of one kind ask for */
    size_t executor;         /* index */
    const char *resources;
    int64_t nfailed;
};

/* What the last look for READY actions found: looked.c. */
struct pingo__manager_looked {
    bool known, any;                          /* is there one that could start? */
    int64_t next_ms;                          /* the next becomes due; INT64_MAX: none is to wait */
    struct pingo__arena arena;                /* of what follows */
    struct pingo__manager_counters *counters; /* by executor; NULL: nobody asked for what is counted */
    /* It came from: */
    bool shared;
    int64_t version, changes; /* of the store: others' and ours */
    size_t nscopes;           /* how often the scope was set */
    int64_t since_ms;         /* of what is known at all */
    /* What could not start: */
    uint8_t **pages; /* kinds by number of action; NULL: all of these are unknown */
    size_t npages, cpages;
    struct pingo__arena kept; /* of the kinds */
    struct pingo__manager_kind *kinds;
    size_t nkinds, capacity;
};

struct pingo__manager_stopped {
    int64_t owner, since_ms; /* monotonic */
};

struct pingo__manager_actions {
    struct pingo__manager_context *c;
    struct pingo__manager_executor *executors;
    size_t nexecutors;
    const char **types; /* what our executors run: "TYPE" and "EXECUTOR/TYPE"; ends with NULL */
    size_t ntypes, ctypes;
    const char *preferred; /* who runs actions that name no executor; NULL: whoever runs their type */
    struct pingo__arena texts;
    int64_t max_jobs;                    /* 0: no limit of our own */
    bool paused;                         /* claims nothing */
    struct pingo__manager_scope scope;   /* for whom it claims */
    struct pingo__manager_scope anyone;  /* for whom anyone may claim */
    struct pingo__manager_looked looked; /* is there any? */
    bool look_at_held;                   /* what was handed out may be of paused workflows */
    struct pingo__manager_flight **flights;
    size_t nflights, cflights;
    struct pingo__map by_key;   /* -> index in flights */
    struct pingo_job_end *ends; /* reported and not yet settled */
    size_t nends, cends;
    struct pingo__manager_stopped *stopped; /* owners that were seen stopped */
    size_t nstopped, cstopped;
    bool has_news;                 /* of flights: to be written with the next commit */
    size_t inspecting;             /* large files that other threads read */
    struct pingo_job_end *waiting; /* ends that wait for other threads: ahead.c */
    size_t nwaiting, cwaiting;
    struct pingo_job_key *closed; /* of them: those that wait for a place that is closed */
    size_t nclosed, cclosed;
    int64_t closed_ms;                        /* when these are tried again; elapsed */
    struct pingo__manager_reading **readings; /* originals that they read, or have read for who comes back */
    size_t nreadings, creadings;
    double mean_wall_ms;              /* of what ended lately: how far ahead to arm */
    struct pingo__manager_turn_mean { /* the same of each user, in order, where there are several */
        int64_t user, ended_ms;       /* the last; elapsed */
        double wall_ms;
    } * means;
    size_t nmeans, cmeans;
    size_t ntaken; /* by the last claim: what somebody had made meanwhile */
    bool shared;   /* the store has several users, or a quota: turns.c */
    bool must_adopt; /* a tick was cut short: what of ours is in the store and not in hand is looked for at once */
    bool must_ask; /* attempts of ours are not in hand, for an executor was away, or they are new to us */
    bool found_dead; /* an owner that is gone was taken over, to the last attempt */
    struct pingo__manager_disk disk;
    int64_t removed_bytes; /* of the context, when executors were asked last */
};

struct pingo__manager_tick_counts {
    size_t settled, started;
};

/* executors: opened by the caller, who closes them. */
int pingo__manager_actions_init(struct pingo__manager_actions *m, struct pingo__manager_context *c,
                                struct pingo__manager_executor *executors, size_t nexecutors,
                                struct pingo_error *err);
/* Setting executor: the executor of actions that name none; external ones go to whoever runs them.  NULL: whoever
 * runs their type.  Not here: they are left to others. */
int pingo__manager_actions_prefer(struct pingo__manager_actions *m, const char *executor,
                                  struct pingo_error *err);
void pingo__manager_actions_clear(struct pingo__manager_actions *m);

/* Of what is handed out: all but what has ended and waits for a closed place, what was heard to have started, and what
 * is being ended. */
void pingo__manager_flight_count(const struct pingo__manager_actions *m, size_t *active,
                                 size_t *running, size_t *ending);
/* Takes over what dead owners left, and what can be taken of owners that are stopped for some seconds, for executors
 * that we have. */
int pingo__manager_actions_recover(struct pingo__manager_actions *m, size_t *recovered,
                                   struct pingo_error *err);
/* Collects ends, settles them, claims what is ready, hands it out, ends what is unwanted. */
int pingo__manager_actions_tick(struct pingo__manager_actions *m,
                                struct pingo__manager_tick_counts *counts, struct pingo_error *err);
/* Claims nothing more, and takes back what has not started. */
int pingo__manager_actions_pause(struct pingo__manager_actions *m, struct pingo_error *err);
/* Takes back what has not started and belongs to workflows that were paused, and is not needed by others. */
int pingo__manager_actions_obey_pauses(struct pingo__manager_actions *m, struct pingo_error *err);
/* Ends what is handed out for these workflows (n 0: all) and no other live one. */
int pingo__manager_actions_interrupt(struct pingo__manager_actions *m, const int64_t *workflows,
                                     size_t n, struct pingo_error *err);
/* Before we go: what was handed out has arrived, as far as executors say so within some seconds. */
void pingo__manager_actions_leave(struct pingo__manager_actions *m);
/* The last before we go: ends that were told to us alone are settled, such as that a job was refused when it arrived;
 * what has not begun is READY again. */
void pingo__manager_actions_finish(struct pingo__manager_actions *m);
/* What we have claimed and not handed out is READY. */
int pingo__manager_actions_release(struct pingo__manager_actions *m, struct pingo_error *err);

/* ---- looked.c ---- */

/* Is it as it was?  Then looked->any is the answer; else what is found now is written there, for the store as it is
 * now. */
bool pingo__manager_looked_same(struct pingo__manager_actions *m);
/* Nothing is known. */
void pingo__manager_looked_clear(struct pingo__manager_looked *looked);

#endif
