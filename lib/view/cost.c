/* cost.c - what a submission cost, and the chain of its actions that took longest. */
#include "view/columns.h"
#include "view/views.h"

#define ROW struct pingo_cost
static const struct pingo__view_column cost[] = {
    COLUMN("ran", COUNT, ran, "actions with an attempt that has ended"),
    COLUMN("wallMs", MS, wall_ms, "of these attempts, in sum"),
    COLUMN("spanMs", MS, span_ms,
           "from the start of the first to the end of the last; null: nothing ran", MISSING),
    COLUMN("criticalMs", MS, critical_ms, "of the chain of actions that took longest"),
    COLUMN("saved", COUNT, saved, "actions that were not computed for it; each hash counts once"),
    COLUMN("savedMs", MS, saved_ms, "what these took when they were computed last"),
    COLUMN("savedBytes", BYTES, saved_bytes,
           "the sizes of their datasets, as far as these are there"),
};
const struct pingo__view_table pingo__view_cost = VIEW("cost", cost, ROW);
#undef ROW

#define ROW struct pingo_critical
static const struct pingo__view_column steps[] = {
    COLUMN("id", COUNT, id, "of the action"),
    COLUMN("name", TEXT, name, "its name"),
    COLUMN("wallMs", MS, wall_ms, "of its attempts that have ended"),
    COLUMN("startedAt", TIME, started_ms, "null: it has not started", MISSING),
    COLUMN("endedAt", TIME, ended_ms, "null: it has not ended", MISSING),
};
const struct pingo__view_table pingo__view_critical = VIEW("critical", steps, ROW);
#undef ROW
