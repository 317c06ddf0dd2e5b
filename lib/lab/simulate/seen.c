/* seen.c - see seen.h. */
#include "lab/simulate/seen.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

int pingo__lab_seen_init(struct pingo__lab_seen *s, const struct pingo_history *whole,
                         struct pingo_error *err)
{
    *s = (struct pingo__lab_seen){.whole = whole};
    return pingo_history_new(&s->history, err);
}

void pingo__lab_seen_clear(struct pingo__lab_seen *s)
{
    pingo_history_free(s->history);
    free(s->flags);
    *s = (struct pingo__lab_seen){0};
}

static uint8_t flags_of(uint8_t flags, const struct pingo_plan_entry *entry)
{
    static const uint8_t outcomes[] = {PINGO_HISTORY_SKIPPED, PINGO_HISTORY_REUSED,
                                       PINGO_HISTORY_JOINED, PINGO_HISTORY_COMPUTED};
    return (uint8_t)((flags & (PINGO_HISTORY_LEAF | PINGO_HISTORY_FORCED)) |
                     outcomes[entry->decision]);
}

int pingo__lab_seen_submit(struct pingo__lab_seen *s, const struct pingo_plan_entry *entries,
                           struct pingo_error *err)
{
    struct pingo_history_submission w = {.size = sizeof w};
    pingo_history_submission(s->whole, pingo_history_count_submissions(s->history), &w);
    if (!PINGO__ARRAY_ROOM(s->flags, s->capacity, 0, w.nactions))
        return pingo__fail_memory(err);
    for (size_t i = 0; i < w.nactions; i++)
        s->flags[i] = flags_of(w.flags[i], &entries[i]);
    return pingo_history_follow(s->history, s->whole, s->flags, err);
}
