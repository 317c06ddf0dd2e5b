/* states.h - what Slurm says of a job, and what that makes of the attempt that it ran.
 *
 * The attempt's directory is the truth about how it ended; Slurm knows when it is time to look, and why a runner left
 * nothing.  Pure. */
#ifndef PINGO__EXECUTOR_SLURM_STATES_H
#define PINGO__EXECUTOR_SLURM_STATES_H

#include "executor/bundles.h"

enum pingo__executor_slurm_state {
    PINGO__SLURM_WAITS = 0, /* or anything that we do not know: it is not over */
    PINGO__SLURM_RUNS,
    PINGO__SLURM_ENDS, /* its command is over, and Slurm tidies up behind it, which may take long */
    PINGO__SLURM_OVER, /* COMPLETED, FAILED */
    PINGO__SLURM_CANCELLED,
    PINGO__SLURM_TIMEOUT,
    PINGO__SLURM_OUT_OF_MEMORY,
    PINGO__SLURM_NODE_FAIL, /* or preempted: nobody's fault */
    PINGO__SLURM_GONE       /* Slurm does not know it any more */
};

struct pingo__executor_slurm_record { /* borrowed texts; NULL: not told */
    int64_t id;                       /* of an array: its own, not that of a task */
    /* Of an array: which of its tasks are told of here, "7" or "0-3,8-20:2"; that of those that wait may be cut. */
    const char *tasks;
    const char *name, *comment, *state, *reason, *nodes;
    const char *user;    /* whose it is; "nobody": slurmrestd's machine does not know */
    int64_t uid;         /* with user; -1: not told */
    int64_t wait_status; /* as of wait(2) */
    int64_t restarts;
    /* Of a node, or a partition: */
    const char *partition;
    int64_t memory_mb;
    bool is_default;
};

/* By its long name, as in replies and in squeue's column StateLong. */
enum pingo__executor_slurm_state pingo__executor_slurm_state_of(const char *name);
bool pingo__executor_slurm_is_over(enum pingo__executor_slurm_state state);

/* The key by which a job is found again: in its name, and at the beginning of its comment. */
#define PINGO__SLURM_NAME_SIZE 160
void pingo__executor_slurm_name(char name[PINGO__SLURM_NAME_SIZE], const char *mark,
                                struct pingo_job_key key);
/* Whose job is it?  false: none of ours. */
bool pingo__executor_slurm_key(const struct pingo__executor_slurm_record *record, const char *mark,
                               struct pingo_job_key *key);

/* An array job has another name: that of the list of its attempts. */
void pingo__executor_slurm_bundle_name(char name[PINGO__SLURM_NAME_SIZE], const char *mark,
                                       const char bundle[PINGO__BUNDLE_SIZE]);
/* Which array is it of?  false: of none of ours. */
bool pingo__executor_slurm_bundle_of(const struct pingo__executor_slurm_record *record,
                                     const char *mark, char bundle[PINGO__BUNDLE_SIZE]);
struct pingo__executor_slurm_tasks {
    const char *rest; /* at first record->tasks, and all else 0 */
    int64_t next, last, step;
    bool is_cut; /* those after the last may be meant, too */
};
/* The next task that is told of; false: there are no more. */
bool pingo__executor_slurm_tasks_next(struct pingo__executor_slurm_tasks *tasks, int64_t *task);

struct pingo__executor_slurm_over { /* what is known of a job that is over */
    enum pingo__executor_slurm_state state;
    int64_t wait_status;
    const char *reason; /* Slurm's word; may be "" */
    const char *said;   /* what stands in the job's own standard error; may be "" */
    bool is_killed;     /* we asked for it */
    const char *runner; /* what its script starts */
};
/* Did somebody end it from outside? */
bool pingo__executor_slurm_was_ended(const struct pingo_job_end *end);
/* Changes what the runner has left of one that was to what Slurm knows better: why. */
void pingo__executor_slurm_judge(const struct pingo__executor_slurm_over *over,
                                 struct pingo_job_end *end);
/* The end of an attempt that started and left none. */
void pingo__executor_slurm_lost(const struct pingo__executor_slurm_over *over,
                                struct pingo_job_end *end);
/* All that Slurm says of a job that a site's own plug-in does not take. */
#define PINGO__SLURM_UNSPECIFIED "Unspecified error"
/* What to do where Slurm has refused a job with this error, as "; ..."; "" where it speaks for itself. */
const char *pingo__executor_slurm_advice(const char *error);
/* "its job ended before it began: FAILED, exit status 127: ..." */
void pingo__executor_slurm_not_started(const struct pingo__executor_slurm_over *over,
                                       struct pingo_job_end *end);

/* ---- replies.c: what slurmrestd answers, in any version of its interface -------------------------- */

/* Numbers are numbers or {"number": n}, states a word or a list of words.  Whatever the bytes are, reading ends
 * well. */

#define PINGO__SLURM_RESTD 5000        /* numbers from here on are slurmrestd's own */
#define PINGO__SLURM_UNKNOWN_JOB 2017  /* the one number that says that a job is gone */
#define PINGO__SLURM_NEVER_STARTS 2015 /* as the partition is; the job was taken all the same */

struct pingo__executor_slurm_reply {
    bool is_read;   /* it is JSON of the kind */
    bool has_rows;  /* a list of jobs, nodes or partitions, be it empty */
    int64_t job_id; /* 0: none is told */
    bool has_error;
    int64_t error_number; /* of the first that has one; -1: none of Slurm's */
    char error[200];      /* for a person */
    int64_t newest_s;     /* when Slurm did something last with one of the jobs; 0: not told */
};

/* Calls on_job (may be NULL) for each job, or for each partition of each node, that is told.  Errors: PINGO_ENOMEM. */
int pingo__executor_slurm_reply_read(
    const char *bytes, size_t length,
    void (*on_job)(void *context, const struct pingo__executor_slurm_record *record), void *context,
    struct pingo__executor_slurm_reply *reply);

/* A line of `sinfo -N -h -o "%P|%m"`: a partition of a node; likewise. */
bool pingo__executor_slurm_node_read(char *line, struct pingo__executor_slurm_record *record);
/* A line of `squeue -h -o "%i|%T|%r|%N|%j|%k"` with its newline cut; it is written into.  false: it is none. */
bool pingo__executor_slurm_line_read(char *line, struct pingo__executor_slurm_record *record);

#endif
