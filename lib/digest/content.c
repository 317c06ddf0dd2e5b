/* content.c - the content of one file, its stamp, and the entry into both files
 * and trees; see content.h. */
#include "digest/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define BLOCK_SIZE ((size_t)64 * 1024) /* stays on the heap, whose pages are used again */

/* Longer than the coarsest tick of a Linux kernel (10 ms), and than what file systems
 * round to that keep parts of a second. */
#define FINE_MARGIN_NS INT64_C(20000000)
/* For times in whole seconds: FAT counts by two. */
#define COARSE_MARGIN_NS INT64_C(2020000000)
/* A page that a mapping has written is written out by the kernel within 35 s; until then the mapping may go on without
 * a new time. */
#define MAPPED_NS INT64_C(60000000000)
#define SECOND_NS INT64_C(1000000000)
#define TMPFS_MAGIC INT64_C(0x01021994) /* as linux/magic.h has them */
#define RAMFS_MAGIC INT64_C(0x858458f6)

void pingo__digest_time_text(const struct timespec *t, char text[PINGO__TIME_TEXT_SIZE])
{
    bool negative = t->tv_sec < 0;
    uint64_t seconds = negative ? 0 - (uint64_t)t->tv_sec : (uint64_t)t->tv_sec;
    int64_t ns = t->tv_nsec;
    if (negative && ns > 0) { /* -2 s and 0.5 s more are -1.5 s */
        seconds--;
        ns = SECOND_NS - ns;
    }
    if (seconds > 0)
        snprintf(text, PINGO__TIME_TEXT_SIZE, "%s%" PRIu64 "%09" PRId64, negative ? "-" : "",
                 seconds, ns);
    else
        snprintf(text, PINGO__TIME_TEXT_SIZE, "%s%" PRId64, negative ? "-" : "", ns);
}

struct pingo__digest_file_stat pingo__digest_file_stat_of(const struct stat *st)
{
    return (struct pingo__digest_file_stat){.device = st->st_dev,
                                            .inode = st->st_ino,
                                            .size = st->st_size,
                                            .mtime_ns = pingo__file_time_ns(&st->st_mtim),
                                            .ctime_ns = pingo__file_time_ns(&st->st_ctim)};
}

static int64_t margin_of(int64_t t_ns)
{
    return t_ns % SECOND_NS == 0 ? COARSE_MARGIN_NS : FINE_MARGIN_NS;
}

static bool is_young(int64_t t_ns, int64_t at_ns)
{
    return t_ns > at_ns - margin_of(t_ns);
}

int64_t pingo__digest_time_young_ns(int64_t t_ns, int64_t at_ns)
{
    return t_ns <= at_ns && is_young(t_ns, at_ns) ? t_ns + margin_of(t_ns) - at_ns : 0;
}

bool pingo__digest_file_stat_is_young(const struct pingo__digest_file_stat *st, int64_t at_ns)
{
    return is_young(st->mtime_ns, at_ns) || is_young(st->ctime_ns, at_ns);
}

int pingo__digest_content_refuse(struct pingo_error *err, int error_number, const char *what)
{
    if (error_number == ENOMEM)
        return pingo__fail_memory(err);
    char reason[128];
    bool is_other = error_number == ENOENT || error_number == ENOTDIR || error_number == ELOOP;
    return pingo__fail(err, is_other ? PINGO_EINPUT : PINGO_EAWAY, "%s: %s", what,
                       strerror_r(error_number, reason, sizeof reason));
}

/* Who has closed what is ours has changed it; and what was just made is as its maker wants it. */
int pingo__digest_content_unreadable(const struct pingo__digest_content_reader *r, int error_number,
                                     const struct stat *st, struct pingo_error *err)
{
    const struct pingo__digest_content_options *o = r->options;
    int rc = pingo__digest_content_refuse(err, error_number, "cannot be read");
    bool is_taken = o->output_of && o->make_readonly;
    return error_number == EACCES && (st->st_uid == o->us || is_taken) ? PINGO_EINPUT : rc;
}

void pingo__digest_content_stamp(struct pingo__digest_content_reader *r, const char *name,
                                 const struct stat *st)
{
    struct pingo__digest_file_stat fs = pingo__digest_file_stat_of(st);
    char of_file = (st->st_mode & S_IXUSR) != 0 ? 'x' : 'f';
    char kind = S_ISDIR(st->st_mode) ? 'd' : S_ISLNK(st->st_mode) ? 'l' : of_file;
    if (r->options->root_may_move && *name == '\0')
        fs.ctime_ns = 0;
    int64_t numbers[] = {(int64_t)fs.inode, fs.size, fs.mtime_ns, fs.ctime_ns};
    if (pingo__digest_file_stat_is_young(&fs, r->started_ns))
        r->content->stamp_is_young = true;
    /* In this machine's byte order: a stamp is compared where it was made. */
    pingo__digest_hasher_add(&r->stamp, name, strlen(name) + 1);
    pingo__digest_hasher_add(&r->stamp, &kind, 1);
    pingo__digest_hasher_add(&r->stamp, numbers, sizeof numbers);
}

