/* builtin.h - the action types that the library brings. */
#ifndef PINGO__TYPES_BUILTIN_H
#define PINGO__TYPES_BUILTIN_H

#include <pingo/action_type.h>

/* The i-th; NULL: there are no more. */
const struct pingo_action_type *pingo__workflow_type_builtin(size_t i);

#endif
