/* bundle.c - the attempts that an array job runs, in memory and on the disk; see slurm.h. */
#include "executor/slurm/slurm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct pingo__executor_slurm_bundle bundle_of_slurm;

/* ---- those that we know ----------------------------------------------------------------------- */

bundle_of_slurm *pingo__executor_slurm_bundle_find(const struct pingo__executor_slurm *s,
                                                   const char *name)
{
    bundle_of_slurm *b = s->bundles;
    while (b && strcmp(b->name, name) != 0)
        b = b->next;
    return b;
}

static bundle_of_slurm *know(struct pingo__executor_slurm *s, const char *name,
                             const struct pingo_job_key *keys, size_t n)
{
    bundle_of_slurm *b = pingo__executor_slurm_bundle_find(s, name);
    if (b)
        return b;
    b = calloc(1, sizeof *b + n * sizeof *keys);
    if (!b)
        return NULL;
    memcpy(b->name, name, sizeof b->name);
    memcpy(b->keys, keys, n * sizeof *keys);
    b->n = b->left = n;
    b->next = s->bundles;
    s->bundles = b;
    return b;
}

void pingo__executor_slurm_bundles_forget(struct pingo__executor_slurm *s, bool all)
{
    for (bundle_of_slurm **at = &s->bundles, *b; (b = *at);) {
        if (b->users > 0 && !all) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        free(b);
    }
}

/* ---- on the disk -------------------------------------------------------------------------------- */

int pingo__executor_slurm_bundle_make(struct pingo__executor_slurm *s,
                                      const struct pingo_job_key *keys, size_t n,
                                      bundle_of_slurm **bundle)
{
    const struct pingo__executor_bundle_list list = {"", keys, n};
    char name[PINGO__BUNDLE_SIZE];
    /* Not synced: after a power loss the attempts are not there, either. */
    int rc = pingo__executor_bundle_save(s->pool, &list, false, name);
    *bundle = rc ? NULL : know(s, name, keys, n);
    return rc == -ENOMEM || (!rc && !*bundle) ? PINGO_ENOMEM : rc ? PINGO_EIO : 0;
}

static void know_found(void *executor, const char *name,
                       const struct pingo__executor_bundle_list *list)
{
    if (!*list->head && list->n > 0)
        know(executor, name, list->keys, list->n);
}

void pingo__executor_slurm_bundles_load(struct pingo__executor_slurm *s)
{
    pingo__executor_bundles_each(s->pool, know_found, s);
}

bool pingo__executor_slurm_bundle_is_gone(const struct pingo__executor_slurm *s, const char *name)
{
    char *list = pingo__executor_bundle_path(s->pool, name, "list");
    bool gone =
        list && pingo__executor_slurm_is_in_sight(s) && access(list, F_OK) != 0 && errno == ENOENT;
    free(list);
    return gone;
}

static void trim_found(void *executor, const char *name,
                       const struct pingo__executor_bundle_list *list)
{
    if (!*list->head)
        pingo__executor_bundle_remove(((struct pingo__executor_slurm *)executor)->pool, name);
}

void pingo__executor_slurm_bundles_trim(void *executor, const struct pingo_job_key *unsettled,
                                        size_t n)
{
    struct pingo__executor_slurm *s = executor;
    pingo__executor_bundles_trim(s->pool, unsettled, n, trim_found, s);
    pingo__executor_slurm_bundles_forget(s, false);
}
