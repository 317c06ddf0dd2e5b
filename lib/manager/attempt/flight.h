/* flight.h - the attempts that this scheduler has handed out, and what the parts of its manager give each other. */
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
    enum pingo_end_reason doubt; /* if it began by then, the disk may have lost what it wrote; 0: no doubt */
    int64_t doubt_ms;
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
/* One that waited (ahead.c) is an end again.  looked_at: with what was found meanwhile; NULL: as it was. */
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
/* Without the lock: is there any to take it for, and how many may be claimed?  What stands before others' turns makes
 * way (claim.c). */
int pingo__manager_claim_look(struct pingo__manager_actions *m, size_t *nclaim, bool *any,
                              struct pingo__arena *arena, struct pingo_error *err);
/* In a write transaction: up to limit are PROCESSING, and ours. */
int pingo__manager_claim(struct pingo__manager_actions *m, size_t limit, struct pingo__arena *arena,
                         struct pingo__store_action_list *claimed, struct pingo_error *err);
/* Prepares the first n ends in s.  Those that wait leave both; *n: the others, which can be applied (ahead.c). */
int pingo__manager_ahead_prepare(struct pingo__manager_actions *m, struct pingo__manager_settling *s,
                                 size_t *n, struct pingo__arena *arena, struct pingo_error *err);
/* What was answered goes on: ends are ends again, actions READY. */
int pingo__manager_ahead_go_on(struct pingo__manager_actions *m, struct pingo_error *err);
/* Before we go: waits for what has ended.  *more: some of it goes on; else nothing does any more, and what
 * was to start is READY. */
int pingo__manager_ahead_wait(struct pingo__manager_actions *m, bool *more, struct pingo_error *err);
/* Those that have not started never do, without a trace; their actions are READY again (unwanted.c). */
int pingo__manager_take_back(struct pingo__manager_actions *m, const struct pingo_job_key *keys,
                             size_t n, struct pingo_error *err);
/* Ends the attempts of ours that the store says are unwanted (unwanted.c). */
int pingo__manager_unwanted_end(struct pingo__manager_actions *m, struct pingo__arena *arena,
                                struct pingo_error *err);

/* ---- turns.c ---- */

/* Do shares matter in this store?  m->shared; once they do, we take it that they always will. */
int pingo__manager_turns_ask(struct pingo__manager_actions *m, struct pingo_error *err);
/* In a write transaction: READY actions become PROCESSING, each in its user's turn, up to query->limit. */
int pingo__manager_turns_claim(struct pingo__manager_actions *m,
                               const struct pingo__store_ready_query *query,
                               struct pingo__store_action_list *claimed, struct pingo_error *err);
/* Is it anybody's turn?  Whoever has READY actions may be at his quota, or have what falls to him.  It is asked outside
 * a write transaction, so that nobody is held up where nothing is claimed; rare resources are not looked at. */
int pingo__manager_turns_any(struct pingo__manager_actions *m,
                             const struct pingo__store_ready_query *query, bool *any,
                             struct pingo_error *err);
/* Takes back what has not started and stands before others' turns. */
int pingo__manager_turns_make_way(struct pingo__manager_actions *m,
                                  const struct pingo__store_ready_query *query,
                                  struct pingo_error *err);
/* It was handed out. */
void pingo__manager_turns_note(struct pingo__manager_actions *m,
                               const struct pingo__store_action_row *action);
/* It ran: how long what is of its user takes. */
void pingo__manager_turns_learn(struct pingo__manager_actions *m,
                                const struct pingo__manager_settling *s);

/* ---- reading.c ---- */

/* Would an end wait too long until its output was looked at? */
bool pingo__manager_reading_is_long(const struct pingo__manager_actions *m,
                                    const struct pingo_job_end *end);
/* It is looked at; then the end, which waits (ahead.c), is one whose output was looked at. */
int pingo__manager_reading_output(struct pingo__manager_actions *m, const struct pingo_job_end *end,
                                  struct pingo_error *err);

/* Must something be read before this attempt is prepared further?  *waits: yes, and it is being read. */
int pingo__manager_reading_first(struct pingo__manager_actions *m, struct pingo__manager_prepared *p,
                                 bool *waits, struct pingo_error *err);
/* How many actions wait. */
size_t pingo__manager_reading_waiting(const struct pingo__manager_actions *m);

/* Waits until nothing is being read; what of it are originals is left off. */
int pingo__manager_reading_finish(struct pingo__manager_actions *m, struct pingo_error *err);
/* When nothing is being read any more. */
void pingo__manager_reading_clear(struct pingo__manager_actions *m);

/* ---- fitting.c ---- */

struct pingo__manager_fitting {
    struct pingo__manager_actions *m;
    struct pingo__arena *arena;
    enum pingo__manager_weighing how;
    struct pingo__manager_counters *counters; /* by executor; NULL: not needed yet */
    bool refused[PINGO__KINDS];               /* of these kinds none fits any more */
};

/* The counters of this executor, of which nothing is known yet. */
struct pingo__manager_counters pingo__manager_counters_of(struct pingo__manager_actions *m,
                                                          size_t executor,
                                                          struct pingo__arena *arena);
/* As pingo__store_ready_query.passes: it is not known that it cannot be claimed. */
bool pingo__manager_fitting_passes(void *fitting, int64_t action, bool rare);
/* As pingo__store_ready_query.foreign. */
void pingo__manager_fitting_foreign(void *fitting, int64_t action);
/* As pingo__store_ready_query.waits: one that asks for the same did not fit. */
bool pingo__manager_fitting_waits(void *fitting, const struct pingo__store_asking *asking);
/* As pingo__store_ready_query.fits: weighed as how says. */
int pingo__manager_fitting_fits(void *fitting, const struct pingo__store_action_row *row,
                                bool *fits, struct pingo_error *err);

#endif
