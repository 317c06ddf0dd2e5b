/* unread.h - directories that cannot be read, for the program that includes it: readdir is this one's. */
#ifndef TEST_UNREAD_H
#define TEST_UNREAD_H

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/vfs.h>

/* As on a disk that is in trouble, or on a file server that is away; and /proc alone, where memory is short. */
static bool is_away, is_proc_away;

struct dirent *readdir(DIR *list)
{
    struct statfs fs;
    if (!is_away &&
        !(is_proc_away && fstatfs(dirfd(list), &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC))
        return (struct dirent *)readdir64(list);
    errno = EIO;
    return NULL;
}

#endif
