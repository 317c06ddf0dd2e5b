/* originals.h - what the cluster has copies of in POOL/originals, by content. */
#ifndef PINGO__EXECUTOR_HADOOP_ORIGINALS_H
#define PINGO__EXECUTOR_HADOOP_ORIGINALS_H

#include "executor/hadoop/hadoop.h"

struct pingo__executor_hadoop_originals; /* those that were seen there; used on any thread */

/* PINGO_ENOMEM. */
int pingo__executor_hadoop_originals_new(struct pingo__executor_hadoop_originals **out,
                                         struct pingo_error *err);
void pingo__executor_hadoop_originals_free(struct pingo__executor_hadoop_originals *originals);

#endif
