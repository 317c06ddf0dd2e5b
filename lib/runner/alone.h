/* alone.h - for programs that an engine of others starts, to run one attempt after the other by themselves.
 *
 * What they are told comes by signals, and by a descriptor besides; limits, and the control group that they are in, are
 * the engine's. */
#ifndef PINGO__RUNNER_ALONE_H
#define PINGO__RUNNER_ALONE_H

#include "runner/record/attempt.h"
#include "runner/runner.h"

struct pingo__runner_alone {
    struct pingo__runner_master master;
    struct pingo__runner_state runner;
    int signals,
        also;   /* a signalfd; a descriptor that is readable when the attempt is to end, -1: none */
    int signal; /* the first that came; 0: none did */
    bool is_hurried; /* KILL follows soon: a signal ends everything at once, without grace */
};

/* As a command expects it of whoever starts it, whatever the engine has left: descriptors, limits, signals, umask. */
void pingo__runner_alone_ground(void);
/* From now on signals are taken here.  The rest of it may be set afterwards.  0 or a negative errno. */
int pingo__runner_alone_listen(struct pingo__runner_alone *alone, int also);
/* Asks whether a signal has come, after waiting so long for one. */
bool pingo__runner_alone_told(struct pingo__runner_alone *alone, int wait_ms);
/* Runs what an errand says in its directory, which is open at dir.  *end: all of it but key, started_ms and ended_ms;
 * the output is at its staged path. */
void pingo__runner_alone_run(struct pingo__runner_alone *alone, int dir,
                             struct pingo__runner_errand *errand, struct pingo_job_end *end);
/* Lets go of that directory: after a success what it needs no more is removed. */
void pingo__runner_alone_leave(struct pingo__runner_alone *alone, const struct pingo_job_end *end);

#endif
