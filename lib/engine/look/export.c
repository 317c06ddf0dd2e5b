/* export.c - leaves out of the pool, under names that people gave.
 *
 * What always holds: while it is copied, a dataset is held by a living owner and
 * cannot be deleted; all targets are looked at before the first is written; what
 * may be replaced, and how, is manager/outside.h's. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/full.h"
#include "base/growing.h"
#include "base/path.h"
#include "digest/sha256.h"
#include "engine/look/export.h"
#include "manager/dataset/outside.h"
#include "manager/dataset/suspects.h"
#include "store/submission/labels.h"

#define BATCH 256

/* One output on its way. */
struct item {
    const struct pingo__store_node *node;
    char *path;
    struct pingo__store_dataset_row *row; /* id 0: it is not there */
    struct pingo__manager_outside out;
};

struct export
{
    struct pingo_store *store;
    struct pingo__manager_context context; /* with an owner of our own */
    struct pingo__manager_owner owner;
    struct pingo__engine_export_list list;
    struct pingo_export_options options;
    const char *directory; /* absolute */
    struct item *items;
    struct pingo__store_dataset_row *rows; /* of the items */
    size_t n;
    struct pingo__manager_suspects suspects;
    struct pingo_error missing; /* the first that is not there */
    size_t nmissing;
};

/* ---- which ones, and what is known of each ----------------------------------------------------- */

/* What its command calls its output, and its labels. */
static int describe_action(struct export *x, struct pingo__engine_exported *e,
                           struct pingo_error *err)
{
    struct pingo__store_text_list labels = {.arena = &x->list.named.arena};
    struct pingo_description *d = NULL;
    size_t n = 0;
    bool is_stdout = false;
    int rc = pingo__store_definition_decoded(&x->store->db, &e->node.hash, &d, err);
    e->output = "";
    const struct pingo_field *fields = d ? pingo_description_fields(d, &n) : NULL;
    for (size_t i = 0; !rc && i < n; i++) {
        if (strcmp(fields[i].key, "stdout") == 0 && fields[i].nvalues)
            is_stdout = strcmp(fields[i].values[0], "true") == 0;
        else if (strcmp(fields[i].key, "output") == 0 && fields[i].nvalues)
            e->output = pingo__arena_format(&x->list.named.arena, "%s", fields[i].values[0]);
    }
    if (!rc && !e->output)
        rc = pingo__fail_memory(err);
    if (is_stdout)
        e->output = "";
    pingo_description_free(d);
    if (!rc)
        rc = pingo__store_labels_read(&x->store->db, e->node.id, &labels, err);
    e->labels = labels.rows;
    e->nlabels = labels.n;
    return rc;
}

/* One action, or those of the ids, each once. */
static int choose_named(struct export *x, const char *action,
                        struct pingo__store_planned_list *chosen, struct pingo_error *err)
{
    struct pingo__engine_named *named = &x->list.named;
    const struct pingo_export_options *o = &x->options;
    size_t n = action ? 1 : o->nids;
    int64_t *positions = pingo__arena_array(&named->arena, n, sizeof *positions);
    int rc = 0;
    chosen->rows = pingo__arena_array(&named->arena, n, sizeof *chosen->rows);
    if (!positions || !chosen->rows)
        return pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++) {
        positions[i] = -1;
        rc = action ? pingo__store_node_resolve(&x->store->db, named->workflow.graph, action,
                                                &positions[i], err)
                    : pingo__store_node_find(&x->store->db, named->workflow.graph, o->ids[i],
                                             &positions[i], err);
        if (!rc && positions[i] < 0)
            rc = pingo__fail(err, PINGO_ENOTFOUND, "no action has the id %" PRId64, o->ids[i]);
    }
    qsort(positions, n, sizeof *positions, pingo__array_by_id);
    for (size_t i = 0; !rc && i < n; i++) {
        if (i && positions[i] == positions[i - 1])
            continue;
        rc = pingo__engine_named_read(x->store, named, positions[i], err);
        chosen->rows[chosen->n++] = named->action;
    }
    return rc;
}

