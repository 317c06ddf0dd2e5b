/* outputs.c - where exports and unmanaged outputs may go: not into the store or its pool, not over a
 * directory that holds one of them, for a directory is replaced whole; and not over what is not ours.
 *
 * Links on the way are followed, as they are when the output is put there; what a link is
 * changed to later is its owner's affair.
 *
 * Nor is the store read as an input, by the path that is named. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/map.h"
#include "base/path.h"
#include "engine/engine.h"
#include "manager/dataset/outside.h"

void pingo__engine_kept_find(const struct pingo_store *store, struct pingo__engine_kept *k)
{
    const char *store_real = realpath(store->directory, k->store_real);
    const char *pool_real = realpath(store->pool_dir, k->pool_real);
    k->paths[0] = store->directory;
    k->paths[1] = store->pool_dir;
    k->paths[2] = store_real ? store_real : store->directory;
    k->paths[3] = pool_real ? pool_real : store->pool_dir;
}

/* What a path, and what it really is, do to what is kept; NULL: nothing. */
static const char *harm(const struct pingo__engine_kept *k, const char *path, const char *real)
{
    for (size_t i = 0; i < 4; i++) {
        const char *kept = k->paths[i];
        if (pingo__path_is_below(real, kept) || pingo__path_is_below(path, kept))
            return "lies inside the store";
        if (pingo__path_is_below(kept, real) || pingo__path_is_below(kept, path))
            return "would replace the directory that holds the store";
    }
    return NULL;
}

int pingo__engine_target_check(const struct pingo__engine_kept *kept,
                               struct pingo__manager_outside *x, struct pingo_error *err)
{
    if (!x->real)
        x->real = pingo__manager_outside_resolve(x->c->world, x->path);
    const char *found = x->real ? harm(kept, x->path, x->real) : NULL;
    if (!x->real)
        return pingo__fail_memory(err);
    return found ? pingo__fail(err, PINGO_EINVAL, "%s: %s", x->path, found) : 0;
}

/* ---- outputPath ---------------------------------------------------------------------------- */

static int permit(struct pingo_store *store, struct pingo__manager_outside *x,
                  struct pingo_error *err)
{
    int rc = pingo__manager_outside_see(x, err);
    if (!rc)
        rc = pingo__store_db_begin(&store->db, err);
    return rc ? rc : pingo__store_db_end(&store->db, pingo__manager_outside_permit(x, err), err);
}

/* There is a directory for it, in which something can be made, and nothing that is not ours lies there, or it is said
 * that it may be replaced: now, not when days of work are done. */
static int check_there(struct pingo_store *store, const struct pingo_action *a, bool force,
                       struct pingo_error *err)
{
    struct pingo__manager_outside x = {.c = &store->context, .path = a->output_path};
    char above[PATH_MAX];
    if (pingo__manager_outside_lacks(pingo__world_real(), a->output_path, above))
        return pingo__fail(err, PINGO_EWORKFLOW,
                           "action %" PRId64
                           " (%s): outputPath %s: there is no directory %s: make it first",
                           a->id, a->name, a->output_path, above);
    struct pingo_error why = {0};
    int rc = pingo__manager_outside_look(&x, &why);
    if (rc)
        pingo__fail(err, rc = rc == PINGO_EIO ? PINGO_EWORKFLOW : rc,
                    "action %" PRId64 " (%s): outputPath: %s", a->id, a->name, why.message);
    x.hint = pingo__manager_outside_output_hint(&x);
    if (!rc && (rc = pingo__manager_outside_allowed(&x, err)) != 0) {
        if (force)
            rc = permit(store, &x, err);
        else
            pingo__error_prefix(err, "action %" PRId64 " (%s): outputPath", a->id, a->name);
    }
    if (!rc && x.there == PINGO__OUTSIDE_NOTHING &&
        faccessat(AT_FDCWD, *above ? above : "/", W_OK | X_OK, AT_EACCESS) < 0)
        rc = pingo__fail(err, PINGO_EWORKFLOW,
                         "action %" PRId64
                         " (%s): outputPath %s: nothing can be made in the directory %s: %s",
                         a->id, a->name, a->output_path, *above ? above : "/", strerror(errno));
    pingo__manager_outside_clear(&x);
    return rc;
}

/* By where its outputPath really leads. */
struct writer {
    const struct pingo_action *action;
    const char *real;
};

