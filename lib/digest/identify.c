/* identify.c - reads the originals of a workflow, several at a time.
 *
 * Worker threads take entries of the list one after the other; each writes only
 * to its entry.  The thread that called reports progress and nothing else, or,
 * where one thread is enough, does the work itself.  The cache is called under
 * a mutex.  An original that cannot be read is noted in its entry, not an error. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/growing.h"
#include "digest/originals_list.h"

#define MOST_THREADS 8
#define MOST_LISTED ((size_t)64 << 20) /* bytes of listings of one workflow */
#define REPORT_EVERY_NS INT64_C(100000000)

struct job {
    struct pingo_originals *o;
    const struct pingo__world *world;
    struct pingo_identify_options options;
    struct pingo__digest_content_cache cache; /* the caller's, under the mutex */
    bool alone;                               /* no worker threads */
    bool lists;                               /* listings of directories are wanted */
    int64_t reported_ns;                      /* when alone: the last report */
    uint64_t bytes_known;

    atomic_size_t next, originals_done, listed; /* listed: bytes of all listings */
    atomic_uint_fast64_t files_done, bytes_done;
    atomic_bool stop;

    pthread_mutex_t mutex; /* of what follows, and of the cache */
    pthread_cond_t ended;
    unsigned running;
    int result; /* the first error that is not an original's own */
};

/* ---- progress ----------------------------------------------------------------------- */

/* Calls the caller's function, in the caller's thread. */
static void report(struct job *job)
{
    struct pingo_identify_progress progress;
    size_t waiting = job->o->nread - atomic_load(&job->originals_done);
    if (!job->options.progress)
        return;
    progress.files_done = atomic_load(&job->files_done);
    progress.files = progress.files_done + waiting;
    progress.bytes_done = atomic_load(&job->bytes_done);
    progress.bytes = job->bytes_known > progress.bytes_done ? job->bytes_known : progress.bytes_done;
    if (job->options.progress(job->options.context, &progress) != 0)
        atomic_store(&job->stop, true);
}

static int on_progress(void *context, uint64_t files, uint64_t bytes)
{
    struct job *job = context;
    atomic_fetch_add(&job->files_done, files);
    atomic_fetch_add(&job->bytes_done, bytes);
    if (job->alone) {
        int64_t now = job->world->monotonic_ns(job->world->context);
        if (now - job->reported_ns >= REPORT_EVERY_NS) {
            job->reported_ns = now;
            report(job);
        }
    }
    return atomic_load(&job->stop);
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
    pingo__buffer_init(&listing.bytes);
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
    struct pingo__buffer text;
    int rc = PINGO_ENOMEM;
    pingo__buffer_init(&text);
    pingo__buffer_format(&text, "%s %" PRId64 " %s", original->path, original->size,
                         original->mtime);
    if (!text.failed)
        rc = pingo__digest_sha256(text.data, text.length, &original->hash);
    pingo__buffer_clear(&text);
    if (rc == 0)
        rc = pingo__digest_sha256(numbers, sizeof numbers, &original->stamp);
    return rc;
}

static int read_stat(struct job *job, struct pingo__digest_original *original)
{
    struct pingo_error e = {0};
    struct stat st;
    char reason[128];
    int r = job->world->stat(job->world->context, AT_FDCWD, original->path, 0, &st);
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
    original->stamp_is_young =
        pingo__digest_file_stat_is_young(&fs, job->world->now_ns(job->world->context));
    on_progress(job, 1, 0);
    return hash_stat(original, &fs);
}

static int read_one(struct job *job, struct pingo__digest_original *original)
{
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

static void fail(struct job *job, int r)
{
    pthread_mutex_lock(&job->mutex);
    if (job->result == 0)
        job->result = r;
    pthread_mutex_unlock(&job->mutex);
    atomic_store(&job->stop, true);
}

static void work(struct job *job)
{
    size_t i;
    while (!atomic_load(&job->stop) && (i = atomic_fetch_add(&job->next, 1)) < job->o->nread) {
        int r = read_one(job, &job->o->list[i]);
        if (r != 0)
            fail(job, r);
        atomic_fetch_add(&job->originals_done, 1);
    }
}

static void *worker(void *context)
{
    struct job *job = context;
    work(job);
    pthread_mutex_lock(&job->mutex);
    job->running--;
    pthread_cond_signal(&job->ended);
    pthread_mutex_unlock(&job->mutex);
    return NULL;
}

static unsigned thread_count(const struct job *job)
{
    unsigned n = job->options.threads;
    if (n == 0) {
        cpu_set_t set;
        n = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
        n = n > MOST_THREADS ? MOST_THREADS : n;
    }
    return n > job->o->nread ? (unsigned)job->o->nread : n;
}

/* Waits for the workers, and reports now and then; the mutex is held but for that. */
static void wait_and_report(struct job *job)
{
    while (job->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += REPORT_EVERY_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&job->ended, &job->mutex, &until) != ETIMEDOUT)
            continue;
        pthread_mutex_unlock(&job->mutex);
        report(job);
        pthread_mutex_lock(&job->mutex);
    }
}

static void work_in_threads(struct job *job, unsigned n)
{
    pthread_t *threads = calloc(n, sizeof *threads);
    unsigned started = 0;
    pthread_mutex_lock(&job->mutex);
    while (threads && started < n && pthread_create(&threads[started], NULL, worker, job) == 0) {
        started++;
        job->running++;
    }
    wait_and_report(job);
    pthread_mutex_unlock(&job->mutex);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    if (started == 0) {
        job->alone = true;
        work(job);
    }
}

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

/* The condition waits by the monotonic clock.  0, or PINGO_ENOMEM. */
static int init_locks(struct job *job)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return PINGO_ENOMEM;
    int r = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (r == 0)
        r = pthread_cond_init(&job->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    if (r == 0 && pthread_mutex_init(&job->mutex, NULL) != 0) {
        pthread_cond_destroy(&job->ended);
        r = ENOMEM;
    }
    return r == 0 ? 0 : PINGO_ENOMEM;
}

static int run(struct job *job, struct pingo_error *err)
{
    unsigned threads = thread_count(job);
    if (init_locks(job) != 0)
        return pingo__fail_memory(err);
    job->cache.mutex = &job->mutex;
    if (job->options.progress)
        count_bytes(job);
    job->alone = threads <= 1;
    job->reported_ns = job->world->monotonic_ns(job->world->context);
    if (job->alone)
        work(job);
    else
        work_in_threads(job, threads);
    if (job->result == 0)
        report(job); /* the last one says that all is done */
    int r = job->result;
    if (r == 0 && atomic_load(&job->stop))
        r = PINGO_EINTERRUPTED;
    pthread_cond_destroy(&job->ended);
    pthread_mutex_destroy(&job->mutex);
    if (r == PINGO_EINTERRUPTED)
        return pingo__fail(err, r, "stopped while the inputs were read");
    return r == 0 ? 0 : pingo__fail_memory(err);
}

int pingo__digest_originals_identify(const struct pingo__digest_identify *what,
                                     struct pingo_originals **originals, struct pingo_error *err)
{
    struct job job = {.world = what->world ? what->world : pingo__world_real(),
                      .lists = what->workflow};
    *originals = NULL;
    int rc = PINGO__OPTIONS_TAKE(pingo_identify_options, what->options, &job.options, err);
    if (rc)
        return rc;
    if (what->cache)
        job.cache = *what->cache;
    struct pingo_originals *o = job.o = calloc(1, sizeof *o);
    if (!o)
        return pingo__fail_memory(err);
    pingo__arena_init(&o->arena);
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
