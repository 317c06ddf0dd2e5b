/* runner.h - one attempt on this machine: gate, scratch, inputs, sandbox, process tree, limits, logs, output.
 *
 * The caller opens a runner, has its scratch prepared, and for each attempt: claim (the gate), run, record *end,
 * settle.  When run returns, no process of the attempt is left, and its output is complete, hashed and read-only, or
 * there is none.  The runner records no ends and talks to no other process: its caller does. */
#ifndef PINGO__RUNNER_RUNNER_H
#define PINGO__RUNNER_RUNNER_H

#include <sys/types.h>

#include "base/names.h"
#include "base/sandbox.h"
#include "runner/record/attempt.h"

/* ---- scratch.c: the directories in which attempts run, and the gate -------------------------------- */

/* A runner keeps a clean directory ready: POOL/attempts/.ready.PID.N with work/, tmp/ (TMPDIR), stdout and stderr.
 * Renaming it to the attempt's name, never replacing, is the start: a scheduler that gave the attempt up has put a file
 * there.  A directory that comes back clean is used again. */

struct pingo__runner_scratch {
    int attempts;                 /* POOL/attempts */
    unsigned long made;           /* so many were */
    char ready[PINGO__NAME_SIZE]; /* the name of the ready directory; "": none was ever made */
    int dir;                      /* it, or the attempt's; -1: none */
    int work;                     /* its work/ */
    int tmp;                      /* its tmp/ */
    int ruleset;                  /* the sandbox of commands that need nothing else; -1: none */
};

void pingo__runner_scratch_init(struct pingo__runner_scratch *scratch, int attempts);
/* Makes a directory ready unless one is.  0 or a negative errno, which shows at the next claim too. */
int pingo__runner_scratch_prepare(struct pingo__runner_scratch *scratch);
/* The gate.  0, -EEXIST when the attempt was given up, or another negative errno. */
int pingo__runner_scratch_claim(struct pingo__runner_scratch *scratch, const char *attempt_dir);
/* For who has an attempt's directory already: what it needs is made there, and nothing is used again. */
int pingo__runner_scratch_enter(struct pingo__runner_scratch *scratch, int dir);
/* After a success there: the logs, and what others have put there, stay. */
void pingo__runner_scratch_finish(struct pingo__runner_scratch *scratch);
/* After a success: empties work/ and takes the directory back where its logs are empty, else
 * leaves the logs alone under the attempt's name.  What is emptied is called as what is ready: a sweep finds it. */
void pingo__runner_scratch_release(struct pingo__runner_scratch *scratch, const char *attempt_dir);
/* Leaves the attempt's directory as it is, for people, but for tmp/, which goes. */
void pingo__runner_scratch_leave(struct pingo__runner_scratch *scratch);
/* On a full disk: empties work/ and tmp/ at once, and leaves the logs; with_stdout: that is no log, but the output, and
 * goes too.  Returns how many bytes they held on the disk. */
int64_t pingo__runner_scratch_drop(struct pingo__runner_scratch *scratch, bool with_stdout);
/* Removes a directory that is ready and was not used. */
void pingo__runner_scratch_clear(struct pingo__runner_scratch *scratch);
/* Removes what a runner that is gone had ready (pid 0: all runners). */
void pingo__runner_scratch_sweep(int attempts, pid_t pid);

/* ---- the runner ------------------------------------------------------------------------------------ */

/* For whom a job is run. */
struct pingo__runner_master {
    int fd; /* readable when an order may have come; -1: none comes any more */
    /* What has come for this job: EXITED is nothing, KILLED, or LOST where whoever wanted it is gone. */
    enum pingo_end_reason (*take)(struct pingo__runner_master *master, struct pingo_job_key key);
    void *context;
};

struct pingo__runner_state {
    struct pingo__runner_master *master; /* borrowed */
    int64_t log_bytes;                   /* cap of each log */
    int64_t grace_ms;                    /* between TERM and KILL */
    int64_t memory_bytes;                /* what there is: no job is told of more; 0: not known */
    bool lets_exceed;                    /* a job's memory_bytes is no limit */
    int killings;  /* pingo__runner_memory_killings(): they are looked at; -1: not */
    bool is_alone; /* nobody else is in the group that they are counted of */
    struct pingo__runner_scratch scratch;
    struct pingo__sandbox sandbox;
    int signals; /* a signalfd of SIGCHLD */
    int score;   /* how soon the kernel ends this process for want of memory; -1: not to be had */
};

