/* reading.c - large files are read on other threads, so that a tick never waits for them: outputs before they are
 * settled, and originals that nobody has hashed yet before an attempt begins.
 *
 * What always holds: what waits meanwhile waits as ahead.c says.  What was found of an original is in the store's
 * memory of contents, or, where times tell nothing (tmpfs, a file that was just written), in ours until the attempt
 * begins.  What is small, or is not as it should be, is read and told where it is met. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "digest/originals.h"
#include "manager/attempt/flight.h"
#include "manager/attempt/callback.h"
#include "manager/workers.h"
#include "store/meta.h"

#define LARGE (INT64_C(1) << 20) /* bytes: so much is read where it is met */
#define NAMES 64                 /* more of them take long */

/* ---- outputs -------------------------------------------------------------------------------------- */

struct output {
    struct pingo__manager_chore chore; /* the first member */
    struct pingo__manager_actions *m;
    struct pingo__manager_context c; /* of its own: */
    struct pingo__pool pool;
    struct pingo_job_end end;
    int rc;
};

/* On another thread: files alone. */
static void read_output(struct pingo__manager_chore *chore)
{
    struct output *x = (struct output *)chore;
    char name[PINGO__NAME_SIZE];
    pingo__name_staged(name, x->end.key.action, x->end.key.epoch);
    x->rc = pingo__manager_output_look(&x->c, name, false, &x->end, NULL);
}

static int take_output(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct output *x = (struct output *)chore;
    struct pingo__manager_flight *f = pingo__manager_flight_find(x->m, x->end.key);
    (void)err;
    x->m->inspecting--;
    x->m->c->pool->trashed += x->pool.trashed;
    if (f)
        f->was_inspected = x->rc == 0; /* else it is looked at again, and the trouble told there */
    pingo__manager_end_take_back(x->m, x->end.key, &x->end);
    free(x);
    return 0;
}

bool pingo__manager_reading_is_long(const struct pingo__manager_actions *m,
                                    const struct pingo_job_end *end)
{
    char name[PINGO__NAME_SIZE];
    pingo__name_staged(name, end->key.action, end->key.epoch);
    return end->reason == PINGO_END_EXITED && end->exit_code == 0 &&
           pingo__pool_is_large(m->c->pool, name, LARGE, NAMES);
}

int pingo__manager_reading_output(struct pingo__manager_actions *m, const struct pingo_job_end *end,
                                  struct pingo_error *err)
{
    struct output *x = calloc(1, sizeof *x);
    if (!x)
        return pingo__fail_memory(err);
    x->chore = (struct pingo__manager_chore){PINGO__READING, read_output, take_output, NULL};
    x->m = m;
    x->c = *m->c;
    x->pool = pingo__pool_fork(m->c->pool, end->key);
    x->c.pool = &x->pool;
    x->end = *end;
    m->inspecting++;
    pingo__manager_workers_give(m->c->workers, &x->chore);
    return 0;
}

/* ---- originals: on another thread ------------------------------------------------------------------ */

struct pingo__manager_reading {
    struct pingo__manager_chore chore; /* the first member */
    struct pingo__manager_actions *m;
    char *path;
    atomic_bool stop;
    bool is_done; /* the rest is ours, and was the thread's before: */
    int rc;
    struct pingo__digest_content content;
    bool is_timely; /* can be told later by its stat: */
    struct pingo__digest_file_stat st;
    struct pingo_job_key *readers; /* ours */
    size_t n, capacity;
};

static int go_on(void *context, uint64_t files, uint64_t bytes)
{
    struct pingo__manager_reading *r = context;
    (void)files;
    (void)bytes;
    return atomic_load(&r->stop);
}

static void remember(void *context, const struct pingo__digest_file_stat *st,
                     const struct pingo_hash *hash)
{
    struct pingo__manager_reading *r = context;
    (void)hash;
    r->is_timely = true;
    r->st = *st;
}

static void read_original(struct pingo__manager_chore *chore)
{
    struct pingo__manager_reading *r = (struct pingo__manager_reading *)chore;
    struct pingo__digest_content_cache cache = {.context = r, .remember = remember};
    struct pingo__digest_content_options options = {.world = r->m->c->world,
                                                    .cache = &cache,
                                                    .refuse_links_out = true,
                                                    .progress = go_on,
                                                    .progress_context = r};
    r->rc = pingo__digest_content_read(r->path, &options, &r->content, NULL);
}

/* ---- what is to be read -------------------------------------------------------------------------- */

static struct pingo__manager_reading *find(const struct pingo__manager_actions *m, const char *path)
{
    for (size_t i = 0; i < m->nreadings; i++)
        if (strcmp(m->readings[i]->path, path) == 0)
            return m->readings[i];
    return NULL;
}

static void drop(struct pingo__manager_actions *m, struct pingo__manager_reading *r)
{
    size_t i = 0;
    while (m->readings[i] != r)
        i++;
    m->readings[i] = m->readings[--m->nreadings];
    free(r->readers);
    free(r->path);
    free(r);
}

static bool is_stamp(struct pingo__manager_actions *m, const char *path,
                     const struct pingo_hash *stamp)
{
    struct pingo__digest_content_options options = {.world = m->c->world, .only_stamp = true};
    struct pingo__digest_content now;
    return pingo__digest_content_read(path, &options, &now, NULL) == 0 &&
           memcmp(&now.stamp, stamp, sizeof now.stamp) == 0;
}

