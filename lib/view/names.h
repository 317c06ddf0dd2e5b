/* names.h - the names of numbers that have none for a number out of range. */
#ifndef PINGO__VIEW_NAMES_H
#define PINGO__VIEW_NAMES_H

#include <pingo/access.h>
#include <pingo/plan.h>
#include <pingo/state.h>

/* The name of a value of an enum, told by a function that takes it; NULL: it is none. */
#define NAMES(name, enum_, of)                                                                     \
    static inline const char *name(int value)                                                      \
    {                                                                                              \
        return of((enum enum_)value);                                                              \
    }

NAMES(pingo__view_role_name, pingo_role, pingo_role_name)
NAMES(pingo__view_action_state_name, pingo_action_state, pingo_action_state_name)
NAMES(pingo__view_dataset_state_name, pingo_dataset_state, pingo_dataset_state_name)
NAMES(pingo__view_workflow_state_name, pingo_workflow_state, pingo_workflow_state_name)

/* enum pingo_memory_from; NULL: it is none. */
static inline const char *pingo__view_memory_from_name(int value)
{
    static const char *const names[] = {"definition", "growth", "history"};
    return value >= 0 && value < 3 ? names[value] : NULL;
}

/* pingo_plan_decision_name(); NULL: there is no such decision. */
static inline const char *pingo__view_decision_name(int value)
{
    return value >= PINGO_PLAN_SKIP && value <= PINGO_PLAN_COMPUTE
               ? pingo_plan_decision_name((enum pingo_plan_decision)value)
               : NULL;
}

#endif
