/* dataset.c - what the status of a dataset looks like. */
#include "base/text.h"
#include "view/columns.h"
#include "view/views.h"

VALUE(get_keep, struct pingo_dataset_status, number,
      r->keep == PINGO_KEEP_DEFAULT ? -1 : r->keep == PINGO_KEEP_ALWAYS)
VALUE(get_leaf, struct pingo_dataset_status, flag,
      r->state == PINGO_DATASET_LEAF || r->state == PINGO_DATASET_TO_LEAF)
VALUE(get_user, struct pingo_dataset_status, text, r->workflow > 0 ? r->user : NULL)

static void put_name(const void *row, struct pingo__view_out *out)
{
    const struct pingo_dataset_status *s = row;
    pingo__text_clean(out->b, s->name, 39);
    pingo__buffer_text(out->b, s->keep == PINGO_KEEP_ALWAYS ? "  (pinned)" : "");
    pingo__buffer_text(out->b, s->claims > 0 ? "  (claimed)" : "");
    pingo__buffer_text(out->b, s->is_managed ? "" : "  (unmanaged)");
    pingo__buffer_text(out->b, s->was_different ? "  (differs from an earlier generation)" : "");
    pingo__buffer_text(out->b, s->adopted_from ? "  (adopted)" : "");
}

#define ROW struct pingo_dataset_status
static const struct pingo__view_column columns[] = {
    COLUMN("hash", HASH, hash, "the hash of the action that makes it", HEADED("HASH", -12)),
    COLUMN("state", NAME, state, "the state", .names = pingo__view_dataset_state_name,
           HEADED("STATE", -16)),
    COLUMN("sizeBytes", BYTES, size_bytes, "the size; null before it was made", MISSING,
           HEADED("SIZE", 9)),
    COLUMN("computeMs", MS, compute_ms, "what it took to compute: the mean over all generations",
           MISSING, HEADED("COMPUTE", 9)),
    COLUMN("valueMs", MS, value_ms,
           "the compute time that its reuse has saved; null where values were not asked for",
           MISSING, HEADED("VALUE", 9), .option = 1),
    COLUMN("lastUsed", TIME, last_used_ms, "when it was last used", MISSING,
           HEADED("LAST USED", -20)),
    COLUMN("name", TEXT, name, "of the action that made it, or will", .heading = "NAME",
           .cell = put_name),
    COLUMN("path", TEXT, path, "where it lies; null where nothing lies there", MISSING),
    COLUMN("claims", COUNT, claims, "how many unfinished actions claim it"),
    GETTER(
        "keep", FLAG, get_keep,
        "true where it is pinned, false where it goes as soon as its readers have finished, else "
        "null",
        MISSING),
    COLUMN("generation", COUNT, generation, "how often it was made, from 1"),
    COLUMN("current", FLAG, is_current, "it is the newest generation"),
    COLUMN("managed", FLAG, is_managed, "it lies in the pool"),
    COLUMN("made", TIME, made_ms, "when it was made", MISSING),
    COLUMN("content", HASH, content, "the digest of its content", MISSING),
    COLUMN("wasDifferent", FLAG, was_different, "an earlier generation had other content"),
    GETTER("leaf", FLAG, get_leaf, "it is kept as a result"),
    COLUMN("workflow", COUNT, workflow, "the number of the submission that made it, or will",
           .null = PINGO__NULL_ZERO),
    GETTER("user", TEXT, get_user, "who submitted that", MISSING),
    ARRAY("labels", PAIRS, labels, nlabels, "of the action that made it"),
    COLUMN("adoptedFrom", TEXT, adopted_from, "where an adopted output was taken from", MISSING),
};
const struct pingo__view_table pingo__view_dataset = VIEW("dataset", columns, ROW);
#undef ROW
PAGE_OF(pingo__view_dataset_page, &pingo__view_dataset);
