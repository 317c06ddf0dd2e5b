/* flight.h - the attempts that this scheduler has handed out. */
#ifndef PINGO__MANAGER_FLIGHT_H
#define PINGO__MANAGER_FLIGHT_H

#include "manager/attempt/action_manager.h"

struct pingo__manager_flight {
    struct pingo_job_key key;
    size_t executor;       /* index */
    bool started;          /* as far as we heard */
    int64_t removed_bytes; /* of the context, before it started */
    int64_t user, cpus;    /* whose turn it took; 0: not known */
    bool is_first;         /* it was before all shares */
    int64_t started_ms;
    bool ending;                 /* kill was called */
    bool has_ended;              /* its end is in hand */
    bool was_told;               /* and waited: the store keeps it until it is settled */
    bool was_inspected;          /* and its output was looked at meanwhile */
    bool was_closed;             /* or for a place, and it was told so */
    struct pingo__manager_news { /* what was heard since the last commit */
        bool started;
        char job[32];   /* what its engine calls it; "": nothing */
        char *progress; /* ours; NULL: nothing */
        bool ended;     /* and waits: was_told */
        char *closed;   /* ours: for a place, and why: was_closed; NULL: nothing */
    } news;
};

/* NULL: not one of ours. */
struct pingo__manager_flight *pingo__manager_flight_find(struct pingo__manager_actions *m,
                                                         struct pingo_job_key key);
int pingo__manager_flight_add(struct pingo__manager_actions *m, struct pingo_job_key key,
                              size_t executor, struct pingo_error *err);
void pingo__manager_flight_remove(struct pingo__manager_actions *m, struct pingo_job_key key);
/* The executor of this name; SIZE_MAX. */
size_t pingo__manager_executor_find(const struct pingo__manager_actions *m, const char *name);
/* The executor of an action of this type that names this one (NULL: none); SIZE_MAX: it is not ours. */
size_t pingo__manager_executor_for(const struct pingo__manager_actions *m, const char *action_type,
                                   const char *named);
/* What executors report (collect.c). */
int pingo__manager_collect(struct pingo__manager_actions *m, struct pingo_error *err);
/* What was heard of attempts since the last commit is let go. */
void pingo__manager_news_clear(struct pingo__manager_actions *m);
/* Notes an end as if the executor had reported it. */
int pingo__manager_end_add(struct pingo__manager_actions *m, const struct pingo_job_end *end,
                           struct pingo_error *err);
/* So many of them are settled in the next transaction. */
size_t pingo__manager_ends_next(const struct pingo__manager_actions *m);
/* One that waited (ahead.h) is an end again.  looked_at: with what was found meanwhile; NULL: as it was. */
void pingo__manager_end_take_back(struct pingo__manager_actions *m, struct pingo_job_key key,
                                  const struct pingo_job_end *looked_at);
/* An attempt that did not run: LOST or NOT_STARTED. */
int pingo__manager_end_without_run(struct pingo__manager_actions *m, struct pingo_job_key key,
                                   enum pingo_end_reason reason, const char *message,
                                   struct pingo_error *err);
/* In a write transaction: one that we have claimed and not handed out is READY again; nothing where it was killed, or
 * planned again, meanwhile. */
int pingo__manager_unclaim(struct pingo__manager_actions *m, int64_t action,
                           struct pingo_error *err);
/* Those that have not started never do, without a trace; their actions are READY again (unwanted.c). */
int pingo__manager_take_back(struct pingo__manager_actions *m, const struct pingo_job_key *keys,
                             size_t n, struct pingo_error *err);
/* Ends the attempts of ours that the store says are unwanted (unwanted.c). */
int pingo__manager_unwanted_end(struct pingo__manager_actions *m, struct pingo__arena *arena,
                                struct pingo_error *err);

#endif
