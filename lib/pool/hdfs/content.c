/* content.c - the content of what lies in HDFS, by the checksums that it has there.
 *
 * The hash is that of lines "KIND LENGTH CHECKSUM PATH" behind a magic, in the order in which a tree is walked; a
 * file's path is "".  It depends on the sizes of blocks and chunks, as Hadoop's checksums do: of the same bytes written
 * otherwise it is another.  It never equals that of anything on this machine. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/path.h"
#include "digest/sha256.h"
#include "pool/hdfs/hdfs.h"

#define MAGIC "hdfs-md5crc\n"
#define THREADS 4
/* Some 200 bytes of memory each; HDFS's own limit of a directory is a million. */
#define ENTRIES_MOST 2000000

struct entry {
    const char *path;
    struct pingo__hdfs_status status;
    const char *checksum; /* NULL: none is asked for */
};

struct reading {
    struct pingo__pool_hdfs *pool;
    const char *name;
    const struct pingo__digest_content_options *options;
    struct pingo__arena arena;
    pthread_mutex_t lock; /* of the arena */
    struct entry *entries;
    size_t n, capacity;
};

struct pingo__stamp pingo__pool_hdfs_stamp(const struct pingo__hdfs_status *status)
{
    return (struct pingo__stamp){{status->file_id, status->mtime_ms}};
}

static int note(void *context, const char *path, const struct pingo__hdfs_status *status,
                struct pingo_error *err)
{
    struct reading *r = context;
    if (status->is_link)
        return pingo__fail(err, PINGO_EINPUT, "%s/%s: is a link", r->name, path);
    if (r->n >= ENTRIES_MOST)
        return pingo__fail(err, PINGO_EINPUT, "%s: has more than %d files and directories", r->name,
                           ENTRIES_MOST);
    if (!PINGO__ARENA_ROOM(&r->arena, r->entries, r->n, r->capacity))
        return pingo__fail_memory(err);
    r->entries[r->n] =
        (struct entry){pingo__arena_text(&r->arena, path, strlen(path)), *status, NULL};
    return r->entries[r->n++].path ? 0 : pingo__fail_memory(err);
}

/* A directory before what it holds, and that before its next sibling. */
static int in_order(const void *a, const void *b)
{
    const unsigned char *x = (const unsigned char *)((const struct entry *)a)->path,
                        *y = (const unsigned char *)((const struct entry *)b)->path;
    while (*x && *x == *y) {
        x++;
        y++;
    }
    int left = *x == '/' ? 1 : *x ? *x + 1 : 0, right = *y == '/' ? 1 : *y ? *y + 1 : 0;
    return left - right;
}

static int look_at(void *context, size_t i, struct pingo_error *err)
{
    struct reading *r = context;
    struct entry *e = &r->entries[i];
    const struct pingo__digest_content_options *o = r->options;
    char text[PINGO__HDFS_CHECKSUM_SIZE];
    if (e->status.is_directory)
        return 0;
    char *name = pingo__path_below(r->name, e->path);
    int rc = name ? 0 : pingo__fail_memory(err);
    if (!rc && o->make_readonly && (e->status.mode & 0222))
        rc = pingo__hdfs_set_mode(r->pool->fs, name, e->status.mode & 0555, err);
    if (!rc && !o->only_stamp)
        rc = pingo__hdfs_checksum(r->pool->fs, name, text, err);
    if (!rc && !o->only_stamp) {
        pthread_mutex_lock(&r->lock);
        e->checksum = pingo__arena_text(&r->arena, text, strlen(text));
        pthread_mutex_unlock(&r->lock);
        rc = e->checksum ? 0 : pingo__fail_memory(err);
    }
    if (!rc && o->progress && o->progress(o->progress_context, 1, (uint64_t)e->status.length))
        rc = pingo__fail(err, PINGO_EINTERRUPTED, "stopped while the input was read");
    free(name);
    return rc;
}

static char kind_of(const struct pingo__hdfs_status *status)
{
    return status->is_directory ? 'd' : status->mode & 0100 ? 'x' : 'f';
}

