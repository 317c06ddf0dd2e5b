/* dataset_manager.c - see dataset_manager.h. */
#include "manager/dataset_manager.h"

#include "base/error.h"
#include "store/datasets.h"
#include "store/transition.h"

static int change_all(struct pingo__context *c, struct pingo__dataset_list *list, int from, int to,
                      struct pingo_error *err)
{
    size_t kept = 0;
    int rc = pingo__db_begin(c->db, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc >= 0 && i < list->n; i++) {
        struct pingo__dataset_row *d = &list->rows[i];

        if (d->state == to) { /* it had got there before */
            list->rows[kept++] = *d;
            continue;
        }
        if (d->state != from)
            continue;
        rc = pingo__dataset_change(
            c->db,
            &(struct pingo__dataset_change){.id = d->id,
                                            .hash = d->hash,
                                            .generation = d->generation,
                                            .from = from,
                                            .to = to,
                                            .owner = to == PINGO_DATASET_DELETED ? 0 : c->owner,
                                            .unclaimed = true},
            err);
        if (rc == 1 && to == PINGO_DATASET_DELETED)
            rc = pingo__dataset_clear_path(c->db, d->id, err) < 0 ? -1 : 1;
        if (rc != 1)
            continue; /* somebody rescued or took it: the loser drops it */
        d->state = to;
        list->rows[kept++] = *d;
    }
    list->n = kept;
    return pingo__db_end(c->db, rc < 0 ? rc : 0, err);
}

/* The deletors: renames into the trash, which is emptied by whoever comes by. */
static int remove_files(struct pingo__context *c, struct pingo__dataset_list *list,
                        struct pingo_error *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        struct pingo_error why = {0};
        int rc = list->rows[i].managed && list->rows[i].path
                     ? pingo__pool_trash(c->pool, list->rows[i].path, &why)
                     : 0;

        if (rc == PINGO_ENOMEM)
            return pingo__fail_memory(err);
        if (rc) /* it stays DELETING and is tried again; its bytes count as used */
            pingo__log(c, PINGO_LOG_WARNING, "%s", why.message);
        else
            list->rows[kept++] = list->rows[i];
    }
    list->n = kept;
    return 0;
}

static int delete_all(struct pingo__context *c, struct pingo__dataset_list *list, size_t *deleted,
                      struct pingo_error *err)
{
    int rc = remove_files(c, list, err);

    if (!rc && list->n)
        rc = change_all(c, list, PINGO_DATASET_DELETING, PINGO_DATASET_DELETED, err);
    if (!rc)
        *deleted += list->n;
    return rc;
}

int pingo__dataset_manager_tick(struct pingo__context *c, size_t limit, size_t *deleted,
                                struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__dataset_list list;
    int rc;

    pingo__arena_init(&arena);
    /* The scraper. */
    rc = pingo__dataset_list_leaving(c->db, c->owner, &arena, &list, err);
    if (!rc && list.n) /* PROCESSING still: somebody held it, or the tick was cut short */
        rc = change_all(c, &list, PINGO_DATASET_PROCESSING, PINGO_DATASET_DELETING, err);
    if (!rc && list.n)
        rc = delete_all(c, &list, deleted, err);
    if (!rc)
        rc = pingo__dataset_list_deletable(c->db, limit, &arena, &list, err);
    if (!rc && list.n)
        rc = change_all(c, &list, PINGO_DATASET_STORED_TO_DELETE, PINGO_DATASET_PROCESSING, err);
    if (!rc && list.n)
        rc = change_all(c, &list, PINGO_DATASET_PROCESSING, PINGO_DATASET_DELETING, err);
    if (!rc && list.n)
        rc = delete_all(c, &list, deleted, err);
    if (!rc && *deleted) {
        struct pingo_error why = {0};

        if (pingo__pool_empty_trash(c->pool, 0, NULL, &why) < 0)
            pingo__log(c, PINGO_LOG_WARNING, "%s", why.message);
    }
    pingo__arena_clear(&arena);
    return rc;
}
