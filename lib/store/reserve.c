/* reserve.c - see reserve.h. */
#include "store/reserve.h"

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

static bool make(const char *path)
{
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return access(path, F_OK) == 0;
    bool made = posix_fallocate(fd, 0, RESERVE_BYTES) == 0;
    close(fd);
    if (!made)
        unlink(path);
    return made;
}

void pingo__store_reserve_spend(struct pingo__store_db *db)
{
    char *path = pingo__path_child(db->directory, "reserve");
    if (path)
        unlink(path);
    free(path);
    db->has_reserve = false;
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
    if (is_low)
        pingo__store_reserve_spend(db);
    else if (!db->has_reserve && left > ROOM_BYTES && path)
        db->has_reserve = make(path);
    free(path);
    return is_low;
}
