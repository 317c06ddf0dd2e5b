/* history.c - what a row of the history looks like. */
#include <pingo/history.h>

#include "view/columns.h"
#include "view/views.h"

static void get_rate(const void *row, struct pingo__view_value *v)
{
    v->real = pingo_history_reuse_rate(row);
    v->is_null = v->real < 0;
}

/* A name that is that of a user, or not. */
static void get_name(const void *row, struct pingo__view_value *v, bool of_user)
{
    const struct pingo__view_history *h = row;
    v->is_null = h->by_user != of_user;
    v->text = h->row.name;
}

static void get_workflow(const void *row, struct pingo__view_value *v)
{
    get_name(row, v, false);
}

static void get_user(const void *row, struct pingo__view_value *v)
{
    get_name(row, v, true);
}

#define ROW struct pingo_history_row
static const struct pingo__view_column counts[] = {
    COLUMN("submissions", COUNT, nsubmissions, "how many there were", .heading = "SUBMITTED",
           .width = 9),
    COLUMN("mentions", COUNT, nmentions, "the actions of these submissions", .heading = "MENTIONED",
           .width = 9),
    COLUMN("computed", COUNT, ncomputed, "of them: computed", .heading = "COMPUTED", .width = 8),
    COLUMN("joined", COUNT, njoined, "of them: an equal action computed it"),
    COLUMN("reused", COUNT, nreused, "of them: its dataset was there"),
    COLUMN("skipped", COUNT, nskipped, "of them: nothing needed it"),
    GETTER("reuseRate", SHARE, get_rate, "the share of them that was not computed, 0 to 1", MISSING,
           .heading = "REUSE", .width = 7),
    COLUMN("spentMs", MS, spent_ms, "what was computed took so long", .heading = "SPENT",
           .width = 11),
    COLUMN("savedMs", MS, saved_ms, "what was not computed would have taken so long",
           .heading = "SAVED", .width = 11),
};
const struct pingo__view_table pingo__view_history_counts = VIEW("counts", counts, ROW);
#undef ROW

#define ROW struct pingo__view_history
static const struct pingo__view_column columns[] = {
    COLUMN("from", TIME, row.from_ms,
           "when the minute, hour or day begins; null where that is not asked", MISSING,
           .heading = "FROM", .width = -20, .option = PINGO__VIEW_FROM),
    GETTER("workflow", TEXT, get_workflow, "the name, by workflow", MISSING, .heading = "WORKFLOW",
           .width = -20, .cut = 39, .option = PINGO__VIEW_OF_WORKFLOW),
    GETTER("user", TEXT, get_user, "the name, by user", MISSING, .heading = "USER", .width = -20,
           .cut = 39, .option = PINGO__VIEW_OF_USER),
    MEMBERS(row, &pingo__view_history_counts),
    COLUMN("madeBytes", BYTES, row.made_bytes, "the size of what was computed", .heading = "MADE",
           .width = 8),
    COLUMN("evictedBytes", BYTES, row.evicted_bytes,
           "the size of what was evicted; null where some of it went nobody knows when", MISSING,
           .heading = "EVICTED", .width = 8),
};
const struct pingo__view_table pingo__view_history = VIEW("history", columns, ROW);
#undef ROW
