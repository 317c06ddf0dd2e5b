/* bundles.c - see bundles.h. */
#include "executor/bundles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/names.h"
#include "base/path.h"
#include "base/tree.h"
#include "base/world.h"
#include "digest/sha256.h"

#define LIST "list"
#define LIST_MOST (1 << 24) /* bytes */
#define OLD_S 3600          /* what is younger, another process may be about to submit */

const char *pingo__executor_bundle_name(const char *text, size_t n, char name[PINGO__BUNDLE_SIZE])
{
    struct pingo_hash hash;
    char hex[PINGO_HASH_HEX_SIZE];
    pingo__digest_sha256(text, n, &hash);
    pingo_hash_to_hex(&hash, hex);
    snprintf(name, PINGO__BUNDLE_SIZE, "%.16s", hex);
    return name;
}

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

struct pingo_job_key *pingo__executor_bundle_keys(char *text, size_t *n)
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

/* ---- on the disk -------------------------------------------------------------------------------- */

int pingo__executor_bundle_save(const char *pool, const char *name,
                                const struct pingo__buffer *text, bool synced)
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

void pingo__executor_bundles_each(const char *pool, pingo__executor_bundle_found *found,
                                  void *context)
{
    char *all = pingo__executor_bundle_path(pool, "", "");
    int fd = all ? open(all, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    DIR *names = fd >= 0 ? pingo__file_list(fd) : NULL;
    for (const char *name; (name = pingo__file_next(names));) {
        char list[PINGO__NAME_SIZE], nothing[] = "", *text = NULL;
        size_t n;
        snprintf(list, sizeof list, "%.64s/" LIST, name);
        int rc = pingo__file_read_whole(fd, list, LIST_MOST, &text, &n);
        if (rc == 0 || rc == -ENOENT || rc == -ENOTDIR)
            found(context, name, text ? text : nothing, is_old(fd, text ? list : name));
        free(text);
    }
    pingo__file_end_list(names);
    pingo__file_close(fd);
    free(all);
}
