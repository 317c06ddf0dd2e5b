/* identify.c - reads the originals of a workflow, several at a time.
 *
 * Threads take entries of the list one after the other; each writes only to its entry.  The cache is called under a
 * mutex.  An original that cannot be read is noted in its entry, not an error. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/parallel.h"
#include "digest/originals_list.h"
#include "digest/sha256.h"

#define MOST_LISTED ((size_t)64 << 20) /* bytes of listings of one workflow */
#define WAITS 3                        /* for what changes meanwhile */

struct job {
    struct pingo_originals *o;
    const struct pingo__world *world;
    struct pingo_identify_options options;
    struct pingo__digest_content_cache cache; /* the caller's, under the mutex */
    pthread_mutex_t mutex;
    bool lists; /* listings of directories are wanted */
    bool at_once;
    uint64_t bytes_known;
    atomic_size_t listed; /* bytes of all listings */
    atomic_uint_fast64_t files_done, bytes_done;
    struct pingo__parallel parallel;
};

/* ---- progress ----------------------------------------------------------------------- */

static int report(void *context, size_t done)
{
    struct job *job = context;
    struct pingo_identify_progress progress = {.files_done = atomic_load(&job->files_done),
                                               .bytes_done = atomic_load(&job->bytes_done)};
    progress.files = progress.files_done + job->o->nread - done;
    progress.bytes = job->bytes_known > progress.bytes_done ? job->bytes_known : progress.bytes_done;
    return job->options.progress(job->options.context, &progress);
}

static int on_progress(void *context, uint64_t files, uint64_t bytes)
{
    struct job *job = context;
    atomic_fetch_add(&job->files_done, files);
    atomic_fetch_add(&job->bytes_done, bytes);
    return pingo__parallel_stops(&job->parallel);
}

/* ---- one original ------------------------------------------------------------------- */

/* What is an original's own error stays with it; the others end the job. */
static int note(struct pingo__digest_original *original, int r, const struct pingo_error *e)
{
    if (r != PINGO_EINPUT)
        return r;
    original->error = PINGO_EINPUT;
    original->message = strdup(e->message);
    return original->message ? 0 : PINGO_ENOMEM;
}

static struct pingo__digest_content_options content_options(struct job *job)
{
    return (struct pingo__digest_content_options){.world = job->world,
                                                  .cache = &job->cache,
                                                  .refuse_links_out = true,
                                                  .progress = on_progress,
                                                  .progress_context = job};
}

/* A remark: where there is no memory for it, it is not kept. */
static void keep_listing(struct job *job, struct pingo__digest_original *original,
                         struct pingo__digest_listing *listing)
{
    size_t length = listing->bytes.length;
    if (atomic_fetch_add(&job->listed, length) + length > MOST_LISTED)
        return;
    original->listing = pingo__buffer_take(&listing->bytes);
    original->listing_length = original->listing ? length : 0;
}

static int read_content(struct job *job, struct pingo__digest_original *original)
{
    struct pingo__digest_content_options options = content_options(job);
    struct pingo__digest_listing listing = {.too_long = false};
    struct pingo_error e = {0};
    options.listing = job->lists ? &listing : NULL;
    struct pingo__digest_content content;
    int r = pingo__digest_content_read(original->path, &options, &content, &e);
    if (r == 0 && job->lists && content.is_directory && !listing.too_long)
        keep_listing(job, original, &listing);
    pingo__buffer_clear(&listing.bytes);
    if (r != 0)
        return note(original, r, &e);
    original->mtime_ns = content.mtime_ns;
    original->hash = content.hash;
    original->stamp = content.stamp;
    original->stamp_is_young = content.stamp_is_young;
    original->is_directory = content.is_directory;
    original->size = content.size_bytes;
    return 0;
}

static int read_tool(struct job *job, struct pingo__digest_original *tool)
{
    size_t n = strcspn(tool->name, "\n");
    char *name = strndup(tool->name, n);
    int rc = PINGO_ENOMEM;
    if (name)
        rc = pingo__digest_tool_find(job->world, tool, name,
                                     tool->name[n] == '\0' ? "" : tool->name + n + 1, NULL);
    free(name);
    return rc != 0 || tool->error != 0 ? rc : read_content(job, tool);
}

static int read_version(struct job *job, struct pingo__digest_original *version)
{
    struct pingo__digest_content_options options = content_options(job);
    struct pingo_error e = {0};
    return note(version, pingo__digest_version_read(version, &options, &e), &e);
}

static int hash_stat(struct pingo__digest_original *original,
                     const struct pingo__digest_file_stat *fs)
{
    int64_t numbers[] = {original->is_directory, (int64_t)fs->inode, fs->size, fs->mtime_ns,
                         fs->ctime_ns};
    struct pingo__buffer text = {0};
    pingo__buffer_format(&text, "%s %" PRId64 " %s", original->path, original->size,
                         original->mtime);
    pingo__digest_sha256(numbers, sizeof numbers, &original->stamp);
    return pingo__digest_buffer(&text, &original->hash);
}

