/* bundle.c - see bundle.h. */
#include "executor/slurm/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/names.h"
#include "base/path.h"
#include "base/tree.h"
#include "base/world.h"
#include "digest/originals.h"
#include "digest/sha256.h"
#include "executor/slurm/slurm.h"

#define LIST "list"
#define LIST_MOST (1 << 24) /* bytes */
#define OLD_S 3600          /* what is younger, another process may be about to submit */

typedef struct pingo__executor_slurm_bundle bundle_of_slurm;

char *pingo__executor_slurm_bundle_path(const struct pingo__executor_slurm *s, const char *name,
                                        const char *file)
{
    char below[PINGO__NAME_SIZE];
    pingo__name_bundle(below, name, file);
    return pingo__path_child(s->pool, below);
}

static const char *name_of(const char *text, size_t n, char name[PINGO__SLURM_BUNDLE_SIZE])
{
    struct pingo_hash hash;
    char hex[PINGO_HASH_HEX_SIZE];
    pingo__digest_sha256(text, n, &hash);
    pingo_hash_to_hex(&hash, hex);
    snprintf(name, PINGO__SLURM_BUNDLE_SIZE, "%.16s", hex);
    return name;
}

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

/* Not synced: after a power loss the attempts are not there, either. */
static int save(struct pingo__executor_slurm *s, const char *name, const struct pingo__buffer *text)
{
    char *all = pingo__executor_slurm_bundle_path(s, "", ""),
         *path = pingo__executor_slurm_bundle_path(s, name, ""),
         *list = pingo__executor_slurm_bundle_path(s, name, LIST);
    int rc = all && path && list ? 0 : PINGO_ENOMEM;
    if (!rc && ((mkdir(all, 0755) != 0 && errno != EEXIST) ||
                (mkdir(path, 0755) != 0 && errno != EEXIST) ||
                pingo__file_replace(AT_FDCWD, list, text->data, text->length, false)))
        rc = PINGO_EIO;
    free(all);
    free(path);
    free(list);
    return rc;
}

int pingo__executor_slurm_bundle_make(struct pingo__executor_slurm *s, struct pingo_job_key **keys,
                                      size_t n, bundle_of_slurm **bundle)
{
    struct pingo__buffer text = {0};
    char name[PINGO__SLURM_BUNDLE_SIZE];
    struct pingo_job_key *own = *keys;
    *keys = NULL;
    *bundle = NULL;
    for (size_t i = 0; i < n; i++)
        pingo__buffer_format(&text, "%lld.%lld\n", (long long)own[i].action,
                             (long long)own[i].epoch);
    int rc = text.failed ? PINGO_ENOMEM : save(s, name_of(text.data, text.length, name), &text);
    if (rc)
        free(own);
    else if (!(*bundle = know(s, name, own, n)))
        rc = PINGO_ENOMEM;
    pingo__buffer_clear(&text);
    return rc;
}

/* Lines ACTION.EPOCH; NULL: it is another text, or no memory. */
static struct pingo_job_key *read_keys(char *text, size_t *n)
{
    size_t most = 0;
    for (const char *c = text; (c = strchr(c, '\n')); c++)
        most++;
    struct pingo_job_key *keys = calloc(most + 1, sizeof *keys);
    *n = 0;
    for (char *line; keys && *n < most && (line = strsep(&text, "\n")); ++*n)
        if (!pingo__name_is_attempt(line, &keys[*n].action, &keys[*n].epoch)) {
            free(keys);
            return NULL;
        }
    return keys;
}

/* *age_s: of its list; or, where there is none, of its directory, and there are no keys.  What could not be read has
 * no age. */
static struct pingo_job_key *load(int all, const char *name, size_t *n, int64_t *age_s)
{
    const struct pingo__world *world = pingo__world_real();
    char path[64], of[PINGO__SLURM_BUNDLE_SIZE], *text = NULL;
    struct pingo_job_key *keys = NULL;
    struct stat st;
    size_t length;
    snprintf(path, sizeof path, "%.16s/" LIST, name);
    *n = 0;
    int rc = pingo__file_read_whole(all, path, LIST_MOST, &text, &length);
    bool is_list = rc == 0 && strcmp(name_of(text, length, of), name) == 0;
    if (is_list)
        keys = read_keys(text, n);
    bool is_known = (is_list ? !!keys : rc == 0 || rc == -ENOENT || rc == -ENOTDIR) &&
                    fstatat(all, is_list ? path : name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    *age_s = is_known ? world->now_ns(world->context) / 1000000000 - st.st_mtim.tv_sec : 0;
    free(text);
    return keys;
}

static int open_all(const struct pingo__executor_slurm *s, DIR **list)
{
    char *path = pingo__executor_slurm_bundle_path(s, "", "");
    int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    *list = fd >= 0 ? pingo__file_list(fd) : NULL;
    free(path);
    return fd;
}

void pingo__executor_slurm_bundles_load(struct pingo__executor_slurm *s)
{
    DIR *list;
    size_t n;
    int64_t age_s;
    int all = open_all(s, &list);
    for (const char *name; (name = pingo__file_next(list));) {
        struct pingo_job_key *keys =
            strlen(name) < PINGO__SLURM_BUNDLE_SIZE && !pingo__executor_slurm_bundle_find(s, name)
                ? load(all, name, &n, &age_s)
                : NULL;
        if (keys)
            know(s, name, keys, n);
    }
    pingo__file_end_list(list);
    pingo__file_close(all);
}

bool pingo__executor_slurm_bundle_is_gone(const struct pingo__executor_slurm *s, const char *name)
{
    char *attempts = pingo__path_child(s->pool, pingo__name_parts[PINGO__ATTEMPTS]),
         *list = pingo__executor_slurm_bundle_path(s, name, LIST);
    bool gone = attempts && list && access(attempts, X_OK) == 0 && access(list, F_OK) != 0 &&
                errno == ENOENT;
    free(attempts);
    free(list);
    return gone;
}

void pingo__executor_slurm_bundle_remove(struct pingo__executor_slurm *s,
                                         const bundle_of_slurm *bundle)
{
    char *path = pingo__executor_slurm_bundle_path(s, bundle->name, "");
    if (path)
        pingo__tree_remove(AT_FDCWD, path);
    free(path);
}

/* Does somebody wait for one of them? */
static bool is_wanted(const struct pingo__map *unsettled, const struct pingo_job_key *keys, size_t n)
{
    while (n > 0 && pingo__map_get(unsettled, &keys[n - 1], sizeof *keys) == PINGO__MAP_NONE)
        n--;
    return n > 0;
}

void pingo__executor_slurm_bundles_trim(void *executor, const struct pingo_job_key *unsettled,
                                        size_t n)
{
    struct pingo__map map = {0};
    DIR *list;
    int64_t age_s;
    struct pingo__executor_slurm *s = executor;
    int all = open_all(s, &list);
    bool fits = true;
    for (size_t i = 0; list && fits && i < n; i++)
        fits = pingo__map_set(&map, &unsettled[i], sizeof *unsettled, 0);
    for (const char *name; fits && (name = pingo__file_next(list));) {
        size_t nkeys;
        struct pingo_job_key *keys = load(all, name, &nkeys, &age_s);
        if (age_s > OLD_S && !is_wanted(&map, keys, nkeys))
            pingo__tree_remove(all, name);
        free(keys);
    }
    pingo__map_clear(&map);
    pingo__file_end_list(list);
    pingo__file_close(all);
    pingo__executor_slurm_bundles_forget(s, false);
}
