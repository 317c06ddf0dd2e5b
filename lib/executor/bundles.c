/* bundles.c - see bundles.h. */
#include "executor/bundles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/map.h"
#include "base/names.h"
#include "base/path.h"
#include "base/tree.h"
#include "base/world.h"
#include "runner/record/attempt.h"

#define LIST "list"
#define LIST_MOST (1 << 24) /* bytes */
#define OLD_S 3600          /* what is younger, another process may be about to submit */

char *pingo__executor_bundle_path(const char *pool, const char *name, const char *file)
{
    char below[PINGO__NAME_SIZE];
    pingo__name_bundle(below, name, file);
    return pingo__path_child(pool, below);
}

void pingo__executor_bundle_put(struct pingo__buffer *text, const struct pingo_job_key *keys,
                                size_t n)
{
    for (size_t i = 0; i < n; i++)
        pingo__buffer_format(text, "%lld.%lld\n", (long long)keys[i].action,
                             (long long)keys[i].epoch);
}

bool pingo__executor_bundle_read(char *text, struct pingo_job_key **keys, size_t *n)
{
    size_t most = 0;
    for (const char *c = text; (c = strchr(c, '\n')); c++)
        most++;
    *keys = calloc(most + 1, sizeof **keys);
    bool are = *keys;
    for (*n = 0; are && *n < most; ++*n) {
        struct pingo_job_key *key = &(*keys)[*n];
        const char *line = strsep(&text, "\n");
        are = !strchr(line, '/') && pingo__runner_attempt_key(line, key);
    }
    return are && !*text;
}

/* ---- on the disk -------------------------------------------------------------------------------- */

static bool is_name_of(const char *name, const char *text, size_t n)
{
    char of[PINGO__BUNDLE_SIZE];
    pingo__digest_short(text, n, of);
    return strcmp(of, name) == 0;
}

/* The text is spoiled; keys: yours in each case. */
static struct pingo__executor_bundle_list read_list(const char *name, char *text,
                                                    struct pingo_job_key **keys)
{
    struct pingo__executor_bundle_list list = {.head = ""};
    size_t head = strcspn(text, "\n"), n;
    bool has_head = text[head] && is_name_of(name, text, head);
    *keys = NULL;
    if (has_head) {
        text[head] = '\0';
        list.head = text;
        text += head + 1;
    }
    if ((has_head || is_name_of(name, text, strlen(text))) &&
        pingo__executor_bundle_read(text, keys, &n)) {
        list.keys = *keys;
        list.n = n;
    }
    return list;
}

static int save(const char *pool, const char *name, const struct pingo__buffer *text, bool synced)
{
    char *all = pingo__executor_bundle_path(pool, "", ""),
         *path = pingo__executor_bundle_path(pool, name, ""),
         *list = pingo__executor_bundle_path(pool, name, LIST);
    int rc = all && path && list ? 0 : -ENOMEM;
    if (!rc &&
        ((mkdir(all, 0755) != 0 && errno != EEXIST) || (mkdir(path, 0755) != 0 && errno != EEXIST)))
        rc = -errno;
    if (!rc)
        rc = synced ? pingo__file_keep(list, text->data, text->length)
                    : pingo__file_replace(AT_FDCWD, list, text->data, text->length, false);
    free(all);
    free(path);
    free(list);
    return rc;
}

int pingo__executor_bundle_save(const char *pool, const struct pingo__executor_bundle_list *list,
                                bool synced, char name[PINGO__BUNDLE_SIZE])
{
    struct pingo__buffer text = {0};
    if (*list->head)
        pingo__buffer_format(&text, "%s\n", list->head);
    size_t head = strlen(list->head);
    pingo__executor_bundle_put(&text, list->keys, list->n);
    int rc = text.failed ? -ENOMEM : 0;
    if (!rc) {
        pingo__digest_short(text.data, head ? head : text.length, name);
        rc = save(pool, name, &text, synced);
    }
    pingo__buffer_clear(&text);
    return rc;
}

void pingo__executor_bundle_remove(const char *pool, const char *name)
{
    char *path = pingo__executor_bundle_path(pool, name, "");
    if (path)
        pingo__tree_remove(AT_FDCWD, path);
    free(path);
}

static bool is_old(int dir, const char *name)
{
    const struct pingo__world *world = pingo__world_real();
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           world->now_ns(world->context) / 1000000000 - st.st_mtim.tv_sec > OLD_S;
}

struct looking {
    const char *pool;
    const struct pingo__map *unsettled; /* NULL: all are told */
    pingo__executor_bundle_found *found;
    void *context;
};

static bool is_wanted(const struct pingo__map *unsettled,
                      const struct pingo__executor_bundle_list *list)
{
    size_t n = list->n;
    while (n > 0 &&
           pingo__map_get(unsettled, &list->keys[n - 1], sizeof *list->keys) == PINGO__MAP_NONE)
        n--;
    return list->n ? n > 0 : unsettled->count > 0;
}

static int look_at(const struct looking *x, int all, const char *name)
{
    char path[PINGO__NAME_SIZE], nothing[] = "", *text = NULL;
    struct pingo_job_key *keys;
    size_t n;
    snprintf(path, sizeof path, "%.64s/" LIST, name);
    int rc = pingo__file_read_whole(all, path, LIST_MOST, &text, &n);
    if (rc && rc != -ENOENT && rc != -ENOTDIR)
        return rc;
    struct pingo__executor_bundle_list list = read_list(name, text ? text : nothing, &keys);
    if (!x->unsettled || (is_old(all, text ? path : name) && !is_wanted(x->unsettled, &list)))
        x->found(x->context, name, &list);
    free(keys);
    free(text);
    return 0;
}

static int look_at_all(const struct looking *x)
{
    char *all = pingo__executor_bundle_path(x->pool, "", "");
    int fd = all ? open(all, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    int rc = !all ? -ENOMEM : fd >= 0 || errno == ENOENT ? 0 : -errno;
    DIR *names = fd >= 0 ? pingo__file_list(fd) : NULL;
    if (fd >= 0 && !names)
        rc = -errno;
    for (const char *name; (name = pingo__file_next(names));) {
        int failed = look_at(x, fd, name);
        rc = rc ? rc : failed;
    }
    rc = rc ? rc : -errno;
    pingo__file_end_list(names);
    pingo__file_close(fd);
    free(all);
    return rc;
}

int pingo__executor_bundles_each(const char *pool, pingo__executor_bundle_found *found,
                                 void *context)
{
    return look_at_all(&(struct looking){.pool = pool, .found = found, .context = context});
}

void pingo__executor_bundles_trim(const char *pool, const struct pingo_job_key *unsettled, size_t n,
                                  pingo__executor_bundle_found *found, void *context)
{
    struct pingo__map keys = {0};
    bool fits = true;
    for (size_t i = 0; fits && i < n; i++)
        fits = pingo__map_set(&keys, &unsettled[i], sizeof *unsettled, 0);
    if (fits)
        look_at_all(
            &(struct looking){.pool = pool, .unsettled = &keys, .found = found, .context = context});
    pingo__map_clear(&keys);
}
