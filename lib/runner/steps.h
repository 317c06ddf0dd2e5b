/* steps.h - what may end an attempt early, what it goes through, in this order, and its memory; each has a file of its
 * own. */
#ifndef PINGO__RUNNER_STEPS_H
#define PINGO__RUNNER_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "runner/runner.h"

/* orders.c: what may end a job early: its master asks for that, or is gone, or its time is up.
 *
 * Code that works for long without waiting asks now and then. */

struct pingo__runner_orders {
    struct pingo__runner_master *master;
    struct pingo_job_key key;
    int64_t deadline_ms;       /* monotonic; 0: none */
    int64_t looked_ms;         /* when it was asked last */
    enum pingo_end_reason why; /* EXITED: go on; KILLED, TIME_LIMIT, or LOST */
};

/* Is it to stop?  Cheap enough for every block of a file.  Once true, it stays true. */
bool pingo__runner_orders_stop(struct pingo__runner_orders *orders);
/* The same for who reads contents: see pingo__digest_content_options. */
int pingo__runner_orders_progress(void *orders, uint64_t files, uint64_t bytes);

/* links.c: in/NAME: the links, and the copies of small originals, by which a command finds its inputs.
 *
 * Making and removing a link takes an inode each time, which some file systems
 * are slow at.  So the directory of links is kept aside between jobs, and what
 * the next one wants alike stays. */

/* Makes work/in with the job's links, if it has any.  0, -EINVAL for a name that is none, -ESTALE for an
 * original that has not the content which it should have, or another negative errno; *at (may be
 * NULL afterwards): which link it was. */
int pingo__runner_links_make(const struct pingo__runner_scratch *scratch,
                             const struct pingo__runner_job *job, const struct pingo_job_link **at);
/* Nobody of the job runs any more: are the directories behind the links as the job says that they were published?
 * false as well where it was told to stop looking. */
bool pingo__runner_links_are_same(const struct pingo__runner_job *job,
                                  struct pingo__runner_orders *orders);
/* Keeps work/in of a job that succeeded for the next one. */
void pingo__runner_links_keep(const struct pingo__runner_scratch *scratch,
                              const struct pingo__runner_job *job);
/* Removes what is kept. */
void pingo__runner_links_clear(const struct pingo__runner_scratch *scratch);

/* copies.c: a small original is copied into in/, so that a script never resolves to the folder that
 * it came from, and so that what is read is what was hashed. */

/* Puts a copy of link->target, as it is now, to dir/name, unless it is no regular file or too
 * large.  A copy that is there already and equal stays; anything else there is removed first.
 * 0, and *copied: it is there; false: this wants a link.  -ESTALE: its content is not link->content, or
 * it changed meanwhile; or another negative errno. */
int pingo__runner_copies_put(int dir, const char *name, const struct pingo_job_link *link,
                             bool *copied);

/* command.c: from a job to a running process: argv, environment, vfork and exec. */

/* What execve needs, prepared before vfork: the child only makes system calls. */
struct pingo__runner_command {
    char **argv;
    char **env;
    char **paths; /* where argv[0] may lie, in order */
    struct pingo__arena memory;
};

/* What it is told that it has. */
struct pingo__runner_grant {
    int64_t cpus, memory_bytes; /* memory 0: it asked for none, and is told nothing */
};
/* 0 or PINGO_ENOMEM; clear it either way. */
int pingo__runner_command_init(struct pingo__runner_command *command,
                               const struct pingo__runner_job *job,
                               const struct pingo__runner_grant *granted);
void pingo__runner_command_clear(struct pingo__runner_command *command);

struct pingo__runner_command_places {
    int work;         /* where it runs */
    int standard[3];  /* its standard descriptors */
    int memory_group; /* cgroup.procs to enter; -1: none */
    int ruleset;      /* the sandbox to enter, a descriptor above 2; -1: none */
    int score; /* /proc/self/oom_score_adj, open, which costs less than the child's; -1: none */
};
/* Starts it as the leader of a session of its own, with no other descriptor, default signals,
 * and to be killed if this process dies.  Its pid, or a negative errno; *at_exec: it was execve
 * that refused, so the command is to blame. */
pid_t pingo__runner_command_start(const struct pingo__runner_command *command,
                                  const struct pingo__runner_command_places *places, bool *at_exec);

/* logs.c: the two logs of an attempt, and their cap.
 *
 * The command writes straight into the files, which costs nothing.  While it
 * runs, a log that has grown past the cap is cut to its head, more often the
 * faster it grows; so the disk never holds more than the cap and what is
 * written between two looks. */