static int told_to_stop(struct pingo__digest_content_reader *r, uint64_t files, uint64_t bytes,
                        struct pingo_error *err)
{
    const struct pingo__digest_content_options *o = r->options;
    if (!o->progress || o->progress(o->progress_context, files, bytes) == 0)
        return 0;
    return pingo__fail(err, PINGO_EINTERRUPTED, "stopped while the input was read");
}

static int changed(struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EINPUT, "it changed while it was read");
}

/* Does the file system leave times as they are when a mapped file is written?  Then nothing but
 * reading it tells whether it changed. */
static bool keeps_no_times(const struct pingo__world *w, int fd)
{
    int64_t magic;
    return w->file_system(w->context, fd, &magic) == 0 &&
           (magic == TMPFS_MAGIC || magic == RAMFS_MAGIC);
}

/* Reads an open file to its end. */
static int hash_descriptor(struct pingo__digest_content_reader *r, int fd, int64_t size,
                           struct pingo_hash *hash, struct pingo_error *err)
{
    int64_t total = 0;
    ssize_t n;
    while ((n = r->world->read(r->world->context, fd, r->block, BLOCK_SIZE)) > 0) {
        total += n;
        if (total > size)
            return changed(err);
        pingo__digest_hasher_add(&r->file, r->block, (size_t)n);
        if (told_to_stop(r, 0, (uint64_t)n, err) != 0)
            return PINGO_EINTERRUPTED;
    }
    if (n < 0)
        return pingo__digest_content_refuse(err, (int)-n, "cannot be read");
    if (total != size)
        return changed(err);
    pingo__digest_hasher_finish(&r->file, hash);
    return 0;
}

/* Opens and hashes; the file must be what the stat said, before and after. */
static int hash_file(struct pingo__digest_content_reader *r,
                     const struct pingo__digest_content_entry *entry, struct pingo_hash *hash,
                     struct pingo_error *err)
{
    const struct pingo__world *w = r->world;
    int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (entry->follow != 0 ? O_NOFOLLOW : 0);
    int fd = w->open(w->context, entry->dir, entry->name, flags, 0);
    if (fd < 0)
        return pingo__digest_content_unreadable(r, -fd, &entry->st, err);
    r->untimely = keeps_no_times(w, fd);
    r->content->stamp_is_young = r->content->stamp_is_young || r->untimely;
    if (!r->options->make_readonly &&
        pingo__file_time_ns(&entry->st.st_ctim) > r->started_ns - MAPPED_NS)
        w->write_out(w->context, fd); /* where it cannot be, the times tell what they tell */
    struct stat st;
    int rc = w->stat(w->context, fd, "", AT_EMPTY_PATH, &st);
    if (rc < 0)
        rc = pingo__digest_content_refuse(err, -rc, "cannot be read");
    else if (!pingo__file_is_unchanged(&st, &entry->st))
        rc = changed(err);
    else
        rc = hash_descriptor(r, fd, st.st_size, hash, err);
    if (rc == 0 && (w->stat(w->context, fd, "", AT_EMPTY_PATH, &st) < 0 ||
                    !pingo__file_is_unchanged(&st, &entry->st)))
        rc = changed(err);
    w->close(w->context, fd);
    return rc;
}

void pingo__digest_content_cache_lock(const struct pingo__digest_content_cache *cache)
{
    if (cache->mutex)
        pthread_mutex_lock(cache->mutex);
}

void pingo__digest_content_cache_unlock(const struct pingo__digest_content_cache *cache)
{
    if (cache->mutex)
        pthread_mutex_unlock(cache->mutex);
}

static bool find_known(const struct pingo__digest_content_cache *cache,
                       const struct pingo__digest_file_stat *st, struct pingo_hash *hash)
{
    if (!cache || !cache->find)
        return false;
    pingo__digest_content_cache_lock(cache);
    bool found = cache->find(cache->context, st, hash);
    pingo__digest_content_cache_unlock(cache);
    return found;
}

int pingo__digest_content_file(struct pingo__digest_content_reader *r,
                               const struct pingo__digest_content_entry *entry,
                               struct pingo_hash *hash, struct pingo_error *err)
{
    const struct pingo__digest_content_cache *cache = r->options->cache;
    struct pingo__digest_file_stat fs = pingo__digest_file_stat_of(&entry->st);
    r->content->files++;
    r->content->size_bytes += entry->st.st_size;
    r->content->has_other_names = r->content->has_other_names || entry->st.st_nlink > 1;
    memset(hash, 0, sizeof *hash);
    if (r->options->only_stamp)
        return told_to_stop(r, 1, 0, err);
    if (find_known(cache, &fs, hash))
        return told_to_stop(r, 1, (uint64_t)fs.size, err);
    int64_t hashed_at_ns = r->world->now_ns(r->world->context);
    int rc = hash_file(r, entry, hash, err);
    if (rc == 0 && cache && cache->remember && !r->untimely &&
        !pingo__digest_file_stat_is_young(&fs, hashed_at_ns)) {
        pingo__digest_content_cache_lock(cache);
        cache->remember(cache->context, &fs, hash);
        pingo__digest_content_cache_unlock(cache);
    }
    return rc == 0 ? told_to_stop(r, 1, 0, err) : rc;
}

