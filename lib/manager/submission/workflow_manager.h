/* workflow_manager.h - a planned workflow -> rows: Algorithm 2 of the thesis against the store.
 *
 * Source: thesis 3.4; joining, rescue, generations and replanning mend what it leaves open. */
#ifndef PINGO__MANAGER_WORKFLOW_MANAGER_H
#define PINGO__MANAGER_WORKFLOW_MANAGER_H

#include "digest/digests.h"
#include "digest/originals.h"
#include "manager/context.h"
#include "manager/attempt/inputs.h"
#include "manager/dataset/suspects.h"
#include "store/action/actions.h"
#include "store/dataset/datasets.h"
#include "store/submission/workflows.h"

struct pingo__manager_submit {
    const struct pingo_workflow *workflow;
    const struct pingo_digests *digests;
    const struct pingo_originals *originals;
    struct pingo__store_document document; /* digest, base_dir, name, nactions, text; its id is found */
    struct pingo_plan_options plan;
    const char *user;
    int64_t priority;
    struct pingo__manager_suspects *suspects;
};

/* Plans and inserts a submission.  Inside one write transaction, which the caller rolls back on error.
 * Nothing is submitted where pingo__manager_suspects_is_any_unread() then: roll back, read them, and call it again.
 * Errors: PINGO_ECOLLISION, PINGO_EINPUT. */
int pingo__manager_workflow_submit(struct pingo__manager_context *c, struct pingo__manager_submit *s,
                                   struct pingo_submission *submission, struct pingo_error *err);

/* A known graph of which everything wanted is stored: one row.  s: user and priority.  submission->workflow 0: it
 * needs the whole way. */
int pingo__manager_workflow_submit_again(struct pingo__manager_context *c,
                                         const struct pingo__store_graph *graph,
                                         const struct pingo__manager_submit *s,
                                         struct pingo_submission *submission,
                                         struct pingo_error *err);

/* The planner's look-up against the store, for dry runs too. */
struct pingo__manager_lookup {
    struct pingo__manager_context *c;
    const struct pingo_digests *digests; /* NULL: descriptions are not compared, or were already */
    struct pingo__digest_describer describer; /* clear it at the end, where there are digests */
    struct pingo__arena *arena;
    bool writes; /* in a write transaction: what vanished is marked so */
    struct pingo__manager_suspects *suspects; /* the plan holds only when none of them is unread */
    bool found_lost;                          /* something is not there that should be */
};
int pingo__manager_workflow_lookup(void *context, const struct pingo_hash *hash, size_t action,
                                   enum pingo_known *known, struct pingo_error *err);
/* Plans again from unfinished actions upwards, those of each workflow together (they are sorted by that): joiners that
 * must compute now, or readers whose input is gone (it was marked so before).  Each goes back to WAITING or READY with
 * a higher epoch.  Takes as long as there are such actions and ancestors to be made again.  Inside a write
 * transaction. */
int pingo__manager_workflow_replan(struct pingo__manager_context *c,
                                   struct pingo__store_action_row *actions, size_t n,
                                   struct pingo_error *err);

/* The dataset's bytes were found gone: DELETED, and everyone who needed it and has not started is planned again: some
 * at once, the rest by who drives.  Inside a write transaction.  PINGO_ESTATE never comes: who lost it a second time
 * fails. */
int pingo__manager_dataset_lost(struct pingo__manager_context *c,
                                const struct pingo__store_dataset_row *row, struct pingo_error *err);
/* Plans the rest, in transactions of its own. */
int pingo__manager_lost_go_on(struct pingo__manager_context *c, struct pingo_error *err);
/* Of many that were found lost by one call the first are told one by one: here how many more there were. */
void pingo__manager_lost_tell(struct pingo__manager_context *c);

#endif