/* Large, and neither its stat nor the store's memory tells what is in it? */
static bool is_unknown(struct pingo__manager_actions *m,
                       const struct pingo__store_action_original *o)
{
    const struct pingo__world *w = m->c->world;
    struct stat st;
    if (w->stat(w->context, AT_FDCWD, o->path, 0, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size <= LARGE)
        return false;
    struct pingo__digest_file_stat fs = pingo__digest_file_stat_of(&st);
    struct pingo_hash hash;
    bool is_known = false;
    return pingo__store_file_content_find(m->c->db, &fs, &is_known, &hash, NULL) == 0 &&
           !is_known && !(o->has_stamp && is_stamp(m, o->path, &o->stamp));
}

static int take_original(struct pingo__manager_chore *chore, struct pingo_error *err);

/* NULL: it is read where the attempt is prepared. */
static struct pingo__manager_reading *begin(struct pingo__manager_actions *m, const char *path)
{
    struct pingo__manager_reading *r = calloc(1, sizeof *r);
    if (r)
        r->path = strdup(path);
    if (!r || !r->path || !PINGO__ARRAY_ROOM(m->readings, m->creadings, m->nreadings, 1)) {
        if (r)
            free(r->path);
        free(r);
        return NULL;
    }
    r->chore = (struct pingo__manager_chore){PINGO__READING, read_original, take_original, NULL};
    r->m = m;
    m->readings[m->nreadings++] = r;
    m->inspecting++;
    pingo__manager_workers_give(m->c->workers, &r->chore);
    return r;
}

/* What was found counts if the file is the same still.  Where it was another content, or could not be read, the check
 * that follows says so to whom it was read for.  false: it is to be read once more. */
static bool use(struct pingo__manager_actions *m, struct pingo__manager_reading *r,
                struct pingo__store_action_original *o, int64_t action)
{
    bool is_good = r->rc == 0 && memcmp(&r->content.hash, &o->hash, sizeof o->hash) == 0 &&
                   is_stamp(m, o->path, &r->content.stamp);
    size_t i = 0;
    if (is_good) {
        o->stamp = r->content.stamp;
        o->has_stamp = true;
    }
    while (i < r->n && r->readers[i].action != action)
        i++;
    if (i == r->n)
        return is_good;
    r->readers[i] = r->readers[--r->n];
    if (!r->n)
        drop(m, r);
    return true;
}

static int look_at(struct pingo__manager_actions *m, struct pingo__store_action_original *o,
                   struct pingo_job_key key, bool *waits, struct pingo_error *err)
{
    struct pingo__manager_reading *r = find(m, o->path);
    if (r && r->is_done) {
        if (use(m, r, o, key.action))
            return 0;
        drop(m, r); /* who waited for it comes here, too */
        r = NULL;
    }
    if (!r && (!is_unknown(m, o) || !(r = begin(m, o->path))))
        return 0;
    if (!PINGO__ARRAY_ROOM(r->readers, r->capacity, r->n, 1))
        return pingo__fail_memory(err);
    r->readers[r->n++] = key;
    *waits = true;
    return 0;
}

int pingo__manager_reading_first(struct pingo__manager_actions *m, struct pingo__manager_prepared *p,
                                 bool *waits, struct pingo_error *err)
{
    int rc = 0;
    *waits = false;
    for (size_t i = 0; !rc && i < p->originals.n; i++) {
        struct pingo__store_action_original *o = &p->originals.rows[i];
        if (o->kind == PINGO__ORIGINAL_CONTENT || o->kind == PINGO__ORIGINAL_DECLARED)
            rc = look_at(m, o, p->job.key, waits, err);
    }
    return rc;
}

/* ---- when it was read ------------------------------------------------------------------------ */

static int release(struct pingo__manager_actions *m, struct pingo__manager_reading *r,
                   struct pingo_error *err)
{
    int rc = pingo__store_db_begin(m->c->db, err);
    if (rc)
        return rc;
    if (r->rc == 0 && r->is_timely)
        rc = pingo__store_file_content_remember(m->c->db, &r->st, &r->content.hash, err);
    for (size_t i = 0; !rc && i < r->n; i++)
        rc = pingo__manager_unclaim(m, r->readers[i].action, err);
    return pingo__store_db_end(m->c->db, rc, err);
}

static int take_original(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct pingo__manager_reading *r = (struct pingo__manager_reading *)chore;
    struct pingo__manager_actions *m = r->m;
    r->is_done = true;
    m->inspecting--;
    int rc = release(m, r, err);
    if (rc)
        m->must_adopt = true; /* what is PROCESSING is released by the next tick */
    if (!r->n || r->rc == PINGO_EINTERRUPTED || (r->rc == 0 && r->is_timely))
        drop(m, r);
    return rc;
}

size_t pingo__manager_reading_waiting(const struct pingo__manager_actions *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->nreadings; i++)
        n += m->readings[i]->is_done ? 0 : m->readings[i]->n;
    return n;
}

int pingo__manager_reading_finish(struct pingo__manager_actions *m, struct pingo_error *err)
{
    for (size_t i = 0; i < m->nreadings; i++)
        atomic_store(&m->readings[i]->stop, true);
    return m->inspecting ? pingo__manager_workers_finish(m->c->workers, PINGO__READING, err) : 0;
}

void pingo__manager_reading_clear(struct pingo__manager_actions *m)
{
    while (m->nreadings)
        drop(m, m->readings[0]);
    free(m->readings);
}
