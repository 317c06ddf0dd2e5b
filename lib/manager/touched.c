/* touched.c - see touched.h. */
#include "manager/touched.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "digest/content.h"
#include "executor/sandbox/sandbox.h"

/* Read-only bits bind everybody but root; the sandbox binds root too. */
static bool is_exposed(const struct pingo_job *job)
{
    return geteuid() == 0 && !(job->confine && pingo__sandbox_abi() > 0);
}

/* Reads a directory of the pool, or only looks at it.  1, or 0: it cannot be read. */
static int read_tree(struct pingo__context *c, const struct pingo__dataset_row *row,
                     bool only_stamp, struct pingo__content *content, struct pingo_error *err)
{
    struct pingo__content_options options = {
        .world = c->world, .only_stamp = only_stamp, .no_follow = true};
    struct pingo_error why = {0};
    struct pingo__arena arena;
    char *path;
    int rc;

    pingo__arena_init(&arena);
    path = pingo__pool_full_path(c->pool, &arena, row->path);
    rc = path ? pingo__content_read(path, &options, content, &why) : PINGO_ENOMEM;
    pingo__arena_clear(&arena);
    if (rc == PINGO_EINPUT)
        return 0;
    return rc ? pingo__fail(err, rc, "%s", path ? why.message : pingo_error_text(rc)) : 1;
}

static int number_of(struct pingo__context *c, const struct pingo__dataset_row *row,
                     uint64_t *number, struct pingo_error *err)
{
    struct pingo__content content;
    int rc = read_tree(c, row, true, &content, err);

    *number = 0;
    if (rc == 1)
        memcpy(number, content.stamp.bytes, sizeof *number);
    return rc;
}

int pingo__touched_note(struct pingo__context *c, const struct pingo__prepared *p,
                        const uint64_t *originals, struct pingo__arena *arena,
                        struct pingo__touched *t, struct pingo_error *err)
{
    size_t room = p->noriginals + 2 * p->claimed.n;
    bool exposed = p->claimed.n && is_exposed(&p->job);
    int rc = 0;

    *t = (struct pingo__touched){NULL, 0};
    if (!room)
        return 0;
    t->numbers = pingo__arena_array(arena, room, sizeof *t->numbers);
    if (!t->numbers)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < p->noriginals; i++)
        t->numbers[t->n++] = originals[i];
    for (size_t i = 0; rc >= 0 && exposed && i < p->claimed.n; i++) {
        if (!p->claimed.rows[i].directory)
            continue;
        t->numbers[t->n] = (uint64_t)p->claimed.rows[i].id;
        rc = number_of(c, &p->claimed.rows[i], &t->numbers[t->n + 1], err);
        t->n += 2;
    }
    return rc < 0 ? rc : 0;
}

int pingo__touched_save(struct pingo__context *c, struct pingo_job_key key,
                        const struct pingo__touched *t, struct pingo_error *err)
{
    return t->n ? pingo__attempt_set_touched(c->db, key, t->numbers, t->n * sizeof *t->numbers, err)
                : 0;
}

int pingo__touched_load(struct pingo__context *c, struct pingo_job_key key,
                        struct pingo__arena *arena, struct pingo__touched *t,
                        struct pingo_error *err)
{
    const void *bytes = NULL;
    size_t length = 0;
    int rc = pingo__attempt_touched(c->db, key, arena, &bytes, &length, err);

    *t = (struct pingo__touched){NULL, length / sizeof *t->numbers};
    if (rc < 0 || !t->n)
        return rc < 0 ? rc : 0;
    t->numbers = pingo__arena_array(arena, t->n, sizeof *t->numbers);
    if (!t->numbers)
        return pingo__fail_memory(err);
    memcpy(t->numbers, bytes, t->n * sizeof *t->numbers);
    return 0;
}

size_t pingo__touched_original(const struct pingo__touched *t, const uint64_t *now, size_t n)
{
    for (size_t i = 0; i < n && n <= t->n; i++)
        if (t->numbers[i] != now[i])
            return i;
    return SIZE_MAX;
}

int pingo__touched_dataset(struct pingo__context *c, const struct pingo__touched *t,
                           size_t noriginals, const struct pingo__dataset_row *row,
                           struct pingo_error *err)
{
    struct pingo__content content;
    uint64_t number;
    size_t i = noriginals;
    int rc;

    while (i + 1 < t->n && t->numbers[i] != (uint64_t)row->id)
        i += 2;
    if (i + 1 >= t->n || !row->path)
        return 0;
    rc = number_of(c, row, &number, err);
    if (rc < 0 || number == t->numbers[i + 1])
        return rc < 0 ? rc : 0;
    rc = read_tree(c, row, false, &content, err);
    return rc < 0 ? rc : rc == 0 || memcmp(&content.hash, &row->content, sizeof row->content) != 0;
}
