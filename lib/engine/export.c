/* export.c - leaves out of the pool, under names that people gave.
 *
 * What always holds: while it is copied, a dataset is held by a living owner and
 * cannot be deleted; what appears under its name is whole; what Pingo has is not touched. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/map.h"
#include "base/path.h"
#include "engine/engine.h"
#include "manager/copy.h"
#include "store/datasets.h"

#define BATCH 64

struct export
{
    struct pingo_store *store;
    struct pingo__context context; /* with an owner of our own */
    struct pingo__owner owner;
    struct pingo__loaded l;
    const char *directory; /* absolute */
    char **names;          /* of each position that is chosen */
    bool link;
    struct pingo_error missing; /* the first that is not there */
    pingo_exported_fn fn;
    void *fn_context;
};

/* ---- names --------------------------------------------------------------------------------- */

/* A name that is safe as a file name: what has a meaning for the file system becomes '_'. */
static void make_safe(char *name)
{
    for (char *p = name; *p; p++)
        if (*p == '/' || (unsigned char)*p < 0x20)
            *p = '_';
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !*name)
        strcpy(name, "_");
}

static const char *extension(const struct pingo_action *a)
{
    const struct pingo_field *output = pingo_action_field(a, "output");
    const struct pingo_field *is_stdout = pingo_action_field(a, "stdout");
    const char *dot = output && output->nvalues ? strrchr(output->values[0], '.') : NULL;

    if (is_stdout && is_stdout->nvalues && strcmp(is_stdout->values[0], "true") == 0)
        return "";
    return dot && dot != output->values[0] ? dot : "";
}

static char *name_of(const struct export *x, size_t i, bool with_id)
{
    const struct pingo_action *a = pingo_workflow_action(x->l.workflow, i);
    const char *ext = extension(a);
    size_t size = strlen(a->name) + strlen(ext) + 32, n = strlen(a->name);
    char *name = malloc(size);

    if (!name)
        return NULL;
    if (n >= strlen(ext) && strcmp(a->name + n - strlen(ext), ext) == 0)
        n -= strlen(ext); /* "words.txt" with output "x.txt" is words.txt, not words.txt.txt */
    if (with_id)
        snprintf(name, size, "%.*s-%" PRId64 "%s", (int)n, a->name, a->id, ext);
    else
        snprintf(name, size, "%.*s%s", (int)n, a->name, ext);
    make_safe(name);
    if (strlen(name) > 200)
        snprintf(name, size, "%.180s-%" PRId64, a->name, a->id), make_safe(name);
    return name;
}

enum mark { PLAIN, REPEATS, HAS_ID };

/* Marks what has the name of another; *again: something was marked. */
static int mark_repeats(const struct export *x, unsigned char *marks, bool *again,
                        struct pingo_error *err)
{
    struct pingo__map first; /* name -> the position that had it first */
    int rc = 0;

    *again = false;
    pingo__map_init(&first);
    for (size_t i = 0; !rc && i < x->l.graph.nhashes; i++) {
        uint32_t other = PINGO__MAP_NONE;

        if (!x->names[i])
            continue;
        if (!pingo__map_insert(&first, x->names[i], strlen(x->names[i]), (uint32_t)i, &other)) {
            rc = pingo__fail_memory(err);
        } else if (other != PINGO__MAP_NONE && (marks[i] == PLAIN || marks[other] == PLAIN)) {
            marks[i] = marks[i] == PLAIN ? REPEATS : marks[i];
            marks[other] = marks[other] == PLAIN ? REPEATS : marks[other];
            *again = true;
        }
    }
    pingo__map_clear(&first);
    return rc;
}

/* The names of all that is chosen: by name, "-ID" where it repeats; and again, for "a-2" may be the
 * name of another. */
static int name_all(struct export *x, const bool *chosen, struct pingo_error *err)
{
    size_t n = x->l.graph.nhashes;
    unsigned char *marks = calloc(n + 1, sizeof *marks);
    bool again = true;
    int rc = 0;

    x->names = calloc(n + 1, sizeof *x->names);
    if (!marks || !x->names)
        rc = pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        if (chosen[i] && !(x->names[i] = name_of(x, i, false)))
            rc = pingo__fail_memory(err);
    while (!rc && again) {
        rc = mark_repeats(x, marks, &again, err);
        for (size_t i = 0; !rc && again && i < n; i++) {
            if (marks[i] != REPEATS)
                continue;
            marks[i] = HAS_ID;
            free(x->names[i]);
            x->names[i] = name_of(x, i, true);
            rc = x->names[i] ? 0 : pingo__fail_memory(err);
        }
    }
    free(marks);
    return rc;
}

/* ---- one dataset ------------------------------------------------------------------------------ */

/* Inside a write transaction. */
static int hold(struct export *x, size_t i, struct pingo__dataset_row *row, struct pingo_error *err)
{
    const struct pingo_action *a = pingo_workflow_action(x->l.workflow, i);
    int rc = pingo__dataset_newest(&x->store->db, &x->l.graph.hashes[i], &x->l.arena, row, err);

    if (rc >= 0 && (rc == 0 || !row->path || row->state < PINGO_DATASET_STORED ||
                    row->state > PINGO_DATASET_PROCESSING))
        rc = pingo__fail(err, PINGO_ESTATE, "the output of action %" PRId64 " (%s) is %s", a->id,
                         a->name,
                         rc == 0 || row->state <= PINGO_DATASET_TO_LEAF ? "not computed yet"
                         : row->made_ms < 0 ? "not there: it did not finish"
                                            : "deleted; run the workflow again to have it back");
    return rc == 1 ? pingo__hold_insert(&x->store->db, row->id, x->owner.id, err) : rc;
}

