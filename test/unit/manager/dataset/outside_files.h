/* outside_files.h - names outside the pool, as others write them and find them. */
#ifndef TEST_OUTSIDE_FILES_H
#define TEST_OUTSIDE_FILES_H

#include "unit/engine/box.h"

/* A new file, whatever was there before. */
static inline void outside_write(const char *path, const char *text)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* A link to text, or a file with it. */
static inline void outside_holds(const char *path, const char *text)
{
    char there[64] = "";
    if (readlink(path, there, sizeof there - 1) < 0) {
        int fd = open(path, O_RDONLY | O_NOFOLLOW);
        if (fd < 0)
            fail_msg("%s: %s", path, strerror(errno));
        assert_true(read(fd, there, sizeof there - 1) >= 0);
        close(fd);
    }
    assert_string_equal(there, text);
}

static inline int outside_entries(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

#endif
