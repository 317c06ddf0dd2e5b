/* threads.h - an executor of this program's own: see threads.c. */
#ifndef THREADS_H
#define THREADS_H

#include <pingo/executor.h>

extern const struct pingo_executor_type threads_executor; /* runs "text" actions, two at a time */

#endif
