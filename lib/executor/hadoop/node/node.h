/* node.h - what the files of pingo-hadoop-runner share.
 *
 * In the container's directory it has a pool of its own, pingo/, in which lib/runner runs an attempt as anywhere else;
 * what lies in HDFS is fetched into it before, and brought there after.
 * What always holds: an attempt is run by who has renamed its `job`, and by nobody else ever after; its output, under
 * its name, is whole; an outcome is left when all else of the attempt is there, once.  If this process is killed before
 * that, started.* says who had it, and YARN that he is gone. */
#ifndef PINGO__EXECUTOR_NODE_NODE_H
#define PINGO__EXECUTOR_NODE_NODE_H

#include "executor/hadoop/layout.h"
#include "executor/hadoop/node/claims.h"
#include "executor/hadoop/node/inputs.h"
#include "executor/hadoop/node/watch.h"
#include "hdfs/hdfs.h"
#include "runner/alone.h"
#include "runner/record/outcome.h"

struct pingo__executor_node {
    const char *pool, *token; /* token NULL: none */
    const char *application;  /* NULL: it is a probe, in this directory: */
    const char *probe;
    size_t containers;
    struct pingo__executor_hadoop_owner owner;
    char started[256]; /* what `job` is renamed to */
    char *root;        /* DIR/pingo, absolute */
    int dir;           /* the same, open; locked to the end */
    bool is_again;     /* this container has been started before */
    struct pingo__hdfs *fs;
    struct pingo__executor_node_claims claims;
    struct pingo__executor_node_inputs inputs;
    struct pingo__executor_node_watch watch;
    struct pingo__runner_alone alone;
    char prepared[PINGO__RUNNER_OUTCOME_SIZE]; /* an outcome that lies in HDFS, under another name; */
    bool is_prepared;
};

/* main.c */
/* A line on standard error. */
void pingo__executor_node_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A handle on the pool; the way to it is asked for when it is used.  NULL: that was said. */
struct pingo__hdfs *pingo__executor_node_open(const struct pingo__executor_node *n,
                                              struct pingo_error *err);

/* bundle.c */
/* Takes one attempt after the other.  An exit status. */
int pingo__executor_node_bundle(struct pingo__executor_node *n);
/* What did not answer is asked again, after a pause that grows, until most_ms have passed since the first time or we
 * are told to end.  What was refused is, too, some times.  All but most_ms is 0 at first. */
struct pingo__executor_node_patience {
    int64_t most_ms, begun_ms, pause_ms;
    int refusals;
};
bool pingo__executor_node_again(struct pingo__executor_node *n, int rc,
                                struct pingo__executor_node_patience *p);
/* What a file in HDFS holds, at most so many bytes; it is waited for so long.  Clear bytes in each case. */
struct pingo__executor_node_file {
    struct pingo__hdfs *fs;
    const char *path;
    int64_t most_bytes, most_ms;
};
int pingo__executor_node_read(struct pingo__executor_node *n,
                              const struct pingo__executor_node_file *file,
                              struct pingo__buffer *bytes, struct pingo_error *err);

/* attempt.c */
/* One that is ours: from its job to its outcome.  false: nothing came of it that HDFS knows of. */
bool pingo__executor_node_attempt(struct pingo__executor_node *n, struct pingo_job_key key);
/* Has this outcome ready in HDFS, in case that all goes well. */
void pingo__executor_node_prepare(struct pingo__executor_node *n, const struct pingo_job_end *end);
/* Leaves an outcome.  0 or PINGO_E*. */
int pingo__executor_node_leave(struct pingo__executor_node *n, const struct pingo_job_end *end,
                               struct pingo_error *err);

/* deliver.c */
/* Brings logs and output to where they belong, or says in *end why it could not. */
void pingo__executor_node_deliver(struct pingo__executor_node *n,
                                  const struct pingo__runner_job *job, struct pingo__hdfs *data,
                                  struct pingo_job_end *end);

/* probe.c */
/* Answers what is asked there.  An exit status. */
int pingo__executor_node_probe(struct pingo__executor_node *n);

#endif
