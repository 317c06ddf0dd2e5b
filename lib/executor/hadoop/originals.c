/* originals.c - files and directories of this machine that attempts need: POOL/originals/SHA256, with ".x" behind it
 * where a file is executable, and the end of its link's name where Hadoop tells by that that it must be unpacked.
 *
 * What always holds: what lies there under a content has it, for it was read again after it was uploaded; what is seen
 * there is remembered by the stamp of what lies here, and asked for no more. */
#include "executor/hadoop/hadoop.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"
#include "base/names.h"
#include "base/text.h"
#include "base/world.h"
#include "digest/content.h"
#include "hdfs/hdfs.h"

#define BRINGS 4 /* jobs at once for which somebody hashes and sends */
#define END_SIZE 16

struct pingo__executor_hadoop_originals {
    pthread_mutex_t lock;
    struct pingo__map by_stamp; /* of struct known */
    struct pingo__arena stamps;
    struct seen {
        struct pingo_hash content;
        bool executable;
        int64_t touched_ms; /* there, that nobody takes it for one that is not used (base/names.h) */
    } * seen;
    size_t n, capacity;
};

struct known {
    struct pingo_hash stamp;
    char end[END_SIZE]; /* of a packed one, zero behind it */
};

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_originals originals;

int pingo__executor_hadoop_originals_new(originals **out, struct pingo_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return pingo__fail_memory(err);
    pthread_mutex_init(&(*out)->lock, NULL);
    return 0;
}

void pingo__executor_hadoop_originals_free(originals *o)
{
    if (!o)
        return;
    pthread_mutex_destroy(&o->lock);
    pingo__map_clear(&o->by_stamp);
    pingo__arena_clear(&o->stamps);
    free(o->seen);
    free(o);
}

/* ---- what was seen --------------------------------------------------------------------------------- */

static bool find(originals *o, const struct known *known, struct pingo__digest_content *content,
                 bool *is_touched)
{
    pthread_mutex_lock(&o->lock);
    uint32_t at = pingo__map_get(&o->by_stamp, known, sizeof *known);
    bool is = at != PINGO__MAP_NONE;
    if (is) {
        content->hash = o->seen[at].content;
        content->is_executable = o->seen[at].executable;
        *is_touched = pingo__world_monotonic_ms() - o->seen[at].touched_ms < PINGO__TOUCHED_MS;
    }
    pthread_mutex_unlock(&o->lock);
    return is;
}

/* As far as memory goes. */
static void remember(originals *o, const struct known *known,
                     const struct pingo__digest_content *content)
{
    pthread_mutex_lock(&o->lock);
    uint32_t at = pingo__map_get(&o->by_stamp, known, sizeof *known);
    if (at == PINGO__MAP_NONE && PINGO__ARRAY_ROOM(o->seen, o->capacity, o->n, 1) &&
        pingo__map_keep(&o->by_stamp, &o->stamps, known, sizeof *known, (uint32_t)o->n))
        at = (uint32_t)o->n++;
    if (at != PINGO__MAP_NONE)
        o->seen[at] =
            (struct seen){content->hash, content->is_executable, pingo__world_monotonic_ms()};
    pthread_mutex_unlock(&o->lock);
}

/* ---- bringing one there ---------------------------------------------------------------------------- */

static int read_content(const char *path, bool only_stamp, struct pingo__digest_content *content,
                        struct pingo_error *err)
{
    const struct pingo__digest_content_options options = {.only_stamp = only_stamp,
                                                          .refuse_links_out = true};
    return pingo__digest_content_read(path, &options, content, err);
}

