/* fsck.c - checks I1 to I8: the rows among themselves, and the rows against the pool. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/growing.h"
#include "digest/content.h"
#include "engine/engine.h"
#include "manager/attempt/callback.h"
#include "manager/attempt/inputs.h"
#include "manager/dataset/orphans.h"
#include "manager/dataset/reclaim.h"
#include "manager/dataset/suspects.h"
#include "manager/submission/workflow_manager.h"
#include "store/archive/archive.h"
#include "store/check.h"

#define PAGE 256
#define AT_ONCE_MS 20 /* in a transaction, and so long what is wrong waits for more */

/* A dataset with which something is wrong. */
struct wrong {
    const struct pingo__store_dataset_row *row;
    const char *what;
    bool can_repair, is_so, repaired;
};

struct fsck {
    struct pingo_store *store;
    struct pingo_fsck_options options;
    size_t found, repaired;
    bool damaged; /* the database: what else it says means nothing */
    uint64_t done, total;
    struct pingo__arena arena; /* of what was found in the rows: told when no transaction is open */
    struct pingo_finding *kept;
    size_t nkept, ckept;
    struct wrong wrong[PAGE]; /* of a page, in order: many are mended at once, for each time waits for the disk */
    size_t nwrong;
    int64_t wrong_ms;                        /* when the first of them was seen */
    struct pingo__manager_suspects suspects; /* of a page */
    const struct pingo__store_dataset_row *end;
    struct pingo__arena orphans_arena;
    struct pingo__manager_orphan *orphans; /* likewise: those that may be adopted */
    size_t norphans, corphans;
    int64_t orphans_ms;
    struct pingo_error *err;
};

static int find(struct fsck *f, const struct pingo_finding *finding)
{
    f->found++;
    f->repaired += finding->repaired;
    if (f->options.finding && f->options.finding(f->options.context, finding))
        return pingo__engine_stopped(f->err);
    return 0;
}

static int on_row(void *context, const char *invariant, const char *object, const char *message,
                  bool can_repair)
{
    struct fsck *f = context;
    char *of = pingo__arena_text(&f->arena, object, strlen(object));
    char *what = pingo__arena_text(&f->arena, message, strlen(message));
    if (!PINGO__ARENA_ROOM(&f->arena, f->kept, f->nkept, f->ckept) || !of || !what)
        return pingo__fail_memory(f->err);
    f->kept[f->nkept++] =
        (struct pingo_finding){invariant, of, what, f->options.repair && can_repair, can_repair};
    return 0;
}

static int tell_kept(struct fsck *f)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < f->nkept; i++)
        rc = find(f, &f->kept[i]);
    f->nkept = 0;
    return rc;
}

static int reading(void *fsck, const struct pingo_identify_progress *p)
{
    struct fsck *f = fsck;
    (void)p;
    return f->options.progress ? f->options.progress(f->options.context, f->done, f->total) : 0;
}

