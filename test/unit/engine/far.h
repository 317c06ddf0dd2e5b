/* far.h - a pool that is not on this machine, as far as Pingo can see: far://PATH.  What is there and what is here are
 * two directories; each call there takes a while, hangs, or fails, as the test says, and counts; and none may be made
 * on the thread that the test forbids. */
#ifndef TEST_ENGINE_FAR_H
#define TEST_ENGINE_FAR_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/error.h"
#include "box.h"

#include "pool/posix/posix.h"
#define FAR_LIKE pingo__pool_posix

static struct {
    int ms;            /* that each call takes */
    int copies;        /* of each byte */
    int taken;         /* how often something was copied out */
    atomic_bool hangs; /* they wait until it does not */
    atomic_int fails;  /* what each gives; 0: it works */
    atomic_int full;   /* what publishing gives */
    atomic_int calls, fetched, published;
    void (*meanwhile)(void); /* is called once, by who brings something to the disk */
    int die_at;              /* the process is killed at this call; 0: at none */
    atomic_int forbidden;    /* calls on the thread that must not make any: */
    pthread_t thread;
    atomic_bool forbids;
    const struct pingo__store_db *db; /* no call may be made while it is locked or viewed by that thread: */
    atomic_int locked;
} far_is;

struct far {
    void *there, *here;
};

/* Each call there goes through here, before and after. */
static inline int far_goes(struct pingo_error *err)
{
    if (pthread_equal(pthread_self(), far_is.thread)) {
        atomic_fetch_add(&far_is.forbidden, atomic_load(&far_is.forbids));
        atomic_fetch_add(&far_is.locked, far_is.db && (far_is.db->writing || far_is.db->viewing));
    }
    if (atomic_fetch_add(&far_is.calls, 1) + 1 == far_is.die_at)
        kill(getpid(), SIGKILL);
    if (far_is.ms)
        usleep((useconds_t)far_is.ms * 1000);
    while (atomic_load(&far_is.hangs))
        usleep(1000);
    int rc = atomic_load(&far_is.fails);
    return rc ? pingo__fail(err, rc, "the far pool is away") : 0;
}

#define FAR_PATHS(site)                                                                            \
    char there_[256];                                                                              \
    snprintf(there_, sizeof there_, "%s", (site)->place + strlen("far://"));                       \
    const struct pingo__pool_site there = {(site)->world, there_, NULL};                           \
    const struct pingo__pool_site here = {(site)->world, (site)->near, NULL}

static inline int far_create(const struct pingo__pool_site *site, const char *id,
                             struct pingo_error *err)
{
    FAR_PATHS(site);
    int rc = FAR_LIKE.create(&there, id, err);
    return rc ? rc : FAR_LIKE.create(&here, id, err);
}

static inline int far_open(const struct pingo__pool_site *site, const char *id, void **pool,
                           struct pingo_error *err)
{
    FAR_PATHS(site);
    struct far *f = calloc(1, sizeof *f);
    int rc = FAR_LIKE.open(&there, id, &f->there, err);
    if (!rc)
        rc = FAR_LIKE.open(&here, id, &f->here, err);
    assert_int_equal(rc, 0);
    *pool = f;
    return rc;
}

static inline void far_close(void *pool)
{
    struct far *f = pool;
    FAR_LIKE.close(f->there);
    FAR_LIKE.close(f->here);
    free(f);
}

static inline bool far_is_of(const struct pingo__pool_site *site, const char *id)
{
    FAR_PATHS(site);
    (void)here;
    return FAR_LIKE.is_of(&there, id);
}

static inline bool far_is_destroyed(const struct pingo__pool_site *site)
{
    FAR_PATHS(site);
    return FAR_LIKE.is_destroyed(&there) && FAR_LIKE.is_destroyed(&here);
}

static inline int far_destroy(void *pool, const struct pingo__pool_told *told,
                              struct pingo_error *err)
{
    struct far *f = pool;
    int rc = FAR_LIKE.destroy(f->there, told, err);
    return rc ? rc : FAR_LIKE.destroy(f->here, told, err);
}

static inline int far_identity(void *pool, char text[64], struct pingo_error *err)
{
    return FAR_LIKE.identity(((struct far *)pool)->there, text, err);
}