static bool is_same(const struct pingo_hash *a, const struct pingo_hash *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* By the end of a name Hadoop tells that it must be unpacked; content alone does not say that. */
static const char *packed_end(const char *name)
{
    const char *dot = name ? strrchr(name, '.') : NULL;
    return dot && pingo__text_is_among(".gz|.bz2|.deflate|.lz4|.snappy|.zst", dot) ? dot : "";
}

static void name_it(const struct pingo__digest_content *content, const char *end,
                    char name[PINGO_HASH_HEX_SIZE + 32])
{
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(&content->hash, hex);
    snprintf(name, PINGO_HASH_HEX_SIZE + 32, "originals/%s%s%s", hex,
             !content->is_directory && content->is_executable ? ".x" : "", end);
}

/* What HDFS cannot hold it never will. */
static int put(hadoop *h, const char *from, const char *to, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc = pingo__hdfs_put_tree(h->hdfs, from, to, NULL, &why);
    return rc ? pingo__fail(err, rc == PINGO_EINPUT ? PINGO_EINVAL : rc, "%s", why.message) : 0;
}

/* It lies there, unless it changed meanwhile: then nothing of it does.  Until that is known it has another name, which
 * is nobody's when we are gone. */
static int upload(hadoop *h, const char *path, const char *name,
                  const struct pingo__digest_content *content, struct pingo_error *err)
{
    struct pingo__hdfs_status status;
    struct pingo__digest_content again;
    const struct pingo__world *w = pingo__world_real();
    char by[PINGO_HASH_HEX_SIZE + 64];
    int rc = pingo__hdfs_status(h->hdfs, name, &status, err);
    if (!rc && status.exists)
        rc = pingo__hdfs_touch(h->hdfs, name, w->now_ns(w->context) / 1000000, err);
    if ((rc && rc != PINGO_ENOTFOUND) || (!rc && status.exists))
        return rc;
    snprintf(by, sizeof by, "%s.%016llx", name, (unsigned long long)pingo__world_token(w));
    rc = put(h, path, by, err);
    if (rc)
        return rc;
    rc = read_content(path, false, &again, err);
    if (!rc && !is_same(&again.hash, &content->hash))
        rc = pingo__fail(err, PINGO_EINPUT, "%s changed while it was uploaded", path);
    if (!rc)
        rc = pingo__hdfs_move(h->hdfs, by, name, err);
    if (rc)
        pingo__hdfs_remove(h->hdfs, by, NULL);
    return rc == PINGO_EEXISTS ? 0 : rc;
}

static int bring(hadoop *h, struct pingo__arena *arena, const struct pingo_job_link *link,
                 char **url, struct pingo_error *err)
{
    const char *path = link->target;
    struct pingo__digest_content content = {.files = 0};
    struct known known = {.end = ""};
    char name[PINGO_HASH_HEX_SIZE + 32], *uri = NULL;
    int rc = read_content(path, true, &content, err);
    known.stamp = content.stamp;
    snprintf(known.end, sizeof known.end, "%s", packed_end(link->name));
    bool is_touched = false, is_seen = !rc && !content.stamp_is_young &&
                                       find(h->originals, &known, &content, &is_touched);
    if (!rc && !is_seen)
        rc = read_content(path, false, &content, err);
    if (!rc && link->content && !is_same(link->content, &content.hash))
        rc = pingo__fail(err, PINGO_EINPUT, "%s has changed since its hash was taken", path);
    if (rc)
        return rc;
    name_it(&content, known.end, name);
    if (!is_touched)
        rc = upload(h, path, name, &content, err);
    known.stamp = content.stamp;
    if (!rc && !is_touched && !content.stamp_is_young)
        remember(h->originals, &known, &content);
    if (!rc)
        rc = pingo__hdfs_uri(h->hdfs, name, &uri, err);
    if (!rc && !(*url = pingo__arena_text(arena, uri, strlen(uri))))
        rc = pingo__fail_memory(err);
    free(uri);
    return rc;
}

/* ---- those of a job -------------------------------------------------------------------------------- */

struct bringing {
    struct pingo__executor_hadoop_aside aside;
    struct pingo__arena arena;
    const struct pingo_job_link *links; /* the job's */
    bool *wanted;                       /* which of them; */
    char **urls;                        /* and where those are */
    size_t n;
};

static int bring_all(hadoop *h, struct pingo__executor_hadoop_aside *aside, struct pingo_error *err)
{
    struct bringing *b = (struct bringing *)aside;
    int rc = 0;
    for (size_t i = 0; !rc && i < b->n; i++)
        if (b->wanted[i])
            rc = h->is_leaving ? PINGO_EINTERRUPTED
                               : bring(h, &b->arena, &b->links[i], &b->urls[i], err);
    return rc;
}

static void clear(struct pingo__executor_hadoop_aside *aside)
{
    pingo__arena_clear(&((struct bringing *)aside)->arena);
}

static int take(hadoop *h, struct pingo__executor_hadoop_job *job, struct pingo_error *err)
{
    struct pingo_job *j = &job->job;
    const char **places = pingo__arena_array(&job->arena, j->nlinks, sizeof *places);
    struct bringing *b = (struct bringing *)pingo__executor_hadoop_aside_take(h, job, err);
    bool fits = places;
    int rc = b->aside.rc;
    for (size_t i = 0; !rc && fits && i < b->n; i++) {
        places[i] = b->urls[i]  ? pingo__arena_text(&job->arena, b->urls[i], strlen(b->urls[i]))
                    : j->places ? j->places[i]
                                : NULL;
        fits = places[i] || !b->urls[i];
    }
    if (!rc && !fits)
        rc = pingo__fail_memory(err);
    if (!rc)
        j->places = places;
    job->is_brought = !rc;
    pingo__executor_hadoop_aside_free(&b->aside);
    return rc;
}

int pingo__executor_hadoop_bring(hadoop *h, struct pingo__executor_hadoop_job *job,
                                 bool (*is_wanted)(const void *context, const char *link),
                                 const void *context, struct pingo_error *err)
{
    const struct pingo_job *j = &job->job;
    bool any = false;
    if (job->aside)
        return take(h, job, err);
    struct bringing *b = calloc(1, sizeof *b);
    if (!b)
        return pingo__fail_memory(err);
    *b = (struct bringing){
        .aside = {.run = bring_all, .clear = clear}, .links = j->links, .n = j->nlinks};
    b->wanted = pingo__arena_array(&b->arena, b->n + 1, sizeof *b->wanted);
    b->urls = pingo__arena_array(&b->arena, b->n + 1, sizeof *b->urls);
    bool fits = b->wanted && b->urls;
    for (size_t i = 0; fits && i < b->n; i++) {
        b->wanted[i] = j->links[i].target && !(j->places && j->places[i]) &&
                       (!is_wanted || is_wanted(context, j->links[i].name));
        any = any || b->wanted[i];
    }
    if (any && pingo__executor_hadoop_aside_has_room(h, job, bring_all, BRINGS))
        return pingo__executor_hadoop_aside_start(h, job, &b->aside, err);
    job->is_brought = fits && !any;
    pingo__executor_hadoop_aside_free(&b->aside);
    return fits ? 0 : pingo__fail_memory(err);
}
