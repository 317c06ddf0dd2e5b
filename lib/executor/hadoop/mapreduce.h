/* mapreduce.h - MapReduce jobs: what the files of this kind share.
 *
 * A job is written down as job.xml and submitted by Hadoop's own JobClient, in a Java that pingo-runner runs on this
 * machine in the near directory of the attempt: so gate, lock, log and outcome of the submission are those of any
 * attempt, and both go on when the scheduler goes.  What the job itself does is told by HDFS and the ResourceManager.
 *
 * In HDFS, in the attempt's directory:
 *   staging/USER/.staging/job_T_N/  JobClient's; it is there before the job is submitted, and a job cannot start
 *                                   without it
 *   history/USER/...jhist           the end, written by the job's master, by rename: its name says how
 *   output/                         what the tasks make; renamed to staged/K when it is whole
 * In the near directory: job.xml (what is not armed has none), jars/, submitted (what JobClient says), over (when the
 * job was seen to have ended without a history), and the runner's. */
#ifndef PINGO__EXECUTOR_HADOOP_MAPREDUCE_H
#define PINGO__EXECUTOR_HADOOP_MAPREDUCE_H

#include "base/buffer.h"
#include "executor/hadoop/hadoop.h"

/* ---- mapreduce.c ---- */

/* Can Hadoop's client submit jobs from here?  Told as a check tells it. */
void pingo__executor_hadoop_mapreduce_check(struct pingo__executor_hadoop *h,
                                            const struct pingo_check_options *options);

/* ---- mapreduce_plan.c: pure ---- */

struct pingo__executor_hadoop_property {
    const char *name, *value;
};

/* What the action says, and the job's properties, which grow. */
struct pingo__executor_hadoop_plan {
    struct pingo__arena *arena;
    struct pingo__executor_hadoop_property *properties;
    size_t nproperties, capacity;
    size_t nhashed;  /* the first of them are what the action says */
    const char *jar; /* links, by name; NULL: none */
    const char **libs, **input;
    size_t nlibs, ninput;
    bool has_input; /* false: all but jar and libs are */
    bool streaming;
};
/* From the payload that the action's type made.  PINGO_ECORRUPT, PINGO_ENOMEM. */
int pingo__executor_hadoop_plan_read(struct pingo__executor_hadoop_plan *plan, const char *payload,
                                     struct pingo_error *err);
/* executorOptions (NULL: none): queue, nodeLabel, priority, and Hadoop's own properties.  PINGO_EINVAL. */
int pingo__executor_hadoop_plan_options(struct pingo__executor_hadoop_plan *plan, const char *json,
                                        struct pingo_error *err);
/* Over what is there.  false: no memory; value may be NULL for that, too. */
bool pingo__executor_hadoop_plan_set(struct pingo__executor_hadoop_plan *plan, const char *name,
                                     const char *value);
enum pingo__executor_hadoop_use {
    PINGO__HADOOP_IS_DATA,
    PINGO__HADOOP_IS_CLASSES,
    PINGO__HADOOP_IS_BESIDE /* in/NAME of each task */
};
enum pingo__executor_hadoop_use pingo__executor_hadoop_plan_use(
    const struct pingo__executor_hadoop_plan *plan, const char *link);
/* Notes in it of what Hadoop must change nothing: what is hashed, and what leads to input, output and end. */
bool pingo__executor_hadoop_plan_note(struct pingo__executor_hadoop_plan *plan);
/* job.xml; look whether b failed. */
void pingo__executor_hadoop_plan_xml(const struct pingo__executor_hadoop_plan *plan,
                                     struct pingo__buffer *b);
/* What such a text says of a property, without entities; false: nothing. */
bool pingo__executor_hadoop_xml_find(const char *xml, const char *name, struct pingo__buffer *value);
/* Is all that was noted in ours as it was there, in what Hadoop has written of it?  source: how the name of our file
 * ends, and "<"; why: the first that is not. */
bool pingo__executor_hadoop_xml_is_kept(const char *ours, const char *theirs, const char *source,
                                        char why[200]);

/* ---- mapreduce_history.c: pure ---- */

struct pingo__executor_hadoop_history {
    enum pingo__executor_hadoop_state state; /* SUCCEEDED, FAILED or KILLED; UNHEARD: it is no end */
    int64_t started_ms, ended_ms;
    int64_t cpu_ms, memory_bytes; /* the most that a task had; 0: not known */
    bool was_memory;
    bool was_away;     /* a daemon of Hadoop's was: it is not the job's fault */
    char message[400]; /* Hadoop's diagnosis in one line; "": none */
    /* Of the try of the first task that could not be done: where its logs are.  "": not known. */
    char attempt[80], container[PINGO__HADOOP_ID_SIZE], node[280];
};
/* "job_T_N-SUBMIT-USER-NAME-FINISH-MAPS-REDUCES-STATE-QUEUE-START.jhist" */
void pingo__executor_hadoop_history_name(const char *name,
                                         struct pingo__executor_hadoop_history *found);
