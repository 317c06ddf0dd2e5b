/* replies.h - what slurmrestd answers, in any version of its interface: numbers as numbers or as {"number": n}, states
 * as a word or a list of words.  Whatever the bytes are, reading ends well.  Pure. */
#ifndef PINGO__EXECUTOR_SLURM_REPLIES_H
#define PINGO__EXECUTOR_SLURM_REPLIES_H

#include "executor/slurm/states.h"

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
