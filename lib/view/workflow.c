/* workflow.c - what a submission looks like, and its status. */
#include "view/columns.h"
#include "view/views.h"

static void put_state(const void *row, struct pingo__view_out *out)
{
    const struct pingo_workflow_status *s = row;
    pingo__view_put_name(out, pingo_workflow_state_name(s->state));
    out->tone = s->state == PINGO_WORKFLOW_FINISHED  ? PINGO__TONE_GOOD
                : s->state == PINGO_WORKFLOW_RUNNING ? PINGO__TONE_MARKED
                : s->state == PINGO_WORKFLOW_PAUSED  ? PINGO__TONE_BUSY
                                                     : PINGO__TONE_BAD;
}

/* Of what was needed: what is reused is done, what is skipped may be done elsewhere or never. */
static void put_done(const void *row, struct pingo__view_out *out)
{
    const struct pingo_workflow_status *s = row;
    pingo__buffer_format(out->b, "%zu/%zu", s->finished + s->summary.reuse,
                         pingo__view_workflow_rows(s) + s->summary.reuse);
}

VALUE(get_took, struct pingo_workflow_status, number, r->ended_ms - r->submitted_ms)
VALUE(get_rows, struct pingo_workflow_status, number, (int64_t)pingo__view_workflow_rows(r))
VALUE(get_begun, struct pingo_workflow_status, number, (int64_t)(r->running - r->armed))

#define ROW struct pingo_plan_summary
static const struct pingo__view_column summary[] = {
    COLUMN("compute", COUNT, compute, "how many are computed"),
    COLUMN("reuse", COUNT, reuse, "how many are there already"),
    COLUMN("join", COUNT, join, "how many an equal action computes"),
    COLUMN("skip", COUNT, skip, "how many nothing needs"),
};
const struct pingo__view_table pingo__view_summary = VIEW("summary", summary, ROW);
#undef ROW

#define ROW struct pingo_workflow_status
static const struct pingo__view_column counts[] = {
    COLUMN("waiting", COUNT, waiting, "for a parent, or an equal action"),
    COLUMN("ready", COUNT, ready, "can start"),
    COLUMN("running", COUNT, running, "are handed out, or run"),
    COLUMN("armed", COUNT, armed, "of those that are running: handed out, and not started"),
    COLUMN("finished", COUNT, finished, "have been computed"),
    COLUMN("failed", COUNT, failed, "failed, were killed, or cannot run for that"),
    COLUMN("forSpace", COUNT, for_space,
           "of those that are ready: wait because the disk of the pool was full"),
};
static const struct pingo__view_table counts_view = VIEW("counts", counts, ROW);

static const struct pingo__view_column status[] = {
    COLUMN("workflow", COUNT, workflow, "its number", HEADED("N", 6)),
    COLUMN("state", NAME, state, "the state", .names = pingo__view_workflow_state_name,
           HEADED("STATE", -8), .cell = put_state),
    COLUMN("name", TEXT, name, "the name", HEADED("NAME", -18), .cut = 24),
    CELL("DONE", 10, put_done),
    CELL_OF("FAILED", 6, COUNT, failed),
    CELL_OF("SUBMITTED", 0, TIME, submitted_ms),
    COLUMN("user", TEXT, user, "who submitted it", MISSING),
    COLUMN("tag", TEXT, tag, "the tag that it was submitted with", MISSING),
    COLUMN("submitted", TIME, submitted_ms, "when it was submitted"),
    COLUMN("ended", TIME, ended_ms, "when it ended; null while it has not", MISSING),
    COLUMN("priority", COUNT, priority, "the greater goes first"),
    COLUMN("actionCount", COUNT, actions, "how many actions the definition has"),
    OBJECT("summary", summary, &pingo__view_summary, "what the plan decided of its actions"),
    {.key = "counts",
     .kind = PINGO__VIEW_OBJECT,
     .of = &counts_view,
     .meaning = "of the actions that are not reused or skipped, by state"},
    SHOWN("title", TEXT, name),
    SHOWN_BY("took", MS, get_took),
    SHOWN_BY("rows", COUNT, get_rows),
    SHOWN_BY("begun", COUNT, get_begun),
};
static const struct pingo__view_table status_view = VIEW("workflow", status, ROW);
#undef ROW

#define ROW struct pingo_driver
static const struct pingo__view_column drivers[] = {
    COLUMN("pid", COUNT, pid, "the process; null: of another container (PID namespace)",
           .null = PINGO__NULL_MISSING | PINGO__NULL_ZERO),
    COLUMN("since", TIME, started_ms, "when it began to work on the store", MISSING),
    COLUMN("claims", FLAG, claims, "it starts what becomes ready"),
    COLUMN("stopped", FLAG, stopped, "it is stopped (ctrl-z)"),
    COLUMN("handed", COUNT, handed,
           "how many of the actions that the workflow waits for it has in hand"),
};
static const struct pingo__view_table driver_view = VIEW("driver", drivers, ROW);
#undef ROW

HAS(has_drivers, struct pingo__view_workflow, r->has_drivers)