/* One transaction a batch.  What is not there does not keep the rest; the first such is told in the end. */
static int hold_batch(struct export *x, const size_t *at, size_t n, struct pingo__dataset_row *rows,
                      struct pingo_error *err)
{
    int rc = pingo__db_begin(&x->store->db, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc >= 0 && i < n; i++) {
        struct pingo_error why = {0};

        rc = hold(x, at[i], &rows[i], &why);
        if (rc == PINGO_ESTATE) {
            rows[i].id = 0;
            if (!x->missing.code)
                x->missing = why;
            rc = 0;
        } else if (rc < 0) {
            rc = pingo__fail(err, rc, "%s", why.message);
        }
    }
    return pingo__db_end(&x->store->db, rc < 0 ? rc : 0, err);
}

static int put(struct export *x, const struct pingo__dataset_row *row, const char *path,
               struct pingo_error *err)
{
    const struct pingo__world *w = x->context.world;
    char *temporary = malloc(strlen(path) + 64);
    char *from = pingo__pool_full_path(&x->store->pool, &x->l.arena, row->path);
    int rc = 0;

    if (!temporary || !from) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    sprintf(temporary, "%s.pingo-%" PRId64, path, x->owner.id);
    pingo__remove_tree(w, &x->store->pool, temporary);
    if (x->link) {
        rc = w->symlink(w->context, from, AT_FDCWD, temporary);
        rc = rc < 0 ? pingo__fail_os(err, -rc, "linking", path) : 0;
    } else {
        rc = pingo__copy_tree(w, from, temporary, err);
    }
    if (!rc) {
        rc = pingo__replace_outside(&x->store->pool, temporary, path);
        rc = rc < 0 ? pingo__fail_os(err, -rc, "exporting to", path) : 0;
    }
    if (rc)
        pingo__remove_tree(w, &x->store->pool, temporary);
out:
    free(temporary);
    return rc;
}

static int export_one(struct export *x, size_t i, const struct pingo__dataset_row *row,
                      struct pingo_error *err)
{
    const struct pingo_action *a = pingo_workflow_action(x->l.workflow, i);
    char *path = pingo__path_child(x->directory, x->names[i]);
    int rc = path ? put(x, row, path, err) : pingo__fail_memory(err);

    if (!rc && x->fn && x->fn(x->fn_context, a->id, a->name, path, row->size_bytes))
        rc = pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
    free(path);
    return rc;
}

static int export_batch(struct export *x, const size_t *at, size_t n, struct pingo_error *err)
{
    struct pingo__dataset_row rows[BATCH];
    int rc = hold_batch(x, at, n, rows, err);

    for (size_t i = 0; !rc && i < n; i++)
        if (rows[i].id)
            rc = export_one(x, at[i], &rows[i], err);
    return rc;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static int make_directory(const char *path, struct pingo_error *err)
{
    struct stat st;

    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return 0;
    return pingo__fail_os(err, errno == EEXIST ? ENOTDIR : errno, "making the directory", path);
}

static int export_chosen(struct export *x, const char *action, struct pingo_error *err)
{
    size_t n = x->l.graph.nhashes, only = 0, batch[BATCH];
    bool *chosen = calloc(n + 1, sizeof *chosen);
    int rc = chosen ? 0 : pingo__fail_memory(err);

    if (!rc && action)
        rc = pingo_workflow_resolve(x->l.workflow, action, &only, err);
    for (size_t i = 0; !rc && i < n; i++)
        chosen[i] = action ? i == only
                           : pingo__loaded_is_wanted(&x->l, i) &&
                                 pingo_workflow_action(x->l.workflow, i)->is_managed;
    if (!rc)
        rc = name_all(x, chosen, err);
    if (!rc)
        rc = make_directory(x->directory, err);
    for (size_t i = 0, waiting = 0; !rc && i <= n; i++) {
        if (i < n && chosen[i])
            batch[waiting++] = i;
        if (waiting == BATCH || (i == n && waiting)) {
            rc = export_batch(x, batch, waiting, err);
            waiting = 0;
        }
    }
    if (!rc && x->missing.code)
        rc = pingo__fail(err, x->missing.code, "%s", x->missing.message);
    for (size_t i = 0; x->names && i < n; i++)
        free(x->names[i]);
    free(x->names);
    free(chosen);
    return rc;
}

int pingo_store_export(struct pingo_store *store, int64_t workflow, const char *action,
                       const char *directory, const struct pingo_export_options *options,
                       pingo_exported_fn fn, void *context, struct pingo_error *err)
{
    struct export x = {.store = store,
                       .context = store->context,
                       .owner = {.fd = -1},
                       .link = options && options->link,
                       .fn = fn,
                       .fn_context = context};
    char *here = directory[0] == '/' ? NULL : getcwd(NULL, 0);
    char *absolute = pingo__path_join(here, directory);
    int rc = pingo__check_version(err, "pingo_export_options", options ? options->version : 1);

    if (!rc && !absolute)
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = pingo__loaded_open(store, workflow, &x.l, err);
    if (rc)
        goto out;
    x.directory = absolute;
    rc = pingo__owner_register(&x.owner, &x.context, err);
    if (!rc)
        rc = export_chosen(&x, action, err);
    pingo__owner_release(&x.owner, &x.context, true);
    pingo__loaded_close(&x.l);
out:
    free(here);
    free(absolute);
    return rc;
}
