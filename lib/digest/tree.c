/* tree.c - walks a directory tree and hashes its listing, as pingo-hash(7) says.
 *
 * The walk keeps one directory open at a time and goes back up through "..",
 * checking that it arrives where it came from; what is above waits as lists of
 * names in memory.  So neither depth nor the limit of descriptors ends it. */
#include "digest/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/error.h"
#include "digest/links.h"
#include "digest/originals.h"

#define TREE_MAGIC "pingo-tree-1\n"

/* A directory on the way down. */
struct level {
    struct stat st;
    struct pingo__buffer text; /* its names, each with a NUL */
    const char **names;        /* sorted by bytes */
    size_t n, next;
};

struct walk {
    struct pingo__content_reader *r;
    struct pingo__hasher listing;
    struct level *levels;
    size_t depth, capacity;
    int fd;       /* of the deepest level, or -1 */
    bool in_name; /* the current entry of the deepest level belongs to the path of a message */
};

/* ---- the listing ------------------------------------------------------------------ */

static int put(struct walk *w, const void *bytes, size_t n)
{
    return pingo__hasher_add(&w->listing, bytes, n);
}

static int put_counted(struct walk *w, const char *bytes, size_t n)
{
    unsigned char length[4] = {(unsigned char)n, (unsigned char)(n >> 8), (unsigned char)(n >> 16),
                               (unsigned char)(n >> 24)};

    return put(w, length, sizeof length) != 0 || put(w, bytes, n) != 0 ? PINGO_ENOMEM : 0;
}

static int put_entry(struct walk *w, char kind, const char *name)
{
    if (put(w, &kind, 1) != 0 || put_counted(w, name, strlen(name)) != 0)
        return PINGO_ENOMEM;
    return 0;
}

/* ---- levels ----------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void clear_level(struct level *level)
{
    pingo__buffer_clear(&level->text);
    free(level->names);
    level->names = NULL;
}

static int read_names(const struct pingo__world *world, int fd, struct level *level,
                      struct pingo_error *err)
{
    struct pingo__dir *dir = NULL;
    const char *name;
    int result = world->open(world->context, fd, ".", O_RDONLY | O_DIRECTORY, 0);

    if (result >= 0)
        result = world->dir_open(world->context, result, &dir);
    if (result < 0)
        return pingo__content_refuse(err, -result, "cannot be read");
    while ((result = world->dir_next(world->context, dir, &name)) == 1) {
        pingo__buffer_append(&level->text, name, strlen(name) + 1);
        level->n++;
    }
    world->dir_close(world->context, dir);
    if (result < 0)
        return pingo__content_refuse(err, -result, "cannot be read");
    return level->text.failed ? pingo__fail_memory(err) : 0;
}

static int sort_names(struct level *level, struct pingo_error *err)
{
    const char *at = level->text.data;

    level->names = calloc(level->n == 0 ? 1 : level->n, sizeof *level->names);
    if (level->names == NULL)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < level->n; i++) {
        level->names[i] = at;
        at += strlen(at) + 1;
    }
    qsort(level->names, level->n, sizeof *level->names, by_bytes);
    return 0;
}

static struct level *grow(struct walk *w)
{
    if (!pingo__array_room((void **)&w->levels, &w->capacity, w->depth, 1, sizeof *w->levels))
        return NULL;
    memset(&w->levels[w->depth], 0, sizeof *w->levels);
    return &w->levels[w->depth];
}

/* Goes down into the directory that entry names. */
static int enter(struct walk *w, const struct pingo__content_entry *entry, struct pingo_error *err)
{
    const struct pingo__world *world = w->r->world;
    int flags = O_RDONLY | O_DIRECTORY | (entry->follow != 0 ? O_NOFOLLOW : 0);
    int fd = world->open(world->context, entry->dir, entry->name, flags, 0);
    struct level *level = grow(w);
    int result;

    if (fd < 0)
        return pingo__content_refuse(err, -fd, "cannot be read");
    if (w->fd >= 0)
        world->close(world->context, w->fd);
    w->fd = fd;
    if (level == NULL)
        return pingo__fail_memory(err);
    w->depth++;
    w->in_name = false;
    result = world->stat(world->context, fd, "", AT_EMPTY_PATH, &level->st);
    if (result < 0)
        return pingo__content_refuse(err, -result, "cannot be read");
    if (!pingo__content_same_stat(&level->st, &entry->st))
        return pingo__content_refuse(err, 0, "it changed while it was read");
    result = read_names(world, fd, level, err);
    return result == 0 ? sort_names(level, err) : result;
}

