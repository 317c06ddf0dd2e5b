/* suspects.c - see suspects.h.  The thread that called reads too, and alone tells of progress. */
#include "manager/dataset/suspects.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "digest/content.h"
#include "manager/attempt/inputs.h"
#include "store/objects.h"

#define MOST_THREADS 8

struct pingo__manager_suspect {
    struct pingo__store_dataset_row row; /* once it was read, as it looks now */
    bool same;
    int rc; /* of reading it, but for PINGO_EINPUT */
};

void pingo__manager_suspects_init(struct pingo__manager_suspects *s,
                                  struct pingo__manager_context *c)
{
    *s = (struct pingo__manager_suspects){.c = c};
}

void pingo__manager_suspects_clear(struct pingo__manager_suspects *s)
{
    pingo__map_clear(&s->by_dataset);
    pingo__arena_clear(&s->arena);
}

bool pingo__manager_suspects_is_any_unread(const struct pingo__manager_suspects *s)
{
    return s->nread < s->n;
}

static int add(struct pingo__manager_suspects *s, const struct pingo__store_dataset_row *row,
               struct pingo_error *err)
{
    struct pingo__manager_suspect *list =
        pingo__arena_more(&s->arena, s->list, s->n, &s->capacity, sizeof *list);
    int64_t *key = pingo__arena_alloc(&s->arena, sizeof *key);
    if (list)
        s->list = list;
    if (!list || !key)
        return pingo__fail_memory(err);
    *key = row->id;
    struct pingo__manager_suspect *x = &list[s->n];
    *x = (struct pingo__manager_suspect){.row = *row};
    x->row.path = pingo__arena_text(&s->arena, row->path, strlen(row->path));
    if (!x->row.path || !pingo__map_insert(&s->by_dataset, key, sizeof *key, (uint32_t)s->n, NULL))
        return pingo__fail_memory(err);
    s->n++;
    return 0;
}

int pingo__manager_suspects_judge(struct pingo__manager_suspects *s,
                                  const struct pingo__store_dataset_row *row, bool *is_other,
                                  struct pingo_error *err)
{
    uint32_t at = pingo__map_get(&s->by_dataset, &row->id, sizeof row->id);
    *is_other = at != PINGO__MAP_NONE && at < s->nread && !s->list[at].same;
    return at == PINGO__MAP_NONE ? add(s, row, err) : 0;
}

/* ---- reading ----------------------------------------------------------------------------- */

struct reading {
    struct pingo__manager_suspects *s;
    const struct pingo_identify_options *progress;
    pthread_t caller;
    atomic_size_t next, done;
    atomic_uint_fast64_t bytes;
    atomic_bool stop;
};

static int on_progress(void *context, uint64_t files, uint64_t bytes)
{
    struct reading *r = context;
    const struct pingo_identify_options *o = r->progress;
    (void)files;
    atomic_fetch_add(&r->bytes, bytes);
    if (o && o->progress && pthread_equal(pthread_self(), r->caller)) {
        struct pingo_identify_progress p =
            (struct pingo_identify_progress){.files_done = atomic_load(&r->done),
                                             .files = r->s->n - r->s->nread,
                                             .bytes_done = atomic_load(&r->bytes),
                                             .bytes = atomic_load(&r->bytes)};
        if (o->progress(o->context, &p))
            atomic_store(&r->stop, true);
    }
    return atomic_load(&r->stop);
}

static void read_one(struct reading *r, struct pingo__manager_suspect *x)
{
    const struct pingo__manager_context *c = r->s->c;
    struct pingo__digest_content_options options = {.no_follow = true,
                                                    .root_may_move = true,
                                                    .make_readonly = x->row.managed,
                                                    .progress = on_progress,
                                                    .progress_context = r};
    struct pingo__pool_state st;
    struct pingo_error why;
    x->rc = pingo__pool_state(c->pool, x->row.path, &st, &why);
    if (x->rc || !st.exists)
        return;
    struct pingo__digest_content content;
    x->rc = pingo__pool_read(c->pool, x->row.path, &options, &content, &why);
    x->same = x->rc == 0 && pingo__manager_dataset_is_of(&x->row, &content);
    if (x->same)
        pingo__manager_dataset_learn(&x->row, &st, &content);
    if (x->rc == PINGO_EINPUT) /* it cannot be read: nothing to rely on */
        x->rc = 0;
}

