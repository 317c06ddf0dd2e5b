/* store.c - what settings, findings, problems and a tick look like. */
#include <string.h>

#include "view/columns.h"
#include "view/views.h"

static bool is_changed(const struct pingo__view_setting *s)
{
    return s->value && (!s->default_value || strcmp(s->value, s->default_value) != 0);
}

VALUE(get_changed, struct pingo__view_setting, flag, is_changed(r))

static void put_key(const void *row, struct pingo__view_out *out)
{
    pingo__buffer_text(out->b, ((const struct pingo__view_setting *)row)->key);
    out->tone = is_changed(row) ? PINGO__TONE_BOLD : PINGO__TONE_PLAIN;
}

#define ROW struct pingo__view_setting
static const struct pingo__view_column settings[] = {
    COLUMN("key", TEXT, key, "the key", .cell = put_key),
    COLUMN("value", TEXT, value, "its value", MISSING),
    COLUMN("default", TEXT, default_value, "its value where none is set; null: it has none", MISSING),
    COLUMN("meaning", TEXT, meaning, "what it is for"),
    SHOWN_BY("changed", FLAG, get_changed),
};
const struct pingo__view_table pingo__view_setting = VIEW_TEXT(
    "setting", settings, ROW,
    "{key} = [value?{value}][changed?   (default: [default>0?{default}|none])]", "    {meaning}");
#undef ROW

static const char *result_of(const struct pingo__view_check *c)
{
    static const char *const names[] = {"well", "note", "wrong", "unknown"};
    return (size_t)c->result < sizeof names / sizeof *names ? names[c->result] : "unknown";
}
VALUE(get_result, struct pingo__view_check, text, result_of(r))

#define ROW struct pingo__view_check
static const struct pingo__view_column checks[] = {
    COLUMN("executor", TEXT, executor, "the executor that was tried"),
    COLUMN("what", TEXT, what,
           "what was looked at: settings, reach, job, pool, runner, clock, sandbox"),
    GETTER(
        "result", TEXT, get_result,
        "well; note: actions run, and this is worth knowing; wrong: they do not; unknown: it could "
        "not be seen now"),
    COLUMN("message", TEXT, message, "what was found, and what to do"),
};
const struct pingo__view_table pingo__view_check =
    VIEW_TEXT("check", checks, ROW, "{what}: {result}: {message}");
#undef ROW

#define ROW struct pingo_finding
static const struct pingo__view_column findings[] = {
    COLUMN("invariant", TEXT, invariant, "which does not hold: I1 to I8 of pingo(7)"),
    COLUMN("object", TEXT, object, "of what"),
    COLUMN("message", TEXT, message, "what is wrong"),
    COLUMN("repaired", FLAG, repaired, "it was mended"),
    COLUMN("repairable", FLAG, repairable, "--repair mends it, or has"),
};
const struct pingo__view_table pingo__view_finding =
    VIEW_TEXT("finding", findings, ROW, "{invariant}  {object}: {message}[repaired? (repaired)]");
#undef ROW

#define ROW struct pingo_tick_result
static const struct pingo__view_column tick[] = {
    COLUMN("recovered", COUNT, recovered, "actions taken over from processes that are gone"),
    COLUMN("settled", COUNT, settled, "ends that were applied"),
    COLUMN("started", COUNT, started, "actions that were started"),
    COLUMN("evicted", COUNT, evicted, "datasets that a decision let go"),
    COLUMN("deleted", COUNT, deleted, "datasets that were removed"),
    COLUMN("active", COUNT, active, "what was handed out and has not ended"),
    COLUMN("idle", FLAG, idle, "nothing was done"),
    COLUMN("stuckForSpace", FLAG, stuck_for_space,
           "actions wait for space that nothing can give; standard error tells"),
    COLUMN(
        "shortfallBytes", BYTES, shortfall_bytes,
        "what the pool holds above its low watermark, where it was above the high one and nothing "
        "more may go"),
};
const struct pingo__view_table pingo__view_tick = VIEW_TEXT(
    "tick", tick, ROW,
    "recovered {recovered}, settled {settled}, started {started}, evicted {evicted}, deleted "
    "{deleted}, active {active}");
#undef ROW

static const char *severity_name(int severity)
{
    return severity == PINGO_SEVERITY_ERROR     ? "error"
           : severity == PINGO_SEVERITY_WARNING ? "warning"
                                                : NULL;
}

#define ROW struct pingo_problem
static const struct pingo__view_column problems[] = {
    COLUMN("severity", NAME, severity, "warnings alone do not make it invalid",
           .names = severity_name),
    COLUMN("line", COUNT, line, "from 1"),
    COLUMN("column", COUNT, column, "in bytes from 1"),
    COLUMN("pointer", TEXT, pointer, "the JSON pointer of the place"),
    COLUMN("message", TEXT, message, "what is wrong, and what would be right"),
    COLUMN("times", COUNT, times,
           "how many equal ones this stands for, at the first one's place; of the last of 1,000 "
           "and more: "
           "how many more there are"),
};
const struct pingo__view_table pingo__view_problem = VIEW("problem", problems, ROW);
#undef ROW
