/* names.h - the names of numbers that have none for a number out of range. */
#ifndef PINGO__VIEW_NAMES_H
#define PINGO__VIEW_NAMES_H

#include <pingo/access.h>
#include <pingo/plan.h>
#include <pingo/state.h>

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

static inline const char *pingo__view_role_name(int value)
{
    return pingo_role_name((enum pingo_role)value);
}

static inline const char *pingo__view_action_state_name(int value)
{
    return pingo_action_state_name((enum pingo_action_state)value);
}

static inline const char *pingo__view_dataset_state_name(int value)
{
    return pingo_dataset_state_name((enum pingo_dataset_state)value);
}

static inline const char *pingo__view_workflow_state_name(int value)
{
    return pingo_workflow_state_name((enum pingo_workflow_state)value);
}

#endif
