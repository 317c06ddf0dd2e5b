/* summary.h - what failed: how often, where, whose and with what loss of time, and which attempts those were.
 *
 * Each end of an attempt is counted once, in the transaction that settles it, under the half hour (kept for 90 days)
 * and the day (kept for ever) in which it ended, its executor, node, user and failure.  Half hours and days are those
 * of UTC.  What is answered from these sums takes as long as what matches, however many attempts there are.
 * What <pingo/store.h> says of threads, errors, strings, callbacks and units holds here as well.
 * Source: the error summaries of PanDA (Golosova et al., Procedia Computer Science 66, 2015: table 1), whose job is an
 * attempt here, and whose site an executor or a node. */
#ifndef PINGO_SUMMARY_H
#define PINGO_SUMMARY_H

#include <pingo/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What failures are counted by.  NODE: the machine that ran it, "" where nobody knows.  NAME: of the action; it is
 * counted attempt by attempt, so it takes as long as there are failures in the period. */
enum pingo_summary_by {
    PINGO_SUMMARY_BY_NOTHING = 0,
    PINGO_SUMMARY_BY_ERROR = 1,
    PINGO_SUMMARY_BY_NODE = 2,
    PINGO_SUMMARY_BY_EXECUTOR = 3,
    PINGO_SUMMARY_BY_USER = 4,
    PINGO_SUMMARY_BY_NAME = 5
};
enum pingo_summary_step {
    PINGO_SUMMARY_ALL = 0, /* the period is one */
    PINGO_SUMMARY_30M = 1, /* each half hour; those of the last 90 days are there */
    PINGO_SUMMARY_DAY = 2
};

/* An attempt of a failure. */
struct pingo_summary_example {
    int64_t workflow, id, epoch; /* the action's id in the workflow, and which try */
};

struct pingo_summary_row {
    int64_t from_ms,
        until_ms; /* the step: [from, until); of what is not asked by step the period, as it was counted */
    const char *value; /* the node, executor, user or name; NULL: not by one, or other is set */
    int64_t error;     /* by ERROR: its number in this store, from 1; else 0 */
    enum pingo_failure_category category; /* by ERROR, like what follows */
    const char *text; /* the last line that it wrote to stderr, or what was said of its end: without escape
                                     sequences, digits as #, paths as their last names, at most 160 bytes */
    int exit_code, signal;   /* -1: none */
    bool is_new;             /* it was never met before the period */
    bool is_other;           /* all that is beyond the limit, together */
    int64_t ended;           /* attempts that ended, well or not; of ERROR and NAME: that failed */
    int64_t failed;          /* of them */
    int64_t wall_ms, cpu_ms; /* what those that failed took, and of the processor: lost */
    int64_t wait_ms; /* how long these were in the hands of the executor before they started */
    int64_t retried, retried_ms; /* of failed and wall_ms: the action succeeded in a later try */
    int64_t first_ms, last_ms;   /* when it was met, in all the store's time; -1: not by ERROR */
    const struct pingo_summary_example *examples; /* the newest of each of three actions, the newest first */
    size_t nexamples;
    int64_t used_ms, used_cpu_ms; /* what all took that ended, and of the processor */
};
typedef int (*pingo_summary_fn)(void *context, const struct pingo_summary_row *row);
struct pingo_summary_query {
    unsigned version; /* 1 */
    /* What ended in [since, until), widened to whole half hours, and to whole days by PINGO_SUMMARY_DAY and where half
     * hours are kept no more; 0: no bound. */
    int64_t since_ms, until_ms;
    enum pingo_summary_by by;
    enum pingo_summary_step step;
    int64_t error;        /* of this one alone; 0: of all */
    const char *executor; /* likewise; NULL: of all */
    const char *node;
    const char *user;
    const char *name; /* of actions; as PINGO_SUMMARY_BY_NAME, it is counted attempt by attempt */
    size_t limit; /* at most so many values, those of the period with the most failures; the rest is one more,
                         is_other, in each step; 0: all */
};
/* Calls fn with the sums: step by step, in each what failed most first; without steps and by ERROR what is new first.
 * What has no failure is told where it is by nothing, or by node, executor or user.  query: NULL: all of it.
 * Errors: PINGO_EINVAL (a time or a number that is none), PINGO_ENOTFOUND (an error that is not there).  fn may call
 * back. */
