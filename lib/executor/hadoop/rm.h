/* rm.h - asking the ResourceManager, and web servers of nodes; each call waits for the reply, or until we leave.
 *
 * Of several ResourceManagers the one that answers as the active one is asked on; one that redirects, or speaks no
 * JSON, stands by.  The others come in the order of the list behind it; none is waited for longer than 15 s, and half a
 * second where there is haste.  What was asked and not answered is asked again: nothing here does harm twice. */
#ifndef PINGO__EXECUTOR_HADOOP_RM_H
#define PINGO__EXECUTOR_HADOOP_RM_H

#include "base/buffer.h"
#include "executor/hadoop/mailbox.h"
#include "executor/hadoop/replies.h"

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
