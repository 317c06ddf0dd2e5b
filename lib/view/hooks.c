/* hooks.c - what it looks like that somebody is told of the end of a submission. */
#include <pingo/feed.h>

#include "view/columns.h"
#include "view/views.h"

NAMES(state_name, pingo_hook_state, pingo_hook_state_name)
NAMES(way_name, pingo_hook_way, pingo_hook_way_name)

static void put_state(const void *row, struct pingo__view_out *out)
{
    const struct pingo_hook *h = row;
    pingo__view_put_name(out, state_name((int)h->state));
    out->tone = h->state == PINGO_HOOK_GIVEN_UP    ? PINGO__TONE_BAD
                : h->state == PINGO_HOOK_DELIVERED ? PINGO__TONE_GOOD
                                                   : PINGO__TONE_BUSY;
}

VALUE(get_due, struct pingo_hook, number, r->state == PINGO_HOOK_PENDING ? r->due_ms : -1)

#define ROW struct pingo_hook
static const struct pingo__view_column columns[] = {
    COLUMN("number", COUNT, number, "its number in this store, the same at each try", HEADED("N", 6)),
    COLUMN("workflow", COUNT, workflow, "that has ended", HEADED("WORKFLOW", 8)),
    COLUMN("state", NAME, state, "pending, delivered, or given up", .names = state_name,
           HEADED("STATE", -9), .cell = put_state),
    COLUMN("way", NAME, way, "command or url", .names = way_name, HEADED("BY", -7)),
    COLUMN("tries", COUNT, tries, "that were begun", HEADED("TRIES", 5)),
    COLUMN("ended", TIME, made_ms, "when the workflow ended", HEADED("ENDED", -20)),
    GETTER("due", TIME, get_due, "when it is tried next; null: it is over", MISSING),
    COLUMN("done", TIME, done_ms, "when it was delivered, or given up; null: it is pending", MISSING),
    COLUMN("target", TEXT, target, "the program, or the URL", HEADED("TO", -30)),
    COLUMN("message", TEXT, message, "why the last try failed",
           .null = PINGO__NULL_MISSING | PINGO__NULL_EMPTY | PINGO__NULL_BLANK, .heading = "WHY"),
};
const struct pingo__view_table pingo__view_hook = VIEW("hook", columns, ROW);
#undef ROW
PAGE_OF(pingo__view_hook_page, &pingo__view_hook);
