/* builtin.c - the action types that the library brings.  A new one is a file here and its name below. */
#include "workflow/workflow.h"

#define TYPES(_) _(command_line) _(external) _(map_reduce_1) _(map_reduce_2)

#define DECLARED(type) const struct pingo_action_type *pingo_action_type_##type(void);
TYPES(DECLARED)

#define LISTED(type) pingo_action_type_##type,
static const struct pingo_action_type *(*const types[])(void) = {TYPES(LISTED)};

const struct pingo_action_type *pingo__workflow_type_builtin(size_t i)
{
    return i < sizeof types / sizeof types[0] ? types[i]() : NULL;
}
