/* run.c - ticking until workflows end: what `pingo run` does, for who has no event loop. */
#include <poll.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/scheduler.h"

#define CHECK_EVERY_MS 100
#define FULL_PATIENCE_MS 5000
#define BUSY_PATIENCE_MS (INT64_C(30) * 60 * 1000)
#define FOREIGN_EVERY_MS 1000 /* while something runs: it looks at all that is in hand */

struct run {
    struct pingo_scheduler *s;
    const int64_t *workflows;
    size_t n;
    struct pingo_run_options options;
    int level; /* what check last asked for: 0 go on, 1 pause, 2 interrupt, 3 leave */
    bool interrupted;
    int64_t foreign_ms; /* when check_foreign looked last, on the monotonic clock */
    int passing;        /* why no tick could write, an error that may pass; 0: it can */
    int64_t passing_ms; /* since when, on the same */
};

enum left { ENDED, UNFINISHED, ALL_PAUSED };

/* What is left of the workflows. */
static int unfinished(struct run *r, enum left *left, struct pingo_error *err)
{
    int64_t running = 0;
    int rc = r->n ? 0 : pingo__store_workflow_running(&r->s->store->db, &running, err);
    *left = running > 0 ? UNFINISHED : ENDED;
    for (size_t i = 0; !rc && *left != UNFINISHED && i < r->n; i++) {
        struct pingo__store_workflow_row row;
        rc = pingo__engine_workflow_row(r->s->store, r->workflows[i], NULL, &row, err);
        if (!rc && row.state == PINGO_WORKFLOW_RUNNING)
            *left = row.paused ? ALL_PAUSED : UNFINISHED;
    }
    return rc;
}

/* An action failed: the workflows that we run are killed, others are not. */
static int fail_fast(struct run *r, struct pingo_error *err)
{
    int64_t counts[PINGO__ACTION_STATES];
    int rc = 0;
    for (size_t i = 0; !rc && i < r->n; i++) {
        rc = pingo__store_action_count(&r->s->store->db, r->workflows[i], counts, err);
        if (!rc && counts[PINGO_ACTION_FAILED])
            rc = pingo_store_kill(r->s->store, &(struct pingo_action_name){r->workflows[i], NULL},
                                  NULL, err);
        if (rc == PINGO_ESTATE)
            rc = 0; /* it has ended by itself */
    }
    return rc;
}

/* In the store, so that nobody starts more of them; one that has ended by now needs no pause. */
static int pause_all(struct run *r, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < r->n; i++) {
        rc = pingo_store_pause_workflow(r->s->store, r->workflows[i], NULL, err);
        rc = rc == PINGO_ESTATE ? 0 : rc;
    }
    return rc ? rc : pingo_scheduler_pause(r->s, err);
}

static int obey(struct run *r, struct pingo_error *err)
{
    int rc = 0;
    if (r->level >= 1 && !r->s->actions.paused)
        rc = pause_all(r, err);
    if (!rc && r->level >= 2 && !r->interrupted) {
        r->interrupted = true;
        rc = pingo_scheduler_interrupt(r->s, r->workflows, r->n, err);
    }
    return rc;
}

/* The workflows have ended, and perhaps nobody ticks soon: what of them is killed by now still runs and is told, and
 * what they do not claim any more may have to go.  What the pool is short of then is the caller's to know. */
static int tick_once_more(struct run *r, struct pingo_error *err)
{
    bool paused = r->s->actions.paused;
    struct pingo_tick_result tick = {.size = sizeof tick};
    if (!r->s->actions.nflights && !r->s->decisions.shortfall_bytes)
        return 0;
    r->s->decisions.patience = 0;
    r->s->actions.paused = true; /* nothing more is started on the way */
    int rc = pingo_scheduler_tick(r->s, &tick, err);
    r->s->actions.paused = paused;
    if (!rc && r->options.check)
        r->options.check(r->options.context, &tick);
    return rc;
}

static void wait_a_moment(struct run *r)
{
    struct pollfd fd = {.fd = pingo_scheduler_poll_fd(r->s), .events = POLLIN};
    int64_t ms = pingo_scheduler_timeout_ms(r->s);
    poll(&fd, 1, (int)(ms < CHECK_EVERY_MS ? ms : CHECK_EVERY_MS));
}

