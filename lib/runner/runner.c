/* runner.c - see runner.h.
 *
 * In this order: the gate, the command, the end of its whole process tree, the output at its staged path; then the
 * caller records the end, and only after that the directory is used again. */
#include "runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/full.h"
#include "base/path.h"
#include "base/room.h"
#include "base/world.h"
#include "rules/effects.h"
#include "runner/steps.h"

#define SPACE_NEARLY (INT64_C(256) << 20) /* less bytes free may soon be none */

/* ---- life ----------------------------------------------------------------------------------- */

static int watch_children(void)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &child, NULL) != 0)
        return -1;
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool pingo__runner_open(struct pingo__runner_state *runner, const char *pool_dir,
                        struct pingo__runner_master *master)
{
    char *path = pingo__path_child(pool_dir, pingo__name_parts[PINGO__ATTEMPTS]);
    int attempts = !path ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int why = attempts < 0 ? errno : 0;
    free(path);
    memset(runner, 0, sizeof *runner);
    runner->master = master;
    runner->killings = -1;
    runner->signals = watch_children();
    if (!why && (runner->signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0))
        why = errno;
    runner->score = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    pingo__runner_scratch_init(&runner->scratch, attempts);
    runner->sandbox.abi = pingo__sandbox_abi();
    if (!why)
        return true;
    pingo__runner_close(runner);
    errno = why;
    return false;
}

void pingo__runner_close(struct pingo__runner_state *runner)
{
    pingo__runner_scratch_clear(&runner->scratch);
    pingo__runner_links_clear(&runner->scratch);
    pingo__sandbox_clear(&runner->sandbox);
    pingo__file_close(runner->scratch.attempts);
    pingo__file_close(runner->signals);
    pingo__file_close(runner->score);
}

/* ---- a run ---------------------------------------------------------------------------------- */

void pingo__runner_not_started(struct pingo_job_end *end, int error_number, const char *what)
{
    pingo__runner_fail(
        end, pingo__error_is_full(error_number) ? PINGO_END_NO_SPACE : PINGO_END_NOT_STARTED,
        "%.100s: %s%s", what, strerror(error_number),
        error_number == EAGAIN ? " (" PINGO__ROOM_PROCESSES ")" : "");
}

/* A command that could not write reports that in its own way; the file system tells whether it was full. */
static bool pool_is_full(int attempts)
{
    return pingo__full_is(pingo__full_free_bytes(attempts));
}

/* Of those who fail for a full disk the first makes room, before the others have looked. */
static bool note_full(int attempts, bool full)
{
    return pingo__full_note(attempts, pingo__name_met_full, full);
}

/* Nor is one the command's failure where a file system is read-only after an error of its disk. */
static bool pool_is_broken(int attempts)
{
    return futimens(attempts, NULL) != 0 && (errno == EROFS || errno == EIO);
}

/* Many remove what they wrote when they cannot write on, as sort(1) does, and then fail: it was full for a moment.  Not
 * for attempts of a cluster: thousands of them would ask one server of files, again and again. */
static bool look_at_disk(void *context)
{
    const struct pingo__runner_state *runner = context;
    int64_t bytes = pingo__full_free_bytes(runner->scratch.attempts);
    note_full(runner->scratch.attempts, pingo__full_is(bytes));
    return bytes < SPACE_NEARLY;
}

/* execve refused: as a shell would say it, in the log, with a shell's exit status. */
static void cannot_execute(struct pingo__runner_logs *logs, const struct pingo__runner_job *job,
                           int error_number, struct pingo_job_end *end)
{
    char line[512];
    bool absent = error_number == ENOENT || error_number == ENOTDIR;
    snprintf(end->message, sizeof end->message, "%.100s: %s", job->argv[0],
             absent && !strchr(job->argv[0], '/') ? "no such command on PATH"
                                                  : strerror(error_number));
    snprintf(line, sizeof line, "pingo: %s\n", end->message);
    pingo__runner_logs_say(logs, line);
    end->reason = PINGO_END_EXITED;
    end->exit_code = 127;
}