/* Without names what was wanted, but for what goes out of the pool by itself. */
static int choose(struct export *x, const char *action, struct pingo__store_planned_list *chosen,
                  struct pingo_error *err)
{
    size_t kept = 0;
    if (action || x->options.nids)
        return choose_named(x, action, chosen, err);
    chosen->arena = &x->list.named.arena;
    int rc = pingo__store_planned_wanted(&x->store->db, x->list.named.workflow.id, chosen, err);
    for (size_t i = 0; !rc && i < chosen->n; i++)
        if (!chosen->rows[i].node.output_path)
            chosen->rows[kept++] = chosen->rows[i];
    chosen->n = kept;
    return rc;
}

static int choose_all(struct export *x, const char *action, struct pingo_error *err)
{
    struct pingo__engine_export_list *list = &x->list;
    struct pingo__store_planned_list chosen = {.n = 0};
    int rc = pingo__store_db_begin_read(&x->store->db, err);
    if (!rc)
        rc = choose(x, action, &chosen, err);
    if (!rc && !(list->actions =
                     pingo__arena_array(&list->named.arena, chosen.n + 1, sizeof *list->actions)))
        rc = pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < chosen.n; i++) {
        list->actions[i].node = chosen.rows[i].node;
        rc = describe_action(x, &list->actions[list->n++], err);
    }
    pingo__store_db_rollback(&x->store->db);
    return rc;
}

/* Nothing else may need it by now. */
#define AGAIN "; run the workflow again with it as a target to have it back"

/* ---- what is there ---------------------------------------------------------------------------- */

/* Inside a write transaction. */
static int hold(struct export *x, struct item *item, struct pingo_error *err)
{
    const struct pingo__store_node *a = item->node;
    struct pingo__store_dataset_row *row = item->row;
    int rc = pingo__store_dataset_newest(&x->store->db, &a->hash, &x->list.named.arena, row, err);
    if (!rc && !pingo__store_dataset_is_whole(row))
        rc = pingo__fail(err, PINGO_ESTATE, "the output of action %" PRId64 " (%s) is %s",
                         a->user_id, a->name,
                         !row->id || pingo_dataset_state_is_pending(row->state) ? "not computed yet"
                         : row->made_ms < 0 ? "not there: it did not finish"
                                            : "deleted" AGAIN);
    return rc ? rc : pingo__store_hold_insert(&x->store->db, row->id, x->context.owner, err);
}

/* What is not there, or cannot be looked at on this machine, does not keep the rest; the first such is told in the
 * end. */
static int pass_over(struct export *x, struct item *item, int rc, const struct pingo_error *why,
                     struct pingo_error *err)
{
    if (rc != PINGO_ESTATE && !pingo__pool_is_shut(&x->store->pool, rc))
        return rc < 0 ? pingo__fail(err, rc, "%s", why->message) : 0;
    *item->row = (struct pingo__store_dataset_row){.id = 0};
    if (x->nmissing++ == 0)
        x->missing = *why;
    return 0;
}

static int hold_batch(struct export *x, struct item *items, size_t n, struct pingo_error *err)
{
    int rc = pingo__store_db_begin(&x->store->db, err);
    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo_error why = {0};
        rc = pass_over(x, &items[i], hold(x, &items[i], &why), &why, err);
    }
    return pingo__store_db_end(&x->store->db, rc, err);
}

