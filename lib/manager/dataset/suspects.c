/* suspects.c - see suspects.h. */
#include "manager/dataset/suspects.h"

#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "digest/content.h"
#include "manager/attempt/inputs.h"
#include "store/dataset/objects.h"

#define ASKERS 8 /* of a pool that lies elsewhere */

struct pingo__manager_suspect {
    struct pingo__store_dataset_row row; /* once it was read, as it looks now */
    bool same;
    bool is_new; /* and its row is to learn that */
};

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
    if (!PINGO__ARENA_ROOM(&s->arena, s->list, s->n, s->capacity))
        return pingo__fail_memory(err);
    struct pingo__manager_suspect *x = &s->list[s->n];
    *x = (struct pingo__manager_suspect){.row = *row};
    x->row.path = pingo__arena_text(&s->arena, row->path, strlen(row->path));
    if (!x->row.path ||
        !pingo__map_keep(&s->by_dataset, &s->arena, &row->id, sizeof row->id, (uint32_t)s->n))
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
    atomic_uint_fast64_t bytes;
    atomic_bool is_away; /* the pool: one waits for it, and not each */
    struct pingo__parallel parallel;
};

static int on_progress(void *context, uint64_t files, uint64_t bytes)
{
    struct reading *r = context;
    (void)files;
    atomic_fetch_add(&r->bytes, bytes);
    return pingo__parallel_stops(&r->parallel);
}

static int report(void *context, size_t done)
{
    struct reading *r = context;
    struct pingo_identify_progress p = {.files_done = done,
                                        .files = r->parallel.n,
                                        .bytes_done = atomic_load(&r->bytes),
                                        .bytes = atomic_load(&r->bytes)};
    return r->progress->progress(r->progress->context, &p);
}

/* A pool that has no answer now: it is as the store says, and its reader waits until that is seen. */
static int as_stored(struct reading *r, struct pingo__manager_suspect *x, int rc)
{
    if (r->s->must_tell || !pingo__pool_is_remote(r->s->c->pool) ||
        (rc != PINGO_EAWAY && rc != PINGO_ESTATE && rc != PINGO_EIO))
        return rc;
    atomic_store(&r->is_away, true);
    x->same = true;
    return 0;
}

static int read_one(void *context, size_t i, struct pingo_error *err)
{
    struct reading *r = context;
    struct pingo__manager_context *c = r->s->c;
    struct pingo__manager_suspect *x = &r->s->list[r->s->nread + i];
    struct pingo__digest_content_options options = {.no_follow = true,
                                                    .root_may_move = true,
                                                    .make_readonly = x->row.managed,
                                                    .progress = on_progress,
                                                    .progress_context = r};
    struct pingo__pool_state st;
    enum pingo__manager_presence is;
    int rc =
        atomic_load(&r->is_away) ? PINGO_EAWAY : pingo__manager_dataset_look(c, &x->row, &is, err);
    x->same = rc == 0 && is == PINGO__THERE;
    if (rc || x->same || is == PINGO__GONE)
        return as_stored(r, x, rc);
    rc = pingo__pool_state(c->pool, x->row.path, &st, err);
    if (rc || !st.exists)
        return rc;
    struct pingo__digest_content content;
    rc = pingo__pool_read(c->pool, x->row.path, &options, &content, err);
    x->same = rc == 0 && pingo__manager_dataset_is_of(&x->row, &content);
    x->is_new = x->same;
    if (x->same)
        pingo__manager_dataset_learn(&x->row, &st, &content);
    return rc == PINGO_EINPUT ? 0 : as_stored(r, x, rc); /* it cannot be read: nothing to rely on */
}

/* What is the same gets its new stamp. */
static int write_down(struct pingo__manager_suspects *s, struct pingo_error *err)
{
    struct pingo__store_db *db = s->c->db;
    bool any = false;
    for (size_t i = s->nread; i < s->n; i++)
        any = any || s->list[i].is_new;
    if (!any)
        return 0;
    int rc = pingo__store_db_begin(db, err);
    for (size_t i = s->nread; !rc && i < s->n; i++)
        if (s->list[i].is_new)
            rc = pingo__store_object_set_root(db, &s->list[i].row, err);
    return pingo__store_db_end(db, rc, err);
}