static void judge(const struct pingo__runner_watch *watch, const struct pingo__runner_job *job,
                  struct pingo_job_end *end)
{
    end->reason = watch->why;
    if (WIFSIGNALED(watch->status))
        end->signal = WTERMSIG(watch->status);
    else
        end->exit_code = WEXITSTATUS(watch->status);
    if (end->reason == PINGO_END_EXITED && WIFSIGNALED(watch->status))
        end->reason = PINGO_END_SIGNALED;
    else if (end->reason == PINGO_END_TIME_LIMIT)
        snprintf(end->message, sizeof end->message, "ended after its time limit of %.3f s",
                 (double)job->time_limit_ms / 1000);
    else if (end->reason == PINGO_END_MEMORY_LIMIT)
        snprintf(end->message, sizeof end->message,
                 "used more than its %lld MB of memory (%.1f MB were seen)",
                 (long long)(job->memory_bytes / 1048576), (double)watch->max_rss_bytes / 1048576);
    else if (end->reason == PINGO_END_LOST)
        snprintf(end->message, sizeof end->message, "the supervisor ended while it ran");
    end->user_ms = watch->user_us / 1000;
    end->system_ms = watch->system_us / 1000;
    end->max_rss_bytes = watch->max_rss_bytes;
}

/* The kernel counts whom it killed for memory in our group: somebody of this attempt, if nobody else is in it, or if
 * somebody of it was killed so. */
static void judge_killings(const struct pingo__runner_state *runner, int64_t before,
                           struct pingo_job_end *end)
{
    bool failed = pingo__rules_end_signal(end) == SIGKILL ||
                  (runner->is_alone && pingo__rules_end_is_failure(end));
    if (before < 0 || !failed || pingo__runner_memory_kills(runner->killings) <= before)
        return;
    pingo__runner_fail(end, PINGO_END_MEMORY_LIMIT, "%s (%.1f MB were seen)",
                       runner->is_alone ? "it used more memory than its batch system gives it"
                                        : "the kernel ended it for want of memory",
                       (double)end->max_rss_bytes / 1048576);
}

/* From vfork to the end of the whole process tree. */
static void run_command(struct pingo__runner_state *runner, const struct pingo__runner_job *job,
                        const struct pingo__runner_command *command, struct pingo_job_end *end)
{
    struct pingo__runner_logs logs;
    struct pingo__runner_memory_group *group = NULL;
    bool at_exec = false;
    int ruleset = -1;
    int rc = pingo__runner_logs_open(&logs, runner->scratch.dir, runner->log_bytes, !job->output);
    if (rc != 0) {
        pingo__runner_not_started(end, -rc, "the logs cannot be opened");
        return;
    }
    rc = pingo__runner_confine(&runner->sandbox, &runner->scratch, &logs, job, &ruleset);
    if (rc != 0) {
        pingo__runner_not_started(end, -rc, "the sandbox cannot be made");
        pingo__runner_logs_close(&logs);
        return;
    }
    end->confined = ruleset >= 0;
    int64_t limit = runner->lets_exceed ? 0 : job->memory_bytes;
    group = pingo__runner_memory_group_open(job->key, limit);
    const struct pingo__runner_command_places places = {runner->scratch.work,
                                                        {0, logs.fds[0], logs.fds[1]},
                                                        pingo__runner_memory_group_procs(group),
                                                        ruleset,
                                                        runner->score};
    int64_t started = pingo__world_monotonic_ms(), stood_ms = 0;
    pid_t pid = pingo__runner_command_start(command, &places, &at_exec);
    if (ruleset != runner->scratch.ruleset)
        pingo__file_close(ruleset);
    if (pid > 0) {
        struct pingo__runner_watch watch = {.master = runner->master,
                                            .signals = runner->signals,
                                            .key = job->key,
                                            .leader = pid,
                                            .time_limit_ms = job->time_limit_ms,
                                            .memory_bytes = limit,
                                            .grace_ms = runner->grace_ms,
                                            .looked = runner->is_alone ? NULL : look_at_disk,
                                            .context = runner,
                                            .logs = &logs,
                                            .group = group};
        pingo__runner_watch_run(&watch);
        judge(&watch, job, end);
        stood_ms = watch.stood_ms;
    } else {
        pingo__runner_watch_reap_all();
        if (at_exec && pid != -ENOMEM && pid != -EAGAIN)
            cannot_execute(&logs, job, -pid, end);
        else
            pingo__runner_not_started(end, -pid, "the command cannot be started");
    }
    end->wall_ms = pingo__world_monotonic_ms() - started - stood_ms;
    pingo__runner_logs_close(&logs);
    pingo__runner_memory_group_close(group);
}

