/* settings.h - the settings of the executor hadoop. */
#ifndef PINGO__EXECUTOR_HADOOP_SETTINGS_H
#define PINGO__EXECUTOR_HADOOP_SETTINGS_H

#include "executor/hadoop/hadoop.h"

#define PINGO__HADOOP_SETTINGS 13
extern const struct pingo_executor_setting pingo__executor_hadoop_settings[PINGO__HADOOP_SETTINGS];

/* Fills in what they say, where things lie, and what is missing. */
int pingo__executor_hadoop_read_settings(struct pingo__executor_hadoop *h,
                                         const struct pingo_executor_context *context,
                                         struct pingo_error *err);
void pingo__executor_hadoop_clear_settings(struct pingo__executor_hadoop *h);

#endif
