/* outside_publish.c - the output of an unmanaged action on its way to its outputPath; see outside.h.
 *
 * What always holds: under the lock, right before the rename, the action still has the epoch of the attempt
 * that made it; so what was killed or given up meanwhile replaces nothing. */
#include <fcntl.h>

#include "base/error.h"
#include "manager/attempt/callback.h"
#include "manager/dataset/outside.h"

/* Its file system is not the pool's, and the commit that follows says that it is there. */
static int sync_at(const struct pingo__manager_context *c, const char *path, struct pingo_error *err)
{
    const struct pingo__world *w = c->world;
    int fd = w->open(w->context, AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0)
        return pingo__fail_os(err, -fd, "opening", path);
    int rc = w->syncfs(w->context, fd);
    w->close(w->context, fd);
    return rc < 0 ? pingo__fail_os(err, -rc, "syncing", path) : 0;
}

/* Beside its place, whole and durable. */
static int copy_beside(struct pingo__manager_outside *x, struct pingo_error *err)
{
    int rc = pingo__store_db_begin(x->c->db, err);
    if (!rc)
        rc = pingo__store_db_end(x->c->db, pingo__manager_outside_begin(x, err), err);
    if (!rc)
        rc = pingo__manager_outside_copy(x, err);
    return rc ? rc : sync_at(x->c, x->temporary, err);
}

/* *is_there: it is; else the attempt was given up. */
static int place(struct pingo__manager_outside *x, struct pingo_job_key key, bool *is_there,
                 struct pingo_error *err)
{
    int rc = pingo__store_db_begin(x->c->db, err);
    struct pingo__store_action_row now;
    if (!rc)
        rc = pingo__store_action_get(x->c->db, key.action, NULL, &now, err);
    bool current = !rc && now.id && pingo__manager_is_in_epoch(&now, key.epoch);
    if (current)
        rc = pingo__manager_outside_place(x, err);
    if (current && !rc)
        rc = pingo__manager_outside_end(x, err);
    rc = pingo__store_db_end(x->c->db, rc, err);
    if (rc)
        pingo__manager_outside_leave_noted(x);
    *is_there = !rc && current;
    return rc;
}

int pingo__manager_outside_publish(struct pingo__manager_outside *x, struct pingo_job_key key,
                                   bool *is_there, struct pingo_error *err)
{
    struct pingo__pool_state st = {.exists = true};
    *is_there = false;
    int rc = pingo__manager_outside_look(x, err);
    x->hint = pingo__manager_outside_output_hint(x);
    if (!rc)
        rc = pingo__manager_outside_allowed(x, err);
    if (!rc && x->there != PINGO__OUTSIDE_SAME)
        rc = pingo__pool_state(x->c->pool, x->from, &st, err);
    if (!rc && !st.exists)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "%s/%s: the output is gone", x->c->pool->place,
                         x->from);
    if (!rc && x->there != PINGO__OUTSIDE_SAME)
        rc = copy_beside(x, err);
    if (!rc)
        rc = place(x, key, is_there, err);
    if (!rc && *is_there)
        rc = sync_at(x->c, x->path, err);
    pingo__manager_outside_clear(x);
    return rc;
}