static int check_present(struct export *x, struct item *item, struct pingo_error *err)
{
    const struct pingo__store_node *a = item->node;
    struct pingo_error why = {0};
    enum pingo__manager_presence is;
    int rc = pingo__manager_suspects_verify(&x->suspects, item->row,
                                            (size_t)(x->rows + x->n - item->row), &is, &why);
    if (!rc && is != PINGO__THERE)
        rc = pingo__fail(&why, PINGO_ESTATE, "the output of action %" PRId64 " (%s) was %s %s" AGAIN,
                         a->user_id, a->name, is == PINGO__CHANGED ? "changed in" : "removed from",
                         item->row->managed ? "the pool" : "its place");
    return pass_over(x, item, rc, &why, err);
}

/* ---- where it goes ------------------------------------------------------------------------------ */

static int describe(struct export *x, struct item *item, struct pingo_error *err)
{
    struct pingo__manager_outside *o = &item->out;
    o->force = x->options.force;
    o->hint =
        x->options.as ? "move it away, or say --force-outputs" : "move it away, or say --force";
    o->from = item->row->path;
    o->made = (struct pingo__store_written){.kind = item->row->directory ? PINGO__WRITTEN_DIRECTORY
                                                                         : PINGO__WRITTEN_FILE,
                                            .content = item->row->content,
                                            .size_bytes = item->row->size_bytes};
    if (!x->options.link)
        return 0;
    if (*o->from != '/' && pingo__pool_is_remote(&x->store->pool))
        return pingo__fail(
            err, PINGO_EUNSUPPORTED,
            "%s: cannot be a link: the pool lies elsewhere, and copies of it on this "
            "machine come and go; export without links copies it",
            item->path);
    int rc = pingo__pool_path(&x->store->pool, &x->list.named.arena, item->row->path, &o->from, err);
    if (rc)
        return rc;
    o->made.kind = PINGO__WRITTEN_LINK;
    o->made.size_bytes = (int64_t)strlen(o->from);
    pingo__digest_sha256(o->from, strlen(o->from), &o->made.content);
    return 0;
}

/* All targets are looked at before anything is written. */
static int look_at_all(struct export *x, struct pingo_error *err)
{
    size_t nrefused = 0;
    int rc = 0, refused = 0;
    for (size_t i = 0; !rc && i < x->n; i++) {
        struct item *item = &x->items[i];
        if (item->row->id)
            rc = check_present(x, item, err);
        if (rc || !item->row->id)
            continue;
        rc = describe(x, item, err);
        if (!rc)
            rc = pingo__manager_outside_look(&item->out, err);
        if (!rc && pingo__manager_outside_allowed(&item->out, nrefused ? NULL : err)) {
            refused = PINGO_EEXISTS;
            nrefused++;
        }
    }
    if (!rc && nrefused > 1 && err) {
        size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used,
                 " (and %zu more); nothing was exported", nrefused - 1);
    }
    return rc ? rc : refused;
}

/* ---- writing ------------------------------------------------------------------------------------ */

static int make_directory(const char *path, struct pingo_error *err)
{
    struct stat st;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return 0;
    if (errno == EEXIST || errno == ENOTDIR)
        return pingo__fail(err, PINGO_EEXISTS,
                           "%s: is to be a directory, but something else lies there, or above it",
                           path);
    return pingo__fail_os(err, errno, "making the directory", path);
}

/* The directories between the given one and the output. */
static int make_folders(const struct export *x, char *path, struct pingo_error *err)
{
    int rc = 0;
    for (char *p = strchr(path + strlen(x->directory) + 1, '/'); !rc && p; p = strchr(p + 1, '/')) {
        *p = '\0';
        rc = make_directory(path, err);
        *p = '/';
    }
    return rc;
}

static int begin_batch(struct export *x, struct item *items, size_t n, struct pingo_error *err)
{
    int rc = pingo__store_db_begin(&x->store->db, err);
    for (size_t i = 0; !rc && i < n; i++)
        if (items[i].row->id)
            rc = pingo__manager_outside_begin(&items[i].out, err);
    return pingo__store_db_end(&x->store->db, rc, err);
}

