/* source.h - the text behind a workflow that is being made, and where in it things stand.
 *
 * One value of the text is open at a time: an action, or a member of the
 * outermost object.  While an action is read, problems are noted of it alone,
 * so its values stay open; afterwards a problem opens the action that it is of
 * again, and problems that come action by action cost linear time. */
#ifndef PINGO__WORKFLOW_SOURCE_H
#define PINGO__WORKFLOW_SOURCE_H

#include "json/value.h"

#define PINGO__NO_ACTION SIZE_MAX

struct pingo__workflow_source {
    struct pingo__json_document document;
    struct pingo__json_element element;
    size_t owner; /* what is open: a member's index, or nmembers + an action's; SIZE_MAX: nothing */
    uint32_t *offsets; /* of each action */
    size_t noffsets, capacity;
};

void pingo__workflow_source_clear(struct pingo__workflow_source *s);
/* Opens a member's value.  NULL: no memory. */
const struct pingo__json_value *pingo__workflow_source_member(
    struct pingo__workflow_source *s, const struct pingo__json_member *member);
/* Opens the next action, which begins at offset, and notes where.  NULL: no memory. */
const struct pingo__json_value *pingo__workflow_source_action(struct pingo__workflow_source *s,
                                                              size_t offset);
/* Where the value stands that pointer names within an action, or, with PINGO__NO_ACTION, within the
 * document; with at_key its key.  false: no memory. */
bool pingo__workflow_source_find(struct pingo__workflow_source *s, size_t action,
                                 const char *pointer, bool at_key, size_t *offset);

#endif
