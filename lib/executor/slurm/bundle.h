/* bundle.h - attempts that are one array job of Slurm's: which of its tasks runs which.
 *
 * POOL/attempts/.bundles/NAME/list holds their keys, that of task 0 first; pingo-runner reads it on the node, and who
 * comes after us finds by it whose the tasks are.  NAME is the content's own hash, so a list is never changed, and is
 * there whole or not at all.  It goes with the last of its attempts; what was left behind is found by trim. */
#ifndef PINGO__EXECUTOR_SLURM_BUNDLE_H
#define PINGO__EXECUTOR_SLURM_BUNDLE_H

#include "executor/bundles.h"

struct pingo__executor_slurm;

struct pingo__executor_slurm_bundle {
    struct pingo__executor_slurm_bundle *next;
    char name[PINGO__BUNDLE_SIZE];
    size_t n;
    size_t users;                /* jobs in hand and calls on their way that mean it */
    size_t left;                 /* attempts of it that we have not seen the last of */
    bool is_looked_at;           /* a LOOK at all of it is on its way */
    struct pingo_job_key keys[]; /* of task 0, 1, ... */
};

/* The bundle of these attempts, which is on the disk then.  Errors: PINGO_EIO, PINGO_ENOMEM; *bundle: NULL. */
int pingo__executor_slurm_bundle_make(struct pingo__executor_slurm *s,
                                      const struct pingo_job_key *keys, size_t n,
                                      struct pingo__executor_slurm_bundle **bundle);
/* Of those that we know; NULL: none. */
struct pingo__executor_slurm_bundle *pingo__executor_slurm_bundle_find(
    const struct pingo__executor_slurm *s, const char *name);
/* Gets to know all that are on the disk, as far as memory goes. */
void pingo__executor_slurm_bundles_load(struct pingo__executor_slurm *s);
/* Is it nowhere on the disk, though the pool is in sight? */
bool pingo__executor_slurm_bundle_is_gone(const struct pingo__executor_slurm *s, const char *name);
/* As the executor's trim. */
void pingo__executor_slurm_bundles_trim(void *executor, const struct pingo_job_key *unsettled,
                                        size_t n);
/* Those that nobody means are forgotten; all: the others too. */
void pingo__executor_slurm_bundles_forget(struct pingo__executor_slurm *s, bool all);

#endif
