/* users.c - what shares look like. */
#include "view/columns.h"
#include "view/views.h"

#define ROW struct pingo_share
static const struct pingo__view_column shares[] = {
    COLUMN("user", TEXT, user, "the user", HEADED("USER", -16), .cut = 23),
    COLUMN("weight", COUNT, weight, "what he gets for each 1 of others", HEADED("WEIGHT", 6)),
    COLUMN("part", SHARE, part, "what falls to him while all users have work", HEADED("PART", 6)),
    COLUMN("running", COUNT, running, "slots that his actions have in hand", HEADED("SLOTS", 6)),
    COLUMN("waiting", COUNT, waiting, "actions of his that wait or are ready", HEADED("WAITING", 8)),
    COLUMN("usageMs", MS, usage_ms, "slots by time that he has used, halved with age",
           HEADED("USED", 9)),
    COLUMN("bytes", BYTES, bytes, "results and pins that his submissions made", HEADED("BYTES", 9)),
    COLUMN("maxSlots", COUNT, max_slots, "quota of slots; null: none", MISSING,
           HEADED("MAX-SLOTS", 9)),
    COLUMN("maxActions", COUNT, max_actions, "quota of actions that wait or are ready; null: none",
           MISSING, HEADED("MAX-ACTIONS", 11)),
    COLUMN("maxBytes", BYTES, max_bytes, "quota of results and pins; null: none", MISSING,
           HEADED("MAX-BYTES", 9)),
};
const struct pingo__view_table pingo__view_share = VIEW("share", shares, ROW);
#undef ROW
