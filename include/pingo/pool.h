/* pool.h - the pool against its budget: what it holds, what would go, what went and what that cost.
 *
 * Bytes are those of managed datasets: the sizes of their contents (apparent bytes,
 * holes included), so that they are the same on every file system and in
 * simulations; where the setting pool.countReplicas is on, what a decision frees, and the pool's usage, are those
 * on disks, with all replicas.  What counts as used is what is stored
 * (leaves too), what could not be deleted, and the scratch directories of failed
 * actions while they are kept; what is on its way out counts as freed.
 * Every function may return the errors named in <pingo/store.h>, whose thread rule holds here as well; strings handed
 * to callbacks are borrowed for the call; a callback that returns other than 0
 * ends its function with PINGO_EINTERRUPTED.
 * Times are ms since 1970 UTC, durations ms, sizes bytes; -1 stands for "unknown".
 * Source: thesis sections 2.2 and 3.6 to 3.8. */
#ifndef PINGO_POOL_H
#define PINGO_POOL_H

#include <pingo/decision.h>
#include <pingo/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what it holds ------------------------------------------------------------- */

struct pingo_pool_usage {
    size_t size;               /* set by you: sizeof; see <pingo/version.h> */
    int64_t budget_bytes;      /* -1: none */
    int64_t high_bytes;        /* a decision is made when more is used; -1: no budget */
    int64_t low_bytes;         /* and frees down to this; -1: no budget */
    int64_t used_bytes;        /* stored + leaves + undeletable + failed + orphans */
    int64_t stored_bytes;      /* STORED; of them: */
    int64_t kept_bytes;        /*   pinned */
    int64_t claimed_bytes;     /*   claimed or read, not pinned */
    int64_t candidate_bytes;   /*   what may go */
    int64_t leaf_bytes;        /* LEAF */
    int64_t leaving_bytes;     /* STORED_TO_DELETE, PROCESSING, DELETING: on its way out */
    int64_t undeletable_bytes; /* of those: could not be removed, and will be tried again */
    int64_t failed_bytes;      /* scratch directories of failed actions */
    int64_t file_system_bytes; /* free to this user on the pool's file system; -1: unknown */
    size_t nstored, nleaves;   /* datasets */
    int64_t orphan_bytes; /* what is no dataset's and could not be removed; it will be tried again */
    int64_t content_bytes;    /* what is used, each byte counted once */
    int64_t replicated_bytes; /* the same with all replicas, as a pool in HDFS was asked last */
};
/* What the pool holds, as of one moment.  Where the setting pool.countReplicas is on, all bytes are with replicas but
 * content_bytes. */
PINGO_API int pingo_store_usage(struct pingo_store *store, struct pingo_pool_usage *usage,
                                struct pingo_error *err);

/* ---- what would go ------------------------------------------------------------- */

struct pingo_decided {
    struct pingo_hash hash;
    const char *name; /* of the action that made it */
    double score;     /* the smallest goes first */
    int64_t size_bytes;
    int64_t compute_ms; /* mean; -1 */
    int64_t remake_ms; /* to make it again once it is gone: its own time and that of its missing ancestors, of which
                          128 are looked for */
    const char *reason; /* what the score is made of; "" where the algorithm does not tell */
};
typedef int (*pingo_decided_fn)(void *context, const struct pingo_decided *decided);
struct pingo_decide_options {
    unsigned version; /* 1 */
    const char *algorithm; /* as pingo_decision_select() takes it; NULL: the setting decision.algorithm */
    int64_t free_bytes;             /* how much to free; -1: what the watermarks ask for now */
    struct pingo_pool_usage *usage; /* where to put what the pool holds that it is decided on; NULL: nowhere */
    pingo_decided_fn decided; /* told of each victim; may call back; NULL: nobody is */
    void *context;
};
struct pingo_decide_summary {
    size_t size;        /* set by you: sizeof; see <pingo/version.h> */
    int64_t free_bytes; /* what was asked for */
    int64_t freed_bytes;
    int64_t shortfall_bytes; /* what the candidates lack to free_bytes */
    int64_t remake_ms;       /* of all victims together */
    size_t nvictims;
    char algorithm[80]; /* its name */
};
/* What a decision would delete now, in that order.  Deletes nothing and changes nothing.  options: may be
 * NULL.  Errors: those of pingo_decision_select() and pingo_decider_choose(). */
PINGO_API int pingo_store_decide(struct pingo_store *store,
                                 const struct pingo_decide_options *options,
                                 struct pingo_decide_summary *summary, struct pingo_error *err);

/* ---- what went: the ledger ------------------------------------------------------- */

