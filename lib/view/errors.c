/* errors.c - what sums of failures, and the attempts that failed, look like. */

#include "base/text.h"
#include "view/columns.h"
#include "view/views.h"

static const char *category_name(int value)
{
    return value ? pingo_failure_category_name((enum pingo_failure_category)value) : NULL;
}

#define ROW struct pingo_summary_example
static const struct pingo__view_column example[] = {
    COLUMN("workflow", COUNT, workflow, "the submission"),
    COLUMN("id", COUNT, id, "of the action in it"),
    COLUMN("epoch", COUNT, epoch, "which of its tries"),
};
static const struct pingo__view_table example_view =
    VIEW_TEXT("example", example, ROW, "  {pingo} log {workflow} {id}");
#undef ROW

#define ROW struct pingo_summary_row
static void put_text(const void *row, struct pingo__view_out *out)
{
    const struct pingo_summary_row *r = row;
    pingo__text_clean(out->b, r->is_other ? "(other)" : r->text ? r->text : "-", SIZE_MAX);
    if (r->exit_code > 0)
        pingo__buffer_format(out->b, " (exit %d)", r->exit_code);
    if (r->signal > 0)
        pingo__buffer_format(out->b, " (signal %d)", r->signal);
}

static void put_value(const void *row, struct pingo__view_out *out)
{
    const struct pingo_summary_row *r = row;
    const char *value = r->is_other ? "(other)" : !r->value || !*r->value ? "-" : r->value;
    pingo__text_clean(out->b, value, 39);
}

static const struct pingo__view_column columns[] = {
    COLUMN("from", TIME, from_ms, "when the step, or the period, begins; null: it has no beginning",
           MISSING, HEADED("FROM", -20), .option = PINGO__VIEW_BY_STEP),
    COLUMN("until", TIME, until_ms, "when it ends; null: it has no end", MISSING),
    COLUMN("error", COUNT, error, "its number, for --error; null: it is not by error",
           .null = PINGO__NULL_ZERO),
    COLUMN("category", NAME, category,
           "command, signal, memory, time, input, output, space, node, refused or killed; null: it "
           "is not by error",
           .names = category_name, .null = PINGO__NULL_ZERO | PINGO__NULL_MISSING),
    COLUMN("text", TEXT, text,
           "the last line that it wrote to stderr, or what was said of its end, with # for numbers",
           .null = PINGO__NULL_EMPTY | PINGO__NULL_MISSING, HEADED("WHAT", -40), .cut = 60,
           .option = PINGO__VIEW_BY_ERROR),
    COLUMN("exitCode", COUNT, exit_code, "null: it has none", MISSING),
    COLUMN("signal", COUNT, signal, "that ended it; null: none", MISSING),
    COLUMN("value", TEXT, value,
           "the node, executor, user or name; \"\": unknown; null: it is not by one, or other",
           MISSING, HEADED("WHICH", -24), .cut = 39, .cell = put_value,
           .option = PINGO__VIEW_BY_VALUE),
    COLUMN("isNew", FLAG, is_new, "was it never met before the period?"),
    COLUMN("isOther", FLAG, is_other, "is it all that is beyond the limit?"),
    COLUMN("ended", COUNT, ended, "attempts that ended; of errors and names: that failed",
           HEADED("ENDED", 8), .option = PINGO__VIEW_BY_VALUE),
    COLUMN("failed", COUNT, failed, "of them", HEADED("FAILED", 7)),
    COLUMN("retried", COUNT, retried, "of those: the action succeeded later", HEADED("RETRIED", 7)),
    COLUMN("wallMs", MS, wall_ms, "what those that failed took", HEADED("LOST", 11)),
    COLUMN("retriedMs", MS, retried_ms, "of that: the action succeeded later"),
    COLUMN("cpuMs", MS, cpu_ms, "what they took of processors"),
    COLUMN("waitMs", MS, wait_ms, "how long their executors had them before they started"),
    COLUMN("first", TIME, first_ms,
           "when this error was met first, in all; null: it is not by error", MISSING),
    COLUMN("last", TIME, last_ms, "when it was met last", MISSING),
    LIST("examples", examples, nexamples, &example_view,
         "the newest attempt of each of three actions, the newest first"),
    SHOWN_AS("what", put_text),
};
const struct pingo__view_table pingo__view_errors = VIEW("errors", columns, ROW);
const struct pingo__view_table pingo__view_error_kinds =
    VIEW_TEXT("errors", columns, ROW, "[isNew?new  ]{what}[error?  <error {error}, {category}>]",
              "  {failed} failed, {wallMs} lost[retried>0?; {retriedMs} of it in {retried} of "
              "which a later try "
              "succeeded][last?; last {last}]");

static const struct pingo__view_column used[] = {
    COLUMN("from", TIME, from_ms, "when the step, or the period, begins; null: it has no beginning",
           MISSING),
    COLUMN("until", TIME, until_ms, "when it ends; null: it has no end", MISSING),
    COLUMN("value", TEXT, value, "the user, executor or node; null: other",
           .null = PINGO__NULL_MISSING),
    COLUMN("isOther", FLAG, is_other, "is it all that is beyond the limit?"),
    COLUMN("ended", COUNT, ended, "attempts that ended"),
    COLUMN("failed", COUNT, failed, "of them"),
    COLUMN("wallMs", MS, used_ms, "what all of them took"),
    COLUMN("cpuMs", MS, used_cpu_ms, "and of processors"),
    COLUMN("lostMs", MS, wall_ms, "what those that failed took"),
    COLUMN("retriedMs", MS, retried_ms, "of that: the action succeeded later"),
};
const struct pingo__view_table pingo__view_used = VIEW("used", used, ROW);
#undef ROW

#define ROW struct pingo_failure
static const struct pingo__view_column failures[] = {
    COLUMN("workflow", COUNT, workflow, "the submission", HEADED("WORKFLOW", 8)),
    MEMBERS(attempt, &pingo__view_attempt),
    COLUMN("user", TEXT, user, "who submitted it"),
    COLUMN("error", COUNT, error, "the number of what it failed of; null: it did not fail",
           .null = PINGO__NULL_ZERO, HEADED("ERROR", 5)),
    COLUMN("category", NAME, category, "as of pingo errors; null: it did not fail",
           .names = category_name, .null = PINGO__NULL_ZERO | PINGO__NULL_MISSING),
    COLUMN("text", TEXT, text, "likewise", .null = PINGO__NULL_EMPTY, .heading = "WHAT", .cut = 100),
    COLUMN("retried", FLAG, retried, "has a later try of the action succeeded?"),
};
const struct pingo__view_table pingo__view_failed = VIEW("failed", failures, ROW);
#undef ROW
PAGE_OF(pingo__view_failed_page, &pingo__view_failed);
