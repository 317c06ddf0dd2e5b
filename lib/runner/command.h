/* command.h - from a job to a running process: argv, environment, vfork and exec. */
#ifndef PINGO__RUNNER_COMMAND_H
#define PINGO__RUNNER_COMMAND_H

#include <sys/types.h>

#include "base/arena.h"
#include "runner/record/job.h"

/* What execve needs, prepared before vfork: the child only makes system calls. */
struct pingo__runner_command {
    char **argv;
    char **env;
    char **paths; /* where argv[0] may lie, in order */
    struct pingo__arena memory;
};

/* granted: of cpus.  0 or PINGO_ENOMEM; clear it either way. */
int pingo__runner_command_init(struct pingo__runner_command *command,
                               const struct pingo__runner_job *job, int64_t granted);
void pingo__runner_command_clear(struct pingo__runner_command *command);

struct pingo__runner_command_places {
    int work;         /* where it runs */
    int standard[3];  /* its standard descriptors */
    int memory_group; /* cgroup.procs to enter; -1: none */
    int ruleset;      /* the sandbox to enter, a descriptor above 2; -1: none */
};
/* Starts it as the leader of a session of its own, with no other descriptor, default signals,
 * and to be killed if this process dies.  Its pid, or a negative errno; *at_exec: it was execve
 * that refused, so the command is to blame. */
pid_t pingo__runner_command_start(const struct pingo__runner_command *command,
                                  const struct pingo__runner_command_places *places, bool *at_exec);

#endif