/* The events in it, or the last of them: lines of JSON; what is none is passed over.  told: a JSON object with tasks
 * and counters, for people; look whether it failed. */
void pingo__executor_hadoop_history_events(const char *bytes, size_t n,
                                           struct pingo__executor_hadoop_history *history,
                                           struct pingo__buffer *told);
/* Of what a Java has said: the cause at the root of the last exception, in one line, or what the last task reported to
 * the job's master; "" where there is none. */
void pingo__executor_hadoop_exception(const char *text, char *to, size_t size);
/* Does it say that the cluster was away, so that it may be well a little later? */
bool pingo__executor_hadoop_exception_is_away(const char *exception);
/* The last "job_T_N" or "application_T_N" in a text, as "application_T_N"; false: none. */
bool pingo__executor_hadoop_find_job(const char *text, char application[PINGO__HADOOP_ID_SIZE]);

/* ---- mapreduce_arm.c ---- */

/* Makes the near directory with all that the submission needs. */
int pingo__executor_hadoop_mapreduce_arm(struct pingo__executor_hadoop *h,
                                         struct pingo__executor_hadoop_job *job,
                                         struct pingo_error *err);
/* A file in the near directory.  NULL: no memory. */
char *pingo__executor_hadoop_near(struct pingo__executor_hadoop_job *job, const char *name);
/* The text of one, as far as its first NUL.  Yours; NULL: there is none. */
char *pingo__executor_hadoop_near_text(struct pingo__executor_hadoop_job *job, const char *name);
/* A path of the attempt in HDFS, as lib/hdfs takes it.  NULL: no memory. */
char *pingo__executor_hadoop_far(struct pingo__executor_hadoop *h,
                                 struct pingo__executor_hadoop_job *job, const char *name);

/* ---- mapreduce_submission.c: JobClient ---- */

struct pingo__executor_hadoop_mapreduce_own {
    bool may_be_armed; /* something of it may lie here, or in HDFS */
    int tries;         /* runners that were started */
    bool is_submitted; /* the submission is over, and the application known */
    bool is_seen;      /* what Hadoop has made of its properties was looked for, */
    bool is_kept;      /* and nothing that counts has changed */
    bool is_overdue;
    int64_t limit_ms; /* of its time, INT64_MAX: there is none; 0: it is not known */
    int64_t over_ms;  /* monotonic: when it was seen to be over; 0: it was not */
    int64_t percent;
};
/* Starts the runner, and has it waited for aside, if there is room for one more Java. */
int pingo__executor_hadoop_mapreduce_start(struct pingo__executor_hadoop *h,
                                           struct pingo__executor_hadoop_job *job,
                                           struct pingo_error *err);
/* What became of the submission: it goes on; there is an application (is_submitted); or it is told that there is
 * none. */
int pingo__executor_hadoop_mapreduce_follow(struct pingo__executor_hadoop *h,
                                            struct pingo__executor_hadoop_job *job,
                                            struct pingo_error *err);
/* STAGING/USER/.staging/job_T_N, as it lies there, and the application that it is of.  *path NULL: there is none. */
int pingo__executor_hadoop_mapreduce_staged(struct pingo__executor_hadoop *h,
                                            struct pingo__executor_hadoop_job *job,
                                            char application[PINGO__HADOOP_ID_SIZE], char **path,
                                            struct pingo_error *err);
/* Ends a submission that goes on. */
void pingo__executor_hadoop_mapreduce_interrupt(struct pingo__executor_hadoop_job *job);

/* ---- mapreduce_end.c ---- */

/* Why YARN ended it; a scheduler that did not ask for it reads that. */
#define PINGO__HADOOP_OVERDUE "over its time limit, says Pingo"
#define PINGO__HADOOP_CHANGED "the cluster changes what it says, says Pingo"

/* What Hadoop has made of its properties, as soon as it is there, read aside, to be called until it is_seen: a job that
 * the cluster's configuration changes in what is hashed is ended, and fails. */
int pingo__executor_hadoop_mapreduce_compare(struct pingo__executor_hadoop *h,
                                             struct pingo__executor_hadoop_job *job,
                                             struct pingo_error *err);
/* The application is over: what it left becomes its end. */
int pingo__executor_hadoop_mapreduce_conclude(struct pingo__executor_hadoop *h,
                                              struct pingo__executor_hadoop_job *job,
                                              const struct pingo__executor_hadoop_app *app,
                                              struct pingo_error *err);
/* Reports an end without an output. */
void pingo__executor_hadoop_mapreduce_fail(struct pingo__executor_hadoop *h,
                                           struct pingo__executor_hadoop_job *job,
                                           enum pingo_end_reason reason, const char *message);

#endif