static bool make_links(struct pingo__runner_state *runner, const struct pingo__runner_job *job,
                       struct pingo_job_end *end)
{
    const struct pingo_job_link *link = NULL;
    char what[160];
    int rc = pingo__runner_links_make(&runner->scratch, job, &link);
    if (rc == 0)
        return true;
    if (rc == -ESTALE) { /* the scheduler looks at it before it starts the next attempt */
        pingo__runner_fail(end, PINGO_END_NOT_STARTED, "in/%.64s changed before it was copied",
                           link->name);
        return false;
    }
    snprintf(what, sizeof what, "in/%.64s cannot be made", !link ? "" : link->name);
    pingo__runner_not_started(end, -rc, what);
    return false;
}

static void run(struct pingo__runner_state *runner, const struct pingo__runner_job *job,
                int64_t granted, struct pingo_job_end *end)
{
    struct pingo__runner_command command = {0};
    struct pingo__runner_orders orders = {.master = runner->master, .key = job->key};
    struct pingo__runner_grant grant = {granted, job->memory_bytes};
    int64_t kills = pingo__runner_memory_kills(runner->killings);
    struct stat claimed = {.st_ctim = {INT64_MAX, 0}};
    fstat(runner->scratch.dir, &claimed); /* it was given its name just now */
    if (runner->memory_bytes > 0 && grant.memory_bytes > runner->memory_bytes)
        grant.memory_bytes = runner->memory_bytes;
    if (pingo__runner_command_init(&command, job, &grant) != 0)
        pingo__runner_not_started(end, ENOMEM, "the command cannot be prepared");
    else if (make_links(runner, job, end)) {
        run_command(runner, job, &command, end);
        if (job->time_limit_ms > 0) /* what is left of it is for the output */
            orders.deadline_ms = pingo__world_monotonic_ms() + job->time_limit_ms - end->wall_ms;
        end->inputs_same = pingo__runner_links_are_same(job, &orders);
    }
    pingo__runner_command_clear(&command);
    if (end->reason == PINGO_END_EXITED && end->exit_code == 0)
        pingo__runner_output_take(&runner->scratch, job, &orders, end);
    judge_killings(runner, kills, end);
    bool failed = pingo__rules_end_is_failure(end);
    if (failed)
        pingo__runner_confine_explain(&runner->scratch, end);
    int attempts = runner->scratch.attempts;
    if (failed && pool_is_broken(attempts))
        pingo__runner_fail(end, PINGO_END_LOST, "it failed while the pool could not be written: %s",
                           strerror(errno));
    bool full = note_full(attempts, failed && (pool_is_full(attempts) ||
                                               pingo__full_refuses(runner->scratch.dir, "room")));
    if (full || (failed && pingo__full_was(attempts, pingo__name_met_full, &claimed.st_ctim)))
        pingo__runner_fail(end, PINGO_END_NO_SPACE, "it failed while the pool's disk was full");
    if (end->reason != PINGO_END_NO_SPACE)
        return;
    /* What it wrote is of no use, and all that follows needs room. */
    end->size_bytes = pingo__runner_scratch_drop(&runner->scratch, !job->output);
    note_full(attempts, full);
}

void pingo__runner_run(struct pingo__runner_state *runner, const struct pingo__runner_job *job,
                       int64_t granted, struct pingo_job_end *end)
{
    *end = (struct pingo_job_end){
        .size = sizeof *end, .key = job->key, .started_ms = pingo__world_wall_ms()};
    run(runner, job, granted, end);
    end->ended_ms = pingo__world_wall_ms();
}

/* ---- before and after ------------------------------------------------------------------------- */

/* A scheduler revokes an attempt by a file; a directory of that name is something else. */
static bool is_directory(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int pingo__runner_claim(struct pingo__runner_state *runner, const char *attempt_dir, bool *given_up)
{
    int rc = pingo__runner_scratch_claim(&runner->scratch, attempt_dir);
    *given_up = rc == -EEXIST && !is_directory(attempt_dir);
    return *given_up ? 0 : rc;
}

void pingo__runner_settle(struct pingo__runner_state *runner, const struct pingo__runner_job *job,
                          const struct pingo_job_end *end)
{
    int attempts = runner->scratch.attempts;
    bool full = note_full(attempts, pool_is_full(attempts));
    if (pingo_job_end_is_success(end)) {
        pingo__runner_links_keep(&runner->scratch, job);
        pingo__runner_scratch_release(&runner->scratch, job->attempt_dir);
    } else {
        pingo__runner_scratch_leave(&runner->scratch);
    }
    note_full(attempts, full);
}
