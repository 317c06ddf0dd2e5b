/* family.h - the process tree: all descendants of this process, whatever their session or group.
 *
 * This process is a child subreaper: a descendant that loses its parent becomes its child, so none escapes the walk. */
#ifndef PINGO__RUNNER_FAMILY_H
#define PINGO__RUNNER_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pingo__runner_family {
    pid_t *pids;
    size_t n, capacity;
};

void pingo__runner_family_clear(struct pingo__runner_family *family);
/* Finds all but those below and including the nspared ones.  false: memory ran out or /proc is not readable; what was
 * found is there. */
bool pingo__runner_family_find(struct pingo__runner_family *family, const pid_t *spared,
                               size_t nspared);
void pingo__runner_family_kill(const struct pingo__runner_family *family);
/* Sum of resident memory; shared pages count once for each who has them. */
int64_t pingo__runner_family_resident(const struct pingo__runner_family *family);
/* The same with shared pages divided among those who have them; slow.  -1: not to be had. */
int64_t pingo__runner_family_proportional(const struct pingo__runner_family *family);

#endif