int pingo__digest_content_protect(struct pingo__digest_content_reader *r,
                                  struct pingo__digest_content_entry *entry, mode_t bits,
                                  struct pingo_error *err)
{
    const struct pingo__world *w = r->world;
    mode_t mode = entry->st.st_mode & 07777;
    if (!r->options->make_readonly || S_ISLNK(entry->st.st_mode) || (mode & bits) == 0)
        return 0;
    int result = w->chmod(w->context, entry->dir, entry->name, mode & ~bits);
    if (result == 0)
        result = w->stat(w->context, entry->dir, entry->name, entry->follow, &entry->st);
    if (result >= 0)
        return 0;
    int rc = pingo__digest_content_refuse(err, -result, "cannot be made read-only");
    return result == -EPERM && r->options->output_of ? PINGO_EINPUT : rc;
}

static int read_named_file(struct pingo__digest_content_reader *r,
                           struct pingo__digest_content_entry *root, struct pingo_error *err)
{
    int rc = pingo__digest_content_protect(r, root, PINGO__WRITE_BITS, err);
    r->content->is_executable = (root->st.st_mode & S_IXUSR) != 0;
    pingo__digest_content_stamp(r, "", &root->st);
    return rc == 0 ? pingo__digest_content_file(r, root, &r->content->hash, err) : rc;
}

static int read_root(struct pingo__digest_content_reader *r, const char *path,
                     struct pingo_error *err)
{
    bool no_follow = r->options->no_follow || r->options->output_of;
    struct pingo__digest_content_entry root = {
        .dir = AT_FDCWD, .name = path, .follow = no_follow ? AT_SYMLINK_NOFOLLOW : 0};
    int rc = r->world->stat(r->world->context, root.dir, root.name, root.follow, &root.st);
    if (rc == 0)
        r->content->mtime_ns = pingo__file_time_ns(&root.st.st_mtim);
    if (rc == 0 && S_ISDIR(root.st.st_mode)) {
        r->content->is_directory = true;
        return pingo__digest_content_tree(r, &root, err);
    }
    if (rc < 0)
        rc = pingo__digest_content_refuse(err, -rc, "cannot be read");
    else if (S_ISLNK(root.st.st_mode))
        rc = pingo__fail(err, PINGO_EINPUT,
                         "is a symbolic link; an output is a file or a directory");
    else if (!S_ISREG(root.st.st_mode))
        rc = pingo__fail(err, PINGO_EINPUT, "is neither a file nor a directory");
    else
        rc = read_named_file(r, &root, err);
    if (rc == PINGO_EINPUT || rc == PINGO_EAWAY)
        pingo__error_prefix(err, "%s", r->path);
    return rc;
}

int pingo__digest_content_read(const char *path, const struct pingo__digest_content_options *options,
                               struct pingo__digest_content *content, struct pingo_error *err)
{
    struct pingo__digest_content_reader r = {
        .options = options, .content = content, .path = options->label ? options->label : path};
    memset(content, 0, sizeof *content);
    r.world = options->world ? options->world : pingo__world_real();
    r.started_ns = r.world->now_ns(r.world->context);
    r.block = options->only_stamp ? NULL : malloc(BLOCK_SIZE);
    if (!r.block && !options->only_stamp)
        return pingo__fail_memory(err);
    pingo__digest_hasher_init(&r.file);
    pingo__digest_hasher_init(&r.stamp);
    int rc = read_root(&r, path, err);
    if (rc == 0)
        pingo__digest_hasher_finish(&r.stamp, &content->stamp);
    free(r.block);
    if (rc == PINGO_EAWAY && !options->may_be_away)
        rc = PINGO_EINPUT;
    if (rc && err)
        err->code = rc;
    return rc;
}

int64_t pingo__digest_file_mark(bool is_executable)
{
    return is_executable ? 2 : 1;
}

int64_t pingo__digest_content_mark(const struct pingo__digest_content *content)
{
    uint64_t n;
    if (!content->is_directory)
        return pingo__digest_file_mark(content->is_executable);
    memcpy(&n, content->stamp.bytes, sizeof n);
    return (int64_t)(n >> 1 | 1);
}

int pingo_content_hash(const char *path, struct pingo_hash *hash, struct pingo_error *err)
{
    struct pingo__digest_content_options options = {.refuse_links_out = true};
    struct pingo__digest_content content;
    int rc = pingo__digest_content_read(path, &options, &content, err);
    if (rc == 0)
        *hash = content.hash;
    return rc;
}
