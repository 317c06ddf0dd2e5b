/* feed.c - what a change of a store looks like. */
#include "view/columns.h"
#include "view/views.h"

static const char *state_name(const struct pingo_event *e, int state)
{
    switch (e->kind) {
    case PINGO_EVENT_ACTION:
        return pingo__view_action_state_name(state);
    case PINGO_EVENT_DATASET:
        return pingo__view_dataset_state_name(state);
    case PINGO_EVENT_WORKFLOW:
        return pingo__view_workflow_state_name(state);
    default:
        return NULL;
    }
}

static const char *kind_of(const struct pingo_event *e)
{
    static const char *const names[] = {"action", "dataset", "workflow", "many"};
    return e->kind >= PINGO_EVENT_ACTION && e->kind <= PINGO_EVENT_MANY ? names[e->kind - 1]
                                                                        : "unknown";
}

VALUE(get_kind, struct pingo__view_change, text, kind_of(&r->change.event))
VALUE(get_from, struct pingo__view_change, text, state_name(&r->change.event, r->change.event.from))
VALUE(get_to, struct pingo__view_change, text, state_name(&r->change.event, r->change.event.to))

#define ROW struct pingo__view_change
static const struct pingo__view_column changes[] = {
    COLUMN("number", COUNT, change.number, "greater than that of each change before it"),
    COLUMN("at", TIME, change.at_ms, "when it was committed"),
    GETTER("kind", TEXT, get_kind,
           "of what: action, dataset, workflow; many: of so much that it is to be looked at again"),
    COLUMN("workflow", COUNT, change.event.workflow,
           "the submission; null: of datasets, or where many is of all",
           .null = PINGO__NULL_ZERO | PINGO__NULL_MISSING),
    COLUMN("action", COUNT, change.event.id, "the id of the action in its workflow; null: none",
           MISSING),
    COLUMN("name", TEXT, name, "the name of the action; null: none", MISSING),
    COLUMN("row", COUNT, change.event.action, "the action's number in the store; null: none",
           .null = PINGO__NULL_ZERO),
    COLUMN("epoch", COUNT, change.event.epoch, "of an action; of a dataset the generation",
           .null = PINGO__NULL_ZERO),
    GETTER("from", TEXT, get_from, "the state before; null: it is new", MISSING),
    GETTER("to", TEXT, get_to, "the state now; null: of many", MISSING),
    COLUMN("hash", HASH, change.event.hash, "of an action or a dataset", MISSING),
};
const struct pingo__view_table pingo__view_change =
    VIEW_TEXT("change", changes, ROW,
              "{at}  [workflow?workflow {workflow}|all][action? action {action}[name? ({name})]] "
              "[to?{to}|much has changed]");
#undef ROW
