/* report_steps.c - see report_steps.h. */
#include "engine/look/report_steps.h"

#include "base/error.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* The shortest length with which the period has at most so many steps. */
static int64_t length_for(int64_t from_ms, int64_t until_ms)
{
    static const int64_t lengths[] = {
        1,           2,        5,          10,         20,          50,          100,
        200,         500,      SECOND,     2 * SECOND, 5 * SECOND,  10 * SECOND, 15 * SECOND,
        30 * SECOND, MINUTE,   2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
        HOUR,        2 * HOUR, 3 * HOUR,   6 * HOUR,   12 * HOUR};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if ((until_ms - 1) / lengths[i] - from_ms / lengths[i] < PINGO__STEPS_MAX)
            return lengths[i];
    /* Whole days; the first and the last step may be cut. */
    return ((until_ms - from_ms) / (PINGO__STEPS_MAX - 2) / DAY + 1) * DAY;
}

int pingo__engine_steps_open(struct pingo__engine_steps *s, int64_t from_ms, int64_t until_ms,
                             struct pingo__arena *arena, struct pingo_error *err)
{
    *s = (struct pingo__engine_steps){.from_ms = from_ms, .until_ms = until_ms, .length_ms = 1};
    if (from_ms >= until_ms)
        return 0;
    s->length_ms = length_for(from_ms, until_ms);
    size_t n = (size_t)((until_ms - 1) / s->length_ms - from_ms / s->length_ms) + 1;
    s->steps = pingo__arena_array(arena, n, sizeof *s->steps);
    if (!s->steps)
        return pingo__fail_memory(err);
    s->n = n;
    for (size_t i = 0; i < s->n; i++)
        s->steps[i].from_ms = (from_ms / s->length_ms + (int64_t)i) * s->length_ms;
    return 0;
}

struct pingo_report_step *pingo__engine_steps_at(const struct pingo__engine_steps *s, int64_t at_ms)
{
    if (at_ms < s->from_ms || at_ms >= s->until_ms)
        return NULL;
    return &s->steps[at_ms / s->length_ms - s->from_ms / s->length_ms];
}

/* Up to a step, each begins with what was held before. */
static void go_to(struct pingo__engine_steps *s, size_t step)
{
    while (s->at < step)
        s->steps[++s->at].held_bytes = s->held;
}

void pingo__engine_steps_hold(struct pingo__engine_steps *s, int64_t at_ms, int64_t bytes)
{
    struct pingo_report_step *step = pingo__engine_steps_at(s, at_ms);
    if (s->n && at_ms <= s->from_ms) {
        s->held += bytes;
        s->steps[0].held_bytes = s->held;
    }
    if (!step || at_ms <= s->from_ms)
        return;
    bool begins = step > &s->steps[s->at] && at_ms == step->from_ms;
    go_to(s, (size_t)(step - s->steps));
    s->held += bytes;
    if (begins || s->held > step->held_bytes)
        step->held_bytes = s->held;
}

void pingo__engine_steps_hold_end(struct pingo__engine_steps *s)
{
    if (s->n)
        go_to(s, s->n - 1);
}
