/* orphans.c - see orphans.h. */
#include "manager/dataset/orphans.h"

#include <string.h>

#include "base/error.h"
#include "manager/attempt/inputs.h"
#include "manager/attempt/owner.h"
#include "manager/dataset/suspects.h"
#include "store/action/actions.h"
#include "store/dataset/objects.h"
#include "store/dataset/wishes.h"
#include "store/submission/workflows.h"
#include "store/transition.h"

/* May somebody be about to publish what has this name?  Who adopts has no attempt. */
static int is_open(struct pingo__manager_context *c, struct pingo_job_key key, bool *open,
                   struct pingo_error *err)
{
    struct pingo__store_attempt_row row;
    *open = !key.action && pingo__manager_owner_is_alive(c, key.epoch);
    int rc = key.action ? pingo__store_attempt_get(c->db, key, NULL, &row, err) : 0;
    if (!rc && key.action)
        *open = row.key.action && row.state != PINGO__ATTEMPT_ENDED;
    return rc;
}

int pingo__manager_is_orphan(struct pingo__manager_context *c, const char *name, bool *orphan,
                             struct pingo_error *err)
{
    struct pingo__name parsed;
    bool open = false, known = false;
    int rc = pingo__store_object_has_path(c->db, name, &known, err);
    if (!rc && !known && pingo__name_parse(name, &parsed)) {
        rc = is_open(c, (struct pingo_job_key){parsed.action, parsed.epoch}, &open, err);
        if (!rc && !open) /* published in between? */
            rc = pingo__store_object_has_path(c->db, name, &known, err);
    }
    *orphan = !rc && !known && !open;
    return rc;
}

int pingo__manager_is_orphan_of_many(struct pingo__manager_context *c, const char *name,
                                     bool *orphan, struct pingo_error *err)
{
    if (pingo__pool_is_remote(c->pool)) /* nobody waits for it in a view */
        return pingo__manager_is_orphan(c, name, orphan, err);
    int rc = c->db->viewing ? 0 : pingo__store_db_begin_read(c->db, err);
    if (!rc)
        rc = pingo__manager_is_orphan(c, name, orphan, err);
    if (rc || !*orphan)
        return rc;
    pingo__store_db_rollback(c->db); /* published since it began? */
    return pingo__manager_is_orphan(c, name, orphan, err);
}

/* ---- adopting ------------------------------------------------------------------------------- */

static int read_it(struct pingo__manager_orphan *o, struct pingo_error *err)
{
    struct pingo__digest_content_options options = {
        .no_follow = true, .make_readonly = true, .root_may_move = true};
    struct pingo_error why = {0};
    int rc = pingo__pool_state(o->c->pool, o->name, &o->st, err);
    if (rc)
        return rc;
    rc = pingo__pool_read(o->c->pool, o->name, &options, &o->content, &why);
    o->may_be = rc == 0;
    return rc && rc != PINGO_EINPUT ? pingo__fail(err, rc, "%s", why.message) : 0;
}

/* Unless its row is there, and so are its bytes: then this is one too many. */
static int read_lacking(struct pingo__manager_orphan *o, struct pingo_error *err)
{
    struct pingo__store_dataset_known k;
    enum pingo__manager_presence is = PINGO__THERE;
    int rc = pingo__store_dataset_known(o->c->db, &o->hash, false, &k, err);
    if (rc || k.known == PINGO_KNOWN_NOTHING || k.known == PINGO_KNOWN_COMPUTING)
        return rc;
    if (k.known == PINGO_KNOWN_DELETED)
        return read_it(o, err);
    rc = pingo__store_dataset_get(o->c->db, k.id, o->arena, &o->row, err);
    if (!rc && o->row.path && o->row.state != PINGO_DATASET_PROCESSING)
        rc = pingo__manager_dataset_verify(o->c, &o->row, &is, err);
    return rc || is == PINGO__THERE ? rc : read_it(o, err);
}

int pingo__manager_orphan_read(struct pingo__manager_context *c, const char *name,
                               struct pingo__arena *arena, struct pingo__manager_orphan *orphan,
                               struct pingo_error *err)
{
    struct pingo__name parsed;
    *orphan = (struct pingo__manager_orphan){
        .c = c, .arena = arena, .name = pingo__arena_text(arena, name, strlen(name))};
    if (!orphan->name)
        return pingo__fail_memory(err);
    if (!pingo__name_parse(name, &parsed) || parsed.part != PINGO__OBJECTS ||
        pingo_hash_from_hex(parsed.hash, &orphan->hash) != 0)
        return 0;
    return read_lacking(orphan, err);
}

/* The row is there, but the bytes where it says are not: they lie here, unless it goes, or was told so by others,
 * meanwhile. */
static int point_to(struct pingo__manager_orphan *o, struct pingo_error *err)
{
    struct pingo__store_dataset_row now;
    if (!pingo__manager_dataset_is_of(&o->row, &o->content))
        return 0;
    int rc = pingo__store_dataset_get(o->c->db, o->row.id, o->arena, &now, err);
    bool is = !rc && pingo_dataset_state_is_there(now.state) && strcmp(now.path, o->row.path) == 0;
    if (!is)
        return rc;
    pingo__manager_dataset_learn(&now, &o->st, &o->content);
    rc = pingo__store_object_set_path(o->c->db, o->row.object, o->name, err);
    if (!rc)
        rc = pingo__store_object_set_root(o->c->db, &now, err);
    o->adopted = !rc;
    return rc;
}

/* A generation of its own, with what is known of the one that had this content. */
static int insert(struct pingo__manager_context *c, struct pingo__store_dataset_row *d,
                  struct pingo__arena *arena, struct pingo_error *err)
{
    int64_t workflow = 0, action;
    struct pingo__store_dataset_row former = {.id = 0};
    int rc = pingo__store_next_ids(c->db, &action, &d->id, err);
    d->state = PINGO_DATASET_TO_STORE;
    if (!rc)
        rc = pingo__store_dataset_insert(c->db, d, err);
    if (!rc)
        rc = pingo__store_dataset_current(c->db, &d->hash, arena, &former, err);
    if (!rc)
        rc = pingo__store_wish_find(c->db, &d->hash, &workflow, err);
    return rc ? rc
              : pingo__store_dataset_publish(
                    c->db, d, former.id, workflow ? PINGO_DATASET_LEAF : PINGO_DATASET_STORED, err);
}

static int make_known(struct pingo__manager_orphan *o, struct pingo_error *err)
{
    struct pingo__store_dataset_known k;
    struct pingo__store_dataset_row row = {.id = 0};
    struct pingo__store_dataset_made made = {o->hash, o->content.hash};
    int rc = pingo__store_dataset_known(o->c->db, &o->hash, false, &k, err);
    if (!rc && k.known == PINGO_KNOWN_DELETED)
        rc = pingo__store_dataset_made_with(o->c->db, &made, o->arena, &row, err);
    if (rc || !row.id || !pingo__manager_dataset_is_of(&row, &o->content))
        return rc;
    row.path = o->name;
    pingo__manager_dataset_learn(&row, &o->st, &o->content);
    rc = insert(o->c, &row, o->arena, err);
    o->adopted = !rc;
    return rc;
}

int pingo__manager_orphan_adopt(struct pingo__manager_orphan *orphan, struct pingo_error *err)
{
    return orphan->row.id ? point_to(orphan, err) : make_known(orphan, err);
}

int pingo__manager_orphan_adopted(const struct pingo__manager_orphan *orphan,
                                  struct pingo_error *err)
{
    return orphan->row.id ? pingo__pool_trash(orphan->c->pool, orphan->row.path, err) : 0;
}
