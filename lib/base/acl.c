/* acl.c - see acl.h. */
#include "base/acl.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define NAME "system.posix_acl_access"
#define GIVEN "system.posix_acl_default"
#define HEAD 4  /* bytes: the version */
#define ENTRY 8 /* bytes of each: tag, what is permitted, who */
#define PERMITTED 2

void pingo__acl_read(const char *path, struct pingo__acl *acl)
{
    ssize_t n = lgetxattr(path, NAME, acl->bytes, sizeof acl->bytes);
    acl->n = n > HEAD ? (size_t)n : 0;
}

bool pingo__acl_is_given(const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') + 1 - path), path);
    return getxattr(directory, GIVEN, NULL, 0) > 0;
}

int pingo__acl_write(const char *path, const struct pingo__acl *acl, mode_t mode)
{
    struct pingo__acl to = *acl;
    /* The mode says afterwards, as the mask, what of it holds. */
    for (size_t i = HEAD; mode & 010 && i + ENTRY <= to.n; i += ENTRY)
        to.bytes[i + PERMITTED] |= to.bytes[i + PERMITTED] >> 2 & 1;
    bool failed = to.n ? lsetxattr(path, NAME, to.bytes, to.n, 0) != 0
                       : lremovexattr(path, NAME) != 0 && errno != ENODATA && errno != ENOTSUP;
    return failed || chmod(path, mode) != 0 ? -errno : 0;
}