int pingo__manager_suspects_read(struct pingo__manager_suspects *s,
                                 const struct pingo_identify_options *progress,
                                 struct pingo_error *err)
{
    struct reading r = {.s = s, .progress = progress};
    r.parallel = (struct pingo__parallel){.n = s->n - s->nread,
                                          .threads = pingo__pool_is_remote(s->c->pool) ? ASKERS : 0,
                                          .run = read_one,
                                          .tell = progress && progress->progress ? report : NULL,
                                          .context = &r};
    int rc = pingo__parallel_run(&r.parallel, NULL);
    if (rc == PINGO_EINTERRUPTED)
        return pingo__fail(err, rc, "stopped while datasets were compared");
    if (rc)
        return pingo__fail(err, rc, "a dataset cannot be compared: %s", r.parallel.why.message);
    rc = write_down(s, err);
    if (!rc)
        s->nread = s->n;
    return rc;
}

/* ---- one after the other --------------------------------------------------------------------- */

static bool is_read(const struct pingo__manager_suspects *s,
                    const struct pingo__store_dataset_row *row)
{
    uint32_t at = pingo__map_get(&s->by_dataset, &row->id, sizeof row->id);
    return at != PINGO__MAP_NONE && at < s->nread;
}

static int read_all(struct pingo__manager_suspects *s, const struct pingo__store_dataset_row *rows,
                    size_t n, struct pingo_error *err)
{
    enum pingo__manager_presence is = PINGO__SUSPECT; /* the first one */
    bool is_other;
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        if (i && (!rows[i].path || pingo__manager_dataset_look(s->c, &rows[i], &is, NULL)))
            continue;
        if (is == PINGO__SUSPECT)
            rc = pingo__manager_suspects_judge(s, &rows[i], &is_other, err);
    }
    return rc ? rc : pingo__manager_suspects_read(s, s->progress, err);
}

/* Where one of many cannot be read, each is read by itself, and tells why. */
static int find_out(struct pingo__manager_suspects *s, const struct pingo__store_dataset_row *rows,
                    size_t n, bool *is_other, struct pingo_error *err)
{
    int rc = s->n ? 0 : read_all(s, rows, n, err);
    if (rc && !pingo__pool_is_shut(s->c->pool, rc))
        return rc;
    if (is_read(s, rows))
        return pingo__manager_suspects_judge(s, rows, is_other, err);
    struct pingo__manager_suspects alone = {.c = s->c, .must_tell = true};
    rc = read_all(&alone, rows, 1, err);
    if (!rc)
        rc = pingo__manager_suspects_judge(&alone, rows, is_other, err);
    pingo__manager_suspects_clear(&alone);
    return rc;
}

int pingo__manager_suspects_verify(struct pingo__manager_suspects *s,
                                   const struct pingo__store_dataset_row *rows, size_t n,
                                   enum pingo__manager_presence *is, struct pingo_error *err)
{
    struct pingo__pool_state st = {.exists = false};
    bool is_other = true;
    int rc = pingo__manager_dataset_look(s->c, rows, is, err);
    if (rc || *is == PINGO__THERE)
        return rc;
    if (*is == PINGO__SUSPECT)
        rc = find_out(s, rows, n, &is_other, err);
    if (!rc && is_other && rows->path)
        rc = pingo__pool_state(s->c->pool, rows->path, &st, err);
    *is = rc || !is_other ? PINGO__THERE : st.exists ? PINGO__CHANGED : PINGO__GONE;
    return rc;
}

int pingo__manager_dataset_verify(struct pingo__manager_context *c,
                                  const struct pingo__store_dataset_row *row,
                                  enum pingo__manager_presence *is, struct pingo_error *err)
{
    struct pingo__manager_suspects s = {.c = c, .must_tell = true};
    int rc = pingo__manager_suspects_verify(&s, row, 1, is, err);
    pingo__manager_suspects_clear(&s);
    return rc;
}
