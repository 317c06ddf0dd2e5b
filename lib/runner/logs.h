/* logs.h - the two logs of an attempt, and their cap.
 *
 * The command writes straight into the files, which costs nothing.  While it
 * runs, a log that has grown past the cap is cut to its head, more often the
 * faster it grows; so the disk never holds more than the cap and what is
 * written between two looks. */
#ifndef PINGO__RUNNER_LOGS_H
#define PINGO__RUNNER_LOGS_H

#include <stdbool.h>
#include <stdint.h>

struct pingo__runner_logs {
    int fds[2];     /* standard output and error of the command */
    bool is_output; /* standard output is the output and has no cap */
    bool was_cut[2];
    int64_t cap;
};

/* Opens dir/stdout and dir/stderr for appending.  0 or a negative errno; then nothing is open. */
int pingo__runner_logs_open(struct pingo__runner_logs *logs, int dir, int64_t cap, bool is_output);
/* Cuts what is too long.  true: something was. */
bool pingo__runner_logs_check(struct pingo__runner_logs *logs);
/* A line of our own on the command's standard error. */
void pingo__runner_logs_say(struct pingo__runner_logs *logs, const char *line);
/* Cuts a last time, says so in the log, closes. */
void pingo__runner_logs_close(struct pingo__runner_logs *logs);

#endif
