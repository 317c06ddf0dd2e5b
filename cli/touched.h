/* touched.h - of what a command touched, what is not declared, and where it could be declared. */
#ifndef CLI_TOUCHED_H
#define CLI_TOUCHED_H

#include <stddef.h>

#include "trace.h"

struct cli_paths { /* each once */
    char **list;
    size_t n;
};

struct cli_touched {
    const char *own;          /* the directory of the audit, by its real path */
    const char *around;       /* the working directory: what lies above it is not for inputs */
    char *const *readable;    /* what may be read, ends with NULL */
    struct cli_paths allowed; /* that, by real paths too */
    struct cli_paths inputs, tools, places, writes;
    struct cli_paths listed; /* directories around the working directory */
};

/* own, around and readable are borrowed. */
void cli_touched_init(struct cli_touched *t, const char *own, const char *around,
                      char *const *readable);
/* For cli_trace_read(); context is the struct cli_touched. */
void cli_touched_add(void *context, enum cli_touch touch, const char *path);
/* After the last one: groups what belongs together, sorts. */
void cli_touched_finish(struct cli_touched *t);

#endif
