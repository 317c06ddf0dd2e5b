/* history.c - what a row of the history looks like. */
#include <pingo/history.h>

#include "view/columns.h"
#include "view/views.h"

VALUE(get_rate, struct pingo_history_row, real, pingo_history_reuse_rate(r))
VALUE(get_workflow, struct pingo__view_history, text, r->by_user ? NULL : r->row.name)
VALUE(get_user, struct pingo__view_history, text, r->by_user ? r->row.name : NULL)

#define ROW struct pingo_history_row
static const struct pingo__view_column counts[] = {
    COLUMN("submissions", COUNT, nsubmissions, "how many there were", HEADED("SUBMITTED", 9)),
    COLUMN("mentions", COUNT, nmentions, "the actions of these submissions", HEADED("MENTIONED", 9)),
    COLUMN("computed", COUNT, ncomputed, "of them: computed", HEADED("COMPUTED", 8)),
    COLUMN("joined", COUNT, njoined, "of them: an equal action computed it"),
    COLUMN("reused", COUNT, nreused, "of them: its dataset was there"),
    COLUMN("skipped", COUNT, nskipped, "of them: nothing needed it"),
    GETTER("reuseRate", SHARE, get_rate, "the share of them that was not computed, 0 to 1", MISSING,
           HEADED("REUSE", 7)),
    COLUMN("spentMs", MS, spent_ms, "what was computed took so long", HEADED("SPENT", 11)),
    COLUMN("savedMs", MS, saved_ms, "what was not computed would have taken so long",
           HEADED("SAVED", 11)),
};
const struct pingo__view_table pingo__view_history_counts = VIEW("counts", counts, ROW);
#undef ROW

#define ROW struct pingo__view_history
static const struct pingo__view_column columns[] = {
    COLUMN("from", TIME, row.from_ms,
           "when the minute, hour or day begins; null where that is not asked", MISSING,
           HEADED("FROM", -20), .option = PINGO__VIEW_FROM),
    GETTER("workflow", TEXT, get_workflow, "the name, by workflow", MISSING,
           HEADED("WORKFLOW", -20), .cut = 39, .option = PINGO__VIEW_OF_WORKFLOW),
    GETTER("user", TEXT, get_user, "the name, by user", MISSING, HEADED("USER", -20), .cut = 39,
           .option = PINGO__VIEW_OF_USER),
    MEMBERS(row, &pingo__view_history_counts),
    COLUMN("madeBytes", BYTES, row.made_bytes, "the size of what was computed", HEADED("MADE", 8)),
    COLUMN("evictedBytes", BYTES, row.evicted_bytes,
           "the size of what was evicted; null where some of it went nobody knows when", MISSING,
           HEADED("EVICTED", 8)),
};
const struct pingo__view_table pingo__view_history = VIEW("history", columns, ROW);
const struct pingo__view_table pingo__view_history_all =
    VIEW_TEXT("history", columns, ROW, "submissions     {submissions}",
              "actions         {mentions}: {computed} computed, {joined} joined, {reused} reused, "
              "{skipped} skipped",
              "reuse rate      {reuseRate}", "compute time    {spentMs} spent, {savedMs} saved",
              "bytes           {madeBytes} made, {evictedBytes} evicted");
#undef ROW
