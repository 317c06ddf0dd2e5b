/* node.h - what the files of pingo-hadoop-runner share.
 *
 * In the container's directory it has a pool of its own, pingo/, in which lib/runner runs an attempt as anywhere else;
 * what lies in HDFS is fetched into it before, and brought there after.
 * What always holds: an attempt is run by who has renamed its `job`, and by nobody else ever after; its output, under
 * its name, is whole; an outcome is left when all else of the attempt is there, once.  If this process is killed before
 * that, started.* says who had it, and YARN that he is gone. */
#ifndef PINGO__EXECUTOR_NODE_NODE_H
#define PINGO__EXECUTOR_NODE_NODE_H

#include <pthread.h>

#include "executor/hadoop/layout.h"
#include "hdfs/hdfs.h"
#include "runner/runner.h"

/* claims.c: which attempt of a bundle is tried next.  Pure. */

struct pingo__executor_node_claims {
    struct pingo_job_key *keys;
    bool *tried; /* or known to be of no use */
    size_t n;
    size_t share, shares; /* it begins with those whose number is share, modulo shares */
};

/* PINGO_ECORRUPT: a line of the list, which is spoiled, is no key; PINGO_ENOMEM.  Clear it in each case. */
int pingo__executor_node_claims_read(struct pingo__executor_node_claims *c, char *list);
void pingo__executor_node_claims_clear(struct pingo__executor_node_claims *c);
/* Of the container of this id, of so many; the first container of an application, its master, is number 1. */
void pingo__executor_node_claims_divide(struct pingo__executor_node_claims *c,
                                        const char *container, size_t shares);
/* The next, its own share before those of others; it is not told again.  false: there are no more. */
bool pingo__executor_node_claims_next(struct pingo__executor_node_claims *c,
                                      struct pingo_job_key *key);
/* Somebody has that one, or had. */
void pingo__executor_node_claims_pass(struct pingo__executor_node_claims *c,
                                      struct pingo_job_key key);

/* inputs.c: what was fetched into this container, each once, however many attempts read it.
 *
 * A command without a sandbox could write into what it was given.  So each that an attempt has read is looked at
 * afterwards, and goes where anything about it has changed. */

struct pingo__executor_node_input {
    char *url, *path; /* where it is here */
    struct pingo_hash stamp;
    bool is_wanted; /* by the attempt that runs */
};

struct pingo__executor_node_inputs {
    char *directory;   /* absolute, and there */
    const char *url;   /* of the file system that data handles are for */
    const char *token; /* NULL: none */
    struct pingo__executor_node_input *list;
    size_t n, capacity;
    unsigned long made;
};

/* Fetches what the job's links lead to, but for what is here or lies on this machine, and has them lead there; data: a
 * handle on inputs->url.  *at: the link that it is about.  Errors: as lib/hdfs's; PINGO_ENOSPACE: this machine's disk
 * is full, be it that all that the job does not want is gone. */
int pingo__executor_node_inputs_fetch(struct pingo__executor_node_inputs *inputs,
                                      struct pingo__runner_job *job, struct pingo__hdfs *data,
                                      const struct pingo_job_link **at, struct pingo_error *err);
/* The attempt is over. */
void pingo__executor_node_inputs_check(struct pingo__executor_node_inputs *inputs);
void pingo__executor_node_inputs_clear(struct pingo__executor_node_inputs *inputs);

/* watch.c: a thread that sees to it that an attempt ends when it is to end.
 *
 * It looks every few seconds into the attempt's directory: for `kill`, and whether started.* is there still.  Then, and
 * when a signal has come, it stops what is being fetched or brought; the command itself is ended by who runs it, for
 * whom a descriptor becomes readable. */

struct pingo__executor_node_watch {
    struct pingo__hdfs *fs; /* its own */
    int signals;            /* looked at, not read */
    int ended;              /* an eventfd: readable while the attempt is to end */
    int bell;               /* an eventfd: the thread is to return */
    pthread_t thread;
    bool is_there;                 /* the thread */
    pthread_mutex_t mutex;         /* holds what follows */
    const char *attempt, *started; /* NULL: there is none */
    struct pingo__hdfs *data;      /* what is stopped; NULL: none */
    bool is_stopped, is_told;      /* a signal has come */
};

/* Descriptors and locks.  0 or a negative errno. */
int pingo__executor_node_watch_init(struct pingo__executor_node_watch *w);
/* The thread begins, with a handle that is its own from now on.  0 or a negative errno. */
int pingo__executor_node_watch_start(struct pingo__executor_node_watch *w, struct pingo__hdfs *fs,
                                     int signals);
/* Until it returns, the thread may be heard.  All of it goes. */
void pingo__executor_node_watch_clear(struct pingo__executor_node_watch *w);
/* From now on this attempt ("attempts/17.3", and the name of its started.*), which uses that handle; NULL: none. */
void pingo__executor_node_watch_set(struct pingo__executor_node_watch *w, const char *attempt,
                                    const char *started, struct pingo__hdfs *data);
struct pingo__executor_node_seen {
    const char *started; /* the name of ours */
    bool ours, kill, outcome;
};
/* What lies in an attempt's directory.  0 or PINGO_E*. */
int pingo__executor_node_see(struct pingo__hdfs *fs, const char *attempt, const char *started,
                             struct pingo__executor_node_seen *seen);

/* ---- all of it ---- */

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

/* guard.c: the process that YARN sees, and ends; what runs attempts is its child, in a session of its own.
 *
 * YARN ends a container by a signal to a process and its group, and sends KILL a quarter of a second behind TERM.  A
 * command has a session of its own, and would be left running by that.  So of guard and child each ends, when the other
 * is gone, what is left: the child hears TERM then, and can still leave an outcome. */

/* Starts this program again with these words, hands on signals, and waits.  The exit status, or -1: it could not be
 * started, see errno. */
int pingo__executor_node_guard(char *const *argv);
/* In the child: it is told by TERM when the guard is gone.  false: that is so already. */
bool pingo__executor_node_guarded(void);

/* main.c */
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
