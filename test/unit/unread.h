/* unread.h - directories that cannot be read, for the program that includes it: readdir is this one's. */
#ifndef TEST_UNREAD_H
#define TEST_UNREAD_H

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>

/* As on a disk that is in trouble, or on a file server that is away. */
static bool is_away;

struct dirent *readdir(DIR *list)
{
    if (!is_away)
        return (struct dirent *)readdir64(list);
    errno = EIO;
    return NULL;
}

#endif
