/* plan.c - what a plan looks like, and why an action is computed. */
#include "view/columns.h"
#include "view/views.h"

#define ROW struct pingo_file_change
static const struct pingo__view_column files[] = {
    COLUMN("path", TEXT, path, "below the directory"),
    COLUMN("before", TEXT, before, "what it was; null: not there", MISSING),
    COLUMN("after", TEXT, after, "what it is; null: not there", MISSING),
};
static const struct pingo__view_table file_view = VIEW("file", files, ROW);
#undef ROW

#define ROW struct pingo_difference
static const struct pingo__view_column differences[] = {
    COLUMN("field", TEXT, field, "what differs, such as \"command\" or \"input text\""),
    COLUMN("before", TEXT, before, "as it was, shortened; null: absent", MISSING),
    COLUMN("after", TEXT, after, "as it is, shortened; null: absent", MISSING),
    COLUMN("beforePath", TEXT, before_path,
           "where the input or tool lay; null where that is not known or does not apply", MISSING),
    COLUMN("afterPath", TEXT, after_path, "where it lies", MISSING),
    COLUMN("changedFiles", COUNT, changed_files,
           "how many entries of a directory changed; null where that is not known",
           .null = PINGO__NULL_ZERO),
    LIST("files", files, nfiles, &file_view, "the first hundred of them"),
    COLUMN("inherited", FLAG, inherited, "is it a parent that differs in turn?"),
};
static const struct pingo__view_table difference_view = VIEW("difference", differences, ROW);
#undef ROW

#define ROW struct pingo_why
static const struct pingo__view_column nearest[] = {
    COLUMN("hash", HASH, nearest, "its hash"),
    COLUMN("workflow", COUNT, nearest_workflow, "where it was last submitted",
           .null = PINGO__NULL_ZERO),
};
static const struct pingo__view_table nearest_view = VIEW("nearest", nearest, ROW);

static const struct pingo__view_column action[] = {
    COLUMN("id", COUNT, id, "the id in the definition"),
    COLUMN("name", TEXT, name, "the name"),
    COLUMN("hash", HASH, hash, "the hash"),
    COLUMN("decision", NAME, decision, "what the plan decided", .names = pingo__view_decision_name),
    COLUMN("reason", TEXT, reason_text, "and why"),
    COLUMN("memory", TEXT, memory_text,
           "the memory that its last attempt was given, and why that is more than its definition "
           "says; null: it is not",
           MISSING),
};
static const struct pingo__view_table action_view = VIEW("action", action, ROW);
HAS(has_nearest, struct pingo_why, r->has_nearest)
static const struct pingo__view_column found[] = {
    {.key = "nearest",
     .kind = PINGO__VIEW_OBJECT,
     .of = &nearest_view,
     .null = PINGO__NULL_ROW,
     .meaning = "the nearest action known before; null: nothing near was known"},
    LIST("differences", differences, ndifferences, &difference_view, "what differs from it"),
    COLUMN("inherited", COUNT, inherited,
           "how many of the differences are parents that differ in turn"),
};
static const struct pingo__view_table found_view = VIEW_OF("found", found, ROW, has_nearest);
#undef ROW

#define ROW struct pingo__view_why
#define FOUND_COLUMNS                                                                              \
    MEMBERS(why, &found_view),                                                                     \
        COLUMN("group", COUNT, group, "the same number for actions with the same reason",          \
               .null = PINGO__NULL_ZERO)
static const struct pingo__view_column reasons[] = {FOUND_COLUMNS};
const struct pingo__view_table pingo__view_reason = VIEW("why", reasons, ROW);
static const struct pingo__view_column why[] = {MEMBERS(why, &action_view), FOUND_COLUMNS};
const struct pingo__view_table pingo__view_why = VIEW("why", why, ROW);
#undef ROW

static void put_decision(const void *row, struct pingo__view_out *out)
{
    const struct pingo_planned *p = row;
    pingo__view_put_name(out, pingo_plan_decision_name(p->decision));
    out->tone = p->decision == PINGO_PLAN_COMPUTE ? PINGO__TONE_BUSY : PINGO__TONE_GOOD;
}

#define BLANK .null = PINGO__NULL_MISSING | PINGO__NULL_BLANK
#define ROW struct pingo_planned
static const struct pingo__view_column planned[] = {
    COLUMN("id", COUNT, id, "the id in the definition", HEADED("ID", 6)),
    COLUMN("decision", NAME, decision, "compute, reuse, join (someone computes it now) or skip",
           .names = pingo__view_decision_name, HEADED("DECISION", -8), .cell = put_decision),
    COLUMN("name", TEXT, name, "the name", HEADED("NAME", -23), .cut = 27),
    COLUMN("hash", HASH, hash, "the hash"),
    COLUMN("expectedMs", MS, expected_ms, "what earlier runs took: the mean; null: there are none",
           BLANK, HEADED("TIME", 8)),
    COLUMN("expectedBytes", BYTES, expected_bytes, "the size of what was made last; null likewise",
           BLANK, HEADED("SIZE", 8)),
    COLUMN("reason", TEXT, reason_text, "why it is decided so", .heading = "WHY"),
};
static const struct pingo__view_table planned_view = VIEW("planned", planned, ROW);
#undef ROW

#define ROW struct pingo__view_planned
static const struct pingo__view_column actions[] = {
    MEMBERS(planned, &planned_view),
    POINTER("why", why, &pingo__view_reason,
            "what differs from the nearest action known before, where that is asked (--why) and "
            "it would be computed"),
};
const struct pingo__view_table pingo__view_planned = VIEW("action", actions, ROW);
#undef ROW

VALUE(get_known, struct pingo__view_plan, number,
      (int64_t)r->totals.summary.compute - (int64_t)r->totals.unknown)

#define ROW struct pingo__view_plan
static const struct pingo__view_column plan[] = {
    COLUMN("workflow", TEXT, workflow, "the name"),
    STREAM("actions", &pingo__view_planned, "in the order of the definition"),
    OBJECT("summary", totals.summary, &pingo__view_summary, "how many there are of each decision"),
    COLUMN("expectedMs", MS, totals.expected_ms, "of what would be computed and has run before"),
    COLUMN("expectedBytes", BYTES, totals.expected_bytes, "likewise"),
    COLUMN("unknown", COUNT, totals.unknown, "how many would be computed and have never run"),
    SHOWN_BY("known", COUNT, get_known),
};
const struct pingo__view_table pingo__view_plan =
    VIEW_TAIL("plan", plan, ROW,
              "{summary.compute} to compute, {summary.reuse} reused, {summary.join} joined, "
              "{summary.skip} skipped",
              "[known>0?expected: {expectedMs} of computing, {expectedBytes} of outputs[unknown>0? "
              "({unknown} never ran before)]]");
#undef ROW
