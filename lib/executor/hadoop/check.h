/* check.h - tries the settings of the executor hadoop. */
#ifndef PINGO__EXECUTOR_HADOOP_CHECK_H
#define PINGO__EXECUTOR_HADOOP_CHECK_H

#include <pingo/executor.h>

/* As the check of struct pingo_executor_type. */
int pingo__executor_hadoop_check(const struct pingo_executor_context *context,
                                 const struct pingo_check_options *options, struct pingo_error *err);

#endif
