/* program.h - running a short program to its end and keeping what it says.
 *
 * For questions such as "samtools --version", never for the work of an action.  The program runs in
 * /, with nothing on standard input, in a process group of its own that is gone when this returns;
 * what it writes and how long it takes are bounded.  Where the kernel has Landlock it can change no file
 * but in a folder of its own, which its TMPDIR names and which goes with it. */
#ifndef PINGO__BASE_PROGRAM_H
#define PINGO__BASE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct pingo__program {
    const char *path;        /* absolute */
    const char *const *argv; /* ends with NULL */
    const char *const *env;  /* NAME=VALUE, ends with NULL; the whole environment */
    int64_t timeout_ms;      /* then it is killed */
    size_t max_bytes;        /* of standard output, and of standard error; then it is killed */
    bool (*stop)(void *stop_context); /* asked now and then: true kills it; may be NULL */
    void *stop_context;
};

enum pingo__program_reason {
    PINGO__PROGRAM_EXITED = 0,
    PINGO__PROGRAM_SIGNALED,
    PINGO__PROGRAM_TIME_LIMIT,
    PINGO__PROGRAM_TOO_MUCH,
    PINGO__PROGRAM_STOPPED
};

struct pingo__program_end {
    enum pingo__program_reason reason;
    int number;                       /* of EXITED: the status; of SIGNALED: the signal */
    struct pingo__buffer out, errors; /* standard output, standard error; the caller clears them */
};

/* 0, or a negative errno value where it could not be run or its end not be seen.  end is initialised
 * in each case.  Any thread. */
int pingo__program_run(const struct pingo__program *program, struct pingo__program_end *end);

#endif
