/* watch.c - see steps.h.
 *
 * The leader is looked at before it is reaped: as long as it is a zombie its
 * number is also that of its group alone, and the group can be killed in one
 * call.  After that only what the walk through the family finds is signalled. */
#include "runner/steps.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/world.h"

#define LOOK_MS 100 /* how often logs and disk are looked at, and the memory where it is limited */
#define LOOK_SOON_MS 10 /* after a log was cut, or while the disk is nearly full */
#define WEIGH_MS 1000   /* how often the memory is where it is not limited */
#define KILL_PAUSE_MS 5 /* between two rounds of KILL, growing */
#define KILL_PAUSE_MAX_MS 100
#define STOOD_MS 1000 /* whose pause is so much longer than it was to be was stopped, not slow */

static void note_memory(struct pingo__runner_watch *watch, int64_t bytes)
{
    if (bytes > watch->max_rss_bytes)
        watch->max_rss_bytes = bytes;
}

static void account(struct pingo__runner_watch *watch, const struct rusage *used)
{
    watch->user_us += (int64_t)used->ru_utime.tv_sec * 1000000 + used->ru_utime.tv_usec;
    watch->system_us += (int64_t)used->ru_stime.tv_sec * 1000000 + used->ru_stime.tv_usec;
    note_memory(watch, (int64_t)used->ru_maxrss * 1024);
}

static void kill_all(struct pingo__runner_watch *watch)
{
    pingo__runner_memory_group_kill(watch->group);
    if (!watch->leader_gone)
        kill(-watch->leader, SIGKILL);
    pingo__runner_family_find(&watch->family, NULL, 0);
    pingo__runner_family_kill(&watch->family);
}

static void end_hard(struct pingo__runner_watch *watch, enum pingo_end_reason why)
{
    if (watch->why == PINGO_END_EXITED && !watch->leader_gone)
        watch->why = why;
    if (!watch->hard) {
        watch->hard = true;
        watch->pause_ms = KILL_PAUSE_MS;
        kill_all(watch);
    }
}

static void end_softly(struct pingo__runner_watch *watch, enum pingo_end_reason why)
{
    if (watch->asked || watch->hard || watch->leader_gone)
        return;
    watch->why = why;
    watch->asked = true;
    watch->kill_at_ms = pingo__world_monotonic_ms() + watch->grace_ms;
    kill(-watch->leader, SIGTERM);
    kill(-watch->leader, SIGCONT);
    pingo__runner_family_find(&watch->family, NULL, 0);
    for (size_t i = 0; i < watch->family.n; i++) {
        pid_t pid = watch->family.pids[i];
        if (getpgid(pid) == watch->leader)
            continue; /* has got it */
        kill(pid, SIGTERM);
        kill(pid, SIGCONT);
    }
}

/* Takes every child that has ended. */
static void reap(struct pingo__runner_watch *watch)
{
    for (;;) {
        siginfo_t info;
        struct rusage used;
        int status;
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
            if (errno == EINTR)
                continue;
            watch->nobody_left = true; /* ECHILD */
            return;
        }
        if (info.si_pid == 0)
            return;
        bool is_leader = info.si_pid == watch->leader && !watch->leader_gone;
        if (is_leader && !watch->asked)
            kill(-watch->leader, SIGKILL); /* its group, while the number is surely its own */
        if (wait4(info.si_pid, &status, 0, &used) != info.si_pid)
            continue;
        account(watch, &used);
        if (is_leader) {
            watch->leader_gone = true;
            watch->status = status;
        }
    }
}

static void weigh(struct pingo__runner_watch *watch)
{
    note_memory(watch, pingo__runner_memory_group_peak(watch->group));
    if (pingo__runner_memory_group_over(watch->group)) {
        end_hard(watch, PINGO_END_MEMORY_LIMIT);
        return;
    }
    pingo__runner_family_find(&watch->family, NULL, 0);
    int64_t bytes = pingo__runner_family_resident(&watch->family);
    if (watch->memory_bytes > 0 && bytes > watch->memory_bytes) {
        /* Shared pages were counted for each: before anybody is killed, exactly. */
        int64_t exact = pingo__runner_family_proportional(&watch->family);
        bytes = exact >= 0 ? exact : bytes;
    }
    note_memory(watch, bytes);
    if (watch->memory_bytes > 0 && bytes > watch->memory_bytes)
        end_hard(watch, PINGO_END_MEMORY_LIMIT);
}

