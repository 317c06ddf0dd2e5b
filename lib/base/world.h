/* world.h - the small table through which the library reaches what is outside
 * it: clock, randomness, file system.  A simulator hands in another one.
 * File functions return 0 or a result >= 0, else a negative errno value.
 * They are told a directory descriptor and a name, as the *at calls are; AT_FDCWD works.
 * Every descriptor is close-on-exec. */
#ifndef PINGO__BASE_WORLD_H
#define PINGO__BASE_WORLD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct pingo__program;
struct pingo__program_end;
struct pingo__dir; /* an open directory being read; a world's own */

struct pingo__world {
    void *context;
    int64_t (*now_ns)(void *context);       /* since 1970 UTC */
    int64_t (*monotonic_ns)(void *context); /* never goes back */
    void (*sleep)(void *context, int64_t ns);
    int (*random)(void *context, void *bytes, size_t n); /* 256 at most */
    int64_t (*process)(void *context);                   /* the number of this one */

    int (*open)(void *context, int dir, const char *name, int flags, mode_t mode); /* descriptor */
    int (*close)(void *context, int fd);
    ssize_t (*read)(void *context, int fd, void *bytes, size_t n);        /* EINTR is retried */
    ssize_t (*write)(void *context, int fd, const void *bytes, size_t n); /* all of it, or an error */
    int (*stat)(void *context, int dir, const char *name, int flags, struct stat *st); /* fstatat */
    int (*mkdir)(void *context, int dir, const char *name, mode_t mode);
    int (*unlink)(void *context, int dir, const char *name, int flags); /* AT_REMOVEDIR */
    /* Within dir.  flags: RENAME_NOREPLACE, RENAME_EXCHANGE */
    int (*rename)(void *context, int dir, const char *from, const char *to, unsigned flags);
    int (*symlink)(void *context, const char *target, int dir, const char *name);
    ssize_t (*readlink)(void *context, int dir, const char *name, char *target, size_t size);
    /* Without links, as realpath() has it; real has room for PATH_MAX. */
    int (*resolve)(void *context, const char *path, char *real);
    int (*chmod)(void *context, int dir, const char *name, mode_t mode); /* never of a link's target
                                                     unless name is not a link; links are left alone */
    /* Nobody else has it locked: -EWOULDBLOCK.  It goes with the descriptor. */
    int (*lock)(void *context, int fd);
    int (*file_system)(void *context, int fd, int64_t *magic); /* fstatfs: which kind it is */
    int (*syncfs)(void *context, int fd);
    int (*fsync)(void *context, int fd);
    /* Has what is dirty of a file written out, without waiting for it: a mapping that writes there again gives the
     * file a new time. */
    int (*write_out)(void *context, int fd);
    /* Reading a directory: names without "." and "..", any order.  The descriptor is
     * taken over.  *name is borrowed until the next call, and NULL at the end. */
    int (*dir_open)(void *context, int fd, struct pingo__dir **dir);
    int (*dir_next)(void *context, struct pingo__dir *dir, const char **name);
    void (*dir_close)(void *context, struct pingo__dir *dir);

    /* Runs a short program to its end: see program.h. */
    int (*run)(void *context, const struct pingo__program *program, struct pingo__program_end *end);
};

/* The real one.  Static, constant. */
const struct pingo__world *pingo__world_real(void);
/* Eight bytes that nobody else has, for a name. */
uint64_t pingo__world_token(const struct pingo__world *world);
/* The real one's clocks in ms: since 1970 UTC, and the one that never goes back. */
int64_t pingo__world_wall_ms(void);
int64_t pingo__world_monotonic_ms(void);

#endif
