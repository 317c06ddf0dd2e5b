/* orphans.c - see orphans.h. */
#include "manager/dataset/orphans.h"

#include <string.h>

#include "base/error.h"
#include "manager/attempt/inputs.h"
#include "manager/dataset/suspects.h"
#include "store/actions.h"
#include "store/objects.h"
#include "store/wishes.h"
#include "store/workflows.h"

int pingo__is_orphan(struct pingo__context *c, const char *name, struct pingo_error *err)
{
    struct pingo__name parsed;
    struct pingo__attempt_row row;
    struct pingo__arena arena;
    int rc = pingo__object_has_path(c->db, name, err);

    if (rc)
        return rc < 0 ? rc : 0;
    if (!pingo__name_parse(name, &parsed))
        return 1;
    pingo__arena_init(&arena);
    rc = pingo__attempt_get(c->db, (struct pingo_job_key){parsed.action, parsed.epoch}, &arena,
                            &row, err);
    pingo__arena_clear(&arena);
    if (rc < 0 || (rc == 1 && row.state != PINGO__ATTEMPT_ENDED))
        return rc < 0 ? rc : 0;
    rc = pingo__object_has_path(c->db, name, err); /* published in between? */
    return rc < 0 ? rc : !rc;
}

/* ---- adopting ------------------------------------------------------------------------------- */

struct found {
    const char *name;
    struct pingo__pool_state st;
    struct pingo__digest_content content;
};

static int read_it(struct pingo__context *c, struct found *f, struct pingo_error *err)
{
    struct pingo__digest_content_options options = {
        .no_follow = true, .make_readonly = true, .root_may_move = true};
    struct pingo_error why = {0};
    int rc = pingo__pool_state(c->pool, f->name, &f->st, err);

    if (rc)
        return rc;
    rc = pingo__pool_read(c->pool, f->name, &options, &f->content, &why);
    if (rc == PINGO_EINPUT)
        return 0;
    return rc ? pingo__fail(err, rc, "%s", why.message) : 1;
}

/* The row is there, but the bytes where it says are not: they lie here. */
static int point_to(struct pingo__context *c, const struct pingo__dataset_row *row,
                    const struct found *f, struct pingo_error *err)
{
    struct pingo__dataset_row now = *row;
    int rc;

    if (!pingo__dataset_is_of(row, &f->content))
        return 0;
    pingo__dataset_learn(&now, &f->st, &f->content);
    rc = pingo__pool_trash(c->pool, row->path, err);
    if (!rc)
        rc = pingo__db_begin(c->db, err);
    if (rc)
        return rc;
    rc = pingo__object_set_path(c->db, row->object, f->name, err);
    if (!rc)
        rc = pingo__object_set_root(c->db, &now, err);
    rc = pingo__db_end(c->db, rc, err);
    return rc ? rc : 1;
}

/* A generation of its own, with what is known of the one that had this content. */
static int insert(struct pingo__context *c, struct pingo__dataset_row *d,
                  struct pingo__arena *arena, struct pingo_error *err)
{
    int64_t workflow = 0, action, former = 0;
    int wished = 0;
    int rc = pingo__next_ids(c->db, &workflow, &action, &d->id, err);

    d->state = PINGO_DATASET_TO_STORE;
    if (!rc)
        rc = pingo__dataset_insert(c->db, d, err);
    if (!rc)
        rc = pingo__dataset_publish(c->db, d, &former, err);
    if (!rc)
        rc = wished = pingo__wish_find(c->db, &d->hash, 0, &workflow, err);
    if (rc >= 0)
        rc = pingo__dataset_get(c->db, d->id, arena, d, err);
    if (rc == 1)
        rc = pingo__store_dataset_move(c->db, d, wished ? PINGO_DATASET_LEAF : PINGO_DATASET_STORED, err);
    return rc < 0 ? rc : 0;
}

static int make_known(struct pingo__context *c, const struct pingo_hash *hash,
                      const struct found *f, struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__dataset_row row;
    struct pingo__dataset_known k;
    int rc = pingo__db_begin(c->db, err), adopted = 0;

    if (rc)
        return rc;
    rc = pingo__dataset_known(c->db, hash, false, &k, err);
    if (!rc && k.known == PINGO_KNOWN_DELETED)
        rc = pingo__dataset_made_with(c->db, hash, &f->content.hash, arena, &row, err);
    if (rc == 1 && pingo__dataset_is_of(&row, &f->content)) {
        row.path = f->name;
        pingo__dataset_learn(&row, &f->st, &f->content);
        adopted = 1;
        rc = insert(c, &row, arena, err);
    }
    rc = pingo__db_end(c->db, rc < 0 ? rc : 0, err);
    return rc ? rc : adopted;
}

static int adopt(struct pingo__context *c, const struct pingo_hash *hash, struct found *f,
                 struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__dataset_row row;
    struct pingo__dataset_known k;
    enum pingo__manager_presence is;
    int rc = pingo__dataset_known(c->db, hash, false, &k, err);

    if (rc || k.known == PINGO_KNOWN_NOTHING || k.known == PINGO_KNOWN_COMPUTING)
        return rc;
    if (k.known == PINGO_KNOWN_DELETED) {
        rc = read_it(c, f, err);
        return rc == 1 ? make_known(c, hash, f, arena, err) : rc;
    }
    rc = pingo__dataset_get(c->db, k.id, arena, &row, err);
    if (rc != 1 || !row.path || row.state == PINGO_DATASET_PROCESSING)
        return rc < 0 ? rc : 0;
    rc = pingo__manager_dataset_verify(c, &row, &is, err);
    if (rc || is == PINGO__THERE) /* what the row says is there: this is one too many */
        return rc;
    rc = read_it(c, f, err);
    return rc == 1 ? point_to(c, &row, f, err) : rc;
}

int pingo__orphan_adopt(struct pingo__context *c, const char *name, struct pingo_error *err)
{
    struct found f = {.name = name};
    struct pingo__arena arena;
    struct pingo__name parsed;
    struct pingo_hash hash;
    int rc;

    if (!pingo__name_parse(name, &parsed) || parsed.part != PINGO__OBJECTS ||
        pingo_hash_from_hex(parsed.hash, &hash) != 0)
        return 0;
    pingo__arena_init(&arena);
    rc = adopt(c, &hash, &f, &arena, err);
    pingo__arena_clear(&arena);
    return rc;
}
