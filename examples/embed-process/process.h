/* process.h - an executor whose jobs are processes that outlive their scheduler: see process.c. */
#ifndef PROCESS_H
#define PROCESS_H

#include <pingo/executor.h>

extern const struct pingo_executor_type process_executor; /* "process": runs command-line actions */

#endif
