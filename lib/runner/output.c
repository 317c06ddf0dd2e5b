/* output.c - see steps.h.
 *
 * No process of the job is left.  A file with other names (hard links) is copied first: making it read-only would
 * change files outside the pool. */
#include "runner/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/names.h"
#include "base/path.h"
#include "base/text.h"
#include "digest/content.h"

/* What the machine lacks now is not the action's fault; what the output is, is. */
static void fail_os(struct pingo_job_end *end, int error_number, const char *what)
{
    enum pingo_end_reason reason = PINGO_END_BAD_OUTPUT;
    if (pingo__error_is_full(error_number))
        reason = PINGO_END_NO_SPACE;
    else if (error_number == ENOMEM || error_number == EMFILE || error_number == ENFILE ||
             error_number == EIO || error_number == EEXIST)
        reason = PINGO_END_LOST;
    pingo__runner_fail(end, reason, "the output %s: %s", what, strerror(error_number));
}

static void stopped(struct pingo_job_end *end, const struct pingo__runner_orders *orders)
{
    const char *what = orders->why == PINGO_END_TIME_LIMIT ? "its time limit passed"
                       : orders->why == PINGO_END_KILLED   ? "it was ended"
                                                           : "the supervisor ended";
    pingo__runner_fail(end, orders->why, "%s while its output was read", what);
}

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFLNK:
        return "a symbolic link";
    case S_IFIFO:
        return "a named pipe";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

static char *path_of(const struct pingo__runner_job *job)
{
    if (!job->output)
        return pingo__path_child(job->attempt_dir, "stdout");
    char *work = pingo__path_child(job->attempt_dir, "work");
    char *path = work ? pingo__path_child(work, job->output) : NULL;
    free(work);
    return path;
}

static int stage(int dir, const char *name, const char *staged_path)
{
    struct stat other;
    if (renameat2(dir, name, AT_FDCWD, staged_path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL)
        return -errno;
    /* A file system without it; the name is this attempt's alone. */
    if (lstat(staged_path, &other) == 0)
        return -EEXIST;
    return renameat(dir, name, AT_FDCWD, staged_path) == 0 ? 0 : -errno;
}

static bool measure(const char *path, const char *name, const struct pingo__runner_job *job,
                    struct pingo__runner_orders *orders, struct pingo_job_end *end)
{
    char *pool = pingo__name_beside_attempt(job->attempt_dir, "");
    struct pingo__digest_content_options options = {.make_readonly = true,
                                                    .root_may_move = true,
                                                    .output_of = pool,
                                                    .label = name,
                                                    .may_be_away = true,
                                                    .progress = pingo__runner_orders_progress,
                                                    .progress_context = orders};
    struct pingo__digest_content content;
    struct pingo_error err = {0};
    int rc = !pool ? PINGO_ENOMEM : pingo__digest_content_read(path, &options, &content, &err);
    free(pool);
    if (rc == PINGO_EINTERRUPTED) {
        stopped(end, orders);
        return false;
    }
    if (rc != 0) {
        pingo__runner_fail(end, rc == PINGO_EINPUT ? PINGO_END_BAD_OUTPUT : PINGO_END_LOST,
                           "%.190s", err.message);
        return false;
    }
    end->size_bytes = content.size_bytes;
    end->content = content.hash;
    end->output_mark = pingo__digest_content_mark(&content);
    end->output_kind = content.is_directory ? PINGO_OUTPUT_DIRECTORY : PINGO_OUTPUT_FILE;
    return true;
}

/* The place where it goes is ours: only an immutable output is the action's. */
static void fail_stage(struct pingo_job_end *end, int error_number)
{
    fail_os(end, error_number, "cannot be staged");
    if (end->reason == PINGO_END_BAD_OUTPUT && error_number != EPERM)
        end->reason = PINGO_END_LOST;
}

static void take(const struct pingo__runner_job *job, int dir, const char *path,
                 struct pingo__runner_orders *orders, struct pingo_job_end *end)
{
    const char *name = strrchr(path, '/') + 1;
    int rc = pingo__runner_private_make(dir, name, orders);
    if (rc == -ECANCELED)
        stopped(end, orders);
    else if (rc == -EBUSY)
        pingo__runner_fail(end, PINGO_END_BAD_OUTPUT,
                           "something is mounted in the output (wanted: a copy)");
    else if (rc != 0)
        fail_os(end, -rc, "cannot be opened, or parted from its other names");
    else if (measure(path, name, job, orders, end) && (rc = stage(dir, name, job->staged_path)) != 0)
        fail_stage(end, -rc);
}

/* Says what is there instead: the first by its name, but for what programs put into their home unasked. */
static void fail_absent(int dir, const char *name, struct pingo_job_end *end)
{
    char first[64] = "";
    size_t n = 0;
    DIR *list = pingo__file_list(dir);
    for (const char *entry; list && (entry = pingo__file_next(list));) {
        if (entry[0] == '.' || strcmp(entry, "in") == 0)
            continue;
        if (n++ == 0 || strcmp(entry, first) < 0)
            pingo__text_clean_to(first, sizeof first, entry);
    }
    pingo__file_end_list(list);
    if (n == 0)
        pingo__runner_fail(end, PINGO_END_NO_OUTPUT, "the command made no '%s'", name);
    else
        pingo__runner_fail(
            end, PINGO_END_NO_OUTPUT,
            "the command made no '%.63s'; it made '%s'%s: the key \"output\" names what is kept",
            name, first, n > 1 ? " and others" : "");
}

void pingo__runner_output_take(const struct pingo__runner_scratch *scratch,
                               const struct pingo__runner_job *job,
                               struct pingo__runner_orders *orders, struct pingo_job_end *end)
{
    int dir = !job->output ? scratch->dir : scratch->work;
    const char *name = !job->output ? "stdout" : job->output;
    char *path = path_of(job);
    struct stat st;
    if (!path) {
        fail_os(end, ENOMEM, "cannot be looked at");
        return;
    }
    if (fstat(dir, &st) == 0 && (st.st_mode & 07777) != 0755)
        fchmod(dir, 0755); /* so that it can leave; if that is refused, it shows there */
    if (!pingo__path_is_plain(name))
        pingo__runner_fail(end, PINGO_END_NO_OUTPUT, "'%s' is no name for an output", name);
    else if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        fail_absent(dir, name, end);
    else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        pingo__runner_fail(end, PINGO_END_BAD_OUTPUT,
                           "'%s' is %s; an output is a file or a directory", name,
                           kind_of(st.st_mode));
    else
        take(job, dir, path, orders, end);
    free(path);
}