/* Something runs: is it a moment since we looked? */
static bool is_due(struct run *r)
{
    int64_t now_ms = pingo__manager_elapsed_ms(&r->s->context);
    if (now_ms - r->foreign_ms < FOREIGN_EVERY_MS)
        return false;
    r->foreign_ms = now_ms;
    return true;
}

/* After a tick: what it told, and what the caller says. */
static int look_up(struct run *r, const struct pingo_tick_result *tick, struct pingo_error *err)
{
    int rc;
    if (r->options.check) {
        int level = r->options.check(r->options.context, tick);
        r->level = level > r->level ? level : r->level;
    }
    if (r->level && (r->level >= 3 || (!tick->active && r->s->actions.paused))) {
        enum left left; /* what ran may have been all that there was to do */
        rc = unfinished(r, &left, err);
        return rc || left == ENDED ? rc : pingo__fail(err, PINGO_EINTERRUPTED, "interrupted");
    }
    if (tick->stuck_for_space)
        return pingo__fail(err, PINGO_ENOSPACE, "%s", tick->space_message);
    struct pingo__engine_caller *caller = &r->s->store->caller, before = *caller;
    caller->role = 0; /* schedulers work for nobody */
    rc = obey(r, err);
    if (!rc && r->options.fail_fast)
        rc = fail_fast(r, err);
    *caller = before;
    /* What runs may be of other workflows, and an external job that is in hand stays so for as long as we run. */
    if (!rc && tick->idle && (!tick->active || (r->n && is_due(r))))
        rc = pingo__engine_check_foreign(r->s, r->workflows, r->n, err);
    return rc;
}

/* A tick found the disk full: whoever fills it meets that too, and makes room when it has ended.  Or it did not get the
 * store's lock: somebody forgets, kills or submits very much, which is said, and waited for until the caller asks us to
 * stop. */
static bool may_pass(struct run *r, int rc, const struct pingo_tick_result *tick)
{
    int64_t now_ms = pingo__manager_elapsed_ms(&r->s->context);
    if (rc != r->passing)
        r->passing_ms = now_ms;
    r->passing = rc;
    if (rc == PINGO_ENOSPACE)
        return now_ms - r->passing_ms < FULL_PATIENCE_MS;
    if (rc != PINGO_EBUSY || now_ms - r->passing_ms >= BUSY_PATIENCE_MS)
        return false;
    pingo__manager_log(&r->s->context, PINGO_LOG_WARNING,
                       "another process holds the store's lock for long: waiting for it");
    return !r->options.check || r->options.check(r->options.context, tick) == 0;
}

static int run(struct run *r, struct pingo_error *err)
{
    struct pingo_tick_result tick = {.size = sizeof tick};
    bool busy = false; /* with what was running when a workflow was paused */
    for (;;) {
        enum left left;
        int rc = unfinished(r, &left, err);
        if (!rc && (left == ENDED || (left == ALL_PAUSED && !r->level && !busy))) {
            rc = tick_once_more(r, err);
            return rc ? rc : pingo__engine_hooks_finish(&r->s->hooks, err);
        }
        if (rc)
            return rc;
        rc = pingo_scheduler_tick(r->s, &tick, err);
        if (may_pass(r, rc, &tick)) {
            wait_a_moment(r);
            continue;
        }
        if (!rc)
            rc = look_up(r, &tick, err);
        if (rc)
            return rc;
        busy = tick.active > 0;
        wait_a_moment(r);
    }
}

int pingo_scheduler_run(struct pingo_scheduler *scheduler, const int64_t *workflows, size_t n,
                        const struct pingo_run_options *options, struct pingo_error *err)
{
    struct pingo__manager_scope *scope = &scheduler->actions.scope, before = *scope;
    struct run r = {.s = scheduler, .workflows = workflows, .n = n};
    int rc = PINGO__OPTIONS_TAKE(pingo_run_options, options, &r.options, err);
    if (!rc && scheduler->actions.paused)
        rc = pingo__fail(err, PINGO_ESTATE,
                         "the scheduler is paused; pingo_scheduler_resume() is the way back");
    if (rc)
        return rc;
    *scope = (struct pingo__manager_scope){.db = before.db, .all = true};
    rc = pingo_scheduler_scope(scheduler, n ? workflows : NULL, n, err);
    if (!rc)
        rc = run(&r, err);
    pingo__manager_scope_clear(scope);
    *scope = before;
    scheduler->scope_untold = true;
    return rc;
}
