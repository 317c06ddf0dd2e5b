/* acl.h - the access control list of a file or a directory (POSIX.1e), which says more than its mode does. */
#ifndef PINGO__BASE_ACL_H
#define PINGO__BASE_ACL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pingo__acl {
    size_t n;                  /* bytes; 0: there is none, or it is too long */
    unsigned char bytes[8192]; /* as the kernel tells it */
};

/* Of what lies at the path.  A link has none. */
void pingo__acl_read(const char *path, struct pingo__acl *acl);
/* Does what is made beside this absolute path get a list of the directory's? */
bool pingo__acl_is_given(const char *path);
/* What lies at the path gets it, with the mode: nobody named in it, nor the group, may do more than the mode has for
 * the group; who may read may run what is executable.  Without a list it loses its own.  0, or -errno. */
int pingo__acl_write(const char *path, const struct pingo__acl *acl, mode_t mode);

#endif
