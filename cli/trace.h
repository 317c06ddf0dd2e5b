/* trace.h - what strace wrote of a command and its children, as paths that were touched. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

/* The options with which strace must be run; its -o names the prefix of a file for each process. */
#define CLI_TRACE_OPTIONS                                                                          \
    "-ff", "-qq", "-y", "-s", "4096", "-e", "signal=none", "-e", CLI_TRACE_CALLS
#define CLI_TRACE_CALLS                                                                            \
    "trace=?open,?openat,?openat2,?creat,?execve,?execveat,?chdir,?fchdir,?truncate,?mkdir,"       \
    "?mkdirat,?mknod,?mknodat,?unlink,?unlinkat,?rmdir,?rename,?renameat,?renameat2,?link,"        \
    "?linkat,?symlink,?symlinkat"

enum cli_touch { CLI_TOUCH_READ, CLI_TOUCH_EXECUTE, CLI_TOUCH_WRITE };

/* Calls fn for each call that succeeded, or would have written and was denied (EACCES), with an absolute path
 * (borrowed).  text: the trace of one process, cut into lines in place; cwd: where it began. */
void cli_trace_read(char *text, const char *cwd,
                    void (*fn)(void *context, enum cli_touch touch, const char *path),
                    void *context);

#endif
