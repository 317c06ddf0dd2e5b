/* follow.h - the thread of the executor hadoop. */
#ifndef PINGO__EXECUTOR_HADOOP_FOLLOW_H
#define PINGO__EXECUTOR_HADOOP_FOLLOW_H

#include "executor/hadoop/mailbox.h"

/* The thread's function: takes orders and has the jobs go on, until it is stopped; the executor (context) is the
 * thread's then. */
void *pingo__executor_hadoop_follow(void *context);
/* With all that its settings say, and the means to ask the cluster, which is not asked yet; (*out)->unset says what is
 * missing, or wrong.  Errors: PINGO_ENOMEM, PINGO_EIO. */
int pingo__executor_hadoop_new(const struct pingo_executor_context *context,
                               struct pingo__executor_hadoop_mailbox *box,
                               struct pingo__executor_hadoop **out, struct pingo_error *err);
/* Once the thread is over: all that h holds.  NULL is allowed. */
void pingo__executor_hadoop_free(struct pingo__executor_hadoop *h);
/* orders.c.  All that wait. */
void pingo__executor_hadoop_take_orders(struct pingo__executor_hadoop *h);
/* Ends one that is_killed: who has not been submitted never is; else its kind ends it. */
int pingo__executor_hadoop_end_job(struct pingo__executor_hadoop *h,
                                   struct pingo__executor_hadoop_job *job, struct pingo_error *err);
/* common.c.  The cluster does not answer; nothing is asked for a while. */
void pingo__executor_hadoop_meet(struct pingo__executor_hadoop *h, const struct pingo_error *why);
/* What was tried for this one failed, by none of the cluster's troubles: it is tried again after a while. */
void pingo__executor_hadoop_stuck(struct pingo__executor_hadoop *h,
                                  struct pingo__executor_hadoop_job *job,
                                  const struct pingo_error *why);
/* Asks the ResourceManager for the applications of all jobs. */
int pingo__executor_hadoop_poll(struct pingo__executor_hadoop *h, struct pingo_error *err);
/* The i-th kind of job; NULL: there are no more. */
const struct pingo__executor_hadoop_kind *pingo__executor_hadoop_kind(size_t i);

#endif
