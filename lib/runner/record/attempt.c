/* attempt.c - see attempt.h. */
#include "runner/record/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/growing.h"
#include "base/machine.h"
#include "base/names.h"
#include "base/path.h"

#define JOB "job"
#define STARTED "started."
#define REVOKED "revoked"
#define OUTCOME "outcome"
#define MAGIC UINT64_C(0x626f6a6f676e6970)
#define VERSION 1u
#define JOB_MOST ((size_t)1 << 30) /* bytes */

/* ---- files --------------------------------------------------------------------------------- */

static int open_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static bool is_there(int dir, const char *name)
{
    return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* *bytes: yours. */
static int read_whole(int dir, const char *name, char **bytes, size_t *n)
{
    int rc = pingo__file_read_whole(dir, name, JOB_MOST, bytes, n);
    return rc == -EINVAL || rc == -EFBIG || rc == -ELOOP ? PINGO_ECORRUPT
           : rc == -ENOMEM                               ? PINGO_ENOMEM
           : rc                                          ? PINGO_EIO
                                                         : 0;
}

/* ---- the job ------------------------------------------------------------------------------- */

bool pingo__runner_attempt_key(const char *attempt_dir, struct pingo_job_key *key)
{
    return pingo__name_is_attempt(pingo__path_last(attempt_dir), &key->action, &key->epoch);
}

/* u64 magic, u32 version, the options, the job, u64 checksum of all before it. */
void pingo__runner_errand_put(struct pingo__buffer *b, const struct pingo_job *job,
                              const struct pingo_runner_options *options)
{
    pingo__buffer_u64(b, MAGIC);
    pingo__buffer_u32(b, VERSION);
    pingo__buffer_u64(b, (uint64_t)options->log_bytes);
    pingo__buffer_u64(b, (uint64_t)options->grace_ms);
    pingo__buffer_u64(b, (uint64_t)(options->cpus ? options->cpus : job->cpus));
    pingo__runner_put_job(b, job);
    if (!b->failed)
        pingo__buffer_u64(b, pingo__runner_checksum(b->data, b->length));
}

int pingo__runner_errand_parse(struct pingo__runner_errand *errand, size_t n)
{
    if (n < 8)
        return PINGO_ECORRUPT;
    struct pingo__buffer_reader r = {errand->bytes, n - 8, 0, false},
                                sum = {errand->bytes, n, n - 8, false};
    if (pingo__buffer_read_u64(&sum) != pingo__runner_checksum(errand->bytes, n - 8) ||
        pingo__buffer_read_u64(&r) != MAGIC)
        return PINGO_ECORRUPT;
    if (pingo__buffer_read_u32(&r) != VERSION)
        return r.failed ? PINGO_ECORRUPT : PINGO_EVERSION;
    struct pingo_runner_options *o = &errand->options;
    o->version = 1;
    o->log_bytes = (int64_t)pingo__buffer_read_u64(&r);
    o->grace_ms = (int64_t)pingo__buffer_read_u64(&r);
    o->cpus = (int64_t)pingo__buffer_read_u64(&r);
    if (r.failed || o->log_bytes < 0 || o->grace_ms < 0 || o->cpus < 1)
        return PINGO_ECORRUPT;
    return pingo__runner_get_job(&r, &errand->job);
}

int pingo__runner_errand_read(int dir, const char *name, struct pingo__runner_errand *errand)
{
    size_t n;
    memset(errand, 0, sizeof *errand);
    int rc = read_whole(dir, name, &errand->bytes, &n);
    return rc ? rc : pingo__runner_errand_parse(errand, n);
}

void pingo__runner_errand_clear(struct pingo__runner_errand *errand)
{
    pingo__runner_job_clear(&errand->job);
    free(errand->bytes);
    errand->bytes = NULL;
}

static bool is_runnable(const struct pingo_job *job, const struct pingo_runner_options *o)
{
    struct pingo_job_key key;
    return job->argv && job->argv[0] && job->cpus >= 1 && job->memory_bytes >= 0 &&
           job->time_limit_ms >= 0 && o->log_bytes >= 0 && o->grace_ms >= 0 && o->cpus >= 0 &&
           job->attempt_dir[0] == '/' && job->staged_path[0] == '/' &&
           pingo__runner_attempt_key(job->attempt_dir, &key) && pingo__runner_key_is(key, job->key);
}

int pingo_runner_arm(const struct pingo_job *job, const struct pingo_runner_options *options,
                     struct pingo_error *err)
{
    struct pingo__buffer b = {0};
    struct pingo_runner_options o;
    int rc = PINGO__OPTIONS_TAKE(pingo_runner_options, options, &o, err);
    if (rc)
        return rc;
    if (!is_runnable(job, &o))
        return pingo__fail(err, PINGO_EINVAL,
                           "%s: a job needs a command, at least one cpu, limits from 0 on, and a "
                           "directory that is its own: attempts/ACTION.EPOCH",
                           job->name ? job->name : "job");
    if (mkdir(job->attempt_dir, 0755) != 0)
        return errno == EEXIST
                   ? pingo__fail(err, PINGO_EEXISTS, "%s: is there already", job->attempt_dir)
                   : pingo__fail_os(err, errno, "cannot be made", job->attempt_dir);
    pingo__runner_errand_put(&b, job, &o);
    int dir = open_directory(job->attempt_dir);
    rc = dir < 0 ? dir : b.failed ? -ENOMEM : 0;
    if (!rc)
        rc = pingo__file_replace(dir, JOB, b.data, b.length, !o.unsynced);
    pingo__file_close(dir);
    pingo__buffer_clear(&b);
    return rc ? pingo__fail_os(err, -rc, "the job cannot be put there", job->attempt_dir) : 0;
}

int pingo_runner_sync(const char *attempt_dir, struct pingo_error *err)
{
    int dir = open_directory(attempt_dir), rc = dir < 0 ? dir : 0;
    if (!rc && syncfs(dir) != 0)
        rc = -errno;
    pingo__file_close(dir);
    return rc ? pingo__fail_os(err, -rc, "its file system cannot be synced", attempt_dir) : 0;
}

/* ---- the gate ------------------------------------------------------------------------------ */

/* If a reply is lost on a network, the winner may take itself for a loser: then the attempt does not run, and the
 * engine says that its job is gone. */
int pingo__runner_attempt_start(int dir, char name[PINGO__RUNNER_STARTED_SIZE], int *lock)
{
    char host[64];
    *lock = -1;
    pingo__machine_host(host);
    snprintf(name, PINGO__RUNNER_STARTED_SIZE, STARTED "%s.%ld", host, (long)getpid());
    int fd = openat(dir, JOB, O_RDWR | O_NOFOLLOW | O_CLOEXEC), rc = fd < 0 ? -errno : 0;
    bool locked = !rc && (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
    if (locked && renameat(dir, JOB, dir, name) != 0)
        rc = -errno;
    if (!rc && locked && !is_there(dir, REVOKED))
        *lock = fd;
    else if (fd >= 0)
        close(fd);
    return rc == -ENOENT ? 0 : rc;
}

/* What is in a directory, read in one go: on a network a name alone may be remembered for long. */
struct contents {
    bool job, revoked, outcome;
    char started[PINGO__RUNNER_STARTED_SIZE]; /* "": nobody has */
};

static int list_once(int dir, struct contents *c)
{
    DIR *list = pingo__file_list(dir);
    const char *name;
    memset(c, 0, sizeof *c);
    if (!list)
        return -errno;
    while ((name = pingo__file_next(list))) {
        c->job = c->job || strcmp(name, JOB) == 0;
        c->revoked = c->revoked || strcmp(name, REVOKED) == 0;
        c->outcome = c->outcome || strcmp(name, OUTCOME) == 0;
        if (strncmp(name, STARTED, strlen(STARTED)) == 0 && strlen(name) < sizeof c->started)
            strcpy(c->started, name);
    }
    int rc = -errno;
    closedir(list);
    return rc;
}

/* A file that is renamed meanwhile may be missed under both names, but not twice. */
static int list(int dir, struct contents *c)
{
    int rc = list_once(dir, c);
    if (!rc && !c->job && !c->revoked && !c->outcome && !*c->started)
        rc = list_once(dir, c);
    return rc;
}

/* No job was there: it was revoked before, it has started, or it was never armed. */
static int revoke_without_job(int dir, bool *revoked)
{
    struct contents c;
    int rc = list(dir, &c);
    if (rc || c.revoked || *c.started || c.outcome) {
        *revoked = !rc && !*c.started && !c.outcome;
        return rc;
    }
    int fd = openat(dir, REVOKED, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    close(fd);
    unlinkat(dir, JOB, 0); /* it came just now */
    rc = list(dir, &c);
    *revoked = !rc && !*c.started;
    if (*c.started)
        unlinkat(dir, REVOKED, 0); /* too late for who has looked; else its end is that it is lost */
    return rc;
}

int pingo_runner_revoke(const char *attempt_dir, bool *revoked, struct pingo_error *err)
{
    int rc = mkdir(attempt_dir, 0755) == 0 || errno == EEXIST ? 0 : -errno;
    int dir = rc ? rc : open_directory(attempt_dir);
    *revoked = false;
    rc = dir < 0 ? dir : 0;
    if (!rc && renameat(dir, JOB, dir, REVOKED) == 0)
        *revoked = true;
    else if (!rc)
        rc = errno == ENOENT ? revoke_without_job(dir, revoked) : -errno;
    pingo__file_close(dir);
    return rc ? pingo__fail_os(err, -rc, "the attempt cannot be revoked", attempt_dir) : 0;
}

/* ---- the outcome --------------------------------------------------------------------------- */

int pingo__runner_outcome_reserve(int dir)
{
    static const char zeroes[PINGO__RUNNER_OUTCOME_SIZE];
    return pingo__file_write(dir, OUTCOME PINGO__FILE_PART, zeroes, sizeof zeroes, false);
}

int pingo__runner_outcome_write(int dir, const struct pingo_job_end *end)
{
    char record[PINGO__RUNNER_OUTCOME_SIZE];
    pingo__runner_outcome_encode(end, record);
    return pingo__file_replace(dir, OUTCOME, record, sizeof record, true);
}

/* "started.node1.example.org.1234" */
static void read_started(const char *name, struct pingo_runner_report *report)
{
    const char *host = name + strlen(STARTED), *dot = strrchr(host, '.');
    size_t n = dot ? (size_t)(dot - host) : 0;
    if (n >= sizeof report->node)
        n = sizeof report->node - 1;
    memcpy(report->node, host, n);
    report->pid = dot ? strtoll(dot + 1, NULL, 10) : 0;
}

/* Does its runner live, as far as can be told here? */
static bool is_held(int dir, const char *started)
{
    int fd = openat(dir, started, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    pingo__file_close(fd);
    return held;
}

static int read_outcome(int dir, const char *attempt_dir, struct pingo_runner_report *report)
{
    struct pingo_job_key key;
    size_t n;
    char *bytes = NULL;
    int rc = pingo__runner_attempt_key(attempt_dir, &key) ? 0 : PINGO_EINVAL;
    if (!rc)
        rc = read_whole(dir, OUTCOME, &bytes, &n);
    if (!rc &&
        (n != PINGO__RUNNER_OUTCOME_SIZE || !pingo__runner_outcome_decode(bytes, &report->end) ||
         !pingo__runner_key_is(key, report->end.key)))
        rc = PINGO_ECORRUPT;
    free(bytes);
    if (rc == PINGO_ECORRUPT)
        report->end = (struct pingo_job_end){.size = sizeof report->end,
                                             .key = key,
                                             .reason = PINGO_END_LOST,
                                             .message = "its outcome does not read back"};
    memcpy(report->end.node, report->node, sizeof report->end.node);
    return rc == PINGO_ECORRUPT ? 0 : rc;
}

static int look(const char *attempt_dir, struct pingo_runner_report *report, struct pingo_error *err)
{
    struct contents c;
    int dir = open_directory(attempt_dir);
    if (dir == -ENOENT || dir == -ENOTDIR)
        return 0;
    int rc = dir < 0 ? dir : list(dir, &c);
    if (!rc && *c.started && !c.outcome && !(report->held = is_held(dir, c.started)))
        rc = list(dir, &c); /* an outcome may have come before the lock went */
    if (rc) {
        pingo__file_close(dir);
        return pingo__fail_os(err, -rc, "cannot be read", attempt_dir);
    }
    if (*c.started)
        read_started(c.started, report);
    report->state = c.outcome    ? PINGO_RUNNER_ENDED
                    : c.revoked  ? PINGO_RUNNER_REVOKED
                    : *c.started ? PINGO_RUNNER_STARTED
                    : c.job      ? PINGO_RUNNER_ARMED
                                 : PINGO_RUNNER_NONE;
    if (c.outcome)
        rc = read_outcome(dir, attempt_dir, report);
    close(dir);
    return rc ? pingo__fail(err, rc, "%s/" OUTCOME ": %s", attempt_dir, pingo_error_text(rc)) : 0;
}

int pingo_runner_look(const char *attempt_dir, struct pingo_runner_report *report,
                      struct pingo_error *err)
{
    struct pingo_runner_report own = {.pid = 0};
    const size_t end_at = offsetof(struct pingo_runner_report, end);
    int rc = pingo__growing_result_check(report, "pingo_runner_report", err);
    if (rc)
        return rc;
    rc = look(attempt_dir, &own, err);
    if (own.end.size && report->size < sizeof own) /* as long as the caller's is */
        own.end.size = report->size > end_at ? report->size - end_at : 0;
    pingo__growing_result_put(report, &own, sizeof own);
    return rc;
}

void pingo_runner_forget(const char *attempt_dir)
{
    static const char *const logs[] = {"stdout", "stderr"};
    struct contents c = {0};
    int dir = open_directory(attempt_dir);
    if (dir < 0)
        return;
    if (list(dir, &c) == 0 && *c.started)
        unlinkat(dir, c.started, 0);
    unlinkat(dir, REVOKED, 0);
    unlinkat(dir, OUTCOME, 0);
    unlinkat(dir, JOB PINGO__FILE_PART, 0);
    unlinkat(dir, OUTCOME PINGO__FILE_PART, 0); /* of a runner that was killed */
    for (size_t i = 0; i < 2; i++) {
        struct stat st;
        if (fstatat(dir, logs[i], &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
            st.st_size == 0)
            unlinkat(dir, logs[i], 0);
    }
    close(dir);
    rmdir(attempt_dir); /* where there are logs, they stay */
}
