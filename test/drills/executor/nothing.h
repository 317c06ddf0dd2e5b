/* nothing.h - the executor "nothing": every job ends well at once, with an empty output. */
#ifndef PINGO__EXECUTOR_NOTHING_H
#define PINGO__EXECUTOR_NOTHING_H

#include <pingo/executor.h>

extern const struct pingo_executor_type pingo__executor_nothing;

#endif
