/* watch.c - lines for actions that start and end, and the progress line.
 *
 * Events come in the middle of the store's work, so they are only put in a list. */
#include "running.h"

#include <inttypes.h>
#include <search.h>

#include "base/array.h"
#include "session.h"
#include "view/views.h"

struct cli_watch {
    struct cli *cli;
    const int64_t *workflows;
    size_t nworkflows;
    bool quiet;
    struct ended {
        struct pingo_event event; /* without its name */
        char name[80];
    } * events;
    size_t nevents;
    size_t running;             /* RUNNING by the events of this process */
    size_t ended, ended_before; /* rows in a final state now, and when the watch began */
    size_t total, failed, active;
    int64_t changes; /* in the store, when they were counted */
    size_t counted;  /* ends among these, as far as told: for lines without a terminal */
    int64_t counted_ms;
    bool asked;
    int64_t start_ms;
    int64_t shown_ms; /* when the progress line was renewed */
    bool cleared;     /* a line took its place since */
};

bool cli_has_changed(struct cli *cli, int64_t *changes)
{
    int64_t before = *changes;
    return pingo_store_changes(cli->store, changes, NULL) != 0 || *changes == 0 ||
           *changes != before;
}

static int64_t elapsed_ms(const struct cli_watch *w)
{
    return pingo__world_monotonic_ms() - w->start_ms;
}

struct cli_watch *cli_watch_new(struct cli *cli, const int64_t *workflows, size_t n, bool quiet)
{
    struct cli_watch *w = cli_alloc(sizeof *w);
    w->cli = cli;
    w->quiet = quiet || cli_is_quiet();
    w->workflows = workflows;
    w->nworkflows = n;
    w->shown_ms = -1000;
    w->start_ms = pingo__world_monotonic_ms();
    return w;
}

void cli_watch_event(struct cli_watch *watch, const struct pingo_event *event)
{
    if (event->kind != PINGO_EVENT_ACTION || watch->quiet)
        return;
    watch->running += event->to == PINGO_ACTION_RUNNING;
    watch->running -= event->from == PINGO_ACTION_RUNNING && watch->running > 0;
    bool is_told = event->name && event->to != PINGO_ACTION_CANCELLED;
    if (!is_told || !lfind(&event->workflow, watch->workflows, &watch->nworkflows,
                           sizeof event->workflow, pingo__array_by_id))
        return;
    watch->events = cli_more(watch->events, watch->nevents, sizeof *watch->events);
    struct ended *ended = &watch->events[watch->nevents++];
    ended->event = *event;
    pingo__text_clean_to(ended->name, sizeof ended->name, event->name);
}

static void show_end(struct cli_watch *w, const struct ended *ended)
{
    const struct pingo_event *event = &ended->event;
    bool finished = event->to == PINGO_ACTION_FINISHED;
    const char *head = finished                           ? "finished "
                       : event->to == PINGO_ACTION_FAILED ? "failed "
                                                          : "killed ";
    char of[64] = "", count[64] = "";
    w->counted += w->counted < w->total;
    if (w->nworkflows > 1)
        snprintf(of, sizeof of, " (workflow %" PRId64 ")", event->workflow);
    if (!cli_has_progress() && w->total > 1)
        snprintf(count, sizeof count, " [%zu/%zu]", w->counted, w->total);
    cli_said(head, finished ? PINGO__TONE_GOOD : PINGO__TONE_BAD, "%" PRId64 " %s%s%s", event->id,
             ended->name, of, count);
}

static int add_counts(void *context, const struct pingo_workflow_status *s)
{
    struct cli_watch *w = context;
    w->total += pingo__view_workflow_rows(s);
    w->ended += s->finished + s->failed;
    w->failed += s->failed;
    w->active += s->running;
    return 0;
}

static void count(struct cli_watch *w)
{
    if (!cli_has_changed(w->cli, &w->changes))
        return;
    w->total = w->ended = w->failed = w->active = 0;
    for (size_t i = 0; i < w->nworkflows; i++)
        pingo_store_workflow(w->cli->store, w->workflows[i], add_counts, w, NULL);
}

/* Ends that others have applied are counted too, once in a while. */
static void count_for_lines(struct cli_watch *w)
{
    int64_t now = elapsed_ms(w);
    if (w->counted_ms > 0 && now - w->counted_ms < 1000)
        return;
    w->counted_ms = now + 1;
    count(w);
    size_t before = w->ended > w->nevents ? w->ended - w->nevents : 0;
    w->counted = before > w->counted ? before : w->counted;
}

static void show_progress(struct cli_watch *w)
{
    char left[PINGO__UNITS_SIZE + 16] = "";
    int64_t now = elapsed_ms(w);
    count(w);
    if (!w->asked)
        w->ended_before = w->ended;
    w->asked = true;
    size_t done = w->ended - w->ended_before;
    if (done > 0 && w->total > w->ended && now > 2000) {
        char text[PINGO__UNITS_SIZE];
        pingo__units_print_duration(text, now / (int64_t)done * (int64_t)(w->total - w->ended));
        snprintf(left, sizeof left, ", about %s left", text);
    }
    char time[PINGO__UNITS_SIZE];
    pingo__units_print_duration(time, now);
    size_t running = w->running > 0 ? w->running : w->active;
    cli_progress_show("[%zu/%zu] %zu running, %zu failed, %s%s", w->ended, w->total, running,
                      w->failed, time, left);
    w->shown_ms = now;
    w->cleared = false;
}

void cli_watch_show(struct cli_watch *watch)
{
    if (watch->quiet)
        return;
    if (watch->nevents > 0 && !cli_has_progress())
        count_for_lines(watch);
    for (size_t i = 0; i < watch->nevents; i++)
        show_end(watch, &watch->events[i]);
    watch->cleared = watch->cleared || watch->nevents > 0;
    watch->nevents = 0;
    if (cli_has_progress() && elapsed_ms(watch) - watch->shown_ms >= (watch->cleared ? 100 : 1000))
        show_progress(watch);
}