/* Makes this process a child subreaper and blocks SIGCHLD.  false: that is refused. */
bool pingo__runner_open(struct pingo__runner_state *runner, const char *pool_dir,
                        struct pingo__runner_master *master);
/* Removes what it kept ready. */
void pingo__runner_close(struct pingo__runner_state *runner);

/* The gate.  0: it has started, and is to be run, unless it was given up; or a negative errno: nothing runs. */
int pingo__runner_claim(struct pingo__runner_state *runner, const char *attempt_dir, bool *given_up);
/* Fills in all of *end but its key.  granted: cpus that it is told of. */
void pingo__runner_run(struct pingo__runner_state *runner, const struct pingo__runner_job *job,
                       int64_t granted, struct pingo_job_end *end);
/* Its end was kept: the directory comes back after a success, else it stays for people. */
void pingo__runner_settle(struct pingo__runner_state *runner, const struct pingo__runner_job *job,
                          const struct pingo_job_end *end);

/* NOT_STARTED, or NO_SPACE, with what could not be done. */
void pingo__runner_not_started(struct pingo_job_end *end, int error_number, const char *what);

/* ---- alone.c: for programs that an engine of others starts, to run one attempt after the other --- */

/* What they are told comes by signals, and by a descriptor besides; limits, and the control group that they are in, are
 * the engine's. */

struct pingo__runner_alone {
    struct pingo__runner_master master;
    struct pingo__runner_state runner;
    int signals,
        also;   /* a signalfd; a descriptor that is readable when the attempt is to end, -1: none */
    int signal; /* the first that came; 0: none did */
    bool is_hurried; /* KILL follows soon: a signal ends everything at once, without grace */
};

/* As a command expects it of whoever starts it, whatever the engine has left: descriptors, limits, signals, umask. */
void pingo__runner_alone_ground(void);
/* From now on signals are taken here.  The rest of it may be set afterwards.  0 or a negative errno. */
int pingo__runner_alone_listen(struct pingo__runner_alone *alone, int also);
/* Asks whether a signal has come, after waiting so long for one. */
bool pingo__runner_alone_told(struct pingo__runner_alone *alone, int wait_ms);
/* Runs what an errand says in its directory, which is open at dir.  *end: all of it but key, started_ms and ended_ms;
 * the output is at its staged path. */
void pingo__runner_alone_run(struct pingo__runner_alone *alone, int dir,
                             struct pingo__runner_errand *errand, struct pingo_job_end *end);
/* Lets go of that directory: after a success what it needs no more is removed. */
void pingo__runner_alone_leave(struct pingo__runner_alone *alone, const struct pingo_job_end *end);

/* ---- for who has others run them ---------------------------------------------------------------- */

/* Where the kernel counts the processes that it has killed for memory in the group that this process is in, which a
 * batch system may have made: open for reading; -1: nowhere. */
int pingo__runner_memory_killings(void);
/* How many there were; -1: not known. */
int64_t pingo__runner_memory_kills(int killings);

/* ground.c: what a process inherits and commands should not: limits, priorities, processors, signals. */

/* Resets what the kernel lets us: limits, nice value, scheduling, processors, personality.  What only root may raise
 * stays as it was inherited.  For the supervisor; workers and commands inherit it. */
void pingo__runner_ground_reset(void);
/* The limits with which commands begin, of which the soft ones differ from the supervisor's. */
void pingo__runner_ground_of_commands(void);
/* Every signal does what it does by default, and none is blocked. */
void pingo__runner_ground_of_signals(void);

/* family.c: the process tree: all descendants of this process, whatever their session or group.
 *
 * This process is a child subreaper: a descendant that loses its parent becomes its child, so none escapes the walk. */

struct pingo__runner_family {
    pid_t *pids;
    size_t n, capacity;
};

void pingo__runner_family_clear(struct pingo__runner_family *family);
/* Finds all but those below and including the nspared ones.  false: memory ran out or /proc is not readable; what was
 * found is there. */
bool pingo__runner_family_find(struct pingo__runner_family *family, const pid_t *spared,
                               size_t nspared);
void pingo__runner_family_kill(const struct pingo__runner_family *family);
/* Sum of resident memory; shared pages count once for each who has them. */
int64_t pingo__runner_family_resident(const struct pingo__runner_family *family);
/* The same with shared pages divided among those who have them; slow.  -1: not to be had. */
int64_t pingo__runner_family_proportional(const struct pingo__runner_family *family);

#endif
