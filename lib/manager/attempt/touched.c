/* touched.c - see touched.h. */
#include "manager/attempt/touched.h"

#include "base/error.h"
#include "manager/attempt/inputs.h"
#include "store/objects.h"

/* The clock that stamps files is behind by up to a kernel tick. */
#define TICK_MS 20

int pingo__manager_touched_save(struct pingo__manager_context *c, struct pingo_job_key key,
                                const struct pingo__manager_touched *t, struct pingo_error *err)
{
    return t->n ? pingo__store_attempt_set_touched(c->db, key, t->numbers,
                                                   t->n * sizeof *t->numbers, err)
                : 0;
}

int pingo__manager_touched_load(struct pingo__manager_context *c, struct pingo_job_key key,
                                struct pingo__arena *arena, struct pingo__manager_touched *t,
                                struct pingo_error *err)
{
    struct pingo__store_bytes bytes;
    int rc = pingo__store_attempt_touched(c->db, key, arena, &bytes, err);
    *t = (struct pingo__manager_touched){bytes.bytes, bytes.n / sizeof *t->numbers};
    return rc;
}

size_t pingo__manager_touched_original(const struct pingo__manager_touched *t, const uint64_t *now,
                                       size_t n)
{
    for (size_t i = 0; i < n && n <= t->n; i++)
        if (t->numbers[i] != now[i])
            return i;
    return SIZE_MAX;
}

/* ---- datasets ----------------------------------------------------------------------------- */

/* newest: all of it, and what of it is managed is made read-only again; NULL: its stamp.  PINGO_EINPUT: it cannot
 * be read. */
static int read_tree(struct pingo__manager_context *c, const struct pingo__store_dataset_row *row,
                     struct pingo__digest_newest *newest, struct pingo__digest_content *content,
                     struct pingo_error *err)
{
    struct pingo__digest_content_options options = {.only_stamp = !newest,
                                                    .newest = newest,
                                                    .root_may_move = true,
                                                    .make_readonly = newest && row->managed,
                                                    .no_follow = true};
    struct pingo_error why = {0};
    int rc = pingo__pool_read(c->pool, row->path, &options, content, &why);
    return rc && rc != PINGO_EINPUT ? pingo__fail(err, rc, "%s", why.message) : rc;
}

/* made_ms: when the dataset was; what was written since is no older. */
static int describe(struct pingo__digest_newest *newest, int64_t made_ms, struct pingo__arena *arena,
                    struct pingo__manager_change *change, struct pingo_error *err)
{
    const char *path = pingo__buffer_cstr(&newest->path);
    bool written = newest->mtime_ns / 1000000 > made_ms;
    if (path && *path)
        change->what = pingo__manager_text(
            arena, "it %s %s", written ? "writes into its inputs:" : "changed the mode of", path);
    return path && (!*path || change->what) ? 0 : pingo__fail_memory(err);
}

static int remember(struct pingo__manager_context *c, const struct pingo__store_dataset_row *row,
                    struct pingo_error *err)
{
    int rc = pingo__store_db_begin(c->db, err);
    return rc ? rc : pingo__store_db_end(c->db, pingo__store_object_set_root(c->db, row, err), err);
}

int pingo__manager_touched_dataset(struct pingo__manager_context *c,
                                   struct pingo__store_dataset_row *row, struct pingo__arena *arena,
                                   struct pingo__manager_change *change, struct pingo_error *err)
{
    struct pingo__digest_newest newest = {.ctime_ns = INT64_MIN};
    *change = (struct pingo__manager_change){.since_ms = change->since_ms, .later = true};
    if (!row->path || !row->directory || !row->mark)
        return 0;
    struct pingo__digest_content content;
    int rc = read_tree(c, row, NULL, &content, err);
    if (!rc && pingo__digest_content_mark(&content) == row->mark)
        return 0;
    if (!rc)
        rc = read_tree(c, row, &newest, &content, err);
    change->is_touched = rc == PINGO_EINPUT || (!rc && !pingo__manager_dataset_is_of(row, &content));
    if (!rc && !change->is_touched) {
        row->mark = pingo__digest_content_mark(&content);
        rc = remember(c, row, err);
    } else if (!rc) {
        change->later = newest.ctime_ns / 1000000 + TICK_MS >= change->since_ms;
        rc = describe(&newest, row->made_ms, arena, change, err);
    }
    pingo__buffer_clear(&newest.path);
    return rc == PINGO_EINPUT ? 0 : rc;
}
