/* process.h - what the system says of a process. */
#ifndef PINGO__BASE_PROCESS_H
#define PINGO__BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Is it stopped (SIGSTOP, ctrl-z)?  false also where there is none. */
bool pingo__process_is_stopped(int64_t pid);

#endif
