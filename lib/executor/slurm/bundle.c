/* bundle.c - see bundle.h. */
#include "executor/slurm/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/names.h"
#include "base/path.h"
#include "executor/slurm/slurm.h"

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

/* keys is ours from now on. */
static bundle_of_slurm *know(struct pingo__executor_slurm *s, const char *name,
                             struct pingo_job_key *keys, size_t n)
{
    bundle_of_slurm *b = pingo__executor_slurm_bundle_find(s, name);
    if (!b && (b = calloc(1, sizeof *b))) {
        memcpy(b->name, name, sizeof b->name);
        b->keys = keys;
        b->n = b->left = n;
        b->next = s->bundles;
        s->bundles = b;
    } else {
        free(keys);
    }
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
        free(b->keys);
        free(b);
    }
}

/* ---- on the disk -------------------------------------------------------------------------------- */

int pingo__executor_slurm_bundle_make(struct pingo__executor_slurm *s, struct pingo_job_key **keys,
                                      size_t n, bundle_of_slurm **bundle)
{
    struct pingo__buffer text = {0};
    char name[PINGO__BUNDLE_SIZE];
    struct pingo_job_key *own = *keys;
    *keys = NULL;
    *bundle = NULL;
    pingo__executor_bundle_put(&text, own, n);
    int rc = text.failed ? -ENOMEM : 0;
    if (!rc) /* not synced: after a power loss the attempts are not there, either */
        rc = pingo__executor_bundle_save(
            s->pool, pingo__executor_bundle_name(text.data, text.length, name), &text, false);
    if (rc)
        free(own);
    else if (!(*bundle = know(s, name, own, n)))
        rc = -ENOMEM;
    pingo__buffer_clear(&text);
    return rc == -ENOMEM ? PINGO_ENOMEM : rc ? PINGO_EIO : 0;
}

/* Is it the text of this name? */
static bool is_list(const char *name, const char *text)
{
    char of[PINGO__BUNDLE_SIZE];
    return strcmp(pingo__executor_bundle_name(text, strlen(text), of), name) == 0;
}

static void know_found(void *executor, const char *name, char *text, bool is_old)
{
    (void)is_old;
    size_t n;
    struct pingo_job_key *keys = is_list(name, text) ? pingo__executor_bundle_keys(text, &n) : NULL;
    if (keys)
        know(executor, name, keys, n);
}

void pingo__executor_slurm_bundles_load(struct pingo__executor_slurm *s)
{
    pingo__executor_bundles_each(s->pool, know_found, s);
}

bool pingo__executor_slurm_bundle_is_gone(const struct pingo__executor_slurm *s, const char *name)
{
    char *attempts = pingo__path_child(s->pool, pingo__name_parts[PINGO__ATTEMPTS]),
         *list = pingo__executor_bundle_path(s->pool, name, "list");
    bool gone = attempts && list && access(attempts, X_OK) == 0 && access(list, F_OK) != 0 &&
                errno == ENOENT;
    free(attempts);
    free(list);
    return gone;
}

struct trim {
    const struct pingo__executor_slurm *s;
    struct pingo__map unsettled;
};

/* Somebody may wait for one of them. */
static bool is_wanted(const struct pingo__map *unsettled, const char *name, char *text)
{
    size_t n = 0;
    bool is = is_list(name, text);
    struct pingo_job_key *keys = is ? pingo__executor_bundle_keys(text, &n) : NULL;
    bool is_unread = is && !keys;
    while (n > 0 && pingo__map_get(unsettled, &keys[n - 1], sizeof *keys) == PINGO__MAP_NONE)
        n--;
    free(keys);
    return is_unread || n > 0;
}

static void trim_found(void *context, const char *name, char *text, bool is_old)
{
    const struct trim *t = context;
    if (is_old && !is_wanted(&t->unsettled, name, text))
        pingo__executor_bundle_remove(t->s->pool, name);
}

void pingo__executor_slurm_bundles_trim(void *executor, const struct pingo_job_key *unsettled,
                                        size_t n)
{
    struct trim t = {.s = executor};
    bool fits = true;
    for (size_t i = 0; fits && i < n; i++)
        fits = pingo__map_set(&t.unsettled, &unsettled[i], sizeof *unsettled, 0);
    if (fits)
        pingo__executor_bundles_each(t.s->pool, trim_found, &t);
    pingo__map_clear(&t.unsettled);
    pingo__executor_slurm_bundles_forget(executor, false);
}