/* The stopped one with the most in hand, the first that claims, or the first: NULL: there is none. */
static const struct pingo_driver *driver_of(const struct pingo__view_workflow *w, bool stopped,
                                            bool claims)
{
    const struct pingo_driver *found = NULL;
    for (size_t i = 0; i < w->ndrivers; i++) {
        const struct pingo_driver *d = &w->drivers[i];
        if (d->stopped >= stopped && d->claims >= claims &&
            (!found || (stopped && d->handed > found->handed)))
            found = d;
    }
    return found;
}

static int64_t pid_of(const struct pingo_driver *driver)
{
    return driver ? driver->pid : -1;
}

VALUE(get_stopped, struct pingo__view_workflow, number, pid_of(driver_of(r, true, false)))
VALUE(get_handed, struct pingo__view_workflow, number,
      driver_of(r, true, false) ? (int64_t)driver_of(r, true, false)->handed : 0)
VALUE(get_claiming, struct pingo__view_workflow, number,
      r->status.state == PINGO_WORKFLOW_PAUSED ? -1 : pid_of(driver_of(r, false, true)))
VALUE(get_waiting, struct pingo__view_workflow, number, pid_of(driver_of(r, false, false)))

#define ELSEWHERE "a process of another container (PID namespace)"

const char pingo__view_driven[] =
    "[asked?[stopped>0?process {stopped}[handed>0?, which has {handed} "
    "of its actions in hand,] is stopped; let it go on: "
    "kill -CONT {stopped} (or fg in its terminal)|[claiming?[claiming>0?process "
    "{claiming}|" ELSEWHERE
    "] drives it|[waiter?[state=PAUSED?paused; ][waiter>0?process {waiter}|" ELSEWHERE
    "] waits for what runs; then go on with: {pingo} "
    "run {workflow}|[state=PAUSED?paused|no process "
    "runs it]; go on with: {pingo} run {workflow}]]]]";

#define HEAD                                                                                       \
    LINES("workflow {workflow}  {title}  {state}",                                                 \
          "submitted {submitted} by [user?{user}|?][tag? as \"{tag}\"][ended?, ended {ended} "     \
          "({took})]",                                                                             \
          "{actionCount} action{actionCount||s}[ended?, as planned]: {summary.compute} "           \
          "to compute, {summary.reuse} reused, {summary.join} joined, {summary.skip} skipped",     \
          "[rows>0?{counts.waiting} waiting, {counts.ready} ready, {counts.armed} armed, {begun} " \
          "running, {counts.finished} finished, {counts.failed} failed[counts.failed>0? or not "   \
          "run]]",                                                                                 \
          "[counts.forSpace>0?{counts.forSpace} wait{counts.forSpace|s|} for space on the disk "   \
          "of the pool: make some there, or let results go ({pingo} release, {pingo} rm)]",        \
          "[blocked?{nblocked} action{nblocked||s} cannot start now: {blocked}]",                  \
          "[nothers>0?{nothers} more cannot start for other reasons]", pingo__view_driven, "")

#define ROW struct pingo__view_workflow
#define WORKFLOW_COLUMNS                                                                           \
    MEMBERS(status, &status_view),                                                                 \
        COLUMN("driven", FLAG, driven, "a process goes on with it; null where it has ended",       \
               .null = PINGO__NULL_ROW),                                                           \
        LIST("drivers", drivers, ndrivers, &driver_view, "the processes that work on it"),         \
        SHOWN("asked", FLAG, has_drivers), SHOWN_BY("stopped", COUNT, get_stopped),                \
        SHOWN_BY("handed", COUNT, get_handed), SHOWN_BY("claiming", COUNT, get_claiming),          \
        SHOWN_BY("waiter", COUNT, get_waiting), SHOWN("blocked", TEXT, blocked),                   \
        SHOWN("nblocked", COUNT, nblocked), SHOWN("nothers", COUNT, nothers)
static const struct pingo__view_column workflow[] = {WORKFLOW_COLUMNS};
const struct pingo__view_table pingo__view_workflow =
    VIEW_OF("workflow", workflow, ROW, has_drivers);
static const struct pingo__view_column with_actions[] = {
    WORKFLOW_COLUMNS,
    STREAM("actions", &pingo__view_action,
           "in the order of the definition; times and exit codes are those of the last attempt"),
    COLUMN("next", TEXT, next, "for --after, where --limit left some of the actions out; else null",
           .null = PINGO__NULL_MISSING | PINGO__NULL_EMPTY),
};
PAGE_OF(pingo__view_workflow_page, &pingo__view_workflow);
const struct pingo__view_table pingo__view_workflow_actions =
    VIEW_OF("workflow", with_actions, ROW, has_drivers, .text = HEAD);
#undef ROW

#define ROW struct pingo_submission
static const struct pingo__view_column submission[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    COLUMN("state", NAME, state, "FINISHED at once where nothing must be computed",
           .names = pingo__view_workflow_state_name),
    OBJECT("summary", summary, &pingo__view_summary, "what the plan decided of its actions"),
    COLUMN("found", FLAG, found, "its tag was used before, and this is what was submitted then"),
};
const struct pingo__view_table pingo__view_submission =
    VIEW_TEXT("submission", submission, ROW, "{workflow}");
static const struct pingo__view_column submitted[] = {
    {.kind = PINGO__VIEW_MEMBERS, .of = &pingo__view_submission},
    STREAM("warnings", &pingo__view_problem, "of its text, in the order of it"),
};
const struct pingo__view_table pingo__view_submitted = VIEW("submission", submitted, ROW);
#undef ROW
