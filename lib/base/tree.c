/* tree.c - see tree.h. */
#include "base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/walk.h"

/* One pass over a tree. */
struct pass {
    struct pingo__tree_removal *removal;
    const struct pingo__world *world;
    struct pingo__walk walk;
    size_t removed; /* entries that went, or were gone */
};

bool pingo__tree_is_mount(int parent, const char *name)
{
    struct statx above, st;
    if (statx(parent, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE, &st) != 0)
        return false; /* opening it says why */
    if ((st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0)
        return (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    return parent != AT_FDCWD && statx(parent, "", AT_EMPTY_PATH, STATX_TYPE, &above) == 0 &&
           (st.stx_dev_major != above.stx_dev_major || st.stx_dev_minor != above.stx_dev_minor);
}

/* The first failure is what is told: that of the name that was told last, or of the directory where it has no more. */
static void note(struct pass *p, int rc)
{
    struct pingo__tree_removal *r = p->removal;
    if (r->failed)
        return;
    r->failed = rc;
    struct pingo__buffer path = {0};
    pingo__walk_path(&p->walk, &path);
    const char *text = pingo__buffer_cstr(&path);
    if (text && path.length < sizeof r->what)
        snprintf(r->what, sizeof r->what, "%s", text);
    else if (text)
        snprintf(r->what, sizeof r->what, "%.60s...%s", text, text + path.length - 60);
    pingo__buffer_clear(&path);
}

/* A file that has other names goes with the last. */
static void count(const struct pass *p, const struct stat *st)
{
    if (p->removal->bytes && (S_ISDIR(st->st_mode) || st->st_nlink == 1))
        *p->removal->bytes += (int64_t)st->st_blocks * 512;
}

static bool has_gone(int rc)
{
    return rc == 0 || rc == -ENOENT;
}

/* Into a directory whose entries can be removed then. */
static int enter(struct pass *p, int dir, const char *name)
{
    const struct pingo__world *w = p->world;
    struct stat st;
    if (pingo__tree_is_mount(dir, name))
        return -EBUSY;
    int rc = w->stat(w->context, dir, name, AT_SYMLINK_NOFOLLOW, &st);
    if (rc == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 0700) != 0700)
        rc = w->chmod(w->context, dir, name, 0700);
    return rc < 0 ? rc : pingo__walk_enter(&p->walk, dir, name, O_NOFOLLOW);
}

/* Removes an entry, or goes down into it.  0, or what kept it. */
static int remove_entry(struct pass *p, int dir, const char *name)
{
    const struct pingo__world *w = p->world;
    struct stat st = {.st_nlink = 0};
    if (p->removal->bytes)
        w->stat(w->context, dir, name, AT_SYMLINK_NOFOLLOW, &st);
    int rc = w->unlink(w->context, dir, name, 0);
    int as_directory = has_gone(rc) ? rc : w->unlink(w->context, dir, name, AT_REMOVEDIR);
    if (as_directory == -ENOTDIR) /* a file says why it stays */
        return rc;
    if (!has_gone(as_directory)) {
        int entered = enter(p, dir, name);
        return entered == -ENOENT ? 0 : entered == -ENOTDIR ? rc : entered;
    }
    p->removed++;
    if (as_directory == 0)
        count(p, &st);
    return 0;
}

/* From a directory that is done up to the one that it is in, and removes it there. */
static int remove_left(struct pass *p)
{
    struct stat st = p->walk.levels[p->walk.depth - 1].st;
    int rc = pingo__walk_leave(&p->walk);
    if (rc < 0)
        return rc;
    const struct pingo__world *w = p->world;
    const char *name = p->walk.levels[p->walk.depth - 1].name;
    rc = w->unlink(w->context, p->walk.fd, name, AT_REMOVEDIR);
    if (!has_gone(rc)) {
        note(p, rc);
        return 0;
    }
    p->removed++;
    if (rc == 0)
        count(p, &st);
    return 0;
}

/* Removes what is in the directory that the walk has entered. */
static void strip(struct pass *p)
{
    int rc = 0;
    while (rc == 0) {
        const char *name = pingo__walk_next(&p->walk);
        if (!name && p->walk.depth == 1)
            break;
        if (!name) {
            rc = remove_left(p);
        } else if (p->walk.depth > 1 || !p->removal->keep || !p->removal->keep(name)) {
            int kept = remove_entry(p, p->walk.fd, name);
            if (kept < 0)
                note(p, kept);
        }
    }
    if (rc < 0) /* somebody else removes or moves it */
        note(p, rc);
    pingo__walk_clear(&p->walk);
}

static void begin(struct pass *p, struct pingo__tree_removal *r)
{
    *p = (struct pass){.removal = r, .world = r->world};
    pingo__walk_init(&p->walk, r->world, false);
    r->failed = 0;
    r->what[0] = '\0';
}

int pingo__tree_take(struct pingo__tree_removal *r, int parent, const char *name)
{
    struct pass p;
    int rc;
    do { /* once more where it helped: file systems may pass over entries, others may work here too */
        begin(&p, r);
        rc = remove_entry(&p, parent, name);
        if (rc < 0 || p.walk.depth == 0)
            break;
        strip(&p);
        rc = r->world->unlink(r->world->context, parent, name, AT_REMOVEDIR);
    } while (!has_gone(rc) && p.removed > 0);
    if (has_gone(rc))
        r->failed = 0;
    else
        note(&p, rc);
    return r->failed;
}

int pingo__tree_strip(struct pingo__tree_removal *r, int dir)
{
    struct pass p;
    do {
        begin(&p, r);
        int rc = pingo__walk_enter(&p.walk, dir, ".", 0);
        if (rc < 0)
            note(&p, rc);
        else
            strip(&p);
    } while (r->failed && p.removed > 0);
    return r->failed;
}

int pingo__tree_remove(int parent, const char *name)
{
    struct pingo__tree_removal r = {.world = pingo__world_real()};
    return pingo__tree_take(&r, parent, name);
}

int pingo__tree_empty(int dir, bool (*keep)(const char *name))
{
    struct pingo__tree_removal r = {.world = pingo__world_real(), .keep = keep};
    return pingo__tree_strip(&r, dir);
}
