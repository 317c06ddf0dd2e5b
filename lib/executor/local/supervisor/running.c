/* running.c - see worker.h. */
#include "executor/local/supervisor/worker.h"

#include <errno.h>
#include <unistd.h>

int pingo__executor_running_write(int fd, size_t slot, struct pingo_job_key key)
{
    ssize_t n = pwrite(fd, &key, sizeof key, (off_t)(slot * sizeof key));
    return n == (ssize_t)sizeof key ? 0 : n < 0 ? -errno : -ENOSPC;
}

bool pingo__executor_running_read(int fd, size_t slot, struct pingo_job_key *key)
{
    return pread(fd, key, sizeof *key, (off_t)(slot * sizeof *key)) == (ssize_t)sizeof *key;
}
