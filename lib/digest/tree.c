/* tree.c - walks a directory tree and hashes its listing, as pingo-hash(7) says. */
#include "digest/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/links.h"
#include "base/walk.h"
#include "digest/originals.h"

#define TREE_MAGIC "pingo-tree-1\n"

struct walk {
    struct pingo__digest_content_reader *r;
    struct pingo__digest_hasher listing;
    struct pingo__walk below;
};

/* ---- the listing ------------------------------------------------------------------ */

static void put(struct walk *w, const void *bytes, size_t n)
{
    pingo__digest_hasher_add(&w->listing, bytes, n);
}

static void put_counted(struct walk *w, const char *bytes, size_t n)
{
    unsigned char length[4] = {(unsigned char)n, (unsigned char)(n >> 8), (unsigned char)(n >> 16),
                               (unsigned char)(n >> 24)};
    put(w, length, sizeof length);
    put(w, bytes, n);
}

static void put_entry(struct walk *w, char kind, const char *name)
{
    put(w, &kind, 1);
    put_counted(w, name, strlen(name));
}

/* ---- levels ----------------------------------------------------------------------- */

/* Goes down into the directory that entry names. */
static int enter(struct walk *w, const struct pingo__digest_content_entry *entry,
                 struct pingo_error *err)
{
    int rc =
        pingo__walk_enter(&w->below, entry->dir, entry->name, entry->follow != 0 ? O_NOFOLLOW : 0);
    if (rc < 0)
        return pingo__digest_content_unreadable(w->r, -rc, &entry->st, err);
    if (!pingo__file_is_unchanged(&w->below.levels[w->below.depth - 1].st, &entry->st))
        return pingo__fail(err, PINGO_EINPUT, "it changed while it was read");
    return 0;
}

/* Goes back up from a directory that is done, and checks that nothing moved meanwhile. */
static int leave(struct walk *w, struct pingo_error *err)
{
    const struct pingo__world *world = w->r->world;
    struct stat st;
    if (world->stat(world->context, w->below.fd, "", AT_EMPTY_PATH, &st) < 0 ||
        !pingo__file_is_unchanged(&st, &w->below.levels[w->below.depth - 1].st))
        return pingo__fail(err, PINGO_EINPUT, "it changed while it was read");
    put(w, "e", 1);
    pingo__digest_hasher_add(&w->r->stamp, "", 1);
    int rc = pingo__walk_leave(&w->below);
    if (rc == -ESTALE)
        return pingo__fail(err, PINGO_EINPUT, "it was moved while it was read");
    return rc < 0 ? pingo__digest_content_unreadable(w->r, -rc, &st, err) : 0;
}

/* ---- what is in it, for people ------------------------------------------------------ */

/* mark: of the entry that is being visited; NULL of a directory. */
static int list(struct walk *w, char kind, const struct pingo_hash *mark, struct pingo_error *err)
{
    struct pingo__digest_listing_entry entry = {.kind = kind};
    struct pingo__buffer path = {0};
    if (!w->r->options->listing)
        return 0;
    pingo__walk_path(&w->below, &path);
    entry.path = pingo__buffer_cstr(&path);
    if (mark)
        memcpy(entry.mark, mark->bytes, sizeof entry.mark);
    if (entry.path)
        pingo__digest_listing_add(w->r->options->listing, &entry);
    pingo__buffer_clear(&path);
    return entry.path && !w->r->options->listing->bytes.failed ? 0 : pingo__fail_memory(err);
}

/* Before what is made read-only is newer for that. */
static void note_newest(const struct walk *w, const struct stat *st)
{
    struct pingo__digest_newest *newest = w->r->options->newest;
    struct pingo__digest_file_stat fs = pingo__digest_file_stat_of(st);
    if (!newest || fs.ctime_ns < newest->ctime_ns)
        return;
    newest->ctime_ns = fs.ctime_ns;
    newest->mtime_ns = fs.mtime_ns;
    pingo__buffer_reset(&newest->path);
    pingo__walk_path(&w->below, &newest->path);
}

/* ---- entries ------------------------------------------------------------------------ */

/* An end of an attempt has room for a short message: the pool is named so, and of a long path the middle
 * is left out. */
static int refuse_in_output(const char *target, const char *pool, struct pingo_error *err)
{
    size_t in_pool = strncmp(target, pool, strlen(pool)) == 0 ? strlen(pool) : 0;
    const char *rest = target + in_pool;
    size_t n = strlen(rest);
    return pingo__fail(err, PINGO_EINPUT,
                       "is a link out of the output (wanted: a copy, cp -L), to %s%.*s%s%s",
                       in_pool ? "POOL" : "", n > 40 ? 18 : (int)n, rest, n > 40 ? "..." : "",
                       n > 40 ? rest + n - 19 : "");
}

