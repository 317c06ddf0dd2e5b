/* reserve.c - see reserve.h. */
#include "store/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"

#define RESERVE_BYTES (512 * 1024)
#define LOW_BYTES (512 * 1024)       /* less is left beside it: it is given up */
#define ROOM_BYTES (8 * 1024 * 1024) /* more is left: it is made */

/* There may be a quota, which shows in no number.  0 (also if it is there), or an errno value. */
static int make(const char *path)
{
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
    int why = fd < 0 ? errno : posix_fallocate(fd, 0, ROOM_BYTES);
    if (fd < 0)
        return access(path, F_OK) == 0 ? 0 : why;
    if (!why && ftruncate(fd, RESERVE_BYTES) != 0)
        why = errno;
    if (pingo__error_is_full(why) && posix_fallocate(fd, 0, LOW_BYTES + RESERVE_BYTES) == 0)
        why = EAGAIN; /* it goes without, as yet */
    close(fd);
    if (why)
        unlink(path);
    return why;
}

void pingo__store_reserve_spend(const char *directory)
{
    char *path = pingo__path_child(directory, "reserve");
    if (path)
        unlink(path);
    free(path);
}

int pingo__store_reserve_check(const struct pingo__store_db *db, struct pingo_error *err)
{
    return db->is_low ? pingo__fail(err, PINGO_ENOSPACE,
                                    "%s: the disk of the store is full: what is left is kept for "
                                    "what makes room",
                                    db->directory)
                      : 0;
}

bool pingo__store_reserve_is_low(struct pingo__store_db *db)
{
    struct statvfs fs;
    if (fstatvfs(db->lock_fd, &fs) != 0)
        return false;
    int64_t left = pingo__file_blocks(&fs, fs.f_bavail);
    char *path = pingo__path_child(db->directory, "reserve");
    /* Of one that was given up, the bytes are among those that are left: they stay what it was for. */
    bool is_low =
        left < LOW_BYTES || (left < LOW_BYTES + RESERVE_BYTES && path && access(path, F_OK) != 0);
    if (is_low) {
        pingo__store_reserve_spend(db->directory);
        db->has_reserve = false;
    } else if (!db->has_reserve && left > ROOM_BYTES && path) {
        int why = make(path);
        db->has_reserve = why == 0;
        is_low = pingo__error_is_full(why);
    }
    free(path);
    return is_low;
}