static inline void far_noted(void *pool, char *text, size_t size)
{
    FAR_LIKE.noted(((struct far *)pool)->there, text, size);
}

static inline void far_note(void *pool, const char *text)
{
    FAR_LIKE.note(((struct far *)pool)->there, text);
}

/* What is on its way may be here; all else is there. */
static inline void *far_side(struct far *f, const char *name)
{
    struct pingo__pool_state st;
    bool is_here = strncmp(name, "objects", 7) != 0 &&
                   FAR_LIKE.state(f->here, name, &st, NULL) == 0 && st.exists;
    return is_here ? f->here : f->there;
}

static inline int far_state(void *pool, const char *name, struct pingo__pool_state *st,
                            struct pingo_error *err)
{
    int rc = far_goes(err);
    return rc ? rc : FAR_LIKE.state(far_side(pool, name), name, st, err);
}

static inline int far_read(void *pool, const char *name,
                           const struct pingo__digest_content_options *options,
                           struct pingo__digest_content *content, struct pingo_error *err)
{
    struct far *f = pool;
    int rc = far_goes(err);
    if (!rc)
        rc = FAR_LIKE.read(far_side(f, name), name, options, content, err);
    if (!rc && far_side(f, name) == f->there) /* which tells content in its own way */
        content->hash.bytes[0] ^= 0x55;
    return rc;
}

static inline int far_stage(void *pool, const char *path, const char *name, struct pingo_error *err)
{
    int rc = far_goes(err);
    return rc ? rc : FAR_LIKE.stage(((struct far *)pool)->here, path, name, err);
}

/* Uploads under a name of its own, renames, and forgets what is here. */
static inline int far_upload(struct far *f, const char *from, const char *to,
                             struct pingo_error *err)
{
    struct pingo__pool_state st;
    struct pingo__pool_rest rest = {.read_only = false};
    char *path = NULL, name[PINGO__NAME_SIZE];
    snprintf(name, sizeof name, "%s.copy", from);
    int rc = atomic_load(&far_is.full);
    if (rc)
        return pingo__fail(err, rc, "the far pool has no space");
    if (FAR_LIKE.state(f->there, to, &st, NULL) == 0 && st.exists)
        return pingo__fail(err, PINGO_EEXISTS, "%s: is there", to);
    FAR_LIKE.remove(f->there, name, &rest); /* of a try that was cut short */
    rc = FAR_LIKE.path(f->here, from, &path, err);
    if (!rc)
        rc = FAR_LIKE.stage(f->there, path, name, err);
    free(path);
    far_goes(NULL);
    if (!rc)
        rc = FAR_LIKE.move(f->there, name, to, err);
    atomic_fetch_add(&far_is.published, rc == 0);
    far_goes(NULL);
    if (!rc)
        FAR_LIKE.remove(f->here, from, &rest);
    return rc;
}

static inline int far_move(void *pool, const char *from, const char *to, struct pingo_error *err)
{
    struct far *f = pool;
    void *side = far_side(f, from);
    int rc = far_goes(err);
    if (rc)
        return rc;
    rc = side == f->here && strncmp(to, "objects/", 8) == 0 ? far_upload(f, from, to, err)
                                                            : FAR_LIKE.move(side, from, to, err);
    far_goes(NULL);
    return rc;
}

static inline int far_seal(void *pool, const char *name, struct pingo_error *err)
{
    int rc = far_goes(err);
    return rc ? rc : FAR_LIKE.seal(far_side(pool, name), name, err);
}

static inline int far_copy_out(void *pool, const char *name, const char *path, mode_t most,
                               struct pingo_error *err)
{
    struct far *f = pool;
    int rc = far_side(f, name) == f->here ? 0 : far_goes(err);
    far_is.taken++;
    return rc ? rc : FAR_LIKE.copy_out(far_side(f, name), name, path, most, err);
}

static inline int far_list(void *pool, const char *name, pingo__pool_name_fn fn, void *context,
                           struct pingo_error *err)
{
    struct far *f = pool;
    int rc = far_goes(err);
    if (!rc && strncmp(name, "objects", 7) != 0)
        rc = FAR_LIKE.list(f->here, name, fn, context, err);
    return rc ? rc : FAR_LIKE.list(f->there, name, fn, context, err);
}

