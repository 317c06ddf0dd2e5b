/* owner.c - see owner.h. */
#include "manager/attempt/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/meta.h"

static char *owner_path(const struct pingo__manager_context *c, int64_t owner)
{
    size_t size = strlen(c->db->directory) + 40;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/owners/%" PRId64, c->db->directory, owner);
    return path;
}

/* The file is locked before the row can be seen, so that nobody takes us for dead. */
static int lock_file(struct pingo__manager_owner *owner, struct pingo__manager_context *c,
                     struct pingo_error *err)
{
    const struct pingo__world *w = c->world;
    char *path = owner_path(c, c->owner), *directory = owner_path(c, 0);
    int failed = -ENOMEM;
    if (path && directory) {
        *strrchr(directory, '/') = '\0';
        w->mkdir(w->context, AT_FDCWD, directory, 0700);
        owner->fd = w->open(w->context, AT_FDCWD, path, O_CREAT | O_RDWR, 0600);
        failed = owner->fd < 0 ? owner->fd : w->lock(w->context, owner->fd);
    }
    int rc = failed ? pingo__fail_os(err, -failed, "locking", path ? path : "") : 0;
    free(directory);
    free(path);
    return rc;
}

static int set_scope(struct pingo__manager_context *c, const struct pingo__manager_scope *scope,
                     struct pingo_error *err)
{
    enum pingo__store_owner_scope kind = !scope       ? PINGO__OWNER_NOBODY
                                         : scope->all ? PINGO__OWNER_ALL
                                                      : PINGO__OWNER_LISTED;
    return pingo__store_owner_set_scope(
        c->db,
        &(struct pingo__store_owner_scoping){c->owner, kind, scope ? scope->workflows : NULL,
                                             scope ? scope->n : 0},
        err);
}

int pingo__manager_owner_tell_scope(struct pingo__manager_context *c,
                                    const struct pingo__manager_scope *scope,
                                    struct pingo_error *err)
{
    int rc = pingo__store_db_begin(c->db, err);
    return rc ? rc : pingo__store_db_end(c->db, set_scope(c, scope, err), err);
}

int pingo__manager_owner_register(struct pingo__manager_owner *owner,
                                  struct pingo__manager_context *c,
                                  const struct pingo__manager_scope *scope, struct pingo_error *err)
{
    *owner = (struct pingo__manager_owner){.fd = -1};
    int rc = pingo__store_db_begin(c->db, err);
    struct pingo__store_owner_row row = {.pid = c->world->process(c->world->context),
                                         .started_ms = pingo__manager_now_ms(c)};
    if (!rc)
        rc = pingo__store_owner_insert(c->db, &row, err);
    c->owner = row.id;
    if (!rc && scope)
        rc = set_scope(c, scope, err);
    if (!rc)
        rc = lock_file(owner, c, err);
    rc = pingo__store_db_end(c->db, rc, err);
    if (rc) {
        c->owner = 0; /* there is no row */
        pingo__manager_owner_release(owner, c);
    }
    return rc;
}

int pingo__manager_owner_delete(struct pingo__manager_context *c, int64_t owner, bool *is_gone,
                                struct pingo_error *err)
{
    char *path = owner_path(c, owner);
    int rc = path ? pingo__store_owner_delete(c->db, owner, is_gone, err) : pingo__fail_memory(err);
    if (!rc && *is_gone)
        c->world->unlink(c->world->context, AT_FDCWD, path, 0);
    free(path);
    return rc;
}

void pingo__manager_owner_release(struct pingo__manager_owner *owner,
                                  struct pingo__manager_context *c)
{
    bool is_gone = false;
    if (c->owner && pingo__store_db_begin(c->db, NULL) == 0)
        pingo__store_db_end(c->db, pingo__manager_owner_delete(c, c->owner, &is_gone, NULL), NULL);
    if (owner->fd >= 0)
        c->world->close(c->world->context, owner->fd);
    *owner = (struct pingo__manager_owner){.fd = -1};
    c->owner = 0;
}

bool pingo__manager_owner_is_alive(struct pingo__manager_context *c, int64_t owner)
{
    const struct pingo__world *w = c->world;
    char *path = owner_path(c, owner);
    int fd = path ? w->open(w->context, AT_FDCWD, path, O_RDWR, 0) : -ENOMEM;
    bool alive = fd < 0 && fd != -ENOENT; /* when in doubt, hands off */
    if (fd >= 0) {
        alive = w->lock(w->context, fd) != 0;
        w->close(w->context, fd);
    }
    free(path);
    return alive;
}
