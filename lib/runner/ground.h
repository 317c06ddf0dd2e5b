/* ground.h - what a process has from who started it, and should not: limits, priorities, places. */
#ifndef PINGO__RUNNER_GROUND_H
#define PINGO__RUNNER_GROUND_H

/* Puts back what the kernel lets us: limits, nice value, scheduling, processors, personality.  What
 * only root may raise stays as it was handed down.  For the supervisor; workers and commands have
 * it from there. */
void pingo__runner_ground_reset(void);
/* The limits with which commands begin, of which the soft ones differ from the supervisor's. */
void pingo__runner_ground_of_commands(void);
/* Every signal does what it does by default, and none is blocked. */
void pingo__runner_ground_of_signals(void);

#endif