static void tell(const struct reading *r, const struct entry *e, const struct pingo_hash *mark)
{
    struct pingo__digest_newest *newest = r->options->newest;
    int64_t mtime_ns = e->status.mtime_ms * 1000000;
    if (r->options->listing && *e->path) {
        struct pingo__digest_listing_entry entry = {.path = e->path, .kind = kind_of(&e->status)};
        memcpy(entry.mark, mark->bytes, sizeof entry.mark);
        pingo__digest_listing_add(r->options->listing, &entry);
    }
    if (newest && (e == r->entries || mtime_ns > newest->mtime_ns)) {
        pingo__buffer_reset(&newest->path);
        pingo__buffer_text(&newest->path, e->path);
        newest->mtime_ns = newest->ctime_ns = mtime_ns;
    }
}

/* One line of each hash. */
static int add(const struct reading *r, const struct entry *e,
               struct pingo__digest_hasher hashers[2], struct pingo__digest_content *content)
{
    const struct pingo__hdfs_status *s = &e->status;
    struct pingo__buffer line = {0};
    struct pingo_hash mark = {{0}};
    char kind = content->is_directory ? kind_of(s) : 'f';
    pingo__buffer_format(&line, "%c %lld %s %s", kind, (long long)s->length,
                         e->checksum ? e->checksum : "-", e->path);
    pingo__buffer_char(&line, '\0');
    pingo__digest_hasher_add(&hashers[0], line.data, line.length);
    if (e->checksum)
        pingo__digest_sha256(e->checksum, strlen(e->checksum), &mark);
    int64_t numbers[] = {s->file_id, s->length, s->mtime_ms};
    pingo__digest_hasher_add(&hashers[1], e->path, strlen(e->path) + 1);
    kind = kind_of(s);
    pingo__digest_hasher_add(&hashers[1], &kind, 1);
    pingo__digest_hasher_add(&hashers[1], numbers, sizeof numbers);
    content->files += !s->is_directory;
    content->size_bytes += s->is_directory ? 0 : s->length;
    tell(r, e, &mark);
    int rc = line.failed ? PINGO_ENOMEM : 0;
    pingo__buffer_clear(&line);
    return rc;
}

static int sum_up(const struct reading *r, struct pingo__digest_content *content,
                  struct pingo_error *err)
{
    struct pingo__digest_hasher hashers[2];
    const struct pingo__hdfs_status *top = &r->entries[0].status;
    int rc = 0;
    content->is_directory = top->is_directory;
    content->is_executable = !top->is_directory && (top->mode & 0100);
    content->mtime_ns = top->mtime_ms * 1000000;
    for (size_t i = 0; i < 2; i++) {
        pingo__digest_hasher_init(&hashers[i]);
        pingo__digest_hasher_add(&hashers[i], MAGIC, strlen(MAGIC));
    }
    for (size_t i = 0; !rc && i < r->n; i++)
        rc = add(r, &r->entries[i], hashers, content);
    if (!rc)
        pingo__digest_hasher_finish(&hashers[1], &content->stamp);
    if (!rc && !r->options->only_stamp)
        pingo__digest_hasher_finish(&hashers[0], &content->hash);
    return rc ? pingo__fail_memory(err) : 0;
}

int pingo__pool_hdfs_read(struct pingo__pool_hdfs *p, const char *name,
                          const struct pingo__digest_content_options *options,
                          struct pingo__digest_content *content, struct pingo_error *err)
{
    struct reading r = {.pool = p, .name = name, .options = options};
    struct pingo__parallel all = {.run = look_at, .context = &r};
    struct pingo_error why = {0};
    memset(content, 0, sizeof *content);
    pthread_mutex_init(&r.lock, NULL);
    int rc = pingo__hdfs_walk(p->fs, name, note, &r, &why);
    if (!rc) {
        qsort(r.entries, r.n, sizeof *r.entries, in_order);
        all.n = r.n;
        all.threads = r.n < THREADS ? 1 : THREADS;
        rc = pingo__parallel_run(&all, &why);
    }
    if (!rc)
        rc = sum_up(&r, content, &why);
    pingo__arena_clear(&r.arena);
    pthread_mutex_destroy(&r.lock);
    if (!rc)
        return 0;
    return pingo__fail(err, rc == PINGO_ENOTFOUND ? PINGO_EINPUT : rc, "%s: %s",
                       options->label ? options->label : name, why.message);
}
