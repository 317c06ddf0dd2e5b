/* replies.h - what the ResourceManager and the NodeManagers say, as far as it counts.  Pure.
 *
 * Bytes from a server are taken as hostile.  What is missing is missing: lists may be null, {}, an object or an array,
 * and what a version calls otherwise is passed over. */
#ifndef PINGO__EXECUTOR_HADOOP_REPLIES_H
#define PINGO__EXECUTOR_HADOOP_REPLIES_H

#include "executor/hadoop/hadoop.h"

enum pingo__executor_hadoop_queue {
    PINGO__HADOOP_QUEUE_NONE,
    PINGO__HADOOP_QUEUE_STOPPED,
    PINGO__HADOOP_QUEUE_PARENT, /* only queues below it take applications */
    PINGO__HADOOP_QUEUE_FINE
};

struct pingo__executor_hadoop_reply {
    int status;                     /* as HTTP has it; 0: nobody replied */
    bool is_read;                   /* it is a JSON object; what "There is no active RM" is not */
    char exception[64];             /* of a RemoteException; "": there was none */
    char message[400];              /* its, fit to be shown */
    char id[PINGO__HADOOP_ID_SIZE]; /* of a new application */
    int64_t memory_mb, vcores;      /* the most that a container can have; 0: not told */
    int64_t started_ms;             /* of the cluster: since when the ResourceManager runs */
    char version[40];               /* of the cluster; "": not told */
    char state[24]; /* of a container of a NodeManager, or of an application that is being killed */
    size_t nodes;   /* that are RUNNING, */
    bool has_node;  /* and the one that was asked for among them */
    enum pingo__executor_hadoop_queue queue; /* that was asked for */
    char queues[200]; /* those that take applications, joined, as many as have room; "": not told */
};

struct pingo__executor_hadoop_on {
    void (*app)(void *context, const struct pingo__executor_hadoop_app *app); /* may be NULL */
    void *context;
    const char *node;  /* HOST:PORT of one that is looked for; NULL: none */
    const char *queue; /* its name or path, likewise */
};

/* All but the status.  0, or PINGO_ENOMEM; what is no JSON is not read. */
int pingo__executor_hadoop_reply_read(const char *bytes, size_t length,
                                      const struct pingo__executor_hadoop_on *on,
                                      struct pingo__executor_hadoop_reply *reply);

/* Does it say that there is no such application, and not only that something was not found? */
bool pingo__executor_hadoop_is_gone(const struct pingo__executor_hadoop_reply *reply,
                                    const char *id);

/* What the container of an application did, by the application's diagnostics: "Exit code: 3"; -1: they do not say. */
int pingo__executor_hadoop_exit_code(const char *diagnostics);
/* Was it ended for its memory? */
bool pingo__executor_hadoop_was_memory(const char *diagnostics);
/* Does the log of a job's master say that of an attempt of the same task?  *line: there (to the end of its line). */
bool pingo__executor_hadoop_task_was_memory(const char *log, const char *attempt, const char **line);
/* Does a text of Hadoop's say that another of its daemons could not be asked, or took no writes?  What a command says
 * of other servers does not: these are the words of Hadoop's own clients. */
bool pingo__executor_hadoop_was_away(const char *text);

#endif
