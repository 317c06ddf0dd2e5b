/* attempt.c - see attempt.h.
 *
 * Order is everything here: the gate, the note of what runs, the command, the
 * end of everybody of it, the output at its staged path, the record in the
 * journal, only then the directory back and the next job. */
#include "executor/local/supervisor/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/room.h"
#include "executor/local/journal.h"
#include "executor/local/supervisor/command.h"
#include "executor/local/supervisor/links.h"
#include "executor/local/supervisor/logs.h"
#include "executor/local/supervisor/memory.h"
#include "executor/local/supervisor/output.h"
#include "executor/local/supervisor/running.h"
#include "executor/local/supervisor/watch.h"

/* Bytes free: less is a full disk.  More than the store's reserve and its log, which may be given up
 * between the command's failure and the look. */
#define SPACE_LOW (UINT64_C(2) << 20)
#define JOURNAL_RETRY_MS 200

static int64_t wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool is_full(int error_number)
{
    return error_number == ENOSPC || error_number == EDQUOT;
}

static void not_started(struct pingo_job_end *end, int error_number, const char *what)
{
    end->reason = is_full(error_number) ? PINGO_END_NO_SPACE : PINGO_END_NOT_STARTED;
    snprintf(end->message, sizeof end->message, "%.100s: %s%s", what, strerror(error_number),
             error_number == EAGAIN ? " (" PINGO__ROOM_PROCESSES ")" : "");
}

/* A command that could not write says so in its own way; what it meant shows in the file system. */
static bool pool_is_full(int dir)
{
    struct statvfs fs;
    if (fstatvfs(dir, &fs) != 0)
        return false;
    return (uint64_t)fs.f_bavail * fs.f_frsize < SPACE_LOW || (fs.f_files > 0 && fs.f_favail == 0);
}

/* execve refused: as a shell would say it, in the log, with a shell's exit status. */
static void cannot_execute(struct pingo__logs *logs, const struct pingo__wire_job *job,
                           int error_number, struct pingo_job_end *end)
{
    char line[512];
    bool absent = error_number == ENOENT || error_number == ENOTDIR;
    snprintf(end->message, sizeof end->message, "%.100s: %s", job->argv[0],
             absent && strchr(job->argv[0], '/') == NULL ? "no such command on PATH"
                                                         : strerror(error_number));
    snprintf(line, sizeof line, "pingo: %s\n", end->message);
    pingo__logs_say(logs, line);
    end->reason = PINGO_END_EXITED;
    end->exit_code = 127;
}

