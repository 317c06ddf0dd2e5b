/* follow.h - the executor hadoop from within: its thread, and what is made for it. */
#ifndef PINGO__EXECUTOR_HADOOP_FOLLOW_H
#define PINGO__EXECUTOR_HADOOP_FOLLOW_H

#include "executor/hadoop/mailbox.h"

/* ---- settings.c ---- */

#define PINGO__HADOOP_SETTINGS 13
extern const struct pingo_executor_setting pingo__executor_hadoop_settings[PINGO__HADOOP_SETTINGS];
/* Fills in what they say, where things lie, and what is missing. */
int pingo__executor_hadoop_read_settings(struct pingo__executor_hadoop *h,
                                         const struct pingo_executor_context *context,
                                         struct pingo_error *err);
/* As in struct pingo_executor_type. */
int pingo__executor_hadoop_check_text(const char *key, const char *text, struct pingo_error *err);

/* ---- aside.c ---- */

/* Is what the job waits for done, and is there room for what it wants done? */
bool pingo__executor_hadoop_aside_is_over(struct pingo__executor_hadoop *h,
                                          struct pingo__executor_hadoop_job *job);
/* The job, which has one, goes: it keeps the arena until it is done. */
void pingo__executor_hadoop_aside_drop(struct pingo__executor_hadoop_job *job);
/* Those of jobs that are gone, as far as they are done; all: each, when it is. */
void pingo__executor_hadoop_asides_free(struct pingo__executor_hadoop *h, bool all);

/* ---- check.c, originals.c ---- */

/* As the check of struct pingo_executor_type. */
int pingo__executor_hadoop_check(const struct pingo_executor_context *context,
                                 const struct pingo_check_options *options, struct pingo_error *err);
/* What the cluster has copies of in POOL/originals, as far as it was seen there; used on any thread.  PINGO_ENOMEM. */
int pingo__executor_hadoop_originals_new(struct pingo__executor_hadoop_originals **out,
                                         struct pingo_error *err);
void pingo__executor_hadoop_originals_free(struct pingo__executor_hadoop_originals *originals);

/* ---- follow.c ---- */

/* The thread's function: takes orders and has the jobs go on, until it is stopped; the executor (context) is the
 * thread's then. */
void *pingo__executor_hadoop_follow(void *context);
/* It was not taken: it never starts, unless it has all the same.  Its code PINGO_EINVAL: it fails. */
int pingo__executor_hadoop_refuse(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job,
                                  const struct pingo_error *why, struct pingo_error *err);
/* With all that its settings say, and the means to ask the cluster, which is not asked yet; (*out)->unset says what is
 * missing, or wrong.  Errors: PINGO_ENOMEM, PINGO_EIO. */
int pingo__executor_hadoop_new(const struct pingo_executor_context *context,
                               struct pingo__executor_hadoop_mailbox *box,
                               struct pingo__executor_hadoop **out, struct pingo_error *err);
/* Once the thread is over: all that h holds.  NULL is allowed. */
void pingo__executor_hadoop_free(struct pingo__executor_hadoop *h);

/* ---- orders.c ---- */

/* From now on it is of this kind, with bytes of its own that are zero.  false: no memory. */
bool pingo__executor_hadoop_show_to(struct pingo__executor_hadoop_job *job,
                                    const struct pingo__executor_hadoop_kind *kind);
/* As its kind's revoke; of one that is_unread that of each. */
int pingo__executor_hadoop_revoke(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job, bool *revoked,
                                  struct pingo_error *err);
/* Which kind has left it, of those that are asked one after the other; not *found: none, and it never will start.  An
 * error: is_unread, and to be asked again. */
int pingo__executor_hadoop_recognize(struct pingo__executor_hadoop *h,
                                     struct pingo__executor_hadoop_job *job, bool *found,
                                     struct pingo_error *err);
/* All that wait. */
void pingo__executor_hadoop_take_orders(struct pingo__executor_hadoop *h);
/* Ends one that is_killed: who has not been submitted never is; else its kind ends it, once that is known. */
int pingo__executor_hadoop_end_job(struct pingo__executor_hadoop *h,
                                   struct pingo__executor_hadoop_job *job, struct pingo_error *err);

/* ---- common.c ---- */

/* The cluster does not answer; nothing is asked for a while. */
void pingo__executor_hadoop_meet(struct pingo__executor_hadoop *h, const struct pingo_error *why);
/* What was tried for this one failed, by none of the cluster's troubles: it is tried again after a while. */
void pingo__executor_hadoop_stuck(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job,
                                  const struct pingo_error *why);
/* Asks the ResourceManager for the applications of all jobs. */
int pingo__executor_hadoop_poll(struct pingo__executor_hadoop *h, struct pingo_error *err);

#endif
