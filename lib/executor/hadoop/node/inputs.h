/* inputs.h - what was fetched into this container, each once, however many attempts read it.
 *
 * A command without a sandbox could write into what it was given.  So each that an attempt has read is looked at
 * afterwards, and goes where anything about it has changed. */
#ifndef PINGO__EXECUTOR_NODE_INPUTS_H
#define PINGO__EXECUTOR_NODE_INPUTS_H

#include "hdfs/hdfs.h"
#include "runner/record/job.h"

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

#endif
