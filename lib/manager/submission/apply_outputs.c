/* apply_outputs.c - whose turn it is at an outputPath, see apply.h.
 *
 * What always holds: a file is known by what its path really leads to; who writes to it waits for who writes to it
 * before, by whichever path, for who needs that, and for who claims what lies there. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"
#include "base/path.h"
#include "base/writer.h"
#include "manager/dataset/outside.h"
#include "manager/submission/apply.h"
#include "store/submission/users.h"

int pingo__manager_waits_for(struct pingo__manager_context *c, int64_t action,
                             const struct pingo__manager_ours *ours, bool *waits,
                             struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_number_list above = {.arena = &arena};
    int rc = pingo__store_dependency_list_above(c->db, action, &above, err);
    *waits = false;
    for (size_t i = 0; !rc && !*waits && i < above.n; i++)
        *waits = ours->only ? above.rows[i] == ours->only
                            : pingo__map_get(ours->ids, &above.rows[i], sizeof *above.rows) !=
                                  PINGO__MAP_NONE;
    pingo__arena_clear(&arena);
    return rc;
}

/* Of another workflow; and where it is planned again, not who came later and waits for us already: what is planned
 * again for those who need it must not wait for them either. */
static int comes_before(struct pingo__manager_apply *a, size_t i,
                        const struct pingo__store_action_row *row, bool *does,
                        struct pingo_error *err)
{
    bool waits = false, of_itself = a->ours && a->members[i].again && !a->members[i].live;
    struct pingo__manager_ours ours = {a->ours, of_itself ? a->members[i].again->id : 0};
    *does = row->workflow != a->number;
    int rc = *does && a->ours ? pingo__manager_waits_for(a->c, row->id, &ours, &waits, err) : 0;
    *does = *does && !waits;
    return rc;
}

/* Where a path leads: links to its directory are followed; what it is itself is not looked at.  NULL: no memory. */
static const char *real_path(const struct pingo__manager_apply *a, const char *path)
{
    char *real = pingo__manager_outside_resolve(a->c->world, path);
    const char *copy = real ? pingo__arena_text(a->arena, real, strlen(real)) : NULL;
    free(real);
    return copy;
}

struct outputs {
    struct pingo__manager_apply_output *rows;
    size_t n;
};

static int by_real(const void *a, const void *b)
{
    const struct pingo__manager_apply_output *x = a, *y = b;
    return strcmp(x->real, y->real);
}

/* How many of those that are sorted come before this one, or before it and with it. */
static size_t count(const struct outputs *of, const struct pingo__manager_apply_output *key,
                    int (*by)(const void *a, const void *b), bool with_alike)
{
    size_t low = 0, high = of->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by(&of->rows[middle], key) < with_alike)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct outputs alike(const struct outputs *of, const struct pingo__manager_apply_output *key,
                            int (*by)(const void *a, const void *b))
{
    size_t from = count(of, key, by, false);
    return (struct outputs){of->rows + from, count(of, key, by, true) - from};
}

/* Once: there may be many, and many who ask. */
static int find_outputs(struct pingo__manager_apply *a, struct pingo_error *err)
{
    struct pingo__store_text_list paths = {.arena = a->arena};
    if (a->outputs)
        return 0;
    int rc = pingo__store_action_list_outputs(a->c->db, &paths, err);
    if (!rc)
        a->outputs = pingo__arena_array(a->arena, paths.n + 1, sizeof *a->outputs);
    if (!rc && !a->outputs)
        rc = pingo__fail_memory(err);
    if (rc)
        return rc;
    for (size_t i = 0; i < paths.n; i++)
        a->outputs[i] = (struct pingo__manager_apply_output){
            .name = pingo__path_last(paths.rows[i]), .path = paths.rows[i]};
    a->noutputs = paths.n;
    qsort(a->outputs, a->noutputs, sizeof *a->outputs, pingo__array_by_text);
    return 0;
}