/* Goes back up from a directory that is done, and checks that nothing moved meanwhile. */
static int leave(struct walk *w, struct pingo_error *err)
{
    const struct pingo__world *world = w->r->world;
    const struct level *above;
    struct stat st;
    int fd;

    w->in_name = false;
    if (world->stat(world->context, w->fd, "", AT_EMPTY_PATH, &st) < 0 ||
        !pingo__content_same_stat(&st, &w->levels[w->depth - 1].st))
        return pingo__content_refuse(err, 0, "it changed while it was read");
    if (put(w, "e", 1) != 0 || pingo__hasher_add(&w->r->stamp, "", 1) != 0)
        return pingo__fail_memory(err);
    if (w->depth > 1) {
        above = &w->levels[w->depth - 2];
        fd = world->open(world->context, w->fd, "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
        if (fd < 0)
            return pingo__content_refuse(err, -fd, "its parent directory cannot be read");
        world->close(world->context, w->fd);
        w->fd = fd;
        if (world->stat(world->context, fd, "", AT_EMPTY_PATH, &st) < 0 ||
            st.st_dev != above->st.st_dev || st.st_ino != above->st.st_ino)
            return pingo__content_refuse(err, 0, "it was moved while it was read");
    }
    clear_level(&w->levels[w->depth - 1]);
    w->depth--;
    return 0;
}

/* ---- what is in it, for people ------------------------------------------------------ */

/* The path below the root of the entry that is being visited. */
static void put_path(const struct walk *w, struct pingo__buffer *path)
{
    for (size_t i = 0; i < w->depth; i++) {
        if (i > 0)
            pingo__buffer_char(path, '/');
        pingo__buffer_text(path, w->levels[i].names[w->levels[i].next - 1]);
    }
}

/* mark: of the entry that is being visited; NULL of a directory. */
static int list(struct walk *w, char kind, const struct pingo_hash *mark, struct pingo_error *err)
{
    struct pingo__listing_entry entry = {.kind = kind};
    struct pingo__buffer path;

    if (!w->r->options->listing)
        return 0;
    pingo__buffer_init(&path);
    put_path(w, &path);
    entry.path = pingo__buffer_cstr(&path);
    if (mark)
        memcpy(entry.mark, mark->bytes, sizeof entry.mark);
    if (entry.path)
        pingo__listing_add(w->r->options->listing, &entry);
    pingo__buffer_clear(&path);
    return entry.path && !w->r->options->listing->bytes.failed ? 0 : pingo__fail_memory(err);
}

static void note_newest(const struct walk *w, const struct stat *st)
{
    struct pingo__newest *newest = w->r->options->newest;
    struct pingo__file_stat fs = pingo__file_stat_of(st);

    if (!newest || fs.ctime_ns < newest->ctime_ns)
        return;
    newest->ctime_ns = fs.ctime_ns;
    newest->mtime_ns = fs.mtime_ns;
    pingo__buffer_reset(&newest->path);
    put_path(w, &newest->path);
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

/* Does the path go up from what is itself a link?  Its text alone does not tell where that leads: with
 * "loop" a link to ".", "loop/.." is outside. */
static bool turns_at_link(const struct pingo__world *world, int dir, char *target)
{
    char *last = NULL, ignored[1];

    for (char *at = target; (at = strstr(at, "/..")) != NULL; at += 3)
        if (at[3] == '/' || at[3] == '\0')
            last = at;
    if (target[0] == '/' || last == NULL)
        return false;
    for (char *at = target; at <= last; at++) {
        bool found;

        if (*at != '/')
            continue;
        *at = '\0';
        found = world->readlink(world->context, dir, target, ignored, sizeof ignored) >= 0;
        *at = '/';
        if (found)
            return true;
    }
    return false;
}

static bool leads_out(const struct walk *w, const struct pingo__content_entry *entry, char *target,
                      const char *pool)
{
    return pingo__link_leads_out(target, w->depth - 1, pool) ||
           turns_at_link(w->r->world, entry->dir, target);
}

static int visit_link(struct walk *w, const struct pingo__content_entry *entry,
                      struct pingo_error *err)
{
    char target[PATH_MAX + 1];
    const struct pingo__world *world = w->r->world;
    struct pingo_hash mark;
    ssize_t n = world->readlink(world->context, entry->dir, entry->name, target, sizeof target - 1);

    if (n < 0)
        return pingo__content_refuse(err, (int)-n, "cannot be read");
    target[n] = '\0';
    if (w->r->options->refuse_links_out && leads_out(w, entry, target, NULL))
        return pingo__fail(err, PINGO_EINPUT, "is a link that leads out of the tree, to %.300s",
                           target);
    if (w->r->options->output_of && leads_out(w, entry, target, w->r->options->output_of))
        return refuse_in_output(target, w->r->options->output_of, err);
    w->r->content->size_bytes += n;
    if (put_entry(w, 'l', entry->name) != 0 || put_counted(w, target, (size_t)n) != 0 ||
        pingo__sha256(target, (size_t)n, &mark) != 0)
        return pingo__fail_memory(err);
    return list(w, 'l', &mark, err);
}

static int visit_file(struct walk *w, struct pingo__content_entry *entry, struct pingo_error *err)
{
    struct pingo_hash hash;
    int result = pingo__content_file(w->r, entry, &hash, err);
    char kind = (entry->st.st_mode & S_IXUSR) != 0 ? 'x' : 'f';

    if (result != 0)
        return result;
    if (put_entry(w, kind, entry->name) != 0 || put(w, hash.bytes, sizeof hash.bytes) != 0)
        return pingo__fail_memory(err);
    return list(w, kind, &hash, err);
}

static int visit(struct walk *w, const char *name, struct pingo_error *err)
{
    const struct pingo__world *world = w->r->world;
    struct pingo__content_entry entry = {.dir = w->fd, .name = name, .follow = AT_SYMLINK_NOFOLLOW};
    int result = world->stat(world->context, entry.dir, name, entry.follow, &entry.st);

    if (result < 0)
        return pingo__content_refuse(err, -result, "cannot be read");
    if (!S_ISREG(entry.st.st_mode) && !S_ISDIR(entry.st.st_mode) && !S_ISLNK(entry.st.st_mode))
        return pingo__content_refuse(err, 0, "is neither a file nor a directory nor a link");
    result = pingo__content_protect(w->r, &entry, err);
    if (result != 0)
        return result;
    note_newest(w, &entry.st);
    if (pingo__content_stamp(w->r, name, &entry.st) != 0)
        return pingo__fail_memory(err);
    if (S_ISLNK(entry.st.st_mode))
        return visit_link(w, &entry, err);
    if (S_ISREG(entry.st.st_mode))
        return visit_file(w, &entry, err);
    if (put_entry(w, 'd', name) != 0)
        return pingo__fail_memory(err);
    result = list(w, 'd', NULL, err);
    return result == 0 ? enter(w, &entry, err) : result;
}

/* ---- the walk ----------------------------------------------------------------------- */

static int step(struct walk *w, struct pingo_error *err)
{
    struct level *level = &w->levels[w->depth - 1];

    if (level->next == level->n)
        return leave(w, err);
    w->in_name = true;
    return visit(w, level->names[level->next++], err);
}

/* Says where it went wrong: "ROOT/a/b: " before the message. */
static void add_place(const struct walk *w, struct pingo_error *err)
{
    struct pingo__buffer path;
    size_t names = w->in_name ? w->depth : w->depth == 0 ? 0 : w->depth - 1;
    const char *text;

    pingo__buffer_init(&path);
    pingo__buffer_text(&path, w->r->path);
    for (size_t i = 0; i < names && path.length < PATH_MAX; i++) {
        pingo__buffer_char(&path, '/');
        pingo__buffer_text(&path, w->levels[i].names[w->levels[i].next - 1]);
    }
    text = pingo__buffer_cstr(&path);
    pingo__error_prefix(err, "%s", text != NULL ? text : w->r->path);
    pingo__buffer_clear(&path);
}

/* The owner's write bit stays on the root: see make_readonly. */
static int protect_root(struct pingo__content_reader *r, struct pingo__content_entry *root,
                        struct pingo_error *err)
{
    const struct pingo__world *world = r->world;
    mode_t mode = root->st.st_mode & 07777;
    int result;

    if (!r->options->make_readonly || (mode & (S_IWGRP | S_IWOTH)) == 0)
        return 0;
    result =
        world->chmod(world->context, root->dir, root->name, mode & ~(mode_t)(S_IWGRP | S_IWOTH));
    if (result == 0)
        result = world->stat(world->context, root->dir, root->name, root->follow, &root->st);
    return result < 0 ? pingo__content_refuse(err, -result, "cannot be made read-only") : 0;
}

int pingo__content_tree(struct pingo__content_reader *r, const struct pingo__content_entry *root,
                        struct pingo_error *err)
{
    struct walk w = {.r = r, .fd = -1};
    struct pingo__content_entry entry = *root;
    int result = protect_root(r, &entry, err);

    if (result == PINGO_EINPUT)
        pingo__error_prefix(err, "%s", r->path);
    if (result != 0)
        return result;
    if (pingo__hasher_init(&w.listing) != 0 || pingo__hasher_start(&w.listing) != 0 ||
        put(&w, TREE_MAGIC, sizeof TREE_MAGIC - 1) != 0 ||
        pingo__content_stamp(r, "", &entry.st) != 0) {
        result = pingo__fail_memory(err);
        goto out;
    }
    note_newest(&w, &entry.st);
    result = enter(&w, &entry, err);
    while (result == 0 && w.depth > 0)
        result = step(&w, err);
    if (result == 0 && !r->options->only_stamp &&
        pingo__hasher_finish(&w.listing, &r->content->hash) != 0)
        result = pingo__fail_memory(err);
    if (result == PINGO_EINPUT)
        add_place(&w, err);
out:
    pingo__hasher_clear(&w.listing);
    if (w.fd >= 0)
        r->world->close(r->world->context, w.fd);
    while (w.depth > 0)
        clear_level(&w.levels[--w.depth]);
    free(w.levels);
    return result;
}