static void *work(void *context)
{
    struct reading *r = context;
    size_t i;
    while (!atomic_load(&r->stop) && (i = atomic_fetch_add(&r->next, 1)) < r->s->n) {
        read_one(r, &r->s->list[i]);
        atomic_fetch_add(&r->done, 1);
        if (r->s->list[i].rc)
            atomic_store(&r->stop, true);
    }
    return NULL;
}

static void work_in_threads(struct reading *r)
{
    size_t nthreads = 0, n = r->s->n - r->s->nread;
    cpu_set_t set;
    size_t most = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
    most = most < MOST_THREADS ? most : MOST_THREADS;
    most = n < most ? n : most;
    pthread_t threads[MOST_THREADS];
    while (nthreads + 1 < most && pthread_create(&threads[nthreads], NULL, work, r) == 0)
        nthreads++;
    work(r);
    for (size_t i = 0; i < nthreads; i++)
        pthread_join(threads[i], NULL);
}

/* What is the same gets its new stamp. */
static int write_down(struct pingo__manager_suspects *s, struct pingo_error *err)
{
    struct pingo__store_db *db = s->c->db;
    bool any = false;
    for (size_t i = s->nread; i < s->n; i++)
        any = any || s->list[i].same;
    if (!any)
        return 0;
    int rc = pingo__store_db_begin(db, err);
    for (size_t i = s->nread; !rc && i < s->n; i++)
        if (s->list[i].same)
            rc = pingo__store_object_set_root(db, &s->list[i].row, err);
    return pingo__store_db_end(db, rc, err);
}

int pingo__manager_suspects_read(struct pingo__manager_suspects *s,
                                 const struct pingo_identify_options *progress,
                                 struct pingo_error *err)
{
    struct reading r = {.s = s, .progress = progress, .caller = pthread_self()};
    int rc = 0;
    atomic_init(&r.next, s->nread);
    work_in_threads(&r);
    for (size_t i = s->nread; !rc && i < s->n; i++)
        rc = s->list[i].rc;
    if (rc == PINGO_EINTERRUPTED || (!rc && atomic_load(&r.stop)))
        return pingo__fail(err, PINGO_EINTERRUPTED, "stopped while datasets were compared");
    if (rc)
        return pingo__fail(err, rc, "a dataset cannot be compared: %s", pingo_error_text(rc));
    rc = write_down(s, err);
    if (!rc)
        s->nread = s->n;
    return rc;
}

/* ---- one ------------------------------------------------------------------------------------ */

int pingo__manager_dataset_verify(struct pingo__manager_context *c,
                                  const struct pingo__store_dataset_row *row,
                                  enum pingo__manager_presence *is, struct pingo_error *err)
{
    struct pingo__pool_state st = {.exists = false};
    bool is_other = true;
    int rc = pingo__manager_dataset_look(c, row, is, err);
    if (rc || *is == PINGO__THERE)
        return rc;
    if (*is == PINGO__SUSPECT) {
        struct pingo__manager_suspects s;
        pingo__manager_suspects_init(&s, c);
        rc = pingo__manager_suspects_judge(&s, row, &is_other, err);
        if (!rc)
            rc = pingo__manager_suspects_read(&s, NULL, err);
        if (!rc)
            rc = pingo__manager_suspects_judge(&s, row, &is_other, err);
        pingo__manager_suspects_clear(&s);
    }
    if (!rc && is_other && row->path)
        rc = pingo__pool_state(c->pool, row->path, &st, err);
    *is = !is_other ? PINGO__THERE : st.exists ? PINGO__CHANGED : PINGO__GONE;
    return rc;
}
