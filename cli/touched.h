/* touched.h - of what a command touched, what is not declared, and where it could be declared. */
#ifndef CLI_TOUCHED_H
#define CLI_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>

/* The options with which strace must be run; its -o names the prefix of a file for each process. */
#define CLI_TRACE_OPTIONS                                                                          \
    "-ff", "-qq", "-y", "-s", "4096", "-e", "signal=none", "-e", CLI_TRACE_CALLS
#define CLI_TRACE_CALLS                                                                            \
    "trace=?open,?openat,?openat2,?creat,?execve,?execveat,?chdir,?fchdir,?truncate,?mkdir,"       \
    "?mkdirat,?mknod,?mknodat,?unlink,?unlinkat,?rmdir,?rename,?renameat,?renameat2,?link,"        \
    "?linkat,?symlink,?symlinkat"

struct cli_paths { /* each once */
    char **list;
    size_t n;
};

struct cli_touched {
    const char *own;          /* the directory of the audit, by its real path */
    const char *around;       /* the working directory: what lies above it is not for inputs */
    struct cli_paths allowed; /* what may be read, by real paths too */
    struct cli_paths inputs, tools, places, writes;
    struct cli_paths listed; /* directories around the working directory */
    bool writes_in;          /* some of writes by way of in/, which leads out of own */
};

/* own and around are borrowed; readable ends with NULL. */
void cli_touched_init(struct cli_touched *t, const char *own, const char *around,
                      char *const *readable);
/* What was touched by each call that succeeded, or would have written and was denied (EACCES).  text: what strace wrote
 * of one process, cut into lines in place; cwd: where that began. */
void cli_touched_read(struct cli_touched *t, char *text, const char *cwd);
/* After the last one: groups what belongs together, sorts. */
void cli_touched_finish(struct cli_touched *t);

#endif
