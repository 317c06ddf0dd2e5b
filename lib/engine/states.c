/* states.c - the names of states, as in the thesis. */
#include <pingo/store.h>

static const char *const action_names[] = {
    NULL,      "WAITING",  "READY",  "PROCESSING", "SUBMITTED",
    "RUNNING", "FINISHED", "FAILED", "KILLED",     "CANCELLED",
};
static const char *const dataset_names[] = {
    NULL,   "TO_DELETE",        "TO_STORE",   "TO_LEAF",  "STORED",
    "LEAF", "STORED_TO_DELETE", "PROCESSING", "DELETING", "DELETED",
};
static const char *const workflow_names[] = {NULL,     "RUNNING", "FINISHED",
                                             "FAILED", "KILLED",  "PAUSED"};

const char *pingo_action_state_name(int state)
{
    return state >= 1 && state <= PINGO_ACTION_CANCELLED ? action_names[state] : NULL;
}

const char *pingo_dataset_state_name(int state)
{
    return state >= 1 && state <= PINGO_DATASET_DELETED ? dataset_names[state] : NULL;
}

const char *pingo_workflow_state_name(int state)
{
    return state >= 1 && state <= PINGO_WORKFLOW_PAUSED ? workflow_names[state] : NULL;
}
