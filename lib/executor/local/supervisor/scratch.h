/* scratch.h - the directories in which attempts run, and the gate.
 *
 * A worker keeps a clean directory ready: POOL/attempts/.ready.PID.N with work/,
 * tmp/ (TMPDIR), stdout and stderr.  Renaming it to the attempt's name, never replacing, is the
 * start: a scheduler that gave the attempt up has put a file there.  A directory
 * that comes back clean is used again. */
#ifndef PINGO__SUPERVISOR_SCRATCH_H
#define PINGO__SUPERVISOR_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PINGO__SCRATCH_READY ".ready."

struct pingo__scratch {
    int attempts; /* POOL/attempts */
    unsigned long made;
    char ready[64]; /* the name of the ready directory */
    int dir;        /* it, or the attempt's; -1: none */
    int work;       /* its work/ */
    int tmp;        /* its tmp/ */
};

void pingo__scratch_init(struct pingo__scratch *scratch, int attempts);
/* Makes a directory ready unless one is.  0 or a negative errno. */
int pingo__scratch_prepare(struct pingo__scratch *scratch);
/* The gate.  0, -EEXIST when the attempt was given up, or another negative errno. */
int pingo__scratch_claim(struct pingo__scratch *scratch, const char *attempt_dir);
/* After a success: empties work/ and takes the directory back where its logs are empty, else
 * leaves the logs alone under the attempt's name. */
void pingo__scratch_release(struct pingo__scratch *scratch, const char *attempt_dir);
/* Leaves the attempt's directory as it is, for people, but for tmp/, which goes. */
void pingo__scratch_leave(struct pingo__scratch *scratch);
/* On a full disk: empties work/ and tmp/ at once, and leaves the logs; with_stdout: that is no log, but the output, and
 * goes too.  Returns how many bytes they held on the disk. */
int64_t pingo__scratch_drop(struct pingo__scratch *scratch, bool with_stdout);
/* Removes a directory that is ready and was not used. */
void pingo__scratch_clear(struct pingo__scratch *scratch);
/* Removes what a worker that is gone had ready (pid 0: all workers). */
void pingo__scratch_sweep(int attempts, pid_t pid);

#endif
