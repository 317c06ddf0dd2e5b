/* crowd_upheaval.h - what a crowd does besides: other schedulers come and go, some are killed wherever they are, the clock
 * jumps, shares, executors and the archive change while all runs, and what lies in the pool is taken out. */
#ifndef TEST_ENGINE_CROWD_UPHEAVAL_H
#define TEST_ENGINE_CROWD_UPHEAVAL_H

#include <pingo/archive.h>
#include <pingo/dataset.h>
#include <pingo/users.h>

#include "unit/engine/crowd.h"

/* ---- another executor ---------------------------------------------------------------------------- */

static inline int crowd_other_open(const struct pingo_executor_context *context, void **executor,
                                   struct pingo_error *err)
{
    UNUSED(context);
    UNUSED(err);
    *executor = &crowd_other_fake;
    return 0;
}

/* Some know both executors, some one of them. */
static inline void open_scheduler(struct crowd *c, struct pingo_store *store,
                                  struct pingo_scheduler **s, unsigned which)
{
    static struct pingo_executor_type other;
    const struct pingo_executor_type *const list[] = {&fake_type, &other, &fake_type};
    struct pingo_scheduler_options options = {
        .version = 1, .executors = list + which % 2, .nexecutors = which < 2 ? 2 : 1};
    struct pingo_error err;

    other = fake_type;
    other.name = "other";
    other.open = crowd_other_open;
    fake_now = &c->b->fake;
    well(pingo_scheduler_open(store, &options, s, &err), &err);
}

/* The first of them, with a handle of its own as all have. */
static inline void come(struct crowd *c)
{
    box_open_store(c->b);
    set_clock(c->b->store);
    open_scheduler(c, c->b->store, &c->b->s, c->is_wild ? 0 : 2);
}

static inline void switch_executor(struct crowd *c)
{
    struct pingo_error err;
    const char *name = one_in(&c->rng, 2) ? "other" : "fake";

    note(c, "%s, ", name);
    answered(c, "executor", pingo_store_set(c->b->store, "executor", name, &err), &err);
}

/* ---- schedulers come and go ---------------------------------------------------------------------- */

static inline void leave(struct crowd_scheduler *s)
{
    if (s->s)
        pingo_scheduler_close(s->s);
    if (s->store)
        pingo_store_close(s->store);
    *s = (struct crowd_scheduler){NULL, NULL};
}

static inline int crowd_refuse(void *context)
{
    UNUSED(context);
    return 1;
}

/* As by SIGKILL: nothing of it is committed any more, and no executor hears of it. */
static inline void die(struct crowd *c, struct crowd_scheduler *s)
{
    c->has_died = true;
    sqlite3_commit_hook(s->store->db.sqlite, crowd_refuse, NULL);
    c->b->fake.is_away = crowd_other_fake.is_away = true;
    leave(s);
    c->b->fake.is_away = crowd_other_fake.is_away = false;
}

static inline int crowd_count_down(void *context)
{
    int *left = context;

    return --*left < 0;
}

/* In the midst of a tick, before one of its commits. */
static inline void die_in_tick(struct crowd *c, struct crowd_scheduler *s)
{
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err;
    int left = (int)below(c, 5);

    note(c, "dies before commit %d\n", left);
    sqlite3_commit_hook(s->store->db.sqlite, crowd_count_down, &left);
    pingo_scheduler_tick(s->s, &r, &err);
    die(c, s);
}

/* For two workflows, which may have ended, or for all. */
static inline void change_scope(struct crowd *c, struct pingo_scheduler *s)
{
    struct pingo_error err;
    int64_t workflows[2] = {any(c, (unsigned)c->nworkflows), any(c, (unsigned)c->nworkflows)};
    bool all = one_in(&c->rng, 2);

    well(pingo_scheduler_scope(s, all ? NULL : workflows, all ? 0 : 2, &err), &err);
}

