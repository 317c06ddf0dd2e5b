/* run.c - ticking until workflows end: what `pingo run` does, for who has no event loop. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "engine/scheduler.h"

#define CHECK_EVERY_MS 100

struct run {
    struct pingo_scheduler *s;
    const int64_t *workflows;
    size_t n;
    const struct pingo_run_options *options;
    int level; /* what check last asked for: 0 go on, 1 pause, 2 interrupt, 3 leave */
    bool interrupted;
};

/* 1: something is unfinished. */
static int unfinished(struct run *r, struct pingo_error *err)
{
    struct pingo__arena arena;
    int64_t running = 0;
    int rc = 0;

    if (!r->n) {
        rc = pingo__workflow_running(&r->s->store->db, &running, err);
        return rc ? rc : running > 0;
    }
    pingo__arena_init(&arena);
    for (size_t i = 0; !rc && i < r->n; i++) {
        struct pingo__workflow_row row;

        rc = pingo__workflow_get(&r->s->store->db, r->workflows[i], &arena, &row, err);
        if (rc == 0)
            rc = pingo__fail(err, PINGO_ENOTFOUND, "there is no workflow %lld",
                             (long long)r->workflows[i]);
        else if (rc == 1)
            rc = row.state == PINGO_WORKFLOW_RUNNING;
    }
    pingo__arena_clear(&arena);
    return rc;
}

/* An action failed: the workflows that we run are killed, others are not. */
static int fail_fast(struct run *r, struct pingo_error *err)
{
    int64_t counts[10];
    int rc = 0;

    for (size_t i = 0; !rc && i < r->n; i++) {
        rc = pingo__action_count(&r->s->store->db, r->workflows[i], counts, err);
        if (!rc && counts[PINGO_ACTION_FAILED] &&
            counts[PINGO_ACTION_WAITING] + counts[PINGO_ACTION_READY] +
                    counts[PINGO_ACTION_PROCESSING] + counts[PINGO_ACTION_SUBMITTED] +
                    counts[PINGO_ACTION_RUNNING] >
                0)
            rc = pingo_store_kill(r->s->store, r->workflows[i], NULL, NULL, err);
        if (rc == PINGO_ESTATE)
            rc = 0; /* it has ended by itself */
    }
    return rc;
}

/* Nothing moves, and what is READY needs an executor that is not here. */
static int check_foreign(struct run *r, const struct pingo_tick_result *tick,
                         struct pingo_error *err)
{
    int64_t counts[10], foreign = 0, waiting = 0;
    int rc = 0;

    if (!tick->idle || tick->active)
        return 0;
    for (size_t i = 0; !rc && i < r->n; i++) {
        int64_t n = 0;

        rc = pingo__action_count_foreign(&r->s->store->db, r->workflows[i], r->s->actions.types, &n,
                                         err);
        foreign += n;
        if (!rc)
            rc = pingo__action_count(&r->s->store->db, r->workflows[i], counts, err);
        waiting += counts[PINGO_ACTION_READY] - n + counts[PINGO_ACTION_PROCESSING] +
                   counts[PINGO_ACTION_SUBMITTED] + counts[PINGO_ACTION_RUNNING];
    }
    if (rc || !foreign || waiting)
        return rc;
    return pingo__fail(
        err, PINGO_EUNSUPPORTED,
        "%lld actions are ready that no executor here can run; a scheduler that has one"
        " can go on with them",
        (long long)foreign);
}

static int obey(struct run *r, struct pingo_error *err)
{
    int rc = 0;

    if (r->level >= 1 && !r->s->actions.paused)
        rc = pingo_pause(r->s, err);
    if (!rc && r->level >= 2 && !r->interrupted) {
        r->interrupted = true;
        rc = pingo_interrupt(r->s, r->workflows, r->n, err);
    }
    return rc;
}

/* The workflows have ended, and perhaps nobody ticks soon: what of them is killed by now still runs and is told, and
 * what they do not claim any more may have to go. */
static int tick_once_more(struct run *r, struct pingo_error *err)
{
    bool paused = r->s->actions.paused;
    int rc;

    if (!r->s->actions.nflights && !r->s->decisions.rests)
        return 0;
    pingo__decision_manager_wake(&r->s->decisions);
    r->s->actions.paused = true; /* nothing more is started on the way */
    rc = pingo_tick(r->s, NULL, err);
    r->s->actions.paused = paused;
    return rc;
}

static void wait_a_moment(struct run *r)
{
    struct pollfd fd = {.fd = pingo_poll_fd(r->s), .events = POLLIN};
    int64_t ms = pingo_timeout_ms(r->s);

    poll(&fd, 1, (int)(ms < CHECK_EVERY_MS ? ms : CHECK_EVERY_MS));
}

int pingo_run(struct pingo_scheduler *scheduler, const int64_t *workflows, size_t n,
              const struct pingo_run_options *options, struct pingo_error *err)
{
    static const struct pingo_run_options none = {.version = 1};
    struct run r = {
        .s = scheduler, .workflows = workflows, .n = n, .options = options ? options : &none};
    struct pingo_tick_result tick;
    int rc = pingo__check_version(err, "pingo_run_options", r.options->version);

    if (rc)
        return rc;
    for (;;) {
        rc = unfinished(&r, err);
        if (rc == 0)
            return tick_once_more(&r, err);
        if (rc < 0)
            return rc;
        rc = pingo_tick(scheduler, &tick, err);
        if (rc)
            return rc;
        if (r.options->check) {
            int level = r.options->check(r.options->context, &tick);

            r.level = level > r.level ? level : r.level;
        }
        if (r.level >= 3 || (r.level && !tick.active && r.s->actions.paused))
            return pingo__fail(err, PINGO_EINTERRUPTED, "interrupted");
        if (tick.stuck_for_space)
            return pingo__fail(err, PINGO_ENOSPACE, "%s", tick.space_message);
        rc = obey(&r, err);
        if (!rc && r.options->fail_fast && tick.settled)
            rc = fail_fast(&r, err);
        if (!rc && n)
            rc = check_foreign(&r, &tick, err);
        if (rc)
            return rc;
        wait_a_moment(&r);
    }
}
