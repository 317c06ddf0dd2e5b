/* scheduler.c - a tick: recover, collect and settle, claim and hand out, decide, delete.
 *
 * Its descriptor is an epoll of the executors' and the workers' descriptors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/growing.h"
#include "base/room.h"
#include "engine/executor_settings.h"
#include "engine/scheduler.h"
#include "executor/external/external.h"
#include "manager/asking.h"
#include "manager/workers.h"
#include "manager/dataset/outside.h"
#include "manager/submission/workflow_manager.h"

#define RECOVER_EVERY_MS 1000 /* how often we look for dead owners */
#define LOOK_EVERY_MS 100     /* how often we look for what other processes did */
#define DESCRIPTORS 44        /* of loops, connections, journals, and files that are looked at */

/* ---- open, close --------------------------------------------------------------------------- */

static void executor_log(void *context, const char *message)
{
    pingo__manager_log(context, PINGO_LOG_WARNING, "%s", message);
}

static int open_executor(struct pingo_scheduler *s, const struct pingo_executor_type *type,
                         const char *helper_dir, struct pingo_error *err)
{
    struct pingo__manager_executor *e = &s->executors[s->nexecutors];
    struct pingo__engine_opening opening;
    int rc = pingo__executor_check(type, err);
    for (size_t i = 0; !rc && i < s->nexecutors; i++)
        if (strcmp(s->executors[i].type.name, type->name) == 0)
            rc = pingo__fail(err, PINGO_EINVAL, "executor \"%s\" is named twice", type->name);
    if (rc)
        return rc;
    rc = pingo__engine_executor_prepare(s->store, type, &opening, err);
    opening.context.helper_dir = helper_dir;
    opening.context.log = executor_log;
    opening.context.log_context = &s->context;
    e->c = &s->context;
    if (!rc)
        rc = pingo__manager_executor_open(e, type, &opening.context, err);
    pingo__engine_executor_clear(&opening);
    s->nexecutors += rc == 0;
    return rc;
}

static int open_executors(struct pingo_scheduler *s, const struct pingo_scheduler_options *o,
                          struct pingo_error *err)
{
    bool default_ones = !o->nexecutors && !o->external && !o->no_executors;
    size_t nbuiltin = 0;
    int rc = 0;
    while (pingo__executor_nth(nbuiltin))
        nbuiltin++;

    if (o->no_executors && o->nexecutors)
        return pingo__fail(err, PINGO_EINVAL, "no_executors, but %zu are named", o->nexecutors);
    s->executors = calloc(o->nexecutors + nbuiltin + 1, sizeof *s->executors);
    if (!s->executors)
        return pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < o->nexecutors; i++)
        rc = open_executor(s, o->executors[i], o->helper_dir, err);
    for (size_t i = 0; !rc && default_ones && i < nbuiltin; i++)
        if (pingo__executor_nth(i) != &pingo__executor_external) /* that one is an option */
            rc = open_executor(s, pingo__executor_nth(i), o->helper_dir, err);
    if (!rc && o->external) {
        rc = open_executor(s, &pingo__executor_external, o->helper_dir, err);
        if (!rc)
            s->external = s->executors[s->nexecutors - 1].handle;
    }
    return rc;
}

static int watch(struct pingo_scheduler *s, int fd, const char *whose, struct pingo_error *err)
{
    struct epoll_event event = {.events = EPOLLIN};
    return fd >= 0 && epoll_ctl(s->poll_fd, EPOLL_CTL_ADD, fd, &event) != 0
               ? pingo__fail_os(err, errno, "waiting on", whose)
               : 0;
}

static int watch_all(struct pingo_scheduler *s, struct pingo_error *err)
{
    s->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (s->poll_fd < 0)
        return pingo__fail_os(err, errno, "making a descriptor to wait on for", s->store->directory);
    int rc = watch(s, pingo__manager_workers_fd(s->context.workers), "the deletors", err);
    for (size_t i = 0; !rc && i < s->nexecutors; i++) {
        const struct pingo_executor_type *t = &s->executors[i].type;
        rc = watch(s, t->poll_fd(s->executors[i].handle), t->name, err);
    }
    return rc;
}

