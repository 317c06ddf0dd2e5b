/* action.c - what the status of an action looks like. */
#include <pingo/executor.h>

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "view/columns.h"
#include "view/views.h"

HAS(has_row, struct pingo_action_status, r->state != 0)

static void put_state(const void *row, struct pingo__view_out *out)
{
    const struct pingo_action_status *s = row;
    pingo__view_put_name(out, s->state != 0                     ? pingo_action_state_name(s->state)
                              : s->decision == PINGO_PLAN_REUSE ? "reused"
                              : s->decision == PINGO_PLAN_SKIP  ? "skipped"
                                                                : NULL);
    out->tone = s->state == PINGO_ACTION_FINISHED       ? PINGO__TONE_GOOD
                : s->state == PINGO_ACTION_RUNNING      ? PINGO__TONE_MARKED
                : pingo_action_state_is_final(s->state) ? PINGO__TONE_BAD
                                                        : PINGO__TONE_PLAIN;
}

/* What runs has taken so long by now; 0 where the clock was set back. */
static void put_time(const void *row, struct pingo__view_out *out)
{
    const struct pingo_action_status *s = row;
    char text[PINGO__UNITS_SIZE];
    int64_t time_ms = s->state != 0 && s->attempts > 0 ? s->wall_ms : -1;
    if (s->state == PINGO_ACTION_RUNNING && s->started_ms > 0 && !s->uncollected)
        time_ms = out->style->now_ms > s->started_ms ? out->style->now_ms - s->started_ms : 0;
    if (time_ms >= 0)
        pingo__buffer_text(out->b, pingo__units_print_duration(text, time_ms));
}

static void put_memory(const void *row, struct pingo__view_out *out)
{
    const struct pingo_action_status *s = row;
    char text[PINGO__UNITS_SIZE];
    if (s->state != 0 && s->attempts > 0 && s->max_rss_bytes >= 0)
        pingo__buffer_text(out->b, pingo__units_print_size(text, s->max_rss_bytes));
}

void pingo__view_failure(struct pingo__buffer *b, const struct pingo_action_status *s)
{
    if (s->message && *s->message != '\0')
        pingo__text_clean(b, s->message, SIZE_MAX);
    else if (s->signal > 0)
        pingo__buffer_format(b, "signal %" PRId64, s->signal);
    else if (s->exit_code >= 0)
        pingo__buffer_format(b, "exit status %" PRId64, s->exit_code);
    else
        pingo__buffer_text(b, "never started");
}

static void put_note(const void *row, struct pingo__view_out *out)
{
    const struct pingo_action_status *s = row;
    if (s->state == PINGO_ACTION_FAILED || (s->message && *s->message != '\0')) {
        pingo__view_failure(out->b, s);
    } else if (s->adopted_from) {
        pingo__buffer_text(out->b, "adopted from ");
        pingo__text_clean(out->b, s->adopted_from, SIZE_MAX);
    } else if (s->state != 0 && s->waits_for > 0) {
        pingo__buffer_format(out->b, "waits for %zu action%s", s->waits_for,
                             s->waits_for == 1 ? "" : "s");
    } else if (s->state == PINGO_ACTION_FINISHED && s->decision == PINGO_PLAN_JOIN) {
        pingo__buffer_text(out->b, "an equal action computed it");
    } else if (s->attempts > 0 && s->executor && strcmp(s->executor, PINGO_EXECUTOR_DEFAULT) != 0) {
        pingo__buffer_text(out->b, "by executor ");
        pingo__text_clean(out->b, s->executor, SIZE_MAX);
        pingo__buffer_text(out->b, s->node ? " on " : "");
        pingo__text_clean(out->b, s->node ? s->node : "", SIZE_MAX);
    }
    if (s->attempts > 1)
        pingo__buffer_format(out->b, "%s%" PRId64 " attempts",
                             out->b->length > out->from ? "; " : "", s->attempts);
    if (s->attempts > 0 && s->memory_from != PINGO_MEMORY_DEFINED)
        pingo__buffer_format(
            out->b, "%s%s %" PRId64 " MB of memory", out->b->length > out->from ? "; " : "",
            s->memory_from == PINGO_MEMORY_GREW ? "grew to" : "began with", s->memory_mb);
}