PINGO_API int pingo_store_summary(struct pingo_store *store, const struct pingo_summary_query *query,
                                  pingo_summary_fn fn, void *context, struct pingo_error *err);

/* An attempt that ended. */
struct pingo_failure {
    int64_t workflow;
    const char *user; /* who submitted it */
    int64_t error;    /* 0: it did not fail */
    enum pingo_failure_category category;
    const char *text; /* as in struct pingo_summary_row; "" of what did not fail */
    bool retried;     /* the action succeeded in a later try */
    struct pingo_attempt attempt;
};
typedef int (*pingo_failure_fn)(void *context, const struct pingo_failure *failure);
struct pingo_failure_query {
    unsigned version;           /* 1 */
    int64_t since_ms, until_ms; /* ended in [since, until); 0: no bound */
    int64_t error;              /* of this failure alone; 0: of all */
    const char *executor;       /* of these alone; NULL: of all */
    const char *node;
    const char *user;
    const char *name;
    int64_t row,
        epoch; /* this attempt alone, failed or not, whatever else is asked: as in struct pingo_attempt; 0: all
                           that failed */
    size_t limit; /* at most so many; 0: all */
    const char *after; /* behind where another list ended: what that one put into next; NULL or "": the beginning */
    char *next; /* yours, PINGO_CURSOR_SIZE bytes, or NULL: what goes on where this list ends; "": it is the end */
};
/* Calls fn for each attempt that failed, the newest end first.  Errors: PINGO_EINVAL, PINGO_ENOTFOUND (an attempt or a
 * failure that is not there).  fn may call back. */
PINGO_API int pingo_store_failures(struct pingo_store *store,
                                   const struct pingo_failure_query *query, pingo_failure_fn fn,
                                   void *context, struct pingo_error *err);

/* ---- totals, for monitoring: read in a time that does not grow with the store's history ------- */

struct pingo_total {
    const char *executor;
    enum pingo_failure_category category; /* 0: they did not fail */
    int64_t ended;                        /* attempts, since the store was made */
    int64_t wall_ms, cpu_ms;              /* what they took, and of processors */
    int64_t wait_ms; /* how long these were in the hands of the executor before they started */
};
typedef int (*pingo_total_fn)(void *context, const struct pingo_total *total);
/* Calls fn for each executor and category that an attempt ended in.  fn may call back. */
PINGO_API int pingo_store_totals(struct pingo_store *store, pingo_total_fn fn, void *context,
                                 struct pingo_error *err);

struct pingo_eviction_total {
    const char *algorithm; /* its name, as in the ledger */
    int64_t nevictions, evicted_bytes;
    int64_t nregretted, regret_ms; /* of them: what was made again, and what that took */
};
typedef int (*pingo_eviction_total_fn)(void *context, const struct pingo_eviction_total *total);
/* Calls fn for each algorithm that ever let something go.  fn may call back. */
PINGO_API int pingo_store_eviction_totals(struct pingo_store *store, pingo_eviction_total_fn fn,
                                          void *context, struct pingo_error *err);

struct pingo_load {
    size_t size;        /* set by you: sizeof; see <pingo/version.h> */
    int64_t nworkflows; /* with something unfinished */
    int64_t npaused;    /* of them */
    int64_t slots;      /* in hand */
    int64_t waiting, ready, processing, submitted, running; /* actions, by state */
};
/* What there is to do.  Errors: none but those of every function. */
PINGO_API int pingo_store_load(struct pingo_store *store, struct pingo_load *load,
                               struct pingo_error *err);

/* What an executor has in hand, for whoever it may be. */
struct pingo_executor_load {
    const char *executor;
    int64_t armed, running; /* attempts that have not started, and that have */
};
typedef int (*pingo_executor_load_fn)(void *context, const struct pingo_executor_load *load);
/* Calls fn for each executor that has something in hand.  fn may call back. */
PINGO_API int pingo_store_executor_loads(struct pingo_store *store, pingo_executor_load_fn fn,
                                         void *context, struct pingo_error *err);

/* How long this handle, and its schedulers, have waited for the store's lock so far, in microseconds. */
PINGO_API int64_t pingo_store_waited_us(const struct pingo_store *store);

#ifdef __cplusplus
}
#endif
#endif