static bool leads_out(const struct walk *w, const struct pingo__digest_content_entry *entry,
                      char *target, const char *pool)
{
    return pingo__links_lead_out(
        &(struct pingo__links_place){w->r->world, entry->dir, w->below.depth - 1, pool}, target);
}

static int visit_link(struct walk *w, const struct pingo__digest_content_entry *entry,
                      struct pingo_error *err)
{
    char target[PATH_MAX + 1];
    const struct pingo__world *world = w->r->world;
    ssize_t n = world->readlink(world->context, entry->dir, entry->name, target, sizeof target - 1);
    if (n < 0)
        return pingo__digest_content_refuse(err, (int)-n, "cannot be read");
    target[n] = '\0';
    if (w->r->options->refuse_links_out && leads_out(w, entry, target, NULL))
        return pingo__fail(err, PINGO_EINPUT, "is a link that leads out of the tree, to %.300s",
                           target);
    if (w->r->options->output_of && leads_out(w, entry, target, w->r->options->output_of))
        return refuse_in_output(target, w->r->options->output_of, err);
    w->r->content->size_bytes += n;
    struct pingo_hash mark;
    put_entry(w, 'l', entry->name);
    put_counted(w, target, (size_t)n);
    pingo__digest_sha256(target, (size_t)n, &mark);
    return list(w, 'l', &mark, err);
}

static int visit_file(struct walk *w, struct pingo__digest_content_entry *entry,
                      struct pingo_error *err)
{
    struct pingo_hash hash;
    int rc = pingo__digest_content_file(w->r, entry, &hash, err);
    char kind = (entry->st.st_mode & S_IXUSR) != 0 ? 'x' : 'f';
    if (rc != 0)
        return rc;
    put_entry(w, kind, entry->name);
    put(w, hash.bytes, sizeof hash.bytes);
    return list(w, kind, &hash, err);
}

static int visit(struct walk *w, const char *name, struct pingo_error *err)
{
    const struct pingo__world *world = w->r->world;
    struct pingo__digest_content_entry entry = {
        .dir = w->below.fd, .name = name, .follow = AT_SYMLINK_NOFOLLOW};
    int rc = world->stat(world->context, entry.dir, name, entry.follow, &entry.st);
    if (rc < 0)
        return pingo__digest_content_unreadable(w->r, -rc, &w->below.levels[w->below.depth - 1].st,
                                                err);
    if (!S_ISREG(entry.st.st_mode) && !S_ISDIR(entry.st.st_mode) && !S_ISLNK(entry.st.st_mode))
        return pingo__fail(err, PINGO_EINPUT, "is neither a file nor a directory nor a link");
    note_newest(w, &entry.st);
    rc = pingo__digest_content_protect(w->r, &entry, PINGO__WRITE_BITS, err);
    if (rc != 0)
        return rc;
    pingo__digest_content_stamp(w->r, name, &entry.st);
    if (S_ISLNK(entry.st.st_mode))
        return visit_link(w, &entry, err);
    if (S_ISREG(entry.st.st_mode))
        return visit_file(w, &entry, err);
    put_entry(w, 'd', name);
    rc = list(w, 'd', NULL, err);
    return rc == 0 ? enter(w, &entry, err) : rc;
}

/* ---- the walk ----------------------------------------------------------------------- */

/* Says where it went wrong: "ROOT/a/b: " before the message. */
static void add_place(const struct walk *w, struct pingo_error *err)
{
    struct pingo__buffer path = {0};
    pingo__walk_path(&w->below, &path);
    const char *below = pingo__buffer_cstr(&path);
    pingo__error_prefix(err, "%s%s%s", w->r->path, below && *below ? "/" : "", below ? below : "");
    pingo__buffer_clear(&path);
}

int pingo__digest_content_tree(struct pingo__digest_content_reader *r,
                               const struct pingo__digest_content_entry *root,
                               struct pingo_error *err)
{
    struct walk w = {.r = r};
    struct pingo__digest_content_entry entry = *root;
    pingo__walk_init(&w.below, r->world, true);
    note_newest(&w, &entry.st);
    /* The owner's write bit stays on the root: see make_readonly. */
    int rc = pingo__digest_content_protect(r, &entry, PINGO__WRITE_BITS & ~(mode_t)S_IWUSR, err);
    pingo__digest_hasher_init(&w.listing);
    put(&w, TREE_MAGIC, sizeof TREE_MAGIC - 1);
    pingo__digest_content_stamp(r, "", &entry.st);
    if (rc == 0)
        rc = enter(&w, &entry, err);
    while (rc == 0 && w.below.depth > 0) {
        const char *name = pingo__walk_next(&w.below);
        rc = name ? visit(&w, name, err) : leave(&w, err);
    }
    if (rc == 0 && !r->options->only_stamp)
        pingo__digest_hasher_finish(&w.listing, &r->content->hash);
    if (rc == PINGO_EINPUT || rc == PINGO_EAWAY)
        add_place(&w, err);
    pingo__walk_clear(&w.below);
    return rc;
}
