/* logs.h - the two logs of an attempt, and their cap.
 *
 * The command writes straight into the files, which costs nothing.  While it
 * runs, a log that has grown past the cap is cut to its head, more often the
 * faster it grows; so the disk never holds more than the cap and what is
 * written between two looks. */
#ifndef PINGO__SUPERVISOR_LOGS_H
#define PINGO__SUPERVISOR_LOGS_H

#include <stdbool.h>
#include <stdint.h>

struct pingo__logs {
    int fds[2];     /* standard output and error of the command */
    bool is_output; /* standard output is the output and has no cap */
    bool was_cut[2];
    int64_t cap;
};

/* Opens dir/stdout and dir/stderr for appending.  0 or a negative errno; then nothing is open. */
int pingo__logs_open(struct pingo__logs *logs, int dir, int64_t cap, bool is_output);
/* Cuts what is too long.  true: something was. */
bool pingo__logs_check(struct pingo__logs *logs);
/* A line of our own on the command's standard error. */
void pingo__logs_say(struct pingo__logs *logs, const char *line);
/* Cuts a last time, says so in the log, closes. */
void pingo__logs_close(struct pingo__logs *logs);

#endif
