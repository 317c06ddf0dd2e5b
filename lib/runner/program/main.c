/* main.c - pingo-runner: runs one attempt on a machine that shares the pool's file system.
 *
 *   pingo-runner ATTEMPT-DIR
 *   pingo-runner --list LIST NUMBER
 *   pingo-runner --probe DIR
 *
 * In this order: the gate, the job, the run, the sync of what was written, the outcome.  If this process is killed
 * before that, the attempt has started and has no outcome: only the engine that started it knows that it is over. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pingo/version.h>

#include "base/error.h"
#include "base/file.h"
#include "base/full.h"
#include "base/names.h"
#include "base/text.h"
#include "base/world.h"
#include "digest/sha256.h"
#include "runner/runner.h"
#include "runner/record/probe.h"

#define RETRY_MS 200
#define LIST_MOST (1 << 24) /* bytes */

enum { LEFT = 0, FAILED = 1, USAGE = 2, NOT_HERE = 3 }; /* exit statuses */

/* ---- the attempt ------------------------------------------------------------------------------ */

/* The same directory, by the same path: else HOME, links and the output would lead elsewhere. */
static bool is_of(int dir, const struct pingo__runner_job *job, struct pingo_job_key key)
{
    struct stat here, there;
    return pingo__runner_key_is(job->key, key) && fstat(dir, &here) == 0 &&
           stat(job->attempt_dir, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* What other machines will read lies on the disk before the outcome says that it is there. */
static void make_durable(const struct pingo__runner_state *runner, int dir,
                         struct pingo_job_end *end)
{
    if (!pingo_job_end_is_success(end) || syncfs(runner->scratch.attempts) == 0)
        return;
    int why = errno; /* EIO of a quota, too */
    bool full = pingo__error_is_full(why) || pingo__full_refuses(dir, "room");
    pingo__runner_fail(end, full ? PINGO_END_NO_SPACE : PINGO_END_LOST,
                       "the output cannot be written to the disk: %s", strerror(why));
}

/* Room for the outcome comes first: who knows what the command leaves. */
static void run(struct pingo__runner_alone *alone, int dir, struct pingo__runner_errand *errand,
                struct pingo_job_end *end)
{
    int rc = pingo__runner_outcome_reserve(dir);
    if (rc) {
        pingo__runner_not_started(end, -rc, "there is no room for the outcome");
        return;
    }
    pingo__runner_alone_run(alone, dir, errand, end);
    make_durable(&alone->runner, dir, end);
}

/* An outcome must not be lost for want of space: it waits, until we are told to end. */
static int leave(struct pingo__runner_alone *alone, int dir, const struct pingo_job_end *end)
{
    bool said = false;
    for (;;) {
        int rc = pingo__runner_outcome_write(dir, end);
        alone->signal = 0; /* one that ended the command does not end the wait */
        if (rc == 0)
            return LEFT;
        if (!said)
            warnx("the outcome cannot be written: %s", strerror(-rc));
        said = true;
        if (rc == -ENOENT || rc == -ESTALE || pingo__runner_alone_told(alone, RETRY_MS))
            return FAILED;
    }
}

static int run_started(struct pingo__runner_alone *alone, int dir, const char *name,
                       struct pingo_job_key key)
{
    struct pingo_job_end end = {.size = sizeof end, .key = key};
    struct pingo__runner_errand errand;
    int read = pingo__runner_errand_read(dir, name, &errand);
    end.started_ms = pingo__world_wall_ms();
    const char *why = read == PINGO_EVERSION
                          ? "its job is written by another version of Pingo than the runner's"
                      : read == PINGO_ECORRUPT ? "its job does not read back"
                      : read                   ? "its job cannot be read"
                      : !is_of(dir, &errand.job, key)
                          ? "its directory does not lie under the same path on this machine"
                          : NULL;
    if (why)
        pingo__runner_fail(&end, PINGO_END_NOT_STARTED, "%s", why);
    else
        run(alone, dir, &errand, &end);
    end.ended_ms = pingo__world_wall_ms();
    int rc = leave(alone, dir, &end);
    pingo__runner_alone_leave(alone, &end);
    pingo__runner_errand_clear(&errand);
    return rc;
}

static int run_attempt(const char *attempt_dir)
{
    char name[PINGO__RUNNER_STARTED_SIZE];
    struct pingo_job_key key;
    struct pingo__runner_alone alone;
    int lock = -1; /* held to the end */
    if (pingo__runner_alone_listen(&alone, -1) != 0 ||
        !pingo__runner_attempt_key(attempt_dir, &key)) {
        warnx("%s: is not the directory of an attempt, POOL/attempts/ACTION.EPOCH", attempt_dir);
        return USAGE;
    }
    int dir = open(attempt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = dir < 0 ? -errno : pingo__runner_attempt_start(dir, name, &lock);
    if (rc && rc != -ENOENT) {
        warnx("%s: %s", attempt_dir, strerror(-rc));
        return FAILED;
    }
    if (lock < 0) {
        warnx(
            "%s: nothing is to be started here: the attempt was given up, or somebody else runs it",
            attempt_dir);
        return NOT_HERE;
    }
    rc = run_started(&alone, dir, name, key);
    close(dir);
    return rc;
}

/* HASH/list: is it the text of that hash?  What a broken disk has made of it would start another task's attempt, whose
 * own would then be taken for lost. */
static bool reads_back(const char *list, const char *text)
{
    char hash[PINGO__DIGEST_SHORT_SIZE], end[PINGO__DIGEST_SHORT_SIZE + 8];
    pingo__digest_short(text, strlen(text), hash);
    size_t n = (size_t)snprintf(end, sizeof end, "/%s/list", hash), length = strlen(list);
    return length > n && strcmp(list + length - n, end) == 0;
}

/* Of an array job: its task's line says which attempt. */
static int run_listed(const char *list, const char *number)
{
    char *text = NULL, *attempt_dir = NULL;
    size_t n;
    int64_t line;
    int rc = pingo__file_read_whole(AT_FDCWD, list, LIST_MOST, &text, &n);
    if (rc < 0)
        warnx("%s: %s", list, strerror(-rc));
    else if (!reads_back(list, text))
        warnx("%s: does not read back", list);
    else if (!pingo__text_to_int64(number, 0, INT64_MAX, &line) ||
             !(attempt_dir = pingo__name_listed(list, text, line)))
        warnx("%s: there is no attempt number %s in it", list, number);
    rc = attempt_dir ? run_attempt(attempt_dir) : FAILED;
    free(attempt_dir);
    free(text);
    return rc;
}

/* ---- the program ------------------------------------------------------------------------------ */

static const char help[] =
    "usage: pingo-runner ATTEMPT-DIR\n"
    "       pingo-runner --list LIST NUMBER\n"
    "       pingo-runner --probe DIR\n"
    "       pingo-runner --help | --version\n"
    "\n"
    "Runs one attempt of an action of Pingo, whose job an executor has put into ATTEMPT-DIR\n"
    "(POOL/attempts/ACTION.EPOCH), and leaves how it ended there.  A batch system or another\n"
    "engine starts it, on a machine that sees the pool's file system under the same path.\n"
    "With --list it is the one in line NUMBER, from 0 on, of the list of an array job.\n"
    "\n"
    "With --probe it answers what an executor asks in DIR, to see that attempts can run here.\n"
    "\n"
    "Exit status: 0 the outcome was left, whatever it is; 1 it could not be; 2 wrong usage;\n"
    "3 nothing was to be started: the attempt was given up, or somebody else runs it.\n"
    "See pingo-runner(8).\n";

static int probe(const char *dir)
{
    int rc = pingo__runner_probe_answer(dir);
    if (rc)
        warnx("%s: %s", dir, strerror(-rc));
    return rc ? FAILED : LEFT;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? FAILED : LEFT;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("pingo-runner %s\n", PINGO_VERSION) < 0 || fflush(stdout) != 0 ? FAILED : LEFT;
    if (argc == 3 && strcmp(argv[1], "--probe") == 0)
        return probe(argv[2]);
    bool listed = argc == 4 && strcmp(argv[1], "--list") == 0 && argv[2][0] == '/';
    if (!listed && (argc != 2 || argv[1][0] != '/')) {
        fputs(help, stderr);
        return USAGE;
    }
    pingo__runner_alone_ground();
    return listed ? run_listed(argv[2], argv[3]) : run_attempt(argv[1]);
}
