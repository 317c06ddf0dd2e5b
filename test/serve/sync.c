/* sync.c - preloaded: a disk that takes nothing while the file $SYNC_HELD is there, and fails while $SYNC_BROKEN is; each
 * time that a log is synced adds a byte to $SYNC_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int sync_as(const char *name, int fd)
{
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n > 4 && strcmp(path + n - 4, "-wal") == 0) {
        int count = open(getenv("SYNC_COUNT"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (write(count, "s", 1) == 1)
            close(count);
        while (access(getenv("SYNC_HELD"), F_OK) == 0)
            usleep(1000);
        if (access(getenv("SYNC_BROKEN"), F_OK) == 0) {
            errno = EIO;
            return -1;
        }
    }
    return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}

int fsync(int fd)
{
    return sync_as("fsync", fd);
}

int fdatasync(int fd)
{
    return sync_as("fdatasync", fd);
}
