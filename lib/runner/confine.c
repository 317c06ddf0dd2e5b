/* confine.c - see steps.h. */
#include "runner/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"

/* A rule costs some microseconds: of more inputs that lie in the pool, all of the pool's can be read. */
#define LINKS_MOST 256
#define TAIL 8192

/* What is not there, or not for us, fails the command by itself. */
static int allow_if_there(const struct pingo__sandbox *sandbox, int ruleset, const char *path)
{
    int rc = pingo__sandbox_allow(sandbox, ruleset, path, PINGO__SANDBOX_READ);
    bool ours = rc == -ENOMEM || rc == -EMFILE || rc == -ENFILE;
    return ours ? rc : 0;
}

static int allow_links(const struct pingo__sandbox *sandbox, int ruleset,
                       const struct pingo__runner_job *job)
{
    char *objects =
        job->nlinks > LINKS_MOST
            ? pingo__name_beside_attempt(job->attempt_dir, pingo__name_parts[PINGO__OBJECTS])
            : NULL;
    int rc = objects ? pingo__sandbox_allow(sandbox, ruleset, objects, PINGO__SANDBOX_READ) : 0;
    for (size_t i = 0; rc == 0 && i < job->nlinks; i++) {
        const char *target = job->links[i].target;
        if (objects && pingo__path_is_below(target, objects))
            continue;
        rc = allow_if_there(sandbox, ruleset, target);
    }
    free(objects);
    return rc;
}

static int allow_own(const struct pingo__sandbox *sandbox, int ruleset,
                     const struct pingo__runner_scratch *scratch,
                     const struct pingo__runner_logs *logs)
{
    int rc = pingo__sandbox_allow_open(sandbox, ruleset, scratch->work, PINGO__SANDBOX_WRITE);
    if (rc == 0)
        rc = pingo__sandbox_allow_open(sandbox, ruleset, scratch->tmp, PINGO__SANDBOX_WRITE);
    for (int i = 0; rc == 0 && i < 2; i++) /* for who opens /dev/stdout and /dev/stderr */
        rc = pingo__sandbox_allow_open(sandbox, ruleset, logs->fds[i], PINGO__SANDBOX_LOG);
    return rc;
}

static int make(struct pingo__sandbox *sandbox, const struct pingo__runner_scratch *scratch,
                const struct pingo__runner_logs *logs, const struct pingo__runner_job *job,
                int *ruleset)
{
    int fd = pingo__sandbox_begin(sandbox);
    int rc = fd < 0 ? fd : allow_own(sandbox, fd, scratch, logs);
    if (rc == 0)
        rc = allow_links(sandbox, fd, job);
    for (size_t i = 0; rc == 0 && i < job->nreadable; i++)
        rc = allow_if_there(sandbox, fd, job->readable[i]);
    if (rc == 0)
        *ruleset = fd;
    else
        pingo__file_close(fd);
    return rc;
}

/* What allows nothing but the places and the scratch is the next one's, too, unless the logs may be others then: those
 * of a command that is not confined, or whose output is one of them. */
int pingo__runner_confine(struct pingo__sandbox *sandbox, struct pingo__runner_scratch *scratch,
                          const struct pingo__runner_logs *logs,
                          const struct pingo__runner_job *job, int *ruleset)
{
    bool is_confined = job->confine && sandbox->abi >= 1;
    bool is_kept = is_confined && job->output && !job->nlinks && !job->nreadable;
    *ruleset = -1;
    if (!is_kept || !pingo__sandbox_is_fresh(sandbox)) {
        pingo__file_close(scratch->ruleset);
        scratch->ruleset = -1;
    }
    if (!is_confined)
        return 0;
    int *to = is_kept ? &scratch->ruleset : ruleset;
    int rc = *to < 0 ? make(sandbox, scratch, logs, job, to) : 0;
    *ruleset = *to;
    return rc;
}

static bool has_any(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

#define NOEXEC "the pool's file system is mounted noexec, so no program in it runs"

void pingo__runner_confine_explain(const struct pingo__runner_scratch *scratch,
                                   struct pingo_job_end *end)
{
    /* As sudo, bubblewrap, apptainer and mount say it. */
    static const char *const rights[] = {
        "no new privileges", "no_new_privs", "bwrap: ", "new namespace",
        "mount: ",           "FATAL: ",      NULL};
    static const char *const refusals[] = {"Operation not permitted",
                                           "operation not permitted",
                                           "ermission denied",
                                           "no new privileges",
                                           "EACCES",
                                           "EPERM",
                                           NULL};
    /* A hard link to what may only be read. */
    static const char *const links[] = {"nvalid cross-device link", "EXDEV", NULL};
    char text[TAIL + 1];
    pingo__file_read_end(scratch->dir, "stderr", text, sizeof text);
    if (!has_any(text, refusals) && !(end->confined && has_any(text, links)))
        return;
    end->denied = end->confined;
    struct statvfs fs;
    bool is_noexec = fstatvfs(scratch->dir, &fs) == 0 && (fs.f_flag & ST_NOEXEC);
    if (end->message[0] != '\0' || !(end->confined || is_noexec))
        return;
    snprintf(end->message, sizeof end->message, "%s",
             !end->confined ? NOEXEC
             : has_any(text, rights)
                 ? "nothing can mount or gain rights in the sandbox: \"sandbox\": false"
             : is_noexec ? NOEXEC "; or the sandbox has denied it something"
                         : "the sandbox may have denied it something");
}
