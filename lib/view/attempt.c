/* attempt.c - what one try at running an action looks like. */
#include <inttypes.h>
#include <string.h>

#include <pingo/executor.h>

#include "view/columns.h"
#include "view/views.h"

/* How it ended, or where it is. */
static const char *word_of(const struct pingo_attempt *a)
{
    static const char *const words[] = {
        [PINGO_END_EXITED] = "exited",
        [PINGO_END_SIGNALED] = "signaled",
        [PINGO_END_TIME_LIMIT] = "time limit",
        [PINGO_END_MEMORY_LIMIT] = "memory limit",
        [PINGO_END_NO_OUTPUT] = "no output",
        [PINGO_END_KILLED] = "killed",
        [PINGO_END_LOST] = "lost",
        [PINGO_END_NO_SPACE] = "no space",
        [PINGO_END_NOT_STARTED] = "not started",
        [PINGO_END_BAD_OUTPUT] = "bad output",
    };
    if (!a->has_ended)
        return a->has_started ? "running" : "armed";
    if (a->reason < 0 || (size_t)a->reason >= sizeof words / sizeof *words)
        return "ended";
    return words[a->reason];
}

VALUE(get_state, struct pingo_attempt, text, word_of(r))

/* What an engine tells that tells it. */
static void put_percent(struct pingo__buffer *b, const char *progress)
{
    static const char key[] = "\"percent\":";
    const char *at = progress ? strstr(progress, key) : NULL;
    size_t n = at ? strspn(at + strlen(key), "0123456789") : 0;
    if (n > 0 && n <= 3)
        pingo__buffer_format(b, " %.*s%%", (int)n, at + strlen(key));
}

static void put_end(const void *row, struct pingo__view_out *out)
{
    const struct pingo_attempt *a = row;
    if (a->has_ended && a->reason == PINGO_END_EXITED)
        pingo__buffer_format(out->b, "exit %" PRId64, a->exit_code);
    else if (a->has_ended && a->reason == PINGO_END_SIGNALED)
        pingo__buffer_format(out->b, "signal %" PRId64, a->signal);
    else
        pingo__buffer_text(out->b, word_of(a));
    if (a->has_started && !a->has_ended)
        put_percent(out->b, a->progress);
}

static void put_given(const void *row, struct pingo__view_out *out)
{
    const struct pingo_attempt *a = row;
    if (a->memory_mb > 0)
        pingo__buffer_format(out->b, "%" PRId64 " MB%s", a->memory_mb,
                             a->memory_from == PINGO_MEMORY_DEFINED ? "" : "+");
}

#define ROW struct pingo_attempt
static const struct pingo__view_column columns[] = {
    COLUMN("id", COUNT, id, "of the action in the definition", HEADED("ID", 6)),
    COLUMN("name", TEXT, name, "of the action", HEADED("NAME", -23), .cut = 27),
    COLUMN("epoch", COUNT, epoch, "with each try it is greater", HEADED("TRY", 5)),
    GETTER(
        "state", TEXT, get_state,
        "armed, running, or how it ended: exited, signaled, time limit, memory limit, no output, "
        "killed, lost, no space, not started or bad output",
        HEADED("ENDED", -12), .cell = put_end),
    COLUMN("exitCode", COUNT, exit_code, "null where it has none", MISSING),
    COLUMN("signal", COUNT, signal, "that ended it; null: none", .null = PINGO__NULL_ZERO),
    COLUMN("wallMs", MS, wall_ms, "how long it took", MISSING, HEADED("TIME", 8)),
    COLUMN("userMs", MS, user_ms, "its processor time", MISSING),
    COLUMN("systemMs", MS, system_ms, "its processor time in the system", MISSING),
    COLUMN("maxRssBytes", BYTES, max_rss_bytes, "its peak memory", MISSING, HEADED("MEMORY", 8)),
    COLUMN("memoryMB", COUNT, memory_mb, "the memory that it was given; null: no limit, or unknown",
           .null = PINGO__NULL_MISSING | PINGO__NULL_ZERO, HEADED("GIVEN", 10), .cell = put_given),
    COLUMN("memoryFrom", NAME, memory_from,
           "why so much: definition, growth (one before it had died of less), or history (it, or "
           "its program, had needed so much before)",
           .names = pingo__view_memory_from_name),
    COLUMN("confined", FLAG, confined, "did it run in the sandbox?  null: it did not run, or runs",
           MISSING),
    COLUMN("handed", TIME, handed_ms, "when an executor was given it", MISSING),
    COLUMN("started", TIME, started_ms, "when it started", MISSING, HEADED("STARTED", -20)),
    COLUMN("ended", TIME, ended_ms, "when it ended", MISSING),
    COLUMN("executor", TEXT, executor, "who ran it"),
    COLUMN("node", TEXT, node, "the machine that ran it", MISSING, HEADED("NODE", -10)),
    COLUMN("job", TEXT, job, "what its engine calls it, such as JOB_TASK of Slurm", MISSING,
           .heading = "JOB"),
    COLUMN("progress", JSON, progress, "what its engine tells of it, such as tasks and counters",
           MISSING),
    COLUMN("attemptDir", TEXT, attempt_dir, "where its logs are, while they are kept", MISSING),
};
const struct pingo__view_table pingo__view_attempt = VIEW("attempt", columns, ROW);
#undef ROW
PAGE_OF(pingo__view_attempt_page, &pingo__view_attempt);

#define ROW struct pingo__view_ran
static const struct pingo__view_column ran[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    COLUMN("ranWorkflow", COUNT, ran_workflow, "whose run it was; null where nothing ran",
           .null = PINGO__NULL_ZERO),
    COLUMN("ranId", COUNT, ran_id, "the action's id in that", .null = PINGO__NULL_MISSING),
};
const struct pingo__view_table pingo__view_ran = VIEW("run", ran, ROW);
#undef ROW