struct pingo__runner_logs {
    int fds[2];     /* standard output and error of the command */
    bool is_output; /* standard output is the output and has no cap */
    bool was_cut[2];
    int64_t cap;
};

/* Opens dir/stdout and dir/stderr for appending.  0 or a negative errno; then nothing is open. */
int pingo__runner_logs_open(struct pingo__runner_logs *logs, int dir, int64_t cap, bool is_output);
/* Cuts what is too long.  true: something was. */
bool pingo__runner_logs_check(struct pingo__runner_logs *logs);
/* A line of our own on the command's standard error. */
void pingo__runner_logs_say(struct pingo__runner_logs *logs, const char *line);
/* Cuts a last time, says so in the log, closes. */
void pingo__runner_logs_close(struct pingo__runner_logs *logs);

/* confine.c: the sandbox of one attempt: what of it depends on the job. */

/* The ruleset for a job: *ruleset is a descriptor, that of the scratch or else yours; -1 where the job is not to be
 * confined, or cannot be here.  0 or a negative errno. */
int pingo__runner_confine(struct pingo__sandbox *sandbox, struct pingo__runner_scratch *scratch,
                          const struct pingo__runner_logs *logs,
                          const struct pingo__runner_job *job, int *ruleset);
/* After a failure: does what the command said last on standard error look like the sandbox, or a file system that runs
 * no program?  Then notes it in *end, with a message where there is none. */
void pingo__runner_confine_explain(const struct pingo__runner_scratch *scratch,
                                   struct pingo_job_end *end);

/* memory.c: a cgroup (v2) for one job whose memory is limited, where the machine gives us one.
 *
 * Where none can be had, everything here does nothing, and the runner samples. */

struct pingo__runner_memory_group; /* opaque */

/* Makes a group with this limit.  NULL: none can be had here. */
struct pingo__runner_memory_group *pingo__runner_memory_group_open(struct pingo_job_key key,
                                                                   int64_t bytes);
/* Its cgroup.procs, open for writing; -1 for NULL. */
int pingo__runner_memory_group_procs(const struct pingo__runner_memory_group *group);
/* Has somebody in it been killed for memory? */
bool pingo__runner_memory_group_over(const struct pingo__runner_memory_group *group);
/* Peak bytes; 0: not known. */
int64_t pingo__runner_memory_group_peak(const struct pingo__runner_memory_group *group);
/* Kills all in it at once. */
void pingo__runner_memory_group_kill(const struct pingo__runner_memory_group *group);
/* Removes it; nobody is in it any more. */
void pingo__runner_memory_group_close(struct pingo__runner_memory_group *group);

/* watch.c: a runner waits for the end of its job: of the leader and of its whole process tree.
 *
 * When it returns, no process of the job is left, and what they used was summed.  Peak memory is never less than the
 * runner's own few megabytes: the kernel counts what the child of vfork shared. */

struct pingo__runner_watch {
    struct pingo__runner_master *master;
    int signals; /* a signalfd of SIGCHLD */
    struct pingo_job_key key;
    pid_t leader;
    int64_t time_limit_ms, memory_bytes, grace_ms; /* limits: 0 is none */
    bool (*looked)(void *context); /* at each look; true: the next one is soon; NULL */
    void *context;
    struct pingo__runner_logs *logs;
    struct pingo__runner_memory_group *group;

    int status;                /* of the leader, as wait gives it */
    enum pingo_end_reason why; /* EXITED: it ended by itself; else why it was ended */
    int64_t user_us, system_us;
    int64_t max_rss_bytes;
    int64_t stood_ms; /* of its time, while all of it was stopped */

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

/* output.c: from what a command left to a dataset that is ready to be published. */

/* Checks the output of a command that exited 0, reads its size and content, takes away its write
 * bits and puts it at the staged path, unless orders stop it.  Fills in *end: the output, or the
 * reason and a message. */
void pingo__runner_output_take(const struct pingo__runner_scratch *scratch,
                               const struct pingo__runner_job *job,
                               struct pingo__runner_orders *orders, struct pingo_job_end *end);

/* private.c: an output becomes the pool's: opened up, and with inodes of its own.
 *
 * A command may have hard-linked other files into its output.  Making those read-only would change what lies outside
 * the pool. */

/* Lets the owner read dir/name and all below it, and write the directories; replaces each file that
 * has more than one name by a copy, holes and all.  Any depth, constant stack, few descriptors.
 * 0, -ECANCELED when orders stopped it, -EBUSY where something is mounted, or another negative errno. */
int pingo__runner_private_make(int dir, const char *name, struct pingo__runner_orders *orders);

#endif
