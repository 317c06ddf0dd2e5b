/* seen.h - the history as an algorithm sees it in the middle of a run: it grows.
 *
 * It has what the engine would know: the submissions that came, and the sizes and
 * times of what was made.  Its indexes are those of the whole. */
#ifndef PINGO__LAB_SEEN_H
#define PINGO__LAB_SEEN_H

#include "lab/simulate/workload.h"

struct pingo__lab_seen {
    const struct pingo_history *whole;
    struct pingo_history *history; /* the part that was seen */
    uint8_t *flags;                /* of the submission under way */
    size_t capacity;
};

int pingo__lab_seen_init(struct pingo__lab_seen *s, const struct pingo_history *whole,
                         struct pingo_error *err);
void pingo__lab_seen_clear(struct pingo__lab_seen *s);
/* Appends the next submission; entries are its plan. */
int pingo__lab_seen_submit(struct pingo__lab_seen *s, const struct pingo_plan_entry *entries,
                           struct pingo_error *err);

#endif
