/* effects.c - see effects.h. */
#include "rules/effects.h"

#include <stddef.h>

enum pingo_action_state pingo__rules_action_start(int64_t waits)
{
    return waits ? PINGO_ACTION_WAITING : PINGO_ACTION_READY;
}

enum pingo_action_state pingo__rules_action_end(enum pingo_action_state state,
                                                enum pingo_action_state to)
{
    return state == PINGO_ACTION_RUNNING && to == PINGO_ACTION_CANCELLED ? PINGO_ACTION_KILLED : to;
}

enum pingo_action_state pingo__rules_action_kill(enum pingo_action_state state)
{
    return state == PINGO_ACTION_WAITING ? PINGO_ACTION_CANCELLED : PINGO_ACTION_KILLED;
}

enum pingo_workflow_state pingo__rules_workflow_end(const int64_t actions[PINGO__ACTION_STATES])
{
    return actions[PINGO_ACTION_FAILED] > 0   ? PINGO_WORKFLOW_FAILED
           : actions[PINGO_ACTION_KILLED] > 0 ? PINGO_WORKFLOW_KILLED
                                              : PINGO_WORKFLOW_FINISHED;
}

enum pingo_dataset_state pingo__rules_dataset_start(bool wanted, bool never_kept)
{
    return wanted       ? PINGO_DATASET_TO_LEAF
           : never_kept ? PINGO_DATASET_TO_DELETE
                        : PINGO_DATASET_TO_STORE;
}

/* How long it is kept, or would be once it is made; 0: it is not there. */
static int retention(enum pingo_dataset_state state)
{
    static const int kept[PINGO__DATASET_STATES] = {
        [PINGO_DATASET_TO_DELETE] = 1, [PINGO_DATASET_STORED_TO_DELETE] = 1,
        [PINGO_DATASET_TO_STORE] = 2,  [PINGO_DATASET_STORED] = 2,
        [PINGO_DATASET_TO_LEAF] = 3,   [PINGO_DATASET_LEAF] = 3};
    return (size_t)state < PINGO__DATASET_STATES ? kept[state] : 0;
}

bool pingo__rules_dataset_is_raised(enum pingo_dataset_state from, enum pingo_dataset_state to)
{
    return pingo_dataset_state_is_pending(from) && retention(from) < retention(to);
}

enum pingo_dataset_state pingo__rules_dataset_made(enum pingo_dataset_state pending,
                                                   enum pingo_dataset_state former, bool pinned)
{
    static const enum pingo_dataset_state made[] = {0, PINGO_DATASET_STORED_TO_DELETE,
                                                    PINGO_DATASET_STORED, PINGO_DATASET_LEAF};
    int kept = pingo__rules_dataset_is_kept(former) ? retention(former) : 0;
    int now = retention(pinned ? PINGO_DATASET_TO_STORE : PINGO_DATASET_TO_DELETE);
    now = now > retention(pending) ? now : retention(pending);
    return made[now > kept ? now : kept];
}

enum pingo_dataset_state pingo__rules_dataset_reused(enum pingo_dataset_state state, bool wanted)
{
    return wanted || state == PINGO_DATASET_LEAF ? PINGO_DATASET_LEAF : PINGO_DATASET_STORED;
}

enum pingo_dataset_state pingo__rules_dataset_counted(enum pingo_dataset_state a,
                                                      enum pingo_dataset_state b)
{
    static const enum pingo_dataset_state order[] = {
        PINGO_DATASET_LEAF, PINGO_DATASET_STORED, PINGO_DATASET_STORED_TO_DELETE,
        PINGO_DATASET_PROCESSING, PINGO_DATASET_DELETING};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] == a || order[i] == b)
            return order[i];
    return 0;
}

bool pingo__rules_dataset_is_rescued(enum pingo_dataset_state from, enum pingo_dataset_state to)
{
    return pingo__rules_dataset_is_leaving(from) && pingo__rules_dataset_is_kept(to);
}

bool pingo__rules_end_is_failure(const struct pingo_job_end *end)
{
    return (end->reason == PINGO_END_EXITED && end->exit_code != 0) ||
           end->reason == PINGO_END_SIGNALED || end->reason == PINGO_END_NO_OUTPUT;
}

int pingo__rules_end_signal(const struct pingo_job_end *end)
{
    return end->reason == PINGO_END_SIGNALED                         ? end->signal
           : end->reason == PINGO_END_EXITED && end->exit_code > 128 ? end->exit_code - 128
                                                                     : 0;
}
