/* links.c - see links.h.  A command may have done anything to its links, so each one that is kept is
 * read before it is used again. */
#include "executor/local/supervisor/links.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/path.h"
#include "executor/local/supervisor/tree.h"

#define KEEP_MOST 64 /* links; more are removed at once */
#define NAME_SIZE 64

static void kept_name(char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, PINGO__SCRATCH_READY "%ld.in", (long)getpid());
}

static int open_in(int work)
{
    int in = openat(work, "in", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return in < 0 ? -errno : in;
}

static bool is_link_to(int in, const char *name, const char *target)
{
    char text[PATH_MAX];
    ssize_t n = readlinkat(in, name, text, sizeof text);
    return n >= 0 && (size_t)n < sizeof text && (size_t)n == strlen(target) &&
           memcmp(text, target, (size_t)n) == 0;
}

/* Removes what is in the way; notes in there[] which links are as the job wants them. */
static int look_over(int in, const struct pingo__wire_job *job, const struct pingo__map *by_name,
                     bool *there)
{
    int fd = openat(in, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    if (list == NULL) {
        result = -errno;
        if (fd >= 0)
            close(fd);
        return result;
    }
    while (result == 0 && (entry = readdir(list)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        uint32_t i = pingo__map_get(by_name, name, strlen(name));
        if (i != PINGO__MAP_NONE && is_link_to(in, name, job->links[i].target))
            there[i] = true;
        else
            result = pingo__tree_remove(in, name);
    }
    closedir(list);
    return result;
}

/* The kept directory becomes work/in, with what fits in it.  -ENOENT: nothing is kept. */
static int use_kept(const struct pingo__scratch *scratch, const struct pingo__wire_job *job,
                    bool *there)
{
    char name[NAME_SIZE];
    struct pingo__map by_name;
    kept_name(name);
    if (renameat(scratch->attempts, name, scratch->work, "in") != 0)
        return -errno;
    int in = open_in(scratch->work), result = in < 0 ? in : 0;
    pingo__map_init(&by_name);
    for (size_t i = 0; result == 0 && i < job->nlinks; i++)
        if (!pingo__map_insert(&by_name, job->links[i].name, strlen(job->links[i].name),
                               (uint32_t)i, NULL))
            result = -ENOMEM;
    if (result == 0 && fchmod(in, 0755) != 0)
        result = -errno;
    if (result == 0)
        result = look_over(in, job, &by_name, there);
    pingo__map_clear(&by_name);
    if (in >= 0)
        close(in);
    return result;
}

static int add_missing(int in, const struct pingo__wire_job *job, const bool *there)
{
    for (size_t i = 0; i < job->nlinks; i++) {
        if (there[i])
            continue;
        if (!pingo__path_is_plain(job->links[i].name))
            return -EINVAL;
        if (symlinkat(job->links[i].target, in, job->links[i].name) != 0)
            return -errno;
    }
    return 0;
}

int pingo__links_make(const struct pingo__scratch *scratch, const struct pingo__wire_job *job)
{
    if (job->nlinks == 0)
        return 0;
    bool *there = calloc(job->nlinks, sizeof *there);
    if (there == NULL)
        return -ENOMEM;
    int result = use_kept(scratch, job, there);
    if (result == -ENOENT)
        result = mkdirat(scratch->work, "in", 0755) == 0 ? 0 : -errno;
    int in = result == 0 ? open_in(scratch->work) : -1;
    if (result == 0)
        result = in < 0 ? in : add_missing(in, job, there);
    if (in >= 0)
        close(in);
    free(there);
    return result;
}

void pingo__links_keep(const struct pingo__scratch *scratch, const struct pingo__wire_job *job)
{
    char name[NAME_SIZE];
    struct stat st;
    if (job->nlinks == 0 || job->nlinks > KEEP_MOST)
        return;
    kept_name(name);
    if (fstatat(scratch->work, "in", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
        renameat2(scratch->work, "in", scratch->attempts, name, RENAME_NOREPLACE);
}

void pingo__links_clear(const struct pingo__scratch *scratch)
{
    char name[NAME_SIZE];
    kept_name(name);
    pingo__tree_remove(scratch->attempts, name);
}
