/* plan.h - what must be computed: Algorithm 2 of the thesis as a pure function.
 *
 * The planner sees a workflow, its hashes, and a function that says what is
 * known of a hash.  The engine, the dry run and the simulator call the same.
 * Any thread; nothing here keeps global state.
 * Source: thesis section 3.4, algorithm 2; the joining of running actions mends
 * what section 3.4.1 declines. */
#ifndef PINGO_PLAN_H
#define PINGO_PLAN_H

#include <pingo/digest.h>
#include <pingo/error.h>
#include <pingo/workflow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of the current generation of a hash. */
enum pingo_known {
    PINGO_KNOWN_NOTHING = 0,   /* never computed */
    PINGO_KNOWN_DELETED = 1,   /* was there, evicted or deleted (also DELETING) */
    PINGO_KNOWN_STORED = 2,    /* STORED */
    PINGO_KNOWN_LEAF = 3,      /* LEAF */
    PINGO_KNOWN_RESCUABLE = 4, /* STORED_TO_DELETE, or PROCESSING for deletion and untouched */
    PINGO_KNOWN_COMPUTING = 5  /* TO_STORE, TO_LEAF, TO_DELETE by an unfinished action */
};

/* Says what is known of a hash.  action: the index that asks (for a description check).
 * Returns 0 and *known, or a PINGO_E* that ends planning (message in err). */
typedef int (*pingo_lookup_fn)(void *context, const struct pingo_hash *hash, size_t action,
                               enum pingo_known *known, struct pingo_error *err);

enum pingo_plan_decision {
    PINGO_PLAN_SKIP = 0,  /* nothing needs it */
    PINGO_PLAN_REUSE = 1, /* its dataset is there */
    PINGO_PLAN_JOIN = 2,  /* an equal action computes it */
    PINGO_PLAN_COMPUTE = 3
};

enum pingo_plan_reason {
    PINGO_REASON_NOT_NEEDED = 0,      /* skip */
    PINGO_REASON_STORED = 1,          /* reuse */
    PINGO_REASON_RESCUED = 2,         /* reuse: it was about to be deleted */
    PINGO_REASON_COMPUTING = 3,       /* join: an action of the store computes it */
    PINGO_REASON_SAME_HASH = 4,       /* join: an action of this workflow computes it */
    PINGO_REASON_NEVER_COMPUTED = 5,  /* compute */
    PINGO_REASON_DELETED = 6,         /* compute: was deleted or evicted */
    PINGO_REASON_FORCED = 7,          /* compute */
    PINGO_REASON_DESCENDS_FORCED = 8, /* compute: an ancestor is forced */
    PINGO_REASON_UNMANAGED = 9        /* compute */
};

/* What was decided of an action.  Fixed: it never grows. */
struct pingo_plan_entry {
    uint32_t computes; /* index of the action of this workflow that stands for its hash: itself,
                           or the lowest id among equal hashes */
    uint8_t decision;  /* enum pingo_plan_decision */
    uint8_t reason;    /* enum pingo_plan_reason */
    uint8_t known;     /* enum pingo_known at planning; NOTHING where it was not asked */
    uint8_t flags;     /* PINGO_PLAN_* below */
};
#define PINGO_PLAN_FORCED 1u /* computes a generation of its own that joins nothing */
#define PINGO_PLAN_WANTED 2u /* a leaf, or a target: the user asked for its dataset (of its hash) */

struct pingo_plan_options {
    unsigned version;      /* 1 */
    const size_t *targets; /* indexes; none: the leaves */
    size_t ntargets;
    const size_t *forced; /* indexes, forced besides those of the definition */
    size_t nforced;
    /* A part is planned again (an input vanished, or what was joined failed): only the targets are starts, and
     * what is forced or unmanaged has been made already, so it is looked up like the rest. */
    bool again;
    /* Called at most once for each distinct hash, and only for actions that are visited and neither forced nor
     * unmanaged; may call back.  NULL: nothing is known. */
    pingo_lookup_fn lookup;
    void *context;
};

/* How many there are of each.  Fixed: it never grows. */
struct pingo_plan_summary {
    size_t compute, reuse, join, skip;
};

/* Plans a workflow.  entries: room for pingo_workflow_count(), yours.  options: may be NULL.
 * With targets, what descends from a forced action is computed only where a target needs it.  After an error the
 * entries mean nothing.  Linear time.  Errors: those of the look-up, PINGO_EINVAL (an index out of range, digests of
 * another workflow), PINGO_ECOLLISION (within the workflow), PINGO_ENOMEM. */
PINGO_API int pingo_plan(const struct pingo_workflow *workflow, const struct pingo_digests *digests,
                         const struct pingo_plan_options *options, struct pingo_plan_entry *entries,
                         struct pingo_error *err);
/* How many of n entries are decided how. */
PINGO_API struct pingo_plan_summary pingo_plan_sum(const struct pingo_plan_entry *entries, size_t n);

/* "compute", "reuse", "join", "skip".  Static text. */
PINGO_API const char *pingo_plan_decision_name(enum pingo_plan_decision decision);
/* The reason in a few words, such as "never computed".  Static text. */
PINGO_API const char *pingo_plan_reason_text(enum pingo_plan_reason reason);

#ifdef __cplusplus
}
#endif
#endif
