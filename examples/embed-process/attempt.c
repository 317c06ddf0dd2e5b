/* attempt.c - what the directory of an attempt says: it runs, it has ended and how, or nobody knows any more. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attempt.h"

struct job **job_find(struct processes *p, struct pingo_job_key key)
{
    struct job **at = &p->jobs;
    while (*at != NULL && ((*at)->key.action != key.action || (*at)->key.epoch != key.epoch))
        at = &(*at)->next;
    return at;
}

static char *name_of(const char *directory, struct pingo_job_key key)
{
    char *name = NULL;
    return asprintf(&name, "%s/%lld.%lld", directory, (long long)key.action, (long long)key.epoch) < 0
               ? NULL
               : name;
}

struct job *job_add(struct processes *p, struct pingo_job_key key)
{
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return NULL;
    job->key = key;
    job->dir = name_of(p->attempts, key);
    job->staged = name_of(p->staged, key);
    job->next = p->jobs;
    p->jobs = job;
    return job->dir != NULL && job->staged != NULL ? job : NULL;
}

void job_drop(struct job **at)
{
    struct job *job = *at;
    *at = job->next;
    free(job->dir);
    free(job->staged);
    free(job);
}

/* Does somebody hold the lock in it? */
static bool is_running(const char *dir)
{
    char *name = NULL;
    int fd = asprintf(&name, "%s/lock", dir) < 0 ? -1 : open(name, O_RDWR | O_CLOEXEC);
    bool running = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0;

    if (fd >= 0)
        close(fd);
    free(name);
    return running;
}

int job_never_began(const struct job *job, struct pingo_job_end *end)
{
    struct stat st;

    /* First the launcher: it may have passed the gate before it ended. */
    if (job->launcher == 0 || kill(job->launcher, 0) == 0 || errno != ESRCH ||
        lstat(job->dir, &st) == 0)
        return 0;
    *end = (struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                  .key = job->key,
                                  .reason = PINGO_END_NOT_STARTED,
                                  .message = "its launcher ended before it began"};
    return 1;
}

int job_read_end(const struct job *job, struct pingo_job_end *end)
{
    long long started, ended, user, system, rss;
    bool running = is_running(job->dir); /* first: an end may be written meanwhile */
    char *name = NULL;
    FILE *f = asprintf(&name, "%s/end", job->dir) < 0 ? NULL : fopen(name, "r");
    int status, n = f == NULL ? 0
                              : fscanf(f, "%d %lld %lld %lld %lld %lld", &status, &started, &ended,
                                       &user, &system, &rss);

    if (f != NULL)
        fclose(f);
    free(name);
    *end = (struct pingo_job_end){
        .size = sizeof(struct pingo_job_end), .key = job->key, .reason = PINGO_END_LOST};
    if (n != 6) {
        struct stat st;
        return !running && lstat(job->dir, &st) == 0 &&
               S_ISDIR(st.st_mode); /* the machine went down */
    }
    *end = (struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                  .key = job->key,
                                  .reason = PINGO_END_EXITED,
                                  .exit_code = WEXITSTATUS(status),
                                  .started_ms = started,
                                  .ended_ms = ended,
                                  .wall_ms = ended - started,
                                  .user_ms = user,
                                  .system_ms = system,
                                  .max_rss_bytes = rss};
    if (status == -1) {
        end->reason = PINGO_END_EXITED;
        end->exit_code = 127;
        snprintf(end->message, sizeof end->message, "its command cannot be run");
    } else if (job->kill_asked) {
        end->reason = PINGO_END_KILLED;
    } else if (WIFSIGNALED(status)) {
        end->reason = PINGO_END_SIGNALED;
        end->signal = WTERMSIG(status);
    } else if (end->exit_code == 0 && pingo_job_end_output(end, job->staged, NULL) != 0) {
        end->reason = PINGO_END_NO_OUTPUT;
    }
    return 1;
}
