/* bounds.c - see bounds.h. */
#include "executor/local/bounds.h"

#include <string.h>
#include <sys/resource.h>

static const char *const names[PINGO__BOUNDS_LIMITS] = {
    [RLIMIT_CPU] = "ulimit -t",      [RLIMIT_FSIZE] = "ulimit -f",
    [RLIMIT_DATA] = "ulimit -d",     [RLIMIT_STACK] = "ulimit -s",
    [RLIMIT_CORE] = "ulimit -c",     [RLIMIT_RSS] = "ulimit -m",
    [RLIMIT_NPROC] = "ulimit -u",    [RLIMIT_NOFILE] = "ulimit -n",
    [RLIMIT_MEMLOCK] = "ulimit -l",  [RLIMIT_AS] = "ulimit -v",
    [RLIMIT_LOCKS] = "ulimit -x",    [RLIMIT_SIGPENDING] = "ulimit -i",
    [RLIMIT_MSGQUEUE] = "ulimit -q", [RLIMIT_NICE] = "ulimit -e",
    [RLIMIT_RTPRIO] = "ulimit -r",   [RLIMIT_RTTIME] = "ulimit -R"};

void pingo__executor_bounds_read(struct pingo__executor_bounds *b)
{
    memset(b, 0, sizeof *b);
    for (int i = 0; i < PINGO__BOUNDS_LIMITS; i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
            b->hard[i] = limit.rlim_max;
    }
    int nice_value = getpriority(PRIO_PROCESS, 0);
    b->nice = nice_value > 0 ? nice_value : 0; /* a supervisor asks for no more than 0 */
}

void pingo__executor_bounds_put(struct pingo__buffer *out, const struct pingo__executor_bounds *b)
{
    for (int i = 0; i < PINGO__BOUNDS_LIMITS; i++)
        pingo__buffer_u64(out, b->hard[i]);
    pingo__buffer_u64(out, (uint64_t)b->nice);
}

bool pingo__executor_bounds_get(struct pingo__buffer_reader *in, struct pingo__executor_bounds *b)
{
    for (int i = 0; i < PINGO__BOUNDS_LIMITS; i++)
        b->hard[i] = pingo__buffer_read_u64(in);
    b->nice = (int64_t)pingo__buffer_read_u64(in);
    return !in->failed;
}

const char *pingo__executor_bounds_stricter(const struct pingo__executor_bounds *ours,
                                            const struct pingo__executor_bounds *theirs)
{
    for (int i = 0; i < PINGO__BOUNDS_LIMITS; i++)
        if (ours->hard[i] < theirs->hard[i])
            return names[i];
    return ours->nice > theirs->nice ? "nice" : NULL;
}