/* Its time is all that will tell a change: while one might leave it as it is, it is waited for. */
static int look(struct job *job, const char *path, struct stat *st, int64_t *looked_ns)
{
    const struct pingo__world *w = job->world;
    for (int i = 0;; i++) {
        *looked_ns = w->now_ns(w->context);
        int rc = w->stat(w->context, AT_FDCWD, path, 0, st);
        int64_t mtime_ns = rc < 0 ? 0 : pingo__digest_file_stat_of(st).mtime_ns;
        int64_t young_ns = pingo__digest_time_young_ns(mtime_ns, *looked_ns);
        if (young_ns == 0 || i == WAITS || job->at_once || pingo__parallel_stops(&job->parallel))
            return rc;
        w->sleep(w->context, young_ns);
    }
}

static int read_stat(struct job *job, struct pingo__digest_original *original)
{
    struct pingo_error e = {0};
    struct stat st;
    char reason[128];
    int64_t looked_ns;
    int r = look(job, original->path, &st, &looked_ns);
    if (r < 0)
        r = pingo__fail(&e, PINGO_EINPUT, "%s: cannot be read: %s", original->path,
                        strerror_r(-r, reason, sizeof reason));
    else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        r = pingo__fail(&e, PINGO_EINPUT, "%s: is neither a file nor a directory", original->path);
    if (r != 0)
        return note(original, r, &e);
    struct pingo__digest_file_stat fs = pingo__digest_file_stat_of(&st);
    original->size = fs.size;
    original->mtime_ns = fs.mtime_ns;
    pingo__digest_time_text(&st.st_mtim, original->mtime);
    original->is_directory = S_ISDIR(st.st_mode);
    original->stamp_is_young = pingo__digest_file_stat_is_young(&fs, looked_ns);
    on_progress(job, 1, 0);
    return hash_stat(original, &fs);
}

static int read_one(void *context, size_t i, struct pingo_error *err)
{
    struct job *job = context;
    struct pingo__digest_original *original = &job->o->list[i];
    (void)err;
    if (original->error != 0)
        return 0; /* known to be wrong already */
    switch (original->kind) {
    case PINGO__ORIGINAL_CONTENT:
        return read_content(job, original);
    case PINGO__ORIGINAL_STAT:
        return read_stat(job, original);
    case PINGO__ORIGINAL_TOOL:
        return read_tool(job, original);
    case PINGO__ORIGINAL_VERSION:
        return read_version(job, original);
    case PINGO__ORIGINAL_DECLARED:
        break;
    }
    return 0; /* declared: not read */
}

/* ---- the work ----------------------------------------------------------------------- */

/* What is known beforehand of the bytes to read: those of originals that are files. */
static void count_bytes(struct job *job)
{
    struct stat st;
    for (size_t i = 0; i < job->o->nread; i++)
        if (job->o->list[i].kind == PINGO__ORIGINAL_CONTENT &&
            job->world->stat(job->world->context, AT_FDCWD, job->o->list[i].path, 0, &st) == 0 &&
            S_ISREG(st.st_mode))
            job->bytes_known += (uint64_t)st.st_size;
}

static int run(struct job *job, struct pingo_error *err)
{
    job->parallel = (struct pingo__parallel){.n = job->o->nread,
                                             .threads = job->options.threads,
                                             .run = read_one,
                                             .tell = job->options.progress ? report : NULL,
                                             .context = job};
    if (pthread_mutex_init(&job->mutex, NULL) != 0)
        return pingo__fail_memory(err);
    job->cache.mutex = &job->mutex;
    if (job->options.progress)
        count_bytes(job);
    int rc = pingo__parallel_run(&job->parallel, NULL);
    pthread_mutex_destroy(&job->mutex);
    if (rc == PINGO_EINTERRUPTED)
        return pingo__fail(err, rc, "stopped while the inputs were read");
    return rc == 0 ? 0 : pingo__fail_memory(err);
}

int pingo__digest_originals_identify(const struct pingo__digest_identify *what,
                                     struct pingo_originals **originals, struct pingo_error *err)
{
    struct job job = {.world = what->world ? what->world : pingo__world_real(),
                      .lists = what->workflow,
                      .at_once = what->at_once};
    *originals = NULL;
    int rc = PINGO__OPTIONS_TAKE(pingo_identify_options, what->options, &job.options, err);
    if (rc)
        return rc;
    if (what->cache)
        job.cache = *what->cache;
    struct pingo_originals *o = job.o = calloc(1, sizeof *o);
    if (!o)
        return pingo__fail_memory(err);
    if (what->workflow)
        rc = pingo__digest_originals_collect(what->workflow, o, err);
    else
        rc = pingo__digest_originals_copy(what->list, what->n, o, err);
    if (rc == 0 && o->nread > 0)
        rc = run(&job, err);
    if (rc != 0)
        pingo_originals_free(o);
    else
        *originals = o;
    return rc;
}

int pingo_originals_identify(const struct pingo_workflow *workflow,
                             const struct pingo_identify_options *options,
                             struct pingo_originals **originals, struct pingo_error *err)
{
    struct pingo__digest_identify what = {.workflow = workflow, .options = options};
    return pingo__digest_originals_identify(&what, originals, err);
}
