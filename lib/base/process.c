/* process.c - see process.h. */
#include "base/process.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool pingo__process_is_stopped(int64_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *after = strrchr(text, ')'); /* the name before it may hold anything */
    return after && after[1] == ' ' && (after[2] == 'T' || after[2] == 't');
}
