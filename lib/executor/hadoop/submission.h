/* submission.h - what YARN is asked to run, as JSON: the distributed shell's master, and through it containers that all
 * run one script.  Pure. */
#ifndef PINGO__EXECUTOR_HADOOP_SUBMISSION_H
#define PINGO__EXECUTOR_HADOOP_SUBMISSION_H

#include <pingo/executor.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "executor/hadoop/layout.h"

struct pingo__executor_hadoop_options { /* of executorOptions; NULL: not given */
    const char *queue, *node_label;
    int64_t priority; /* -1: not given */
};
/* Texts in the arena; json may be NULL.  PINGO_EINVAL: an option that is none. */
int pingo__executor_hadoop_options_read(const char *json, struct pingo__arena *arena,
                                        struct pingo__executor_hadoop_options *options,
                                        struct pingo_error *err);

struct pingo__executor_hadoop_submission {
    const char *id, *name, *tag;
    const char *queue, *node_label; /* NULL: the cluster's own */
    int64_t priority;               /* -1: the queue's own */
    const char *classpath;          /* of the master; NULL: as a distribution has it */
    int64_t master_mb, memory_mb, vcores, containers;
    const char *script; /* hdfs://...; the shell renames it */
    int64_t script_bytes, script_mtime_ms;
    const char *token; /* a delegation token of HDFS's, as Hadoop's programs know it; NULL: none is needed */
};
/* Look whether b failed. */
void pingo__executor_hadoop_body(struct pingo__buffer *b,
                                 const struct pingo__executor_hadoop_submission *s);

/* What a container needs above what the command may use: the runner, the shell, and copies of inputs in flight. */
#define PINGO__HADOOP_RUNNER_MB 64
/* In MB; a job without a limit gets 1024. */
int64_t pingo__executor_hadoop_container_mb(const struct pingo_job *job);

#define PINGO__HADOOP_PROGRAM "pingo-hadoop-runner"
#define PINGO__HADOOP_LIBRARY "libcjson.so.1" /* as the program asks for it, beside itself first */

struct pingo__executor_hadoop_program {
    char *bytes, *library;
    size_t n, nlibrary; /* 0: it needs none */
};
/* The script of a container: it takes program and library out of itself (they stand behind it), and runs the program
 * with these words.  token may be NULL.  Look whether b failed. */
void pingo__executor_hadoop_script(struct pingo__buffer *b, const char *const *words,
                                   const char *token,
                                   const struct pingo__executor_hadoop_program *program);

/* Can the text stand in a command or a variable of YARN's, past two shells, as it is? */
bool pingo__executor_hadoop_is_safe(const char *text);

#endif