static void judge(const struct pingo__watch *watch, const struct pingo__wire_job *job,
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

/* From vfork to the end of the last of the family. */
static void run_command(struct pingo__worker *worker, const struct pingo__wire_job *job,
                        const struct pingo__command *command, struct pingo_job_end *end)
{
    struct pingo__logs logs;
    struct pingo__memory_group *group = NULL;
    bool at_exec = false;
    int ruleset = -1;
    int result = pingo__logs_open(&logs, worker->scratch.dir, worker->settings.log_bytes,
                                  job->output == NULL);
    if (result != 0) {
        not_started(end, -result, "the logs cannot be opened");
        return;
    }
    result = pingo__confine(&worker->confinement, &worker->scratch, &logs, job, &ruleset);
    if (result != 0) {
        not_started(end, -result, "the sandbox cannot be made");
        pingo__logs_close(&logs);
        return;
    }
    end->confined = ruleset >= 0;
    group = pingo__memory_group_open(job->key, job->memory_bytes);
    const struct pingo__command_places places = {worker->scratch.work,
                                                 {0, logs.fds[0], logs.fds[1]},
                                                 pingo__memory_group_procs(group),
                                                 ruleset};
    int64_t started = pingo__watch_now_ms();
    pid_t pid = pingo__command_start(command, &places, &at_exec);
    if (pid > 0) {
        struct pingo__watch watch = {.control = &worker->control,
                                     .signals = worker->signals,
                                     .key = job->key,
                                     .leader = pid,
                                     .time_limit_ms = job->time_limit_ms,
                                     .memory_bytes = job->memory_bytes,
                                     .grace_ms = worker->settings.grace_ms,
                                     .logs = &logs,
                                     .group = group};
        pingo__watch_run(&watch);
        judge(&watch, job, end);
    } else {
        pingo__watch_reap_all();
        if (at_exec && pid != -ENOMEM && pid != -EAGAIN)
            cannot_execute(&logs, job, -pid, end);
        else
            not_started(end, -pid, "the command cannot be started");
    }
    end->wall_ms = pingo__watch_now_ms() - started;
    pingo__logs_close(&logs);
    pingo__memory_group_close(group);
}

static bool make_links(struct pingo__worker *worker, const struct pingo__wire_job *job,
                       struct pingo_job_end *end)
{
    const struct pingo_job_link *link = NULL;
    char what[160];
    int result = pingo__links_make(&worker->scratch, job, &link);
    if (result == 0)
        return true;
    if (result == -ESTALE) { /* the scheduler looks at it before it starts the next attempt */
        end->reason = PINGO_END_NOT_STARTED;
        snprintf(end->message, sizeof end->message, "in/%.64s changed before it was copied",
                 link->name);
        return false;
    }
    snprintf(what, sizeof what, "in/%.64s cannot be made", link == NULL ? "" : link->name);
    not_started(end, -result, what);
    return false;
}

static void run(struct pingo__worker *worker, const struct pingo__wire_job *job, int64_t granted,
                struct pingo_job_end *end)
{
    struct pingo__command command = {0};
    struct pingo__orders orders = {.control = &worker->control, .key = job->key};
    if (job->time_limit_ms > 0)
        orders.deadline_ms = pingo__watch_now_ms() + job->time_limit_ms;
    if (pingo__command_init(&command, job, granted) != 0)
        not_started(end, ENOMEM, "the command cannot be prepared");
    else if (make_links(worker, job, end)) {
        run_command(worker, job, &command, end);
        end->inputs_same = pingo__links_are_same(job, &orders);
    }
    pingo__command_clear(&command);
    if (end->reason == PINGO_END_EXITED && end->exit_code == 0)
        pingo__output_take(&worker->scratch, job, &orders, end);
    bool failed = (end->reason == PINGO_END_EXITED && end->exit_code != 0) ||
                  end->reason == PINGO_END_SIGNALED || end->reason == PINGO_END_NO_OUTPUT;
    if (failed && end->confined)
        pingo__confine_explain(&worker->scratch, end);
    if (failed && pool_is_full(worker->scratch.attempts)) {
        end->reason = PINGO_END_NO_SPACE;
        snprintf(end->message, sizeof end->message, "it failed while the pool's disk was full");
    }
    if (end->reason ==
        PINGO_END_NO_SPACE) /* what it wrote is of no use, and all that follows needs room */
        end->size_bytes = pingo__scratch_drop(&worker->scratch, job->output == NULL);
}

/* An end must not be lost for want of space: it waits, as long as there is a supervisor. */
static bool record(struct pingo__worker *worker, const struct pingo_job_end *end)
{
    while (pingo__journal_append(worker->journal, end) != 0) {
        if (worker->control.ended)
            return false;
        struct pollfd polled = {worker->control.fd, POLLIN, 0};
        struct pingo__wire_frame frame;
        poll(&polled, 1, JOURNAL_RETRY_MS);
        while (pingo__control_next(&worker->control, false, &frame))
            continue; /* kills that came too late */
    }
    return true;
}

static void claimed(struct pingo__worker *worker, const struct pingo__wire_job *job, int64_t granted)
{
    struct pingo_job_end end;
    memset(&end, 0, sizeof end);
    end.key = job->key;
    end.started_ms = wall_ms();
    int result = pingo__running_write(worker->running, worker->slot, &job->key, getpid());
    if (result != 0)
        not_started(&end, -result, "the start cannot be noted");
    else
        run(worker, job, granted, &end);
    end.ended_ms = wall_ms();
    if (!record(worker, &end))
        return; /* what runs stays noted: the next supervisor reports it lost */
    pingo__running_write(worker->running, worker->slot, NULL, 0);
    pingo__control_tell(&worker->control, PINGO__WIRE_DONE, job->key);
    if (pingo_job_end_is_success(&end)) {
        pingo__links_keep(&worker->scratch, job);
        pingo__scratch_release(&worker->scratch, job->attempt_dir);
    } else {
        pingo__scratch_leave(&worker->scratch);
    }
}

/* The gate could not be tried: nothing runs, and nothing will. */
static void refuse(struct pingo__worker *worker, struct pingo_job_key key, int error_number,
                   const char *what)
{
    struct pingo_job_end end;
    memset(&end, 0, sizeof end);
    end.key = key;
    end.started_ms = end.ended_ms = wall_ms();
    not_started(&end, error_number, what);
    if (record(worker, &end))
        pingo__control_tell(&worker->control, PINGO__WIRE_DONE, key);
}

/* A scheduler gives an attempt up by a file.  A directory of that name is none of this attempt's. */
static bool is_directory(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

void pingo__attempt_run(struct pingo__worker *worker, struct pingo__reader *body)
{
    struct pingo__wire_job job;
    int64_t granted = (int64_t)pingo__read_u64(body);
    int code = pingo__wire_get_job(body, &job);
    if (code != 0) {
        refuse(worker, job.key, code == PINGO_ENOMEM ? ENOMEM : EPROTO, "the job cannot be read");
    } else {
        int result = pingo__scratch_claim(&worker->scratch, job.attempt_dir);
        if (result == 0)
            claimed(worker, &job, granted);
        else if (result == -EEXIST && !is_directory(job.attempt_dir))
            pingo__control_tell(&worker->control, PINGO__WIRE_REVOKED, job.key);
        else
            refuse(worker, job.key, -result, "its directory cannot be made");
    }
    pingo__wire_job_clear(&job);
    pingo__scratch_prepare(&worker->scratch); /* for the next one; a failure shows there */
}
