/* child.h - a program that is run beside us: what it says is kept until it has ended.  Nothing here waits. */
#ifndef PINGO__EXECUTOR_SLURM_CHILD_H
#define PINGO__EXECUTOR_SLURM_CHILD_H

#include "base/buffer.h"
#include "base/error.h"

struct pingo__executor_slurm_child;

int64_t pingo__executor_slurm_now_ms(void); /* monotonic */

struct pingo__executor_slurm_program {
    const char *const *argv; /* argv[0] is looked up on our PATH */
    const char *const *env;  /* NULL: ours */
    const char *in;          /* its standard input; NULL: nothing */
    int64_t limit_ms;
};
int pingo__executor_slurm_child_start(const struct pingo__executor_slurm_program *program,
                                      struct pingo__executor_slurm_child **child,
                                      struct pingo_error *err);
/* Readable when it has ended. */
int pingo__executor_slurm_child_fd(const struct pingo__executor_slurm_child *child);
/* Has it ended, be it for its time?  *status: its exit status; -1: a signal, or unknown. */
bool pingo__executor_slurm_child_has_ended(struct pingo__executor_slurm_child *child, int *status);
/* Standard output, or standard error, from its beginning, at most max bytes; look whether b failed. */
void pingo__executor_slurm_child_said(const struct pingo__executor_slurm_child *child, bool errors,
                                      size_t max, struct pingo__buffer *b);
/* Kills what still runs.  NULL is allowed. */
void pingo__executor_slurm_child_free(struct pingo__executor_slurm_child *child);

#endif
