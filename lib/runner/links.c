/* links.c - see steps.h.  A command may have done anything to its links, so each one that is kept is
 * read before it is used again. */
#include "runner/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "base/tree.h"
#include "digest/content.h"

#define KEEP_MOST 64 /* links; more are removed at once */

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

static bool is_file(int in, const char *name)
{
    struct stat st;
    return fstatat(in, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* Removes what is in the way; notes in there[] which links are as the job wants them.  Plain files
 * are left to who copies. */
static int look_over(int in, const struct pingo__runner_job *job, const struct pingo__map *by_name,
                     bool *there)
{
    DIR *list = pingo__file_list(in);
    const char *name;
    int rc = list ? 0 : -errno;
    while (rc == 0 && (name = pingo__file_next(list))) {
        uint32_t i = pingo__map_get(by_name, name, strlen(name));
        if (i != PINGO__MAP_NONE && is_link_to(in, name, job->links[i].target))
            there[i] = true;
        else if (i == PINGO__MAP_NONE || !job->links[i].copy || !is_file(in, name))
            rc = pingo__tree_remove(in, name);
    }
    if (rc == 0)
        rc = -errno;
    pingo__file_end_list(list);
    return rc;
}

/* The kept directory becomes work/in, with what fits in it.  -ENOENT: nothing is kept. */
static int use_kept(const struct pingo__runner_scratch *scratch,
                    const struct pingo__runner_job *job, bool *there)
{
    char name[PINGO__NAME_SIZE];
    struct pingo__map by_name = {0};
    pingo__name_ready(name, getpid(), -1);
    if (!*scratch->ready) /* on a file system that others use, a process number is nobody's own */
        return -ENOENT;
    if (renameat(scratch->attempts, name, scratch->work, "in") != 0)
        return -errno;
    int in = open_in(scratch->work), rc = in < 0 ? in : 0;
    for (size_t i = 0; rc == 0 && i < job->nlinks; i++)
        if (!pingo__map_insert(&by_name, job->links[i].name, strlen(job->links[i].name),
                               (uint32_t)i, NULL))
            rc = -ENOMEM;
    if (rc == 0 && fchmod(in, 0755) != 0)
        rc = -errno;
    if (rc == 0)
        rc = look_over(in, job, &by_name, there);
    pingo__map_clear(&by_name);
    pingo__file_close(in);
    return rc;
}

/* The folder of a name such as "include/lua.h", made where it is not there; *last: the name in it.
 * A descriptor, in itself for a plain name, or a negative errno. */
static int open_folder(int in, const char *name, const char **last)
{
    char part[NAME_MAX + 1];
    const char *slash;
    int folder = in, rc = 0;
    while (rc == 0 && (slash = strchr(name, '/'))) {
        size_t n = (size_t)(slash - name);
        snprintf(part, sizeof part, "%.*s", (int)(n < sizeof part ? n : 0), name);
        if (!pingo__path_is_plain(part))
            rc = -EINVAL;
        else if (mkdirat(folder, part, 0755) != 0 && errno != EEXIST)
            rc = -errno;
        int below =
            rc == 0 ? openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (rc == 0 && below < 0)
            rc = -errno;
        if (folder != in)
            close(folder);
        folder = below;
        name = slash + 1;
    }
    *last = name;
    return rc == 0 ? folder : rc;
}

/* is_there: the link is, as it should be. */
static int add_one(int in, const struct pingo_job_link *link, bool is_there)
{
    const char *name;
    bool copied = false;
    int folder = open_folder(in, link->name, &name);
    int rc = folder < 0 ? folder : pingo__path_is_plain(name) ? 0 : -EINVAL;
    if (rc == 0 && link->copy)
        rc = pingo__runner_copies_put(folder, name, link, &copied);
    if (rc == 0 && !is_there && !copied) {
        if (link->copy) /* a copy of what was smaller then */
            rc = pingo__tree_remove(folder, name);
        if (rc == 0 && symlinkat(link->target, folder, name) != 0)
            rc = -errno;
    }
    if (folder >= 0 && folder != in)
        close(folder);
    return rc;
}

int pingo__runner_links_make(const struct pingo__runner_scratch *scratch,
                             const struct pingo__runner_job *job, const struct pingo_job_link **at)
{
    *at = NULL;
    if (job->nlinks == 0)
        return 0;
    bool *there = calloc(job->nlinks, sizeof *there);
    if (!there)
        return -ENOMEM;
    int rc = use_kept(scratch, job, there);
    if (rc == -ENOENT)
        rc = mkdirat(scratch->work, "in", 0755) == 0 ? 0 : -errno;
    int in = rc == 0 ? open_in(scratch->work) : -1;
    if (rc == 0 && in < 0)
        rc = in;
    for (size_t i = 0; rc == 0 && i < job->nlinks; i++)
        if (!there[i] || job->links[i].copy) {
            *at = &job->links[i];
            rc = add_one(in, *at, there[i]);
        }
    pingo__file_close(in);
    free(there);
    return rc;
}

bool pingo__runner_links_are_same(const struct pingo__runner_job *job,
                                  struct pingo__runner_orders *orders)
{
    struct pingo__digest_content_options options = {.only_stamp = true,
                                                    .root_may_move = true,
                                                    .no_follow = true,
                                                    .progress = pingo__runner_orders_progress,
                                                    .progress_context = orders};
    struct pingo__digest_content content;
    for (size_t i = 0; i < job->nlinks; i++)
        if (job->links[i].mark != 0 &&
            (pingo__digest_content_read(job->links[i].target, &options, &content, NULL) != 0 ||
             pingo__digest_content_mark(&content) != job->links[i].mark))
            return false;
    return true;
}

/* Few, and none in a folder: those are made anew. */
static bool is_worth_keeping(const struct pingo__runner_job *job)
{
    if (job->nlinks == 0 || job->nlinks > KEEP_MOST)
        return false;
    for (size_t i = 0; i < job->nlinks; i++)
        if (strchr(job->links[i].name, '/'))
            return false;
    return true;
}

void pingo__runner_links_keep(const struct pingo__runner_scratch *scratch,
                              const struct pingo__runner_job *job)
{
    char name[PINGO__NAME_SIZE];
    struct stat st;
    if (!is_worth_keeping(job))
        return;
    pingo__name_ready(name, getpid(), -1);
    if (fstatat(scratch->work, "in", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
        renameat2(scratch->work, "in", scratch->attempts, name, RENAME_NOREPLACE);
}

void pingo__runner_links_clear(const struct pingo__runner_scratch *scratch)
{
    char name[PINGO__NAME_SIZE];
    pingo__name_ready(name, getpid(), -1);
    pingo__tree_remove(scratch->attempts, name);
}