static void take_orders(struct pingo__runner_watch *watch)
{
    enum pingo_end_reason why = watch->master->take(watch->master, watch->key);
    if (why == PINGO_END_KILLED)
        end_softly(watch, why);
    else if (why == PINGO_END_LOST)
        end_hard(watch, why);
}

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int pause_for(const struct pingo__runner_watch *watch)
{
    int64_t now = pingo__world_monotonic_ms(), until = watch->look_at_ms;
    if (watch->hard)
        until = min(until, now + watch->pause_ms);
    if (watch->asked)
        until = min(until, watch->kill_at_ms);
    else if (watch->deadline_ms > 0)
        until = min(until, watch->deadline_ms);
    return until <= now ? 0 : (int)min(until - now, 60000);
}

static int64_t weigh_every_ms(const struct pingo__runner_watch *watch)
{
    return watch->memory_bytes > 0 ? LOOK_MS : WEIGH_MS;
}

/* What is due by the clock. */
static void look(struct pingo__runner_watch *watch)
{
    int64_t now = pingo__world_monotonic_ms();
    if (watch->hard) {
        kill_all(watch);
        watch->pause_ms = min(watch->pause_ms * 2, KILL_PAUSE_MAX_MS);
    } else if (watch->asked && now >= watch->kill_at_ms) {
        end_hard(watch, watch->why);
    } else if (!watch->asked && watch->deadline_ms > 0 && now >= watch->deadline_ms) {
        end_softly(watch, PINGO_END_TIME_LIMIT);
    }
    if (now < watch->look_at_ms)
        return;
    bool soon = pingo__runner_logs_check(watch->logs);
    soon = (watch->looked && watch->looked(watch->context)) || soon;
    watch->look_at_ms = now + (soon ? LOOK_SOON_MS : LOOK_MS);
    if (!watch->hard && now >= watch->weigh_at_ms) {
        weigh(watch);
        watch->weigh_at_ms = now + weigh_every_ms(watch);
    }
}

/* Who stops all of an attempt, as Slurm does with a job that it suspends, stops its time, too. */
static int wait_awhile(struct pingo__runner_watch *watch, struct pollfd polled[2])
{
    int pause = pause_for(watch);
    int64_t until = pingo__world_monotonic_ms() + pause;
    int n = poll(polled, 2, pause);
    int64_t late = pingo__world_monotonic_ms() - until;
    if (late > STOOD_MS) {
        watch->stood_ms += late;
        watch->deadline_ms += watch->deadline_ms > 0 ? late : 0;
    }
    return n;
}

void pingo__runner_watch_run(struct pingo__runner_watch *watch)
{
    struct pollfd polled[2] = {{watch->signals, POLLIN, 0}, {watch->master->fd, POLLIN, 0}};
    int64_t now = pingo__world_monotonic_ms();
    watch->look_at_ms = now + LOOK_MS;
    watch->weigh_at_ms = now + weigh_every_ms(watch);
    watch->deadline_ms = watch->time_limit_ms > 0 ? now + watch->time_limit_ms : 0;
    take_orders(watch); /* one may have come with the job */
    while (!watch->nobody_left) {
        struct signalfd_siginfo told[8];
        polled[1].fd = watch->master->fd; /* below 0 it is passed over */
        int n = wait_awhile(watch, polled);
        if (n > 0 && polled[1].revents != 0)
            take_orders(watch);
        if (n > 0 && polled[0].revents != 0)
            while (read(watch->signals, told, sizeof told) == (ssize_t)sizeof told)
                continue;
        reap(watch);
        if (watch->leader_gone && !watch->nobody_left && !watch->asked)
            end_hard(watch, PINGO_END_EXITED);
        if (!watch->nobody_left)
            look(watch);
        polled[0].revents = polled[1].revents = 0;
    }
    note_memory(watch, pingo__runner_memory_group_peak(watch->group));
    if (watch->why == PINGO_END_EXITED && pingo__runner_memory_group_over(watch->group) &&
        WIFSIGNALED(watch->status))
        watch->why = PINGO_END_MEMORY_LIMIT;
    pingo__runner_family_clear(&watch->family);
}

void pingo__runner_watch_reap_all(void)
{
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
}
