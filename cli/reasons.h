/* reasons.h - why actions are computed, and what differs, equal reasons together. */
#ifndef CLI_REASONS_H
#define CLI_REASONS_H

#include "base/map.h"
#include "command.h"

struct pingo_why;
struct cli_reason;
struct cli_reasons {         /* none: zeroed */
    struct cli_reason *list; /* one a group, in the order of their first actions */
    size_t n;
    struct pingo__map groups; /* their indexes */
    size_t inherited;         /* actions that differ through their parents alone: in no group */
};

void cli_reasons_clear(struct cli_reasons *reasons);
/* Takes it into the group of its reason and differences (parents do not count); returns the group's number, from 1.
 * groups_inherited: else one that differs through its parents alone is only counted, and 0 comes back. */
size_t cli_reasons_add(struct cli_reasons *reasons, const struct pingo_why *why,
                       bool groups_inherited);
/* The groups, of what would be computed, or was to be. */
void cli_reasons_print(const struct cli_reasons *reasons, bool is_plan);

#endif
