/* running.c - see worker.h. */
#include "executor/local/supervisor/worker.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "runner/record/outcome.h"

#define MAGIC UINT64_C(0x31676e696e6e7572)

struct record {
    uint64_t magic;
    int64_t action, epoch, none;
    uint64_t sum;
    uint64_t unused[3];
};
_Static_assert(sizeof(struct record) == PINGO__RUNNING_RECORD, "a record has its size");

static uint64_t sum_of(const struct record *r)
{
    return pingo__runner_checksum((const char *)r, offsetof(struct record, sum));
}

int pingo__executor_running_write(int fd, size_t slot, const struct pingo_job_key *key)
{
    struct record r;
    memset(&r, 0, sizeof r);
    if (key) {
        r.magic = MAGIC;
        r.action = key->action;
        r.epoch = key->epoch;
        r.sum = sum_of(&r);
    }
    ssize_t n = pwrite(fd, &r, sizeof r, (off_t)(slot * sizeof r));
    return n == (ssize_t)sizeof r ? 0 : n < 0 ? -errno : -ENOSPC;
}

bool pingo__executor_running_read(int fd, size_t slot, struct pingo_job_key *key, bool *runs)
{
    struct record r;
    ssize_t n = pread(fd, &r, sizeof r, (off_t)(slot * sizeof r));
    if (n != (ssize_t)sizeof r)
        return false;
    *runs = r.magic == MAGIC && r.sum == sum_of(&r);
    if (*runs)
        *key = (struct pingo_job_key){r.action, r.epoch};
    return true;
}
