/* outputs.c - where unmanaged outputs may go: not into the store or its pool, and not over a
 * directory that holds one of them, for a directory at outputPath is replaced whole.
 *
 * Links on the way are followed, as they are when the output is put there; what a link is
 * changed to later is its owner's affair. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "engine/engine.h"

/* path with the links of its longest existing directory resolved.  The last part stays: it is
 * replaced, not followed.  Yours; NULL: no memory. */
static char *resolved(const char *path)
{
    char *copy = strdup(path), *joined = NULL, real[PATH_MAX];
    char *slash = copy;

    while (copy && (slash = strrchr(copy, '/')) != NULL && slash != copy) {
        *slash = '\0';
        if (realpath(copy, real))
            break;
    }
    if (!copy)
        return NULL;
    if (slash && slash != copy)
        joined = pingo__path_join(real, path + (slash - copy) + 1);
    else
        joined = strdup(path);
    free(copy);
    return joined;
}

/* Does one of the two lie in the other? */
static bool meet(const char *a, const char *b)
{
    return pingo__path_is_below(a, b) || pingo__path_is_below(b, a);
}

static int check_one(const struct pingo_action *a, const char *const kept[4],
                     struct pingo_error *err)
{
    char *path = resolved(a->output_path);
    int rc = path ? 0 : pingo__fail_memory(err);

    for (size_t i = 0; !rc && i < 4; i++) {
        if (!meet(path, kept[i]) && !meet(a->output_path, kept[i]))
            continue;
        rc = pingo__fail(err, PINGO_EWORKFLOW,
                         pingo__path_is_below(path, kept[i]) ||
                                 pingo__path_is_below(a->output_path, kept[i])
                             ? "action %" PRId64 " (%s): outputPath %s lies inside the store"
                             : "action %" PRId64 " (%s): outputPath %s would replace the "
                               "directory that holds the store",
                         a->id, a->name, a->output_path);
    }
    free(path);
    return rc;
}

int pingo__outputs_check(const struct pingo_store *store, const struct pingo_workflow *workflow,
                         struct pingo_error *err)
{
    char store_real[PATH_MAX], pool_real[PATH_MAX];
    const char *kept[4] = {store->directory, store->pool_dir, store->directory, store->pool_dir};
    int rc = 0;

    if (realpath(store->directory, store_real))
        kept[2] = store_real;
    if (realpath(store->pool_dir, pool_real))
        kept[3] = pool_real;
    for (size_t i = 0; !rc && i < pingo_workflow_count(workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(workflow, i);

        if (a->output_path)
            rc = check_one(a, kept, err);
    }
    return rc;
}