/* ---- what else is done ----------------------------------------------------------------------------- */

static inline void jump(struct crowd *c)
{
    static const int64_t jumps_s[] = {-3600, -1, 60, 3600, -86400, 40 * 86400};
    int64_t s = jumps_s[below(c, 6)];

    crowd_jumped_ms += s * 1000;
    note(c, "the clock jumps by %" PRId64 " s\n", s);
}

static inline int64_t quota(struct crowd *c, unsigned most)
{
    return one_in(&c->rng, 3) ? (int64_t)any(c, most) : -1;
}

static inline void share(struct crowd *c)
{
    struct pingo_error err;
    const char *const users[] = {"ann", "bob", "cat"};
    struct pingo_share_options o = {.version = 1, .weight = any(c, 9)};

    o.max_slots = quota(c, 4);
    o.max_actions = quota(c, 30);
    o.max_bytes = quota(c, 30);
    answered(c, "share", pingo_store_set_share(c->b->store, users[below(c, 3)], &o, &err), &err);
}

static inline void archive(struct crowd *c)
{
    struct pingo_error err;
    struct pingo_archived told = {.size = sizeof told};
    struct pingo_archive_options o = {.version = 1, .before_ms = crowd_now_ns(NULL) / 1000000};
    int rc;

    o.seal = one_in(&c->rng, 3);
    rc = pingo_store_archive(c->b->store, &o, &told, &err);
    note(c, "%" PRId64 " workflows, ", told.workflows);
    answered(c, "archive", rc, &err);
}

static inline int crowd_exported(void *context, int64_t id, const char *name, const char *path,
                                 int64_t size_bytes)
{
    struct crowd *c = context;
    char content[16];

    UNUSED(name);
    UNUSED(size_bytes);
    if (!get(path, content) || (!c->is_harmed && strcmp(content, content_of(c, (unsigned)id)) != 0))
        fail_msg("of a%d '%s' was exported", (int)id, content);
    return 0;
}

static inline void export_any(struct crowd *c, int64_t workflow)
{
    struct pingo_error err;
    struct pingo_export_options o = {
        .version = 1, .force = true, .exported = crowd_exported, .context = c};

    answered(c, "export",
             pingo_store_export(c->b->store, &(struct pingo_action_name){workflow, NULL}, "out", &o,
                                &err),
             &err);
}

/* Of workflows and of names, what is mostly done of one. */
static inline void rule_many(struct crowd *c, int64_t workflow)
{
    struct pingo_store *store = c->b->store;
    struct pingo_error err;
    struct pingo_released r = {.size = sizeof r};
    size_t kept = 0;
    unsigned what = below(c, 4);

    if (what == 0)
        answered(c, "keep all", pingo_store_keep_workflow(store, workflow, &kept, &err), &err);
    else if (what == 1)
        answered(c, "superseded", pingo_store_release_superseded(store, "w1", &r, &err), &err);
    else if (what == 2)
        answered(c, "forget", pingo_store_forget(store, &workflow, 1, NULL, &err), &err);
    else
        export_any(c, workflow);
}

/* ctrl-c, and on. */
static inline void interrupt(struct crowd *c, int64_t workflow)
{
    struct pingo_error err;
    struct pingo_scheduler *s = c->b->s;

    if (one_in(&c->rng, 2))
        answered(c, "pause all", pingo_scheduler_pause(s, &err), &err);
    else
        answered(c, "interrupt", pingo_scheduler_interrupt(s, &workflow, 1, &err), &err);
    answered(c, "go on", pingo_scheduler_resume(s, &err), &err);
}

/* Whoever tries to is told that somebody uses the store. */
static inline void destroy(struct crowd *c)
{
    struct pingo_error err;

    if (c->b->s->context.owner && pingo_store_destroy(c->b->dir, NULL, NULL, &err) != PINGO_EBUSY)
        fail_msg("the store was destroyed under a scheduler");
}

#endif
