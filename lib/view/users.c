/* users.c - what shares look like. */
#include "view/columns.h"
#include "view/views.h"

#define ROW struct pingo_share
static const struct pingo__view_column shares[] = {
    COLUMN("user", TEXT, user, "the user", .heading = "USER", .width = -16, .cut = 23),
    COLUMN("weight", COUNT, weight, "what he gets for each 1 of others", .heading = "WEIGHT",
           .width = 6),
    COLUMN("part", SHARE, part, "what falls to him while all users have work", .heading = "PART",
           .width = 6),
    COLUMN("running", COUNT, running, "slots that his actions have in hand", .heading = "SLOTS",
           .width = 6),
    COLUMN("waiting", COUNT, waiting, "actions of his that wait or are ready", .heading = "WAITING",
           .width = 8),
    COLUMN("usageMs", MS, usage_ms, "slots by time that he has used, halved with age",
           .heading = "USED", .width = 9),
    COLUMN("bytes", BYTES, bytes, "results and pins that his submissions made", .heading = "BYTES",
           .width = 9),
    COLUMN("maxSlots", COUNT, max_slots, "quota of slots; null: none", MISSING,
           .heading = "MAX-SLOTS", .width = 9),
    COLUMN("maxActions", COUNT, max_actions, "quota of actions that wait or are ready; null: none",
           MISSING, .heading = "MAX-ACTIONS", .width = 11),
    COLUMN("maxBytes", BYTES, max_bytes, "quota of results and pins; null: none", MISSING,
           .heading = "MAX-BYTES", .width = 9),
};
const struct pingo__view_table pingo__view_share = VIEW("share", shares, ROW);
#undef ROW
