/* report_steps.h - a period cut into steps of one length, and what happened in each. */
#ifndef PINGO__ENGINE_REPORT_STEPS_H
#define PINGO__ENGINE_REPORT_STEPS_H

#include <pingo/pool.h>

#include "base/arena.h"

#define PINGO__STEPS_MAX 200

struct pingo__engine_steps {
    struct pingo_report_step *steps;
    size_t n;
    int64_t from_ms, until_ms, length_ms;
    int64_t held; /* after the last change that was told */
    size_t at;    /* the step in which that was */
};

/* Cuts [from_ms, until_ms) into at most PINGO__STEPS_MAX steps of a length that a clock or a calendar of UTC
 * knows; none where the period is empty.  steps->steps: in the arena.  PINGO_ENOMEM. */
int pingo__engine_steps_open(struct pingo__engine_steps *steps, int64_t from_ms, int64_t until_ms,
                             struct pingo__arena *arena, struct pingo_error *err);
/* The step of a moment; NULL outside the period. */
struct pingo_report_step *pingo__engine_steps_at(const struct pingo__engine_steps *steps,
                                                 int64_t at_ms);

/* Bytes came or went; in order of time, each moment once, those before the period too. */
void pingo__engine_steps_hold(struct pingo__engine_steps *steps, int64_t at_ms, int64_t bytes);
/* That was all. */
void pingo__engine_steps_hold_end(struct pingo__engine_steps *steps);

#endif
