/* file.h - small files, and the names in a directory, of this machine. */
#ifndef PINGO__BASE_FILE_H
#define PINGO__BASE_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>

#include "base/world.h"

/* The beginning of a file, up to size - 1 bytes, with a NUL; "" where it cannot be read.  A link is not followed, and
 * nothing is waited for.  Its length, or a negative errno. */
ssize_t pingo__file_read(int dir, const char *name, char *text, size_t size);
/* Likewise its end, up to size - 1 bytes, with NULs made spaces. */
void pingo__file_read_end(int dir, const char *name, char *text, size_t size);
/* All of a file of at most so many bytes, with a NUL behind them; yours.  0, or a negative errno: -EFBIG it is longer,
 * -EINVAL it is no file. */
int pingo__file_read_whole(int dir, const char *name, size_t most, char **bytes, size_t *n);
/* Opens a file or a directory for reading; neither a link at its end is followed nor anything else opened.  0, or a
 * negative errno: -ENOENT: it is not there, or a link; -EINVAL: it is something else. */
int pingo__file_open(int dir, const char *name, int *fd);
/* Writes a text into a file that is there, in one go. */
bool pingo__file_put(int dir, const char *name, const char *text);
/* All that a file holds, be it there or not, over what it held, so that room that was taken before is used.  sync: it
 * lies on the disk afterwards.  0 or a negative errno. */
int pingo__file_write(int dir, const char *name, const char *bytes, size_t n, bool sync);
/* The same by way of NAME and this behind it: the file is there whole, or as it was. */
#define PINGO__FILE_PART ".part"
int pingo__file_replace(int dir, const char *name, const char *bytes, size_t n, bool sync);
/* The same at an absolute path; it lies on the disk afterwards. */
int pingo__file_keep(const char *path, const char *bytes, size_t n);
/* Closes a descriptor; below 0 it is none.  errno stays. */
void pingo__file_close(int fd);
/* So many blocks of a file system in bytes; one without bounds may tell of more than there are numbers: INT64_MAX. */
int64_t pingo__file_blocks(const struct statvfs *fs, uint64_t blocks);
/* A time of a file in ns since 1970.  Those outside 1678-2262 are its first or its last one. */
int64_t pingo__file_time_ns(const struct timespec *t);
/* Is it what it was when it was looked at before, by its inode, mode, size and times? */
bool pingo__file_is_unchanged(const struct stat *before, const struct stat *now);
/* A directory, with those above it that are not there (0755).  0 or a negative errno; what is there is fine. */
int pingo__file_make_directory(const struct pingo__world *world, const char *path, mode_t mode);
/* What others than its owner may do with what replaces something of this mode: who was kept from that is kept from
 * this.  Another group is others. */
mode_t pingo__file_may(mode_t replaced, bool is_of_same_group);
/* Can a file be executable there, or not, as one likes?  FAT, exFAT, NTFS and SMB have a mode for all of them.  name:
 * of nothing; a file has it meanwhile.  0 or a negative errno. */
int pingo__file_ask_modes(const struct pingo__world *world, int dir, const char *name, bool *has);

/* An open directory's entries, from the first on, for readdir(); dir stays open.  NULL: see errno. */
DIR *pingo__file_list(int dir);
/* The next one that is neither "." nor ".."; NULL: there are no more, or errno, else 0, says why they cannot be read.
 * list may be NULL. */
const char *pingo__file_next(DIR *list);
/* closedir(), and NULL is allowed. */
void pingo__file_end_list(DIR *list);

#endif