#define OF_ROW .null = PINGO__NULL_ROW
#define ROW struct pingo_action_status
static const struct pingo__view_column columns[] = {
    COLUMN("id", COUNT, id, "the id in the definition", HEADED("ID", 6)),
    COLUMN("state", NAME, state, "the state; null for what was reused or skipped",
           .names = pingo__view_action_state_name, OF_ROW, HEADED("STATE", -10), .cell = put_state),
    COLUMN("name", TEXT, name, "the name", HEADED("NAME", -23), .cut = 27),
    COLUMN("hash", HASH, hash, "the hash, of the dataset too"),
    COLUMN("decision", NAME, decision, "what the plan decided", .names = pingo__view_decision_name),
    COLUMN("attempts", COUNT, attempts, "how many attempts have started", OF_ROW),
    COLUMN("exitCode", COUNT, exit_code, "of the last attempt; null where it has none", OF_ROW),
    COLUMN("signal", COUNT, signal, "that ended the last attempt; null: none",
           .null = PINGO__NULL_ROW | PINGO__NULL_ZERO),
    COLUMN("wallMs", MS, wall_ms, "how long the last attempt took", OF_ROW, HEADED("TIME", 8),
           .cell = put_time),
    COLUMN("userMs", MS, user_ms, "its processor time", OF_ROW),
    COLUMN("systemMs", MS, system_ms, "its processor time in the system", OF_ROW),
    COLUMN("maxRssBytes", BYTES, max_rss_bytes, "its peak memory", OF_ROW, HEADED("MEMORY", 8),
           .cell = put_memory),
    COLUMN("memoryMB", COUNT, memory_mb,
           "the memory that the last attempt was given; null: no limit, or unknown",
           .null = PINGO__NULL_ROW | PINGO__NULL_ZERO),
    COLUMN("memoryFrom", NAME, memory_from,
           "why so much: definition, growth (one before it had died of less), or history (it, or "
           "its program, had needed so much before)",
           .names = pingo__view_memory_from_name, OF_ROW),
    COLUMN("confined", FLAG, confined, "did it run in the sandbox?", OF_ROW),
    COLUMN("started", TIME, started_ms, "when the last attempt started", OF_ROW),
    COLUMN("ended", TIME, ended_ms, "when it ended", OF_ROW),
    COLUMN("message", TEXT, message, "why it failed or waits",
           .null = PINGO__NULL_MISSING | PINGO__NULL_EMPTY),
    COLUMN("attemptDir", TEXT, attempt_dir, "the scratch directory, while it is kept", MISSING),
    COLUMN("waitsFor", COUNT, waits_for, "how many unfinished actions it waits for", OF_ROW),
    ARRAY("labels", PAIRS, labels, nlabels, "of the action and of the workflow, by their names"),
    COLUMN("adoptedFrom", TEXT, adopted_from, "where an adopted output was taken from", MISSING),
    COLUMN(
        "diskFullBytes", BYTES, disk_full_bytes,
        "what the last attempt had written when it met a full disk (0: unknown), while the action "
        "waits for space",
        MISSING),
    COLUMN("executor", TEXT, executor,
           "who ran the last attempt, or is to run it; null where nobody did or does", MISSING),
    COLUMN("uncollected", FLAG, uncollected,
           "it has ended, and is RUNNING only because nobody was there to collect its end"),
    COLUMN("node", TEXT, node,
           "the machine that ran the last ended attempt; null where its executor does not say",
           MISSING),
    COLUMN("wanted", FLAG, is_wanted, "a leaf, or a target: what the submission asked for"),
    CELL("NOTE", 0, put_note),
};
const struct pingo__view_table pingo__view_action = VIEW_OF("action", columns, ROW, has_row);
#undef ROW
