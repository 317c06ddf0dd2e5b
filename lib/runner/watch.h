/* watch.h - a runner waits for the end of its job: of the leader and of its whole process tree.
 *
 * When it returns, no process of the job is left, and what they used was summed.  Peak memory is never less than the
 * runner's own few megabytes: the kernel counts what the child of vfork shared. */
#ifndef PINGO__RUNNER_WATCH_H
#define PINGO__RUNNER_WATCH_H

#include <sys/types.h>

#include "runner/family.h"
#include "runner/logs.h"
#include "runner/memory.h"
#include "runner/orders.h"

struct pingo__runner_watch {
    struct pingo__runner_master *master;
    int signals; /* a signalfd of SIGCHLD */
    struct pingo_job_key key;
    pid_t leader;
    int64_t time_limit_ms, memory_bytes, grace_ms; /* limits: 0 is none */
    struct pingo__runner_logs *logs;
    struct pingo__runner_memory_group *group;

    int status;                /* of the leader, as wait gives it */
    enum pingo_end_reason why; /* EXITED: it ended by itself; else why it was ended */
    int64_t user_us, system_us;
    int64_t max_rss_bytes;

    bool leader_gone, nobody_left;
    bool asked; /* TERM was sent */
    bool hard;  /* KILL, until nobody is left */
    int64_t kill_at_ms, deadline_ms, look_at_ms, weigh_at_ms;
    int64_t pause_ms;
    struct pingo__runner_family family;
};

/* Fill in the first part; the rest zero. */
void pingo__runner_watch_run(struct pingo__runner_watch *watch);
/* Reaps what is left of a command that did not start. */
void pingo__runner_watch_reap_all(void);

#endif
