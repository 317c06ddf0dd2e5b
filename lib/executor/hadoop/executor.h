/* executor.h - the executor that has a Hadoop cluster run attempts. */
#ifndef PINGO__EXECUTOR_HADOOP_EXECUTOR_H
#define PINGO__EXECUTOR_HADOOP_EXECUTOR_H

#include <pingo/executor.h>

const struct pingo_executor_type *pingo__executor_hadoop(void);

#endif
