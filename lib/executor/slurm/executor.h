/* executor.h - the executor that has a Slurm cluster run attempts. */
#ifndef PINGO__EXECUTOR_SLURM_EXECUTOR_H
#define PINGO__EXECUTOR_SLURM_EXECUTOR_H

#include <pingo/executor.h>

const struct pingo_executor_type *pingo__executor_slurm(void);

#endif