/* What was placed before something failed is remembered all the same. */
static int end_batch(struct export *x, struct item *items, size_t n, struct pingo_error *err)
{
    int rc = pingo__store_db_begin(&x->store->db, err);
    for (size_t i = 0; !rc && i < n; i++)
        if (items[i].out.placed || items[i].out.there == PINGO__OUTSIDE_SAME)
            rc = pingo__manager_outside_end(&items[i].out, err);
    rc = pingo__store_db_end(&x->store->db, rc, err);
    for (size_t i = 0; rc && i < n; i++)
        pingo__manager_outside_leave_noted(&items[i].out);
    return rc;
}

static int copy_one(struct export *x, struct item *item, struct pingo_error *err)
{
    struct pingo_error why;
    int rc = pingo__manager_outside_copy(&item->out, &why);
    if (rc == PINGO_ENOSPACE && !pingo__pool_shares_space(x->context.pool, item->path))
        return pingo__fail(err, rc, "%s; %s", why.message, PINGO__FULL_ELSEWHERE);
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

static int write_one(struct export *x, struct item *item, struct pingo_error *err)
{
    const struct pingo__store_node *a = item->node;
    int rc = make_folders(x, item->path, err);
    if (!rc)
        rc = copy_one(x, item, err);
    if (!rc)
        rc = pingo__manager_outside_place(&item->out, err);
    /* Half a directory would be nothing that we know: what it was is noted before it begins to go. */
    if (!rc && item->out.left && item->out.seen.kind != PINGO__WRITTEN_FILE)
        rc = end_batch(x, item, 1, err);
    if (!rc)
        pingo__manager_outside_remove_former(&item->out);
    if (!rc && x->options.exported &&
        x->options.exported(x->options.context, a->user_id, a->name, item->path,
                            item->row->size_bytes))
        rc = pingo__engine_stopped(err);
    return rc;
}

static int write_batch(struct export *x, struct item *items, size_t n, struct pingo_error *err)
{
    int rc = begin_batch(x, items, n, err);
    for (size_t i = 0; !rc && i < n; i++)
        if (items[i].row->id)
            rc = write_one(x, &items[i], err);
    int ended = end_batch(x, items, n, rc ? NULL : err);
    for (size_t i = 0; i < n; i++)
        pingo__manager_outside_clear(&items[i].out);
    return rc ? rc : ended;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static size_t batch_at(const struct export *x, size_t i)
{
    return x->n - i < BATCH ? x->n - i : BATCH;
}

static int export_items(struct export *x, struct pingo_error *err)
{
    int rc = pingo__manager_outside_recover(&x->context, err);
    for (size_t i = 0; !rc && i < x->n; i += BATCH)
        rc = hold_batch(x, x->items + i, batch_at(x, i), err);
    if (!rc)
        rc = look_at_all(x, err);
    if (!rc)
        rc = make_directory(x->directory, err);
    for (size_t i = 0; !rc && i < x->n; i += BATCH)
        rc = write_batch(x, x->items + i, batch_at(x, i), err);
    char more[40] = "";
    if (x->nmissing > 1)
        snprintf(more, sizeof more, " (and %zu more)", x->nmissing - 1);
    if (!rc && x->nmissing)
        rc = pingo__fail(err, x->missing.code, "%s%s", x->missing.message, more);
    return rc;
}

static int add_items(struct export *x, char **names, struct pingo_error *err)
{
    struct pingo__engine_kept kept;
    char *inside = pingo__path_child(x->directory, "");
    char *real = inside ? pingo__manager_outside_resolve(x->context.world, inside) : NULL;
    int rc = real ? 0 : pingo__fail_memory(err);
    free(inside);
    pingo__engine_kept_find(x->store, &kept);
    x->items = calloc(x->list.n + 1, sizeof *x->items);
    x->rows = calloc(x->list.n + 1, sizeof *x->rows);
    if (!x->items || !x->rows)
        rc = pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < x->list.n; i++) {
        struct item *item = &x->items[x->n];
        item->row = &x->rows[x->n++];
        item->node = &x->list.actions[i].node;
        item->path = pingo__path_child(x->directory, names[i]);
        item->out.c = &x->context;
        item->out.path = item->path;
        item->out.real = strchr(names[i], '/') ? NULL : pingo__path_child(real, names[i]);
        rc = item->path ? pingo__engine_target_check(&kept, &item->out, err)
                        : pingo__fail_memory(err);
    }
    free(real);
    return rc;
}

/* options.as stands for the whole name. */
static int name_all(struct export *x, char **names, struct pingo_error *err)
{
    const struct pingo_export_options *o = &x->options;
    if (!o->as)
        return pingo__engine_export_names(&x->list, o->name_template, names, err);
    for (size_t i = 0; i < x->list.n; i++)
        if (!(names[i] = strdup(o->as)))
            return pingo__fail_memory(err);
    return 0;
}

static int export_chosen(struct export *x, const char *action, struct pingo_error *err)
{
    char **names = NULL;
    int rc = choose_all(x, action, err);
    if (!rc && !(names = calloc(x->list.n + 1, sizeof *names)))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = name_all(x, names, err);
    if (!rc)
        rc = add_items(x, names, err);
    if (!rc)
        rc = export_items(x, err);
    for (size_t i = 0; names && i < x->list.n; i++)
        free(names[i]);
    for (size_t i = 0; i < x->n; i++) {
        pingo__manager_outside_clear(&x->items[i].out);
        free(x->items[i].path);
    }
    pingo__manager_suspects_clear(&x->suspects);
    free(x->items);
    free(x->rows);
    free(names);
    return rc;
}

static int take_options(struct export *x, const struct pingo_export_options *options,
                        const char *action, struct pingo_error *err)
{
    struct pingo_export_options *o = &x->options;
    int rc = PINGO__OPTIONS_TAKE(pingo_export_options, options, o, err);
    if (rc || !o->as)
        return rc;
    if (!action || o->name_template || !pingo__path_is_plain(o->as))
        return pingo__fail(err, PINGO_EINVAL,
                           "as is a plain name for the output of one action, without a template");
    return 0;
}

int pingo_store_export(struct pingo_store *store, const struct pingo_action_name *of,
                       const char *directory, const struct pingo_export_options *options,
                       struct pingo_error *err)
{
    struct export x = {.store = store, .context = store->context, .owner = {.fd = -1}};
    char *path = NULL;
    int rc = take_options(&x, options, of->action, err);
    if (!rc)
        rc = pingo__engine_absolute(directory, &path, err);
    if (!rc)
        rc = pingo__engine_submission_get(store, of->workflow, &x.list.named.arena,
                                          &x.list.named.workflow, err);
    if (rc)
        goto out;
    x.directory = path;
    x.suspects = (struct pingo__manager_suspects){.c = &x.context, .must_tell = true};
    rc = pingo__manager_owner_register(&x.owner, &x.context, NULL, err);
    if (!rc)
        rc = export_chosen(&x, of->action, err);
    pingo__manager_owner_release(&x.owner, &x.context);
out:
    pingo__arena_clear(&x.list.named.arena);
    free(path);
    return rc;
}

int pingo_store_check_target(struct pingo_store *store, const char *path, struct pingo_error *err)
{
    char *full;
    int rc = pingo__engine_absolute(path, &full, err);
    struct pingo__manager_outside x = {
        .c = &store->context, .path = full, .hint = "move it away, or say --force-outputs"};
    struct pingo__engine_kept kept;
    pingo__engine_kept_find(store, &kept);
    if (!rc)
        rc = pingo__engine_target_check(&kept, &x, err);
    if (!rc)
        rc = pingo__manager_outside_look(&x, err);
    if (!rc)
        rc = pingo__manager_outside_allowed(&x, err);
    pingo__manager_outside_clear(&x);
    free(full);
    return rc;
}