/* Equal paths were refused when the workflow was read; others may lead to one file, or into one directory, which is
 * replaced whole. */
static int check_free(const struct pingo__map *by_real, const struct writer *writers, size_t i,
                      struct pingo_error *err)
{
    const struct pingo_action *a = writers[i].action;
    size_t n = strlen(writers[i].real);
    uint32_t at = pingo__map_get(by_real, writers[i].real, n);
    while (at == i || (at == PINGO__MAP_NONE && n > 0)) {
        while (n > 0 && writers[i].real[--n] != '/')
            ;
        at = pingo__map_get(by_real, writers[i].real, n);
    }
    if (at == PINGO__MAP_NONE)
        return 0;
    const struct pingo_action *other = writers[at].action;
    return pingo__fail(err, PINGO_EWORKFLOW,
                       "action %" PRId64 " (%s): outputPath %s: the action %" PRId64
                       " (%s) writes %s, as %s: give each action a path of its own",
                       a->id, a->name, a->output_path, other->id, other->name,
                       writers[i].real[n] ? "the directory in which it lies" : "there too",
                       other->output_path);
}

/* A writer more, if it may write there. */
static int add_writer(const struct pingo__engine_kept *k, struct pingo__arena *arena,
                      struct writer *writer, struct pingo_error *err)
{
    const struct pingo_action *a = writer->action;
    char *found = pingo__manager_outside_resolve(pingo__world_real(), a->output_path);
    writer->real = found ? pingo__arena_text(arena, found, strlen(found)) : NULL;
    free(found);
    if (!writer->real)
        return pingo__fail_memory(err);
    const char *why = harm(k, a->output_path, writer->real);
    return why ? pingo__fail(err, PINGO_EWORKFLOW, "action %" PRId64 " (%s): outputPath %s %s",
                             a->id, a->name, a->output_path, why)
               : 0;
}

int pingo__engine_outputs_check(const struct pingo_store *store,
                                const struct pingo_workflow *workflow, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__map by_real = {0};
    struct writer *writers = NULL;
    size_t n = 0, capacity = 0;
    struct pingo__engine_kept k;
    int rc = 0;
    pingo__engine_kept_find(store, &k);
    for (size_t i = 0; !rc && i < pingo_workflow_count(workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(workflow, i);
        if (!a->output_path)
            continue;
        if (!PINGO__ARENA_ROOM(&arena, writers, n, capacity)) {
            rc = pingo__fail_memory(err);
            break;
        }
        writers[n].action = a;
        rc = add_writer(&k, &arena, &writers[n], err);
        if (!rc && !pingo__map_insert(&by_real, writers[n].real, strlen(writers[n].real),
                                      (uint32_t)n, NULL))
            rc = pingo__fail_memory(err);
        n++;
    }
    for (size_t i = 0; !rc && i < n; i++)
        rc = check_free(&by_real, writers, i, err);
    pingo__map_clear(&by_real);
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static bool holds(const struct pingo__engine_kept *k, const struct pingo_input *input)
{
    bool is_read = input->path && !input->sha256 && input->identity == PINGO_IDENTITY_CONTENT;
    for (size_t i = 0; is_read && i < 4; i++)
        if (pingo__path_is_below(k->paths[i], input->path))
            return true;
    return false;
}

int pingo__engine_inputs_check(const struct pingo_store *store,
                               const struct pingo_workflow *workflow, struct pingo_error *err)
{
    struct pingo__engine_kept k;
    pingo__engine_kept_find(store, &k);
    for (size_t i = 0; i < pingo_workflow_count(workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(workflow, i);
        for (size_t n = 0; n < a->ninputs; n++)
            if (holds(&k, &a->inputs[n]))
                return pingo__fail(err, PINGO_EINPUT,
                                   "action %" PRId64 " (%s): input %s: %s holds the store, which "
                                   "changes with each run: name what is needed of it, or keep the "
                                   "store elsewhere",
                                   a->id, a->name, a->inputs[n].name, a->inputs[n].path);
    }
    return 0;
}

int pingo__engine_outputs_check_there(struct pingo_store *store,
                                      const struct pingo_workflow *workflow, bool force,
                                      struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < pingo_workflow_count(workflow); i++)
        if (pingo_workflow_action(workflow, i)->output_path)
            rc = check_there(store, pingo_workflow_action(workflow, i), force, err);
    return rc;
}
