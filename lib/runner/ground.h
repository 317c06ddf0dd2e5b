/* ground.h - what a process inherits and commands should not: limits, priorities, processors, signals. */
#ifndef PINGO__RUNNER_GROUND_H
#define PINGO__RUNNER_GROUND_H

/* Resets what the kernel lets us: limits, nice value, scheduling, processors, personality.  What only root may raise
 * stays as it was inherited.  For the supervisor; workers and commands inherit it. */
void pingo__runner_ground_reset(void);
/* The limits with which commands begin, of which the soft ones differ from the supervisor's. */
void pingo__runner_ground_of_commands(void);
/* Every signal does what it does by default, and none is blocked. */
void pingo__runner_ground_of_signals(void);

#endif
