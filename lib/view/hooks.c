/* hooks.c - what it looks like that somebody is told of the end of a submission. */
#include <pingo/feed.h>

#include "view/columns.h"
#include "view/views.h"

static const char *state_name(int value)
{
    return pingo_hook_state_name((enum pingo_hook_state)value);
}

static const char *way_name(int value)
{
    return pingo_hook_way_name((enum pingo_hook_way)value);
}

static void put_state(const void *row, struct pingo__view_out *out)
{
    const struct pingo_hook *h = row;
    pingo__buffer_text(out->b, state_name((int)h->state));
    out->tone = h->state == PINGO_HOOK_GIVEN_UP    ? PINGO__TONE_BAD
                : h->state == PINGO_HOOK_DELIVERED ? PINGO__TONE_GOOD
                                                   : PINGO__TONE_BUSY;
}

VALUE(get_due, struct pingo_hook, number, r->state == PINGO_HOOK_PENDING ? r->due_ms : -1)

#define ROW struct pingo_hook
static const struct pingo__view_column columns[] = {
    COLUMN("number", COUNT, number, "its number in this store, the same at each try",
           .heading = "N", .width = 6),
    COLUMN("workflow", COUNT, workflow, "that has ended", .heading = "WORKFLOW", .width = 8),
    COLUMN("state", NAME, state, "pending, delivered, or given up", .names = state_name,
           .heading = "STATE", .width = -9, .cell = put_state),
    COLUMN("way", NAME, way, "command or url", .names = way_name, .heading = "BY", .width = -7),
    COLUMN("tries", COUNT, tries, "that were begun", .heading = "TRIES", .width = 5),
    COLUMN("ended", TIME, made_ms, "when the workflow ended", .heading = "ENDED", .width = -20),
    GETTER("due", TIME, get_due, "when it is tried next; null: it is over", MISSING),
    COLUMN("done", TIME, done_ms, "when it was delivered, or given up; null: it is pending", MISSING),
    COLUMN("target", TEXT, target, "the program, or the URL", .heading = "TO", .width = -30),
    COLUMN("message", TEXT, message, "why the last try failed",
           .null = PINGO__NULL_MISSING | PINGO__NULL_EMPTY | PINGO__NULL_BLANK, .heading = "WHY"),
};
const struct pingo__view_table pingo__view_hook = VIEW("hook", columns, ROW);
#undef ROW
PAGE_OF(pingo__view_hook_page, &pingo__view_hook);