static int progress(struct fsck *f)
{
    f->done++;
    return reading(f, NULL) ? pingo__engine_stopped(f->err) : 0;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static int check_database(struct fsck *f)
{
    struct pingo__store_db *db = &f->store->db;
    int rc = pingo__store_db_begin_read(db, f->err);
    if (rc)
        return rc;
    rc = pingo__store_check_database(db, on_row, f, &f->damaged, f->err);
    pingo__store_db_rollback(db);
    return rc ? rc : tell_kept(f);
}

/* Nobody moves what is counted.  What nobody ever moved has no lock. */
static int hold_archive(struct fsck *f, struct pingo__store_move *move)
{
    int64_t until_ms = pingo__world_monotonic_ms() + f->store->db.lock_timeout_ms, n = 0;
    bool had = false;
    int rc = pingo__store_archive_count(&f->store->db, &n, f->err);
    while (!rc && n && !had) {
        rc = pingo__store_move_begin(move, &had, f->err);
        if (rc || had)
            break;
        pingo__store_move_end(move);
        if (pingo__world_monotonic_ms() >= until_ms)
            return pingo__fail(f->err, PINGO_EBUSY, "%s: another process moves to the archive",
                               f->store->directory);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    return rc;
}

static int check_rows(struct fsck *f)
{
    struct pingo__store_db *db = &f->store->db;
    struct pingo__store_move move = {.db = db, .lock = -1};
    bool summed = false;
    int rc = pingo__store_check_begin(db, f->err);
    if (!rc)
        rc = hold_archive(f, &move);
    if (rc)
        return rc;
    rc = f->options.repair ? pingo__store_db_begin(db, f->err)
                           : pingo__store_db_begin_read(db, f->err);
    if (!rc) {
        rc = pingo__store_check_rows(db, on_row, f, &summed, f->err);
        if (!rc && f->options.deep)
            rc = pingo__store_check_definitions(db, on_row, f, f->err);
        if (f->options.repair)
            rc = pingo__store_db_end(db, rc ? rc : pingo__store_check_repair(db, summed, f->err),
                                     f->err);
        else
            pingo__store_db_rollback(db);
    }
    pingo__store_move_end(&move);
    return rc ? rc : tell_kept(f);
}

/* What a killed workflow has left, and nobody needs, would be unfinished for ever.  What is needed is told by the kill
 * that ends the rest, which is taken back where nothing is to be mended. */
static int check_killed(struct fsck *f)
{
    struct pingo__store_db *db = &f->store->db;
    int64_t id = 0;
    int rc = pingo__store_workflow_next_left(db, 0, &id, f->err);
    while (!rc && id) {
        char workflow[40];
        size_t n = 0;
        rc = pingo__store_db_begin(db, f->err);
        if (!rc)
            rc = pingo__manager_workflow_kill_actions(&f->store->context, id, NULL, &n, f->err);
        if (f->options.repair)
            rc = pingo__store_db_end(db, rc, f->err);
        else
            pingo__store_db_rollback(db);
        snprintf(workflow, sizeof workflow, "workflow %" PRId64, id);
        if (!rc && n)
            rc = find(f, &(struct pingo_finding){"I3", workflow,
                                                 "was killed, and has actions that nobody needs",
                                                 f->options.repair, true});
        if (!rc)
            rc = pingo__store_workflow_next_left(db, id, &id, f->err);
    }
    return rc;
}

/* ---- datasets ---------------------------------------------------------------------------------- */

/* A place that cannot be looked at is told of: *closed, in the arena. */
static int pass_over(struct fsck *f, int rc, const struct pingo_error *why,
                     struct pingo__arena *arena, const char **closed)
{
    if (rc && !pingo__pool_is_shut(&f->store->pool, rc))
        return pingo__fail(f->err, rc, "%s", why->message);
    *closed = rc ? pingo__arena_format(arena, "%s", why->message) : NULL;
    return rc && !*closed ? pingo__fail_memory(f->err) : 0;
}

/* Reads the whole dataset. */
static int look_inside(struct fsck *f, const struct pingo__store_dataset_row *d,
                       struct pingo__arena *arena, const char **problem, const char **closed)
{
    struct pingo__digest_content_options options = {.no_follow = true};
    struct pingo__digest_content content;
    struct pingo_error why = {0};
    int rc = pingo__pool_read(&f->store->pool, d->path, &options, &content, &why);
    if (rc == PINGO_EINPUT)
        *problem = pingo__arena_format(arena, "it cannot be read: %s", why.message);
    else if (rc)
        return pass_over(f, rc, &why, arena, closed);
    else if (memcmp(&content.hash, &d->content, sizeof content.hash) != 0)
        *problem = "its content differs from what was published";
    return 0;
}

/* Does it hold a link that leads out of it?  Such outputs were kept by version 0.1. */
static int look_for_links(struct fsck *f, const struct pingo__store_dataset_row *d,
                          struct pingo__arena *arena, const char **what)
{
    struct pingo__digest_content_options options = {
        .only_stamp = true, .output_of = f->store->pool.place, .label = "it"};
    struct pingo__digest_content content;
    struct pingo_error why = {0};
    int rc = pingo__pool_read(&f->store->pool, d->path, &options, &content, &why);
    if (rc != PINGO_EINPUT)
        return pass_over(f, rc, &why, arena, what);
    *what = pingo__arena_format(arena, "%s; remove the dataset to have it made again", why.message);
    return 0;
}

/* Why a dataset that should be there is not what was published; NULL: it is.  *closed: why nobody can say. */
static int look(struct fsck *f, const struct pingo__store_dataset_row *d,
                struct pingo__arena *arena, const char **problem, const char **closed)
{
    enum pingo__manager_presence seen;
    struct pingo_error why = {0};
    int rc = pingo__manager_dataset_look(&f->store->context, d, &seen, &why);
    *problem = d->path ? NULL : "no row says where its file is";
    enum pingo__manager_presence is = seen;
    if (!rc && !d->path)
        return 0;
    if (!rc && seen == PINGO__SUSPECT)
        rc = pingo__manager_suspects_verify(&f->suspects, d, (size_t)(f->end - d), &is, &why);
    if (rc)
        return pass_over(f, rc, &why, arena, closed);
    if (is != PINGO__THERE) {
        struct pingo__pool_state st;
        rc = pingo__pool_state(&f->store->pool, d->path, &st, f->err);
        *problem = !st.exists ? "its file is gone"
                   : is == PINGO__CHANGED
                       ? "its content differs from what was published"
                       : "its file is not the one that was published (kind, size or mode differ)";
        return rc;
    }
    return f->options.deep && seen == PINGO__THERE ? look_inside(f, d, arena, problem, closed) : 0;
}

static int tell_dataset(struct fsck *f, const struct wrong *w, struct pingo__arena *arena)
{
    const struct pingo__store_dataset_row *d = w->row;
    const char *what = w->what;
    char object[16 + PINGO_HASH_HEX_SIZE] = "dataset ";
    pingo_hash_to_hex(&d->hash, object + strlen(object));
    if (d->path && *d->path == '/' && !strstr(what, d->path)) /* the user's own name of it */
        what = pingo__arena_format(arena, "%s: %s", what, d->path);
    return what ? find(f, &(struct pingo_finding){"I4", object, what, w->repaired, w->can_repair})
                : pingo__fail_memory(f->err);
}

/* It may have been deleted, rightly, while we looked.  What is damaged goes, and is made again where it is needed. */
static int settle(struct fsck *f, struct wrong *w, struct pingo__arena *arena)
{
    struct pingo__store_dataset_row now;
    const struct pingo__store_dataset_row *d = w->row;
    int rc = pingo__store_dataset_get(&f->store->db, d->id, arena, &now, f->err);
    w->is_so = !rc && now.state == d->state &&
               strcmp(now.path ? now.path : "", d->path ? d->path : "") == 0;
    if (w->is_so && w->can_repair && f->options.repair) {
        rc = pingo__manager_dataset_lost(&f->store->context, &now, f->err);
        w->repaired = rc == 0;
    }
    return rc;
}

/* Some of what is wrong, in one transaction.  *at: the next. */
static int settle_some(struct fsck *f, size_t *at, struct pingo__arena *arena)
{
    struct pingo__store_db *db = &f->store->db;
    size_t from = *at;
    int rc = f->options.repair ? pingo__store_db_begin(db, f->err) : 0;
    if (rc)
        return rc;
    int64_t until_ms = pingo__world_monotonic_ms() + AT_ONCE_MS;
    do {
        rc = settle(f, &f->wrong[(*at)++], arena);
    } while (!rc && *at < f->nwrong && pingo__world_monotonic_ms() < until_ms);
    if (f->options.repair) {
        rc = pingo__store_db_end(db, rc, f->err);
        pingo__store_db_let_others(db);
    }
    for (size_t i = from; !rc && i < *at; i++)
        if (f->wrong[i].is_so)
            rc = tell_dataset(f, &f->wrong[i], arena);
    return rc;
}

static int settle_all(struct fsck *f, struct pingo__arena *arena)
{
    int rc = 0;
    for (size_t at = 0; !rc && at < f->nwrong;)
        rc = settle_some(f, &at, arena);
    f->nwrong = 0;
    return rc;
}

/* What is wrong waits a moment for more. */
static int check_dataset(struct fsck *f, const struct pingo__store_dataset_row *d,
                         struct pingo__arena *arena)
{
    const char *problem = NULL, *other = NULL;
    if (!pingo_dataset_state_is_there(d->state))
        return progress(f);
    int rc = look(f, d, arena, &problem, &other);
    if (!rc && !problem && !other && f->options.deep && d->directory)
        rc = look_for_links(f, d, arena, &other);
    int64_t now_ms = pingo__world_monotonic_ms();
    if (!rc && (problem || other)) {
        f->wrong_ms = f->nwrong ? f->wrong_ms : now_ms;
        f->wrong[f->nwrong++] =
            (struct wrong){.row = d, .what = problem ? problem : other, .can_repair = problem};
    }
    if (!rc && f->nwrong && now_ms - f->wrong_ms >= AT_ONCE_MS)
        rc = settle_all(f, arena);
    return rc < 0 ? rc : progress(f);
}

static int check_datasets(struct fsck *f)
{
    struct pingo_identify_options options = {.version = 1, .progress = reading, .context = f};
    int64_t after = 0;
    size_t n = 0;
    int rc = 0;
    do {
        struct pingo__arena arena = {0};
        struct pingo__store_dataset_list list = {.arena = &arena, .limit = PAGE};
        rc = pingo__store_dataset_list_after(&f->store->db, after, &list, f->err);
        n = rc ? 0 : list.n;
        f->suspects = (struct pingo__manager_suspects){
            .c = &f->store->context, .must_tell = true, .progress = &options};
        f->end = list.rows + n;
        for (size_t i = 0; !rc && i < n; i++)
            rc = check_dataset(f, &list.rows[i], &arena);
        if (!rc)
            rc = settle_all(f, &arena);
        if (n)
            after = list.rows[n - 1].id;
        pingo__manager_suspects_clear(&f->suspects);
        pingo__arena_clear(&arena);
    } while (!rc && n == PAGE);
    return rc;
}

/* ---- files ----------------------------------------------------------------------------------------- */

/* What a row knows by its content is kept. */
static int adopt_all(struct fsck *f, size_t *adopted, struct pingo_error *err)
{
    struct pingo__store_db *db = &f->store->db;
    int rc = f->norphans ? pingo__store_db_begin(db, err) : 0;
    *adopted = 0;
    if (rc || !f->norphans)
        return rc;
    for (size_t i = 0; !rc && i < f->norphans; i++)
        rc = pingo__manager_orphan_adopt(&f->orphans[i], err);
    rc = pingo__store_db_end(db, rc, err);
    pingo__store_db_let_others(db);
    for (size_t i = 0; !rc && i < f->norphans; i++) {
        const struct pingo__manager_orphan *o = &f->orphans[i];
        if (!o->adopted)
            continue;
        *adopted += 1;
        rc = pingo__manager_orphan_adopted(o, err);
        if (!rc || pingo__pool_is_shut(&f->store->pool, rc))
            rc = find(f, &(struct pingo_finding){
                             "I4", o->name,
                             "is in the pool, and no row knew it, but its content: it is kept",
                             true, true});
    }
    f->norphans = 0;
    return rc;
}

static int add_orphan(struct fsck *f, const char *name, struct pingo_error *err)
{
    if (!f->norphans) { /* those before were adopted */
        pingo__arena_reset(&f->orphans_arena);
        f->orphans = NULL;
        f->corphans = 0;
        f->orphans_ms = pingo__world_monotonic_ms();
    }
    if (!PINGO__ARENA_ROOM(&f->orphans_arena, f->orphans, f->norphans, f->corphans))
        return pingo__fail_memory(err);
    int rc = pingo__manager_orphan_read(&f->store->context, name, &f->orphans_arena,
                                        &f->orphans[f->norphans], err);
    f->norphans += !rc && f->orphans[f->norphans].may_be;
    return rc;
}

/* Before anything goes. */
static int on_file_adopt(void *context, const char *name, struct pingo_error *err)
{
    struct fsck *f = context;
    bool orphan;
    size_t adopted;
    int rc = pingo__manager_is_orphan_of_many(&f->store->context, name, &orphan, err);
    if (!rc && orphan)
        rc = add_orphan(f, name, err);
    if (pingo__pool_is_shut(&f->store->pool, rc))
        rc = 0;
    bool is_time = f->norphans == PAGE || pingo__world_monotonic_ms() - f->orphans_ms >= AT_ONCE_MS;
    return !rc && is_time ? adopt_all(f, &adopted, err) : rc;
}

/* What cannot be read now may be the only bytes of a dataset, and stays. */
static int on_file(void *context, const char *name, struct pingo_error *err)
{
    struct fsck *f = context;
    struct pingo__pool_state is = {.exists = false};
    bool orphan;
    size_t adopted = 0;
    int rc = pingo__manager_is_orphan_of_many(&f->store->context, name, &orphan, err);
    if (!rc && orphan) /* it may have been published, or reclaimed, since it was listed */
        rc = pingo__pool_state(&f->store->pool, name, &is, err);
    if (rc || !is.exists)
        return rc;
    struct pingo_error why = {0};
    char message[PINGO_ERROR_MESSAGE_SIZE + 64];
    bool repairs = f->options.repair;
    rc = repairs ? add_orphan(f, name, &why) : 0;
    if (!rc)
        rc = adopt_all(f, &adopted, &why);
    if (adopted)
        return rc;
    if (rc && !pingo__pool_is_shut(&f->store->pool, rc))
        return pingo__fail(err, rc, "%s", why.message);
    if (repairs && !rc)
        rc = pingo__pool_trash(&f->store->pool, name, &why);
    snprintf(message, sizeof message, "is in the pool, but no row knows it%s%s",
             rc ? ", and it stays: " : "", why.message);
    return find(f, &(struct pingo_finding){"I4", name, message, repairs && !rc, !rc});
}

/* A directory that is closed keeps nobody from the others; it is told of in the end. */
static int each_object(struct fsck *f, pingo__pool_name_fn fn)
{
    int rc = pingo__pool_each(&f->store->pool, PINGO__OBJECTS, fn, f, f->err);
    pingo__store_db_rollback(&f->store->db);
    if (!pingo__pool_is_shut(&f->store->pool, rc))
        return rc;
    struct pingo_finding finding = {"I4", "the pool", f->err->message, false, false};
    return fn == on_file ? find(f, &finding) : 0;
}

int pingo_store_fsck(struct pingo_store *store, const struct pingo_fsck_options *options,
                     bool *clean, struct pingo_error *err)
{
    struct pingo_error unheard;
    struct fsck f = {.store = store, .err = err ? err : &unheard};
    int64_t total = 0;
    size_t nadopted;
    int rc = PINGO__OPTIONS_TAKE(pingo_fsck_options, options, &f.options, err);
    if (!rc && f.options.repair)
        rc = pingo__engine_may_rule_now(store, "repair", "the store", err);
    if (!rc)
        rc = check_database(&f);
    if (rc || f.damaged) {
        *clean = false;
        goto out;
    }
    rc = pingo__store_dataset_count(&store->db, &total, err);
    f.total = (uint64_t)total;
    if (!rc)
        rc = check_rows(&f);
    if (!rc)
        rc = check_killed(&f);
    if (!rc && f.options.repair)
        rc = each_object(&f, on_file_adopt);
    if (!rc)
        rc = adopt_all(&f, &nadopted, err);
    if (!rc)
        rc = check_datasets(&f);
    if (!rc)
        rc = each_object(&f, on_file);
    if (!rc)
        rc = pingo__pool_each(&store->pool, PINGO__STAGED, on_file, &f, err);
    pingo__store_db_rollback(&store->db);
    if (!rc && f.options.repair)
        rc = pingo__manager_trash_empty(&store->context, err);
    *clean = f.found == f.repaired;
out:
    pingo__manager_lost_tell(&store->context);
    pingo__arena_clear(&f.orphans_arena);
    pingo__arena_clear(&f.arena);
    return rc;
}
