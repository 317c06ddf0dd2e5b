/* private.c - see steps.h. */
#include "runner/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/copy.h"
#include "base/tree.h"
#include "base/walk.h"

/* ---- a file ------------------------------------------------------------------------------ */

static bool is_stopped(void *orders)
{
    return pingo__runner_orders_stop(orders);
}

/* Puts a copy over dir/name. */
static int part(int dir, const char *name, const struct stat *st,
                struct pingo__runner_orders *orders)
{
    char other[32];
    int from = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), to = -1, rc = 0;
    if (from < 0)
        return -errno;
    for (unsigned i = 0; to < 0; i++) {
        snprintf(other, sizeof other, ".pingo-copy.%u", i);
        to = openat(dir, other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (to < 0 && errno != EEXIST) {
            rc = -errno;
            close(from);
            return rc;
        }
    }
    rc = pingo__copy_bytes(from, to, is_stopped, orders);
    if (rc == 0 && fchmod(to, st->st_mode & 0777) != 0)
        rc = -errno;
    if (close(to) != 0 && rc == 0) /* a file system that writes later says here that it is full */
        rc = -errno;
    if (rc == 0 && renameat(dir, other, dir, name) != 0)
        rc = -errno;
    if (rc != 0)
        unlinkat(dir, other, 0);
    close(from);
    return rc;
}

static int open_up(int dir, const char *name, struct stat *st, mode_t wanted)
{
    if ((st->st_mode & wanted) == wanted)
        return 0;
    if (fchmodat(dir, name, (st->st_mode & 07777) | wanted, 0) != 0)
        return -errno;
    st->st_mode |= wanted;
    return 0;
}

/* What is mounted there is somebody else's.  A file is ready afterwards, a directory can be entered; what is neither
 * is refused by who reads it. */
static int visit(int dir, const char *name, struct stat *st, struct pingo__runner_orders *orders)
{
    int rc = fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : -errno;
    if (rc == 0 && pingo__tree_is_mount(dir, name))
        return -EBUSY;
    if (rc == 0 && S_ISDIR(st->st_mode))
        return open_up(dir, name, st, 0700);
    if (rc != 0 || !S_ISREG(st->st_mode))
        return rc;
    if (st->st_nlink == 1)
        return open_up(dir, name, st, 0400);
    if ((st->st_mode & 0400) == 0 && geteuid() != 0)
        return -EACCES; /* to open it up would change what is somebody else's too */
    rc = part(dir, name, st, orders);
    st->st_mode &= 07777;
    if (rc == 0 && (st->st_mode & 0400) == 0 && fchmodat(dir, name, st->st_mode | 0400, 0) != 0)
        rc = -errno;
    return rc;
}

/* ---- a tree ------------------------------------------------------------------------------ */

static int make_tree(int dir, const char *name, struct pingo__runner_orders *orders)
{
    struct pingo__walk walk;
    pingo__walk_init(&walk, pingo__world_real(), false);
    int rc = pingo__walk_enter(&walk, dir, name, O_NOFOLLOW);
    while (rc == 0 && walk.depth > 0) {
        const char *entry = pingo__walk_next(&walk);
        struct stat st;
        if (!entry) {
            rc = pingo__walk_leave(&walk);
            continue;
        }
        rc = pingo__runner_orders_stop(orders) ? -ECANCELED : visit(walk.fd, entry, &st, orders);
        if (rc == 0 && S_ISDIR(st.st_mode))
            rc = pingo__walk_enter(&walk, walk.fd, entry, O_NOFOLLOW);
    }
    pingo__walk_clear(&walk);
    return rc == -ESTALE ? -EIO : rc; /* nobody of the job runs any more */
}

int pingo__runner_private_make(int dir, const char *name, struct pingo__runner_orders *orders)
{
    struct stat st;
    int rc = visit(dir, name, &st, orders);
    return rc == 0 && S_ISDIR(st.st_mode) ? make_tree(dir, name, orders) : rc;
}