int pingo_scheduler_open(struct pingo_store *store, const struct pingo_scheduler_options *options,
                         struct pingo_scheduler **scheduler, struct pingo_error *err)
{
    struct pingo_scheduler *s = calloc(1, sizeof *s);
    *scheduler = NULL;
    if (!s)
        return pingo__fail_memory(err);
    s->store = store;
    s->context = store->context;
    pingo__manager_decisions_init(&s->decisions, &s->context);
    pingo__manager_datasets_init(&s->datasets, &s->context);
    s->hooks.store = store;
    s->hooks.c = &s->context;
    s->owner.fd = s->poll_fd = -1;
    struct pingo_scheduler_options o;
    int rc = PINGO__OPTIONS_TAKE(pingo_scheduler_options, options, &o, err);
    if (!rc && o.nexecutors && !o.executors)
        rc = pingo__fail(err, PINGO_EINVAL, "%zu executors, but executors is NULL", o.nexecutors);
    if (!rc)
        rc = pingo__room_check(DESCRIPTORS, 0, err);
    if (!rc)
        rc = pingo__engine_scheduler_read_sandbox(s, err);
    if (!rc)
        rc = open_executors(s, &o, err);
    if (!rc)
        rc = pingo__manager_actions_init(&s->actions, &s->context, s->executors, s->nexecutors, err);
    if (!rc)
        rc = pingo__manager_workers_open(&s->context.workers, err);
    if (!rc)
        rc = pingo__manager_asking_open(&s->context, err);
    if (!rc)
        rc = watch_all(s, err);
    s->actions.max_jobs = o.max_jobs;
    if (rc)
        pingo_scheduler_close(s);
    else
        *scheduler = s;
    return rc;
}

void pingo_scheduler_close(struct pingo_scheduler *s)
{
    if (!s)
        return;
    /* In a child of fork(): what it inherited is its parent's.  Its copies of descriptors go, the lock among them by
     * which others see that the parent lives; memory and threads are left alone. */
    if (!pingo__store_db_is_ours(&s->store->db)) {
        pingo__file_close(s->owner.fd);
        pingo__file_close(s->poll_fd);
        return;
    }
    pingo__pool_hurry(s->context.patient, true);
    if (s->actions.nflights)
        pingo__manager_actions_leave(&s->actions);
    if (s->actions.c)
        pingo__manager_actions_finish(&s->actions);
    s->must_sweep = s->must_sweep || s->has_recovered; /* what was cut short has been done since */
    if (s->context.asking && s->must_sweep)
        pingo__engine_sweep_finish(s);
    for (size_t i = 0; i < s->nexecutors; i++)
        pingo__manager_executor_close(&s->executors[i]);
    pingo__manager_decisions_clear(&s->decisions);
    free(s->algorithm);
    pingo__manager_datasets_close(&s->datasets);
    pingo__engine_hooks_close(&s->hooks);
    pingo__manager_asking_close(&s->context);
    /* Only now, when nothing more can be sent or removed, may others take over what is ours. */
    pingo__manager_owner_release(&s->owner, &s->context);
    pingo__manager_workers_close(s->context.workers);
    pingo__pool_hurry(s->context.patient, false);
    if (s->actions.c)
        pingo__manager_actions_clear(&s->actions);
    free(s->executors);
    free(s->sandbox_read);
    pingo__file_close(s->poll_fd);
    free(s);
}

/* ---- waiting ---------------------------------------------------------------------------------- */

int pingo_scheduler_poll_fd(struct pingo_scheduler *scheduler)
{
    return scheduler->poll_fd;
}

int64_t pingo_scheduler_timeout_ms(struct pingo_scheduler *s)
{
    int64_t least = LOOK_EVERY_MS;
    if (s->again)
        return 0;
    for (size_t i = 0; i < s->nexecutors; i++) {
        int64_t ms = s->executors[i].type.timeout_ms(s->executors[i].handle);
        if (ms >= 0 && ms < least)
            least = ms;
    }
    return least;
}

/* Who has nothing to do leaves no trace: we are known to others from the first tick on. */
int pingo__engine_scheduler_register(struct pingo_scheduler *s, struct pingo_error *err)
{
    const struct pingo__manager_scope *scope = s->actions.paused ? NULL : &s->actions.scope;
    int rc = pingo__store_db_check_open(&s->store->db, err);
    if (!rc)
        rc = pingo__engine_scheduler_read_settings(s, err);
    if (rc || (s->context.owner && !s->scope_untold))
        return rc;
    rc = s->context.owner ? pingo__manager_owner_tell_scope(&s->context, scope, err)
                          : pingo__manager_owner_register(&s->owner, &s->context, scope, err);
    s->scope_untold = s->scope_untold && rc;
    return rc;
}

/* ---- a tick -------------------------------------------------------------------------------------- */

static int recover(struct pingo_scheduler *s, struct pingo_tick_result *r, struct pingo_error *err)
{
    int64_t now = pingo__manager_elapsed_ms(&s->context);
    if (s->recovered_at && now - s->recovered_at < RECOVER_EVERY_MS && !s->actions.must_adopt &&
        !s->must_sweep)
        return 0;
    int rc = pingo__manager_actions_recover(&s->actions, &r->recovered, err);
    if (!rc)
        rc = pingo__manager_outside_recover(&s->context, err);
    s->must_sweep = s->must_sweep || r->recovered > 0 || s->actions.found_dead;
    s->has_recovered = s->has_recovered || s->must_sweep;
    if (!rc)
        rc = pingo__engine_sweep_tick(&s->context, s->store, &s->must_sweep, err);
    s->actions.found_dead = s->actions.found_dead && rc;
    s->recovered_at = now ? now : 1;
    s->trim = true;
    return rc;
}