/* Those that lead there.  What a path leads to has its last name: of no other the file system is asked. */
static int find_those_at(struct pingo__manager_apply *a, const char *real, struct outputs *found,
                         struct pingo_error *err)
{
    const struct pingo__manager_apply_output key = {.name = pingo__path_last(real), .real = real};
    int rc = find_outputs(a, err);
    if (rc)
        return rc;
    struct outputs named =
        alike(&(struct outputs){a->outputs, a->noutputs}, &key, pingo__array_by_text);
    bool is_known = !named.n || named.rows->real;
    for (size_t i = is_known ? 0 : named.n; i-- > 0;)
        if (!(named.rows[i].real = real_path(a, named.rows[i].path)))
            return pingo__fail_memory(err);
    if (!is_known)
        qsort(named.rows, named.n, sizeof *named.rows, by_real);
    *found = alike(&named, &key, by_real);
    return 0;
}

/* Who writes to a file, by whichever path, who needs it of them, and who claims what lies there. */
static int list_at_output(struct pingo__manager_apply *a, const char *real,
                          struct pingo__store_action_list *list, struct pingo_error *err)
{
    struct pingo__writer paths = {0};
    struct outputs at = {NULL, 0};
    int rc = real ? find_those_at(a, real, &at, err) : pingo__fail_memory(err);
    pingo__writer_open(&paths, NULL, PINGO__WRITER_ARRAY);
    for (size_t i = 0; i < at.n; i++)
        pingo__writer_text(&paths, NULL, at.rows[i].path);
    pingo__writer_close(&paths);
    const char *json = pingo__buffer_cstr(&paths.out);
    if (!rc)
        rc = json ? pingo__store_action_list_at_output(a->c->db, json, real, list, err)
                  : pingo__fail_memory(err);
    pingo__writer_clear(&paths);
    return rc;
}

int pingo__manager_apply_behind(struct pingo__manager_apply *a, size_t i,
                                struct pingo__store_action_list *before, struct pingo_error *err)
{
    const struct pingo_action *action = pingo_workflow_action(a->workflow, i);
    size_t n = 0;
    *before = (struct pingo__store_action_list){.arena = a->arena};
    if (action->is_managed)
        return 0;
    int rc = list_at_output(a, real_path(a, action->output_path), before, err);
    for (size_t k = 0; !rc && k < before->n; k++) {
        bool does = false;
        rc = comes_before(a, i, &before->rows[k], &does, err);
        if (does)
            before->rows[n++] = before->rows[k];
    }
    before->n = n;
    return rc;
}

static bool is_one_of(const struct outputs *those, const char *path)
{
    for (size_t i = 0; path && i < those->n; i++)
        if (strcmp(those->rows[i].path, path) == 0)
            return true;
    return false;
}

int pingo__manager_apply_before(struct pingo__manager_apply *a, const char *output_path,
                                int64_t reader, struct pingo_error *err)
{
    struct pingo__store_action_list writers = {.arena = a->arena};
    struct pingo__store_number_list above = {.arena = a->arena};
    struct outputs at = {NULL, 0};
    const char *real = real_path(a, output_path);
    int rc = list_at_output(a, real, &writers, err);
    if (!rc)
        rc = find_those_at(a, real, &at, err);
    if (!rc)
        rc = pingo__store_dependency_list_above(a->c->db, reader, &above, err);
    for (size_t i = 0; !rc && i < writers.n; i++) {
        const struct pingo__store_action_row *w = &writers.rows[i];
        int64_t waits;
        if (w->state != PINGO_ACTION_WAITING || !is_one_of(&at, w->output_path) ||
            lfind(&w->id, above.rows, &above.n, sizeof w->id, pingo__array_by_id))
            continue;
        rc = pingo__store_dependency_insert(a->c->db, reader, w->id, false, err);
        if (!rc)
            rc = pingo__store_action_count_waits(a->c->db, w->id, &waits, err);
        if (!rc)
            rc = pingo__store_queue_join(a->c->db, reader, w->queue, err);
    }
    return rc;
}