struct pingo_eviction {
    struct pingo_hash hash;
    const char *name; /* of the action that made it */
    int64_t evicted_ms;
    const char *algorithm;
    double score;
    int64_t size_bytes;
    int64_t remake_ms; /* what it took to make it again then, with its missing ancestors, likewise */
    const char *reason;
    int64_t rescued_ms;   /* it was needed before its bytes went, and stayed; -1 */
    int64_t regretted_ms; /* when it was made again; -1 */
    int64_t regret_ms;    /* what that took; 0 where it would have been made anyway; -1 */
};
typedef int (*pingo_eviction_fn)(void *context, const struct pingo_eviction *eviction);
struct pingo_eviction_query {
    unsigned version;              /* 1 */
    int64_t since_ms;              /* evictions of [since, until); 0: from the beginning */
    int64_t until_ms;              /* 0: to the end */
    const struct pingo_hash *hash; /* of this dataset alone; NULL: all */
    bool newest_first;             /* else the oldest */
    size_t limit;                  /* at most so many; 0: all */
    const char *after; /* behind where another list ended: what that one put into next; NULL or "": the beginning */
    char *next; /* yours, PINGO_CURSOR_SIZE bytes, or NULL: what goes on where this list ends; "": it is the end */
};
/* Calls fn for each eviction, oldest first.  query: may be NULL.  fn may call back. */
PINGO_API int pingo_store_evictions(struct pingo_store *store,
                                    const struct pingo_eviction_query *query, pingo_eviction_fn fn,
                                    void *context, struct pingo_error *err);

/* ---- a report of it all ------------------------------------------------------------ */

struct pingo_report_options {
    unsigned version; /* 1 */
    int64_t since_ms; /* what happened in [since, until); 0: from the beginning */
    int64_t until_ms; /* 0: to the end */
    size_t limit;     /* how many of the most valuable and most regretted datasets; 0: 10 */
};

/* A piece of the period; all are of the same length. */
struct pingo_report_step {
    int64_t from_ms;            /* it begins; a multiple of the length */
    int64_t held_bytes;         /* the most that managed datasets held at any time in it */
    int64_t spent_ms, saved_ms; /* of what was submitted in it, as in struct pingo_history_row */
    int64_t lost_ms;            /* regret booked in it */
    int64_t evicted_bytes;
};

/* What an algorithm let go in the period. */
struct pingo_report_algorithm {
    const char *name;
    size_t nevictions;
    size_t nrescued;       /* of them: rescued, in the period or later */
    int64_t evicted_bytes; /* those that were rescued too */
    size_t nregretted;     /* evictions, in the period or before, that were regretted in it */
    int64_t lost_ms;       /* and what that took */
};

struct pingo_report_dataset {
    struct pingo_hash hash;
    const char *name;               /* of the action that made it or will; "" where none did */
    enum pingo_dataset_state state; /* of the current or newest generation; 0: never computed */
    int64_t size_bytes;
    int64_t compute_ms; /* mean */
    int64_t value_ms; /* what its reuse has saved so far, in the period or not: pingo_history_values() */
    int64_t lost_ms;   /* regret booked in the period */
    size_t nregretted; /* how often in the period */
};

/* Everything is of one moment.  Read it only. */
struct pingo_report {
    int64_t from_ms, until_ms; /* the period, no longer than from the first event to now */
    const struct pingo_pool_usage *usage; /* now */
    const int64_t *bytes;    /* of managed datasets now, by state, those that take space */
    const size_t *ndatasets; /* likewise */
    size_t nstates; /* how long both are: an enum pingo_dataset_state that is less stands in them */
    const struct pingo_history_row *history; /* of what was submitted in the period */
    size_t nevictions;                       /* in the period */
    int64_t evicted_bytes;                   /* likewise */
    int64_t lost_ms;                         /* regret booked in the period */
    int64_t step_ms;                         /* the length of a step */
    const struct pingo_report_step *steps;   /* in order of time, at most 200, without a gap */
    size_t nsteps;                           /* 0: nothing ever happened */
    const struct pingo_report_algorithm *algorithms; /* by name */
    size_t nalgorithms;
    const struct pingo_report_dataset *valuable; /* the greatest value first; none without */
    size_t nvaluable;
    const struct pingo_report_dataset *regretted; /* the greatest loss first; none without */
    size_t nregretted;
};
/* What the pool and its decisions came to: read in one view of the store, in time that grows with its whole
 * history.  A dataset counts in held_bytes from its making to the moment when its bytes were gone; one
 * that was deleted before stores noted that moment is left out.  options: may be NULL.
 * *report: yours, pingo_report_free().  Errors: PINGO_ECORRUPT. */
PINGO_API int pingo_store_report(struct pingo_store *store,
                                 const struct pingo_report_options *options,
                                 struct pingo_report **report, struct pingo_error *err);
/* Frees the report and all it lent.  NULL is fine. */
PINGO_API void pingo_report_free(struct pingo_report *report);

#ifdef __cplusplus
}
#endif
#endif
