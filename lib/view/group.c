/* group.c - what the groups of a submission's actions look like, and the actions around one. */
#include "view/columns.h"
#include "view/views.h"

static const struct pingo__view_column parents[] = {
    {.key = "group",
     .kind = PINGO__VIEW_COUNT,
     .type = PINGO__TYPE_UNSIGNED,
     .size = sizeof(size_t),
     .meaning = "its index"},
};
static const struct pingo__view_table parent_view = VIEW("parent", parents, size_t);

#define ROW struct pingo_group
static const struct pingo__view_column groups[] = {
    COLUMN("index", COUNT, index, "of the group, from 0"),
    COLUMN("name", TEXT, name, "of its actions, with # for digits where it is of more than one",
           HEADED("GROUP", -24), .cut = 31),
    COLUMN("type", TEXT, type, "of its actions"),
    COLUMN("actions", COUNT, actions, "how many there are", HEADED("ACTIONS", 8)),
    COLUMN("finished", COUNT, finished, "FINISHED", HEADED("FINISHED", 9)),
    COLUMN("running", COUNT, running, "PROCESSING, SUBMITTED or RUNNING", HEADED("RUNNING", 8)),
    COLUMN("ready", COUNT, ready, "READY", HEADED("READY", 8)),
    COLUMN("waiting", COUNT, waiting, "WAITING", HEADED("WAITING", 8)),
    COLUMN("failed", COUNT, failed, "FAILED, KILLED or CANCELLED", HEADED("FAILED", 8)),
    COLUMN("reused", COUNT, reused, "their dataset was there", HEADED("REUSED", 8)),
    COLUMN("skipped", COUNT, skipped, "nothing needed them", HEADED("SKIPPED", 8)),
    COLUMN("wallMs", MS, wall_ms, "of all attempts that have ended", HEADED("TIME", 9)),
    COLUMN("startedAt", TIME, started_ms, "the start of the first attempt; null: none", MISSING),
    COLUMN("endedAt", TIME, ended_ms, "the end of the last attempt; null: none", MISSING),
    COLUMN("depth", COUNT, depth, "how many steps it is below actions without parents, at least"),
    COLUMN("firstId", COUNT, first_id, "the id of the first of its actions"),
    LIST("parents", parents, nparents, &parent_view, "the groups of their parents"),
};
const struct pingo__view_table pingo__view_group = VIEW("group", groups, ROW);
#undef ROW

static const struct pingo__view_column near_parents[] = {
    {.key = "id",
     .kind = PINGO__VIEW_COUNT,
     .type = PINGO__TYPE_SIGNED,
     .size = sizeof(int64_t),
     .meaning = "of one that is told too"},
};
static const struct pingo__view_table near_parent_view = VIEW("parent", near_parents, int64_t);

#define ROW struct pingo_neighbour
static void get_state(const void *row, struct pingo__view_value *v)
{
    unsigned state = ((const ROW *)row)->state;
    v->text =
        state < PINGO_STATE_PLANNED
            ? pingo_action_state_name((enum pingo_action_state)state)
            : pingo_plan_decision_name((enum pingo_plan_decision)(state - PINGO_STATE_PLANNED));
}

static const struct pingo__view_column neighbours[] = {
    COLUMN("id", COUNT, id, "of the action"),
    COLUMN("name", TEXT, name, "of the action"),
    COLUMN("type", TEXT, type, "of the action"),
    GETTER("state", TEXT, get_state, "of the action; what was decided, where it has none"),
    COLUMN("hops", COUNT, hops, "from the one that was asked about"),
    COLUMN("layer", COUNT, layer, "below its parents that are told too"),
    COLUMN("place", COUNT, place, "in its layer"),
    COLUMN("hidden", COUNT, hidden, "parents and children that are not told"),
    LIST("parents", parents, nparents, &near_parent_view, "those that are told too"),
};
const struct pingo__view_table pingo__view_neighbour = VIEW("neighbour", neighbours, ROW);
#undef ROW