/* Executors may forget ends that the store has settled. */
static int trim(struct pingo_scheduler *s, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < s->nexecutors; i++) {
        const struct pingo__manager_executor *e = &s->executors[i];
        struct pingo__arena arena = {0};
        struct pingo__store_key_list list = {.arena = &arena};
        if (!e->type.trim)
            continue;
        rc = pingo__store_attempt_list_unsettled(&s->store->db, e->type.name, &list, err);
        if (!rc)
            e->type.trim(e->handle, list.rows, list.n);
        pingo__arena_clear(&arena);
    }
    return rc;
}

int pingo_scheduler_tick(struct pingo_scheduler *s, struct pingo_tick_result *result,
                         struct pingo_error *err)
{
    struct pingo_tick_result r = {.decision_us = -1};
    struct pingo__manager_tick_counts counts = {0, 0};
    size_t starts;
    int rc = pingo__growing_result_check(result, "pingo_tick_result", err);
    if (!rc)
        rc = pingo__engine_scheduler_register(s, err);
    if (!rc)
        rc = recover(s, &r, err);
    if (!rc && s->external)
        rc = pingo__engine_external_learn(s, err);
    if (s->external)
        pingo__executor_external_look_at_limits(s->external, pingo__manager_now_ms(&s->context));
    if (!rc)
        rc = pingo__manager_actions_tick(&s->actions, &counts, err);
    if (!rc)
        rc = pingo__engine_decide_tick(s, &r, err);
    if (!rc)
        rc = pingo__manager_datasets_tick(&s->datasets, true, &r.deleted, err);
    if (!rc)
        rc = pingo__engine_hooks_tick(&s->hooks, err);
    r.deleting = pingo__manager_datasets_load(&s->datasets);
    if (!rc && r.deleted) /* who found the disk full before that shall try again */
        pingo__manager_disk_freed(&s->actions.disk, &s->context);
    if (!rc)
        rc = pingo__engine_look_at_space(s, &r, err);
    if (!rc && s->trim) {
        s->trim = false;
        rc = trim(s, err);
    }
    pingo__manager_lost_tell(&s->context);
    r.settled = counts.settled;
    r.started = counts.started;
    pingo__manager_flight_count(&s->actions, &r.active, &r.running, &r.ending);
    r.reading = s->actions.inspecting + pingo__manager_asking_count(&s->context, &starts);
    for (size_t i = 0; i < s->nexecutors; i++)
        if (s->executors[i].type.busy)
            r.bringing += s->executors[i].type.busy(s->executors[i].handle);
    r.idle = !r.recovered && !r.settled && !r.started && !r.evicted && !r.deleted && !r.deleting &&
             !r.reading && !s->hooks.nhand;
    s->again = !rc && counts.settled > 0;
    if (!rc && r.idle)
        pingo__engine_archive_tick(s);
    pingo__growing_result_put(result, &r, sizeof r);
    return rc;
}

int pingo_scheduler_drain(struct pingo_scheduler *s, size_t *deleted, struct pingo_error *err)
{
    size_t n = 0, all = 0;
    int rc = pingo__engine_scheduler_register(s, err);
    while (!rc) {
        rc = pingo__manager_datasets_tick(&s->datasets, true, &n, err);
        all += n;
        if (rc || pingo__manager_datasets_is_idle(&s->datasets))
            break;
        pingo__manager_workers_wait(s->context.workers, LOOK_EVERY_MS);
    }
    if (all)
        pingo__manager_disk_freed(&s->actions.disk, &s->context);
    if (!rc)
        rc = pingo__engine_hooks_finish(&s->hooks, err);
    if (deleted)
        *deleted = all;
    return rc;
}

int pingo_scheduler_scope(struct pingo_scheduler *scheduler, const int64_t *workflows, size_t n,
                          struct pingo_error *err)
{
    scheduler->scope_untold = true;
    return pingo__manager_scope_set(&scheduler->actions.scope, workflows, n, err);
}

int pingo_scheduler_resume(struct pingo_scheduler *scheduler, struct pingo_error *err)
{
    (void)err;
    scheduler->actions.paused = false;
    scheduler->scope_untold = true;
    return 0;
}

int pingo_scheduler_pause(struct pingo_scheduler *scheduler, struct pingo_error *err)
{
    scheduler->scope_untold = true;
    return pingo__manager_actions_pause(&scheduler->actions, err);
}

int pingo_scheduler_interrupt(struct pingo_scheduler *scheduler, const int64_t *workflows, size_t n,
                              struct pingo_error *err)
{
    scheduler->scope_untold = true;
    return pingo__manager_actions_interrupt(&scheduler->actions, workflows, n, err);
}
