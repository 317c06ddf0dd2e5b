/* memory.h - a cgroup (v2) for one job whose memory is limited, where the machine gives us one.
 *
 * Where none can be had, everything here does nothing, and the runner samples. */
#ifndef PINGO__RUNNER_MEMORY_H
#define PINGO__RUNNER_MEMORY_H

#include <pingo/executor.h>

struct pingo__runner_memory_group; /* opaque */

/* Makes a group with this limit.  NULL: none can be had here. */
struct pingo__runner_memory_group *pingo__runner_memory_group_open(struct pingo_job_key key,
                                                                   int64_t bytes);
/* Its cgroup.procs, open for writing; -1 for NULL. */
int pingo__runner_memory_group_procs(const struct pingo__runner_memory_group *group);
/* Has somebody in it been killed for memory? */
bool pingo__runner_memory_group_over(const struct pingo__runner_memory_group *group);
/* Where the kernel counts the processes that it has killed for memory in the group that this process is in, which a
 * batch system may have made: open for reading; -1: nowhere. */
int pingo__runner_memory_killings(void);
/* How many there were; -1: not known. */
int64_t pingo__runner_memory_kills(int killings);
/* Peak bytes; 0: not known. */
int64_t pingo__runner_memory_group_peak(const struct pingo__runner_memory_group *group);
/* Kills all in it at once. */
void pingo__runner_memory_group_kill(const struct pingo__runner_memory_group *group);
/* Removes it; nobody is in it any more. */
void pingo__runner_memory_group_close(struct pingo__runner_memory_group *group);

#endif
