/* scratch.h - the directories in which attempts run, and the gate.
 *
 * A runner keeps a clean directory ready: POOL/attempts/.ready.PID.N with work/,
 * tmp/ (TMPDIR), stdout and stderr.  Renaming it to the attempt's name, never replacing, is the
 * start: a scheduler that gave the attempt up has put a file there.  A directory
 * that comes back clean is used again. */
#ifndef PINGO__RUNNER_SCRATCH_H
#define PINGO__RUNNER_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/names.h"

struct pingo__runner_scratch {
    int attempts;                 /* POOL/attempts */
    unsigned long made;           /* so many were */
    char ready[PINGO__NAME_SIZE]; /* the name of the ready directory; "": none was ever made */
    int dir;                      /* it, or the attempt's; -1: none */
    int work;                     /* its work/ */
    int tmp;                      /* its tmp/ */
    int ruleset;                  /* the sandbox of commands that need nothing else; -1: none */
};

void pingo__runner_scratch_init(struct pingo__runner_scratch *scratch, int attempts);
/* Makes a directory ready unless one is.  0 or a negative errno, which shows at the next claim too. */
int pingo__runner_scratch_prepare(struct pingo__runner_scratch *scratch);
/* The gate.  0, -EEXIST when the attempt was given up, or another negative errno. */
int pingo__runner_scratch_claim(struct pingo__runner_scratch *scratch, const char *attempt_dir);
/* For who has an attempt's directory already: what it needs is made there, and nothing is used again. */
int pingo__runner_scratch_enter(struct pingo__runner_scratch *scratch, int dir);
/* After a success there: the logs, and what others have put there, stay. */
void pingo__runner_scratch_finish(struct pingo__runner_scratch *scratch);
/* After a success: empties work/ and takes the directory back where its logs are empty, else
 * leaves the logs alone under the attempt's name. */
void pingo__runner_scratch_release(struct pingo__runner_scratch *scratch, const char *attempt_dir);
/* Leaves the attempt's directory as it is, for people, but for tmp/, which goes. */
void pingo__runner_scratch_leave(struct pingo__runner_scratch *scratch);
/* On a full disk: empties work/ and tmp/ at once, and leaves the logs; with_stdout: that is no log, but the output, and
 * goes too.  Returns how many bytes they held on the disk. */
int64_t pingo__runner_scratch_drop(struct pingo__runner_scratch *scratch, bool with_stdout);
/* Removes a directory that is ready and was not used. */
void pingo__runner_scratch_clear(struct pingo__runner_scratch *scratch);
/* Removes what a runner that is gone had ready (pid 0: all runners). */
void pingo__runner_scratch_sweep(int attempts, pid_t pid);

#endif
