/* apply.h - the entries of a plan -> rows of actions, datasets, dependencies and claims. */
#ifndef PINGO__MANAGER_APPLY_H
#define PINGO__MANAGER_APPLY_H

#include "digest/originals.h"
#include "manager/context.h"
#include "store/action/actions.h"
#include "store/dataset/datasets.h"
#include "store/submission/graph.h"

/* Where somebody writes. */
struct pingo__manager_apply_output {
    const char *name; /* the last of the path, and of what it leads to */
    const char *real; /* what it leads to; NULL: nobody has asked yet */
    const char *path;
};

struct pingo__manager_place {
    const struct pingo_hash *hash;
    size_t position;
};

/* An action of the part of a graph that is planned again. */
struct pingo__manager_member {
    struct pingo__store_node node;
    enum pingo_known known;
    int64_t live; /* an ancestor's unfinished row; 0: none */
    /* The row that is planned again; NULL: an ancestor, or an equal action is planned for it. */
    const struct pingo__store_action_row *again;
    uint32_t *parents; /* positions; none where they do not matter */
    size_t nparents;
};

struct pingo__manager_apply {
    struct pingo__manager_context *c;
    const struct pingo_workflow *workflow;
    const struct pingo_digests *digests;
    const struct pingo_originals *originals; /* NULL when planned again: identities come from
                                                descriptions */
    const struct pingo_plan_entry *entries;
    const struct pingo__manager_place *order; /* of all positions, by their hashes; NULL: as they are */
    struct pingo__arena *arena;
    int64_t number; /* the workflow's */
    int64_t priority, user;
    /* When planned again: */
    int64_t graph;
    const struct pingo__manager_member *members; /* one for each action; else NULL */
    const struct pingo__map *ours; /* the ids of the rows that are, but of what needs them */
    /* found on the way */
    struct pingo__manager_apply_output *outputs; /* of unfinished actions, once that is asked */
    size_t noutputs;
    int64_t next_action, next_dataset, now_ms;
    int64_t *rows;                          /* of each position; 0: none */
    size_t *marks, mark;                    /* of each position: when it was met last as a parent */
    int64_t unfinished;                     /* rows that were inserted */
    int64_t by_state[PINGO__ACTION_STATES]; /* by which the newest rows of positions changed in number */
};

/* Does an action wait for one of these ids, or where only is not 0 for that one? */
struct pingo__manager_ours {
    const struct pingo__map *ids;
    int64_t only;
};
int pingo__manager_waits_for(struct pingo__manager_context *c, int64_t action,
                             const struct pingo__manager_ours *ours, bool *waits,
                             struct pingo_error *err);
/* These inside a write transaction.  An action waits for another one, joiner->joined, that makes this dataset: it is
 * kept as the joiner wants, too, and made in the better place of the two. */
int pingo__manager_join(struct pingo__manager_context *c,
                        const struct pingo__store_action_row *joiner, int64_t dataset,
                        struct pingo_error *err);
/* A dataset is reused: rescued if it was leaving, a leaf if it is wanted, pinned if asked. */
int pingo__manager_reuse(struct pingo__manager_context *c,
                         const struct pingo__store_dataset_row *row, bool wanted,
                         enum pingo_keep keep, struct pingo_error *err);
int pingo__manager_apply_plan(struct pingo__manager_apply *a, struct pingo_error *err);
/* What computes must be able to read its inputs; a declared one need not be there to be hashed.  PINGO_EINPUT. */
int pingo__manager_declared_check(const struct pingo__world *world,
                                  const struct pingo_action *action, struct pingo_error *err);
/* The rows of its originals and tools, for an action's row.  Errors: PINGO_EINPUT. */
int pingo__manager_apply_originals(struct pingo__manager_apply *a, size_t i, int64_t id,
                                   struct pingo_error *err);
/* Whom a writer of an unmanaged output waits for: earlier writers of it, their readers, and claimants of what lies
 * there. */
int pingo__manager_apply_behind(struct pingo__manager_apply *a, size_t i,
                                struct pingo__store_action_list *before, struct pingo_error *err);
/* Who writes to an outputPath next waits for who has come to read what lies there, or will, unless that waits for
 * them. */
int pingo__manager_apply_before(struct pingo__manager_apply *a, const char *output_path,
                                int64_t reader, struct pingo_error *err);

#endif
