/* machine.h - what this machine has to give: the defaults of slots and memory; and its name. */
#ifndef PINGO__BASE_MACHINE_H
#define PINGO__BASE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* Processors that may be used: by affinity, and by the quota of the cgroup (v2 cpu.max, v1
 * cfs_quota_us), rounded up.  At least 1. */
int64_t pingo__machine_slots(void);
/* Bytes of memory: the machine's, or the cgroup's limit where that is less.  At least 1. */
int64_t pingo__machine_memory(void);

/* Writes the directory of this process's cgroup of a v1 controller, or with "" of v2, below /sys/fs/cgroup.
 * 0, or -1 where there is none. */
int pingo__machine_cgroup(const char *controller, char *path, size_t size);

/* Its host name, with '_' for what is none of letters, digits, '.' and '-'; "unknown" where it has none. */
void pingo__machine_host(char host[64]);

#endif
