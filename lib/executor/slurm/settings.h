/* settings.h - the settings of the executor slurm. */
#ifndef PINGO__EXECUTOR_SLURM_SETTINGS_H
#define PINGO__EXECUTOR_SLURM_SETTINGS_H

#include "executor/slurm/slurm.h"

#define PINGO__SLURM_SETTINGS 11
extern const struct pingo_executor_setting pingo__executor_slurm_settings[PINGO__SLURM_SETTINGS];

/* Fills in what they say, and where things lie. */
int pingo__executor_slurm_read_settings(struct pingo__executor_slurm *s,
                                        const struct pingo_executor_context *context,
                                        struct pingo_error *err);

#endif