static inline int far_measure(void *pool, const char *name, size_t most,
                              struct pingo__pool_extent *extent, struct pingo_error *err)
{
    int rc = far_goes(err);
    return rc ? rc : FAR_LIKE.measure(far_side(pool, name), name, most, extent, err);
}

static inline bool far_remove(void *pool, const char *name, struct pingo__pool_rest *rest)
{
    struct pingo_error why;
    int rc = far_goes(&why);
    if (rc) {
        snprintf(rest->why, sizeof rest->why, "%.100s", why.message);
        rest->read_only = true;
        return false;
    }
    return FAR_LIKE.remove(far_side(pool, name), name, rest);
}

static inline int far_sync(void *pool, struct pingo_error *err)
{
    void (*meanwhile)(void) = far_is.meanwhile;
    (void)pool;
    far_is.meanwhile = NULL;
    if (meanwhile)
        meanwhile();
    return far_goes(err);
}

static inline struct pingo__pool_space far_space(void *pool)
{
    far_goes(NULL);
    struct pingo__pool_space space = FAR_LIKE.space(((struct far *)pool)->there);
    space.own_bytes = 1000;
    space.own_stored_bytes = 1000 * far_is.copies;
    return space;
}

/* An object where it was fetched to; the rest is here in any case. */
static inline int far_path(void *pool, const char *name, char **path, struct pingo_error *err)
{
    struct far *f = pool;
    struct pingo__pool_state st = {.exists = true};
    int rc = strncmp(name, "objects/", 8) == 0 ? FAR_LIKE.state(f->here, name, &st, err) : 0;
    *path = NULL;
    return rc || !st.exists ? rc : FAR_LIKE.path(f->here, name, path, err);
}

static inline int far_fetch(void *pool, const char *name, struct pingo_error *err)
{
    struct far *f = pool;
    struct pingo__pool_state st;
    char *path = NULL, copy[PINGO__NAME_SIZE];
    static atomic_int serial;
    if (far_side(f, name) == f->here || (FAR_LIKE.state(f->here, name, &st, NULL) == 0 && st.exists))
        return 0;
    int rc = far_goes(err);
    if (!rc)
        rc = FAR_LIKE.state(f->there, name, &st, err);
    if (!rc && !st.exists)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "%s: is not there", name);
    snprintf(copy, sizeof copy, "trash/fetch.%d.%d", (int)getpid(), atomic_fetch_add(&serial, 1));
    if (!rc)
        rc = FAR_LIKE.path(f->there, name, &path, err);
    if (!rc)
        rc = FAR_LIKE.stage(f->here, path, copy, err);
    if (!rc)
        rc = FAR_LIKE.move(f->here, copy, name, err);
    free(path);
    atomic_fetch_add(&far_is.fetched, rc == 0);
    return rc == PINGO_EEXISTS ? 0 : rc;
}

struct far_shedding {
    struct far *f;
    bool (*is_needed)(void *context, const char *name);
    void *context;
};

static inline int far_shed_one(void *context, const char *name, struct pingo_error *err)
{
    struct far_shedding *x = context;
    struct pingo__pool_rest rest;
    (void)err;
    if (!x->is_needed(x->context, name))
        FAR_LIKE.remove(x->f->here, name, &rest);
    return 0;
}

static inline int far_shed_shard(void *context, const char *name, struct pingo_error *err)
{
    struct far_shedding *x = context;
    return FAR_LIKE.list(x->f->here, name, far_shed_one, x, err);
}

/* All that is not needed, where nothing is to be kept. */
static inline int far_shed(void *pool, int64_t keep_bytes,
                           bool (*is_needed)(void *context, const char *name), void *context,
                           struct pingo_error *err)
{
    struct far_shedding x = {pool, is_needed, context};
    return keep_bytes ? 0 : FAR_LIKE.list(x.f->here, "objects", far_shed_shard, &x, err);
}

