/* rm.h - asking the ResourceManager, and web servers of nodes; each call waits for the reply, or until we leave.
 *
 * Of several ResourceManagers the one that answers as the active one is asked on; one that redirects, or speaks no
 * JSON, stands by.  The others come in the order of the list behind it; none is waited for longer than 15 s, and half a
 * second where there is haste.  What was asked and not answered is asked again: nothing here does harm twice. */
#ifndef PINGO__EXECUTOR_HADOOP_RM_H
#define PINGO__EXECUTOR_HADOOP_RM_H

#include "base/buffer.h"
#include "executor/hadoop/mailbox.h"

/* ---- what ResourceManager and NodeManagers say, as far as it counts: replies.c, pure ------------- */

/* Bytes from a server are taken as hostile.  What is missing is missing: lists may be null, {}, an object or an array,
 * and what a version calls otherwise is passed over. */

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

/* ---- asking ------------------------------------------------------------------------------------- */

/* list: HOST:PORT,...; with http:// or https:// where it is said.  While the bell urgent rings nobody waits for long:
 * PINGO_EAWAY; once stop does, not at all.  Errors: PINGO_EINVAL, PINGO_ENOMEM, PINGO_EIO. */
int pingo__executor_hadoop_rm_open(const char *list, const char *user,
                                   const struct pingo__executor_hadoop_bells *bells,
                                   struct pingo__executor_hadoop_rm **out, struct pingo_error *err);
void pingo__executor_hadoop_rm_close(struct pingo__executor_hadoop_rm *rm);

/* From now on no question is waited for for long, and one that has not answered is not asked; false: as usual. */
void pingo__executor_hadoop_rm_hurry(struct pingo__executor_hadoop_rm *rm, bool hurries);

struct pingo__executor_hadoop_question {
    const char *method, *path;                  /* "/ws/v1/cluster/..." */
    const char *body;                           /* JSON; NULL: none */
    const struct pingo__executor_hadoop_on *on; /* NULL: what is listed is not told */
    struct pingo__buffer *raw;                  /* the reply as it is, too; NULL: not wanted */
};
/* Errors: PINGO_EAWAY (nobody answers as the active one, or not soon enough), PINGO_EINTERRUPTED (we leave),
 * PINGO_ENOMEM. */
int pingo__executor_hadoop_rm_ask(struct pingo__executor_hadoop_rm *rm,
                                  const struct pingo__executor_hadoop_question *question,
                                  struct pingo__executor_hadoop_reply *answer,
                                  struct pingo_error *err);
/* The same of another server, HOST:PORT, once; whatever it says.  Its errors have no message. */
int pingo__executor_hadoop_rm_ask_node(struct pingo__executor_hadoop_rm *rm, const char *node,
                                       const struct pingo__executor_hadoop_question *question,
                                       struct pingo__executor_hadoop_reply *answer);
/* For how long it has not answered what it is being asked; 0: it is not asked.  Any thread. */
int64_t pingo__executor_hadoop_rm_silent_ms(const struct pingo__executor_hadoop_rm *rm);
/* Who is asked now, for a person. */
const char *pingo__executor_hadoop_rm_name(const struct pingo__executor_hadoop_rm *rm);

/* A new id, and what the largest container may have, in *reply. */
int pingo__executor_hadoop_rm_new(struct pingo__executor_hadoop_rm *rm,
                                  struct pingo__executor_hadoop_reply *reply,
                                  struct pingo_error *err);
/* PINGO_EEXECUTOR: it takes no such application, and says why. */
int pingo__executor_hadoop_rm_submit(struct pingo__executor_hadoop_rm *rm, const char *body,
                                     struct pingo_error *err);
/* All of this tag that are not final. */
int pingo__executor_hadoop_rm_list(struct pingo__executor_hadoop_rm *rm, const char *tag,
                                   const struct pingo__executor_hadoop_on *on,
                                   struct pingo_error *err);
/* The one; *app is GONE where it says so. */
int pingo__executor_hadoop_rm_look(struct pingo__executor_hadoop_rm *rm, const char *id,
                                   struct pingo__executor_hadoop_app *app, struct pingo_error *err);
/* PUT state KILLED; one that is final or gone is fine.  why: what YARN says of it ever after, plain words.
 * PINGO_EAWAY. */
#define PINGO__HADOOP_GIVEN_UP "given up by Pingo"
int pingo__executor_hadoop_rm_kill(struct pingo__executor_hadoop_rm *rm, const char *id,
                                   const char *why, struct pingo_error *err);

#endif
