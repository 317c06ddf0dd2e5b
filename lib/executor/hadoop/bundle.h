/* bundle.h - attempts that one application of the distributed shell runs.
 *
 * NEAR/attempts/.bundles/HASH/list on this machine holds the application's id and the keys: it is there, and on the
 * disk, before YARN is asked to run anything, and goes with the last of its attempts; what was left behind is found by
 * trim.  bundles/A in HDFS is what its containers read. */
#ifndef PINGO__EXECUTOR_HADOOP_BUNDLE_H
#define PINGO__EXECUTOR_HADOOP_BUNDLE_H

#include "executor/hadoop/hadoop.h"

struct pingo__executor_hadoop_bundle {
    struct pingo__executor_hadoop_bundle *next;
    char id[PINGO__HADOOP_ID_SIZE];
    struct pingo_job_key *keys; /* in the same block */
    size_t n;
    size_t left;       /* jobs in hand that mean it */
    char *body;        /* of the submission, as long as it may not have arrived; NULL: it has */
    char refusal[300]; /* why YARN has not taken it; "": it has, or may have */
    bool was_ended;    /* YARN was asked to end it */
    bool is_forgotten; /* all of its attempts were, at: */
    int64_t forgotten_ms;
    int64_t news_ms; /* monotonic: when something of it changed last */
    int64_t look_at_ms;
};

struct pingo__executor_hadoop_attempt {           /* a command's own bytes of a job */
    struct pingo__executor_hadoop_bundle *bundle; /* NULL: none yet, or none any more */
    struct pingo__executor_hadoop_options options;
    bool may_be_armed; /* its `job` may lie in HDFS */
    bool is_heard;     /* its bell has rung that it is over */
    bool can_go;       /* nothing of its directory is worth keeping */
    int64_t over_ms;   /* since when its application is final, and it has left nothing */
};

/* Those on the disk are known from here on, also those that we have not made, but for h->unlisted. */
void pingo__executor_hadoop_bundles_load(struct pingo__executor_hadoop *h);
/* The one whose key it is, of those that are known; NULL. */
struct pingo__executor_hadoop_bundle *pingo__executor_hadoop_bundle_of(
    struct pingo__executor_hadoop *h, struct pingo_job_key key);
/* May one of its attempts, of which we could not see what became, run in it? */
bool pingo__executor_hadoop_bundle_has_unread(const struct pingo__executor_hadoop *h,
                                              const struct pingo__executor_hadoop_bundle *b);
/* One more; NULL: no memory. */
struct pingo__executor_hadoop_bundle *pingo__executor_hadoop_bundle_know(
    struct pingo__executor_hadoop *h, const char *id, const struct pingo_job_key *keys, size_t n);
/* It lies on this machine's disk, whole, or not at all.  PINGO_EIO, PINGO_ENOMEM. */
int pingo__executor_hadoop_bundle_keep(const struct pingo__executor_hadoop *h,
                                       const struct pingo__executor_hadoop_bundle *b,
                                       struct pingo_error *err);
/* It was not submitted: what was made of it goes; what it was to run may be armed, and is taken by another. */
void pingo__executor_hadoop_bundle_undo(struct pingo__executor_hadoop *h,
                                        struct pingo__executor_hadoop_bundle *b);
/* h->program: pingo-hadoop-runner's bytes, and those of the libcjson that this process has.  PINGO_EEXECUTOR: it is not
 * there. */
int pingo__executor_hadoop_bundle_program(struct pingo__executor_hadoop *h, struct pingo_error *err);
/* Joins a job to it, or (NULL) takes it out of its own. */
void pingo__executor_hadoop_bundle_bind(struct pingo__executor_hadoop *h,
                                        struct pingo__executor_hadoop_job *job,
                                        struct pingo__executor_hadoop_bundle *bundle);
/* arm.c.  Has the `job` of one that is brought put into HDFS, aside: to be called again when that is done.
 * PINGO_EINVAL: it can never run there. */
int pingo__executor_hadoop_arm(struct pingo__executor_hadoop *h,
                               struct pingo__executor_hadoop_job *job, struct pingo_error *err);
/* Makes one of n jobs that are armed, and alike, and submits it.  On PINGO_EAWAY nothing was submitted.
 * PINGO_EEXECUTOR: YARN takes no such application. */
int pingo__executor_hadoop_bundle_make(struct pingo__executor_hadoop *h,
                                       struct pingo__executor_hadoop_job **jobs, size_t n,
                                       struct pingo_error *err);
/* One container of an application with this id, whose runner is given these words; job: what it may take. */
int pingo__executor_hadoop_bundle_try(struct pingo__executor_hadoop *h, const char *id,
                                      const struct pingo_job *job, const char *const *words,
                                      struct pingo_error *err);
/* Those whose attempts were all forgotten go, when YARN is done with them. */
void pingo__executor_hadoop_bundles_step(struct pingo__executor_hadoop *h);
void pingo__executor_hadoop_bundles_trim(struct pingo__executor_hadoop *h,
                                         const struct pingo_job_key *unsettled, size_t n);
/* As memory; all lies where it was. */
void pingo__executor_hadoop_bundles_close(struct pingo__executor_hadoop *h);

/* settle.c */
struct pingo__executor_hadoop_sight { /* what lies in attempts/K */
    enum pingo_runner_state lies;
    struct pingo__executor_hadoop_owner owner; /* of STARTED, and ENDED */
    bool has_logs;
    struct pingo_job_end end; /* of ENDED, once it was read */
};
int pingo__executor_hadoop_see(struct pingo__executor_hadoop *h, struct pingo_job_key key,
                               struct pingo__executor_hadoop_sight *sight, struct pingo_error *err);
/* And its outcome, where one lies there; PINGO_EIO where its bytes do not come.  Any thread. */
int pingo__executor_hadoop_read(struct pingo__executor_hadoop *h, struct pingo_job_key key,
                                struct pingo__executor_hadoop_sight *sight, struct pingo_error *err);
/* What was read there, or with an application that is final, what is to be said where nothing more will come: its
 * end. */
int pingo__executor_hadoop_settle(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job,
                                  const struct pingo__executor_hadoop_app *app,
                                  const struct pingo__executor_hadoop_sight *sight,
                                  struct pingo_error *err);
/* The gate from our side: *revoked, or somebody has started it. */
int pingo__executor_hadoop_close_gate(struct pingo__executor_hadoop *h, struct pingo_job_key key,
                                      bool *revoked, struct pingo_error *err);

#endif