static inline int far_place(void *pool, const char *name, char **uri, struct pingo_error *err)
{
    char text[512];
    (void)pool;
    snprintf(text, sizeof text, "far://somewhere%s%s", *name ? "/" : "", name);
    *uri = strdup(text);
    return *uri ? 0 : pingo__fail_memory(err);
}

static const struct pingo__pool_backend far_kind = {
    .scheme = "far",
    .create = far_create,
    .open = far_open,
    .close = far_close,
    .is_of = far_is_of,
    .is_destroyed = far_is_destroyed,
    .destroy = far_destroy,
    .identity = far_identity,
    .noted = far_noted,
    .note = far_note,
    .state = far_state,
    .read = far_read,
    .stage = far_stage,
    .move = far_move,
    .seal = far_seal,
    .copy_out = far_copy_out,
    .list = far_list,
    .measure = far_measure,
    .remove = far_remove,
    .sync = far_sync,
    .space = far_space,
    .path = far_path,
    .is_remote = true,
    .fetch = far_fetch,
    .shed = far_shed,
    .place = far_place,
};

/* Instead of the library's own list. */
const struct pingo__pool_backend *const pingo__pool_backends[] = {&pingo__pool_posix, &far_kind,
                                                                  NULL};

/* ---- a box whose pool is far ---------------------------------------------------------------- */

static inline void far_open_box(struct box *b)
{
    struct pingo_error err;
    char place[128];
    snprintf(place, sizeof place, "far://%s/far", b->root);
    if (access(b->dir, F_OK) != 0)
        well(pingo_store_init(b->dir, place, &err), &err);
    box_open_store(b);
    far_is.db = &b->store->db;
    box_open_scheduler(b);
}

static inline struct box *far_box(void)
{
    struct box *b = calloc(1, sizeof *b);
    assert_non_null(b);
    memset(&far_is, 0, sizeof far_is);
    far_is.thread = pthread_self();
    strcpy(b->root,
           access("/dev/shm", W_OK) == 0 ? "/dev/shm/pingo-unit-XXXXXX" : "/tmp/pingo-unit-XXXXXX");
    assert_non_null(mkdtemp(b->root));
    snprintf(b->dir, sizeof b->dir, "%s/.pingo", b->root);
    far_open_box(b);
    return b;
}

/* One, in which the pool must not be asked on this thread. */
static inline struct pingo_tick_result tick(struct box *b)
{
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err;
    atomic_store(&far_is.forbids, true);
    well(pingo_scheduler_tick(b->s, &r, &err), &err);
    atomic_store(&far_is.forbids, false);
    assert_int_equal(atomic_load(&far_is.forbidden), 0);
    return r;
}

static inline void report_all(struct box *b)
{
    for (size_t i = 0; i < b->fake.n; i++)
        if (!b->fake.jobs[i].ended && !b->fake.jobs[i].revoked)
            box_report(b, b->fake.jobs[i].name, PINGO_END_EXITED, 0, b->fake.jobs[i].name);
}

#define TICK_UNTIL(b, what)                                                                        \
    for (int i_ = 0; !(what); i_++) {                                                              \
        assert_true(i_ < 6000);                                                                    \
        tick(b);                                                                                   \
        usleep(2000);                                                                              \
    }

static inline void finish(struct box *b, int64_t workflow)
{
    TICK_UNTIL(b, (report_all(b), box_workflow(b, workflow) == PINGO_WORKFLOW_FINISHED));
}

static inline int count_objects(const struct box *b, const char *below)
{
    char command[256];
    int n = -1;
    snprintf(command, sizeof command, "find %s/%s/objects -type f | wc -l", b->root, below);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

static inline bool is_clean(struct box *b, char found[static 4096])
{
    struct pingo_fsck_options options = {
        .version = 1, .deep = true, .finding = box_finding, .context = found};
    struct pingo_error err;
    bool clean = false;
    found[0] = '\0';
    well(pingo_store_fsck(b->store, &options, &clean, &err), &err);
    return clean;
}

static inline void assert_clean(struct box *b)
{
    char found[4096];
    bool clean = is_clean(b, found);
    assert_string_equal(found, "");
    assert_true(clean);
}

#define CHAIN W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1) "," FROM(2))))
#define PAIR W(A(1, "") "," A(2, P(FROM(1))))

#endif
