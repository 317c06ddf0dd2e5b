/* outside_recover.c - see outside.h: what those left beside their targets who died while they wrote. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "manager/dataset/outside.h"
#include "manager/attempt/owner.h"

#define LEFT_EVERY_MS                                                                              \
    (INT64_C(60) * 60 * 1000) /* what cannot be removed is tried again, and told of again */

struct left {
    char *path, *temporary;
    struct pingo__manager_outside_found target, beside;
    struct pingo__store_written former;
    bool has_former, is_unknown;
    bool tells; /* given */
};

/* Did it get as far as the rename?  What lies at the target tells. */
static bool was_placed(const struct pingo__store_writing *row, const struct left *l)
{
    return l->target.what.kind == row->kind &&
           memcmp(&l->target.what.content, &row->content, sizeof row->content) == 0;
}

/* What lies beside a target that was reached is what was there before: ours only if we know it. */
static bool is_former(const struct left *l)
{
    return l->has_former && l->former.kind == l->beside.what.kind &&
           memcmp(&l->former.content, &l->beside.what.content, sizeof l->former.content) == 0;
}

static int look_at(struct pingo__manager_context *c, const struct pingo__store_writing *row,
                   struct left *l, struct pingo_error *err)
{
    struct pingo_error why = {0};
    l->path = pingo__manager_outside_path_of(c, row->path);
    l->temporary = pingo__manager_outside_path_of(c, row->temporary);
    if (!l->path || !l->temporary)
        return pingo__fail_memory(err);
    int rc = pingo__store_written_get(c->db, row->path, &l->former, err);
    l->has_former = l->former.kind;
    bool whole = !row->placed; /* else it is ours, whatever it is */
    l->is_unknown = pingo__manager_outside_read(c, l->path, whole, &l->target, &why) ||
                    pingo__manager_outside_read(c, l->temporary, whole, &l->beside, &why);
    if (l->is_unknown && l->tells) {
        pingo__manager_log(c, PINGO_LOG_INFO, "an export that was cut short is looked at later: %s",
                           why.message);
        c->left_ms = pingo__manager_elapsed_ms(c);
    }
    if (l->target.is_young)
        memset(&l->target.what.stamp, 0, sizeof l->target.what.stamp);
    return rc;
}

/* Inside a write transaction: what others wrote there while it was looked at is known better. */
static int note_placed(struct pingo__manager_context *c, const struct pingo__store_writing *row,
                       const struct left *l, struct pingo_error *err)
{
    struct pingo__store_written now = {.kind = 0};
    int rc = pingo__store_written_get(c->db, row->path, &now, err);
    bool is_as_seen = now.kind == l->former.kind &&
                      memcmp(&now.content, &l->former.content, sizeof now.content) == 0 &&
                      memcmp(&now.stamp, &l->former.stamp, sizeof now.stamp) == 0;
    if (rc || !is_as_seen)
        return rc;
    rc = pingo__store_written_set(c->db, row->path, &l->target.what, err);
    return rc ? rc : pingo__manager_outside_retire(c, l->path, 0, err);
}

static int recover_one(struct pingo__manager_context *c, const struct pingo__store_writing *row,
                       bool tells, struct pingo_error *err)
{
    struct left l = {.tells = tells};
    int rc = look_at(c, row, &l, err);
    bool known = !rc && !l.is_unknown;
    bool placed = known && !row->placed && was_placed(row, &l);
    int kept = 0;
    if (known && l.beside.is_there) {
        if (placed && !is_former(&l))
            pingo__manager_log(c, PINGO_LOG_WARNING,
                               "%s: lay at %s before an export that was cut short", l.temporary,
                               l.path);
        else
            kept = pingo__manager_outside_remove_beside(c, l.temporary);
    }
    if (kept < 0) {
        pingo__manager_outside_tell_left(c, l.temporary, kept);
        c->left_ms = pingo__manager_elapsed_ms(c);
    }
    if (known)
        rc = pingo__store_db_begin(c->db, err);
    if (known && !rc) {
        rc = placed ? note_placed(c, row, &l, err) : 0;
        if (!rc)
            rc = kept < 0 ? pingo__store_writing_set_placed(c->db, row->temporary, err)
                          : pingo__store_writing_delete(c->db, row->temporary, err);
        rc = pingo__store_db_end(c->db, rc, err);
    }
    free(l.path);
    free(l.temporary);
    return rc;
}

int pingo__manager_outside_recover(struct pingo__manager_context *c, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_writing_list list = {.arena = &arena};
    bool tries = !c->left_ms || pingo__manager_elapsed_ms(c) - c->left_ms >= LEFT_EVERY_MS;
    int rc = pingo__store_writing_list(c->db, NULL, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__store_writing *row = &list.rows[i];
        if (row->owner != c->owner && (tries || !row->placed) &&
            !pingo__manager_owner_is_alive(c, row->owner))
            rc = recover_one(c, row, tries, err);
    }
    pingo__arena_clear(&arena);
    return rc;
}
