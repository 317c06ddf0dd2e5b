/* damage.h - a store in the middle of its work, damaged by hand, and what fsck tells of it. */
#ifndef TEST_ENGINE_DAMAGE_H
#define TEST_ENGINE_DAMAGE_H

#include "unit/engine/box.h"

/* a1 is stored and claimed by a2, which is handed out; a3 waits for a2. */
static inline struct box *damage_box(void)
{
    struct box *b = box_new();

    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)))));
    box_tick(b);
    box_finish(b, "a1");
    box_clean(b);
    return b;
}

static inline void damage_run(struct box *b, const char *sql)
{
    struct pingo_error err;

    assert_int_equal(sqlite3_exec(b->store->db.sqlite, "PRAGMA foreign_keys=0", NULL, NULL, NULL),
                     SQLITE_OK);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    if (sqlite3_exec(b->store->db.sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(b->store->db.sqlite));
    assert_true(sqlite3_changes(b->store->db.sqlite) > 0);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_equal(sqlite3_exec(b->store->db.sqlite, "PRAGMA foreign_keys=1", NULL, NULL, NULL),
                     SQLITE_OK);
}

struct damage {
    const char *invariant, *message;
    size_t n, repaired, repairable;
    bool hit;
    char all[1024];
};

static inline int damage_note(void *context, const struct pingo_finding *finding)
{
    struct damage *f = context;
    size_t at = strlen(f->all);

    f->n++;
    f->repaired += finding->repaired;
    f->repairable += finding->repairable;
    f->hit = f->hit ||
             (strcmp(finding->invariant, f->invariant) == 0 && strstr(finding->message, f->message));
    snprintf(f->all + at, sizeof f->all - at, "%s %s: %s; ", finding->invariant, finding->object,
             finding->message);
    assert_true(*finding->object);
    return 0;
}

static inline bool damage_fsck(struct box *b, struct damage *f, bool deep, bool repair)
{
    struct pingo_fsck_options options = {
        .version = 1, .deep = deep, .repair = repair, .finding = damage_note, .context = f};
    struct pingo_error err;
    bool clean = false;

    well(pingo_store_fsck(b->store, &options, &clean, &err), &err);
    return clean;
}

#endif
