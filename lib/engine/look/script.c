/* script.c - an attempt repeated by hand: as a shell script, and what of it a sandbox would let through.
 *
 * The script makes what a worker makes: a directory to run in and one for temporary files, links to
 * the parents' outputs (for root copies), copies of small originals, the environment.  What it does not make is the
 * sandbox, and limits. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pingo/action_type.h>

#include "base/error.h"
#include "base/quoting.h"
#include "base/sandbox.h"
#include "digest/originals_list.h"
#include "engine/engine.h"
#include "workflow/types/command_line.h"

/* An action of a submission, and what is run for it. */
struct repeat {
    struct pingo_store *store;
    struct pingo__engine_named named;
    struct pingo__store_node_input *inputs;
    size_t ninputs;
    struct pingo_description *d;
    struct pingo_job job;
};

static int render(struct repeat *r, struct pingo_error *err)
{
    const struct pingo__store_node *node = &r->named.action.node;
    const struct pingo_action_type *type = pingo__manager_type_find(&r->store->context, node->type);
    if (!type || !type->render)
        return pingo__fail(err, PINGO_EUNSUPPORTED, "action type \"%s\" is not known here",
                           node->type);
    r->job.arena = &r->named.arena;
    int rc = pingo__manager_type_render(type, r->d, &r->job, err);
    if (!rc && (!r->job.argv || !r->job.argv[0]))
        rc = pingo__fail(err, PINGO_ESTATE,
                         "action %" PRId64 " is %s: there is no command to repeat", node->user_id,
                         node->type);
    return rc;
}

static void close_repeat(struct repeat *r)
{
    pingo_description_free(r->d);
    pingo__arena_clear(&r->named.arena);
}

static int open_repeat(struct repeat *r, struct pingo_store *store,
                       const struct pingo_action_name *of, struct pingo_error *err)
{
    const struct pingo__store_node *node = &r->named.action.node;
    struct pingo__store_node_input_list inputs = {.arena = &r->named.arena};
    *r = (struct repeat){.store = store};
    int rc = pingo__engine_named_one(store, of, &r->named, err);
    if (!rc)
        rc = pingo__store_node_inputs(
            &store->db, &(struct pingo__store_at){r->named.workflow.graph, node->position}, &inputs,
            err);
    r->inputs = inputs.rows;
    r->ninputs = inputs.n;
    if (!rc)
        rc = pingo__store_definition_decoded(&store->db, &node->hash, &r->d, err);
    if (!rc)
        rc = render(r, err);
    if (rc)
        close_repeat(r);
    return rc;
}

/* The i-th parent's role and output, in the arena. */
static int find_parent(struct repeat *r, size_t i, const char **role, const char **path,
                       struct pingo_error *err)
{
    size_t n = 0;
    const struct pingo_described_parent *parents = pingo_description_parents(r->d, &n);
    struct pingo__store_dataset_row row;
    int rc =
        pingo__store_dataset_newest(&r->store->db, &parents[i].hash, &r->named.arena, &row, err);
    if (rc)
        return rc;
    *role = parents[i].role ? parents[i].role : pingo__arena_format(&r->named.arena, "%zu", i + 1);
    if (!pingo__store_dataset_is_whole(&row))
        return pingo__fail(
            err, PINGO_ESTATE,
            "the input in/%s is not in the pool now; run the workflow again with the action that "
            "makes it as a target to have it back",
            *role ? *role : "?");
    if (!*role)
        return pingo__fail_memory(err);
    rc = pingo__pool_fetch(&r->store->pool, row.path, err);
    return rc ? rc : pingo__pool_path(&r->store->pool, &r->named.arena, row.path, path, err);
}

/* ---- the script ------------------------------------------------------------------------------ */

static const char head[] = "set -eu\n"
                           "dir=${1:-$(mktemp -d)}\n"
                           "[ $# -eq 0 ] || shift\n"
                           "mkdir -p \"$dir\"\n"
                           "mkdir \"$dir/work\" \"$dir/work/in\" \"$dir/tmp\"\n"
                           "echo \"running in $dir/work\" >&2\n"
                           "cd \"$dir/work\"\n"
                           "dir=${PWD%/work}\n"; /* absolute */

/* What a worker's sandbox does for a dataset, as far as that goes; audit has a sandbox of its own. */
static const char parent[] = "# Root could write into what is read-only, and gets a copy.\n"
                             "parent() {\n"
                             "    if [ \"$(id -u)\" -eq 0 ] && [ -z \"${PINGO_AUDIT-}\" ]; then\n"
                             "        cp -aH -- \"$1\" \"in/$2\"\n"
                             "    else\n"
                             "        ln -s -- \"$1\" \"in/$2\"\n"
                             "    fi\n"
                             "}\n";

/* As the worker does it: copies.c. */
static const char original[] =
    "# A small file is copied, anything else is a link.\n"
    "original() {\n"
    "    if [ -f \"$1\" ] && [ \"$(wc -c <\"$1\")\" -le 1048576 ]; then\n"
    "        cp -p -- \"$1\" \"in/$2\"\n"
    "        if [ -x \"$1\" ]; then chmod 555 \"in/$2\"; else chmod 444 \"in/$2\"; fi\n"
    "    else\n"
    "        ln -s -- \"$1\" \"in/$2\"\n"
    "    fi\n"
    "}\n";

static void put_words(struct pingo__buffer *b, const char *const *words)
{
    for (; words && *words; words++) {
        pingo__buffer_char(b, ' ');
        pingo__quoting_shell(b, *words);
    }
}

/* A call of one of the functions above. */
static void put_call(struct pingo__buffer *b, const char *function, const char *from, const char *to)
{
    pingo__buffer_text(b, function);
    put_words(b, (const char *const[]){from, to, NULL});
    pingo__buffer_char(b, '\n');
}

static void put_originals(const struct repeat *r, struct pingo__buffer *b)
{
    bool any = false;
    for (size_t i = 0; i < r->ninputs; i++) {
        const char *name = r->inputs[i].name, *slash = strrchr(name, '/');
        if (!r->inputs[i].path)
            continue;
        if (!any)
            pingo__buffer_text(b, original);
        any = true;
        if (slash)
            pingo__buffer_format(b, "mkdir -p in/%.*s\n", (int)(slash - name), name);
        put_call(b, "original", r->inputs[i].path, name);
    }
}

static void put_command(const struct repeat *r, struct pingo__buffer *b)
{
    pingo__buffer_text(b, "umask 022\nexec \"$@\" env -i HOME=\"$dir/work\" TMPDIR=\"$dir/tmp\"");
    pingo__buffer_format(b, " PINGO_CPUS=%" PRId64,
                         r->named.action.node.cpus > 0 ? r->named.action.node.cpus : 1);
    if (r->named.action.node.memory_mb > 0)
        pingo__buffer_format(b, " PINGO_MEMORY_MB=%" PRId64, r->named.action.node.memory_mb);
    put_words(b, r->job.env);
    put_words(b, r->job.argv);
    pingo__buffer_text(b, r->job.output ? " </dev/null\n" : " </dev/null >output\n");
}

static int write_script(struct repeat *r, struct pingo__buffer *b, struct pingo_error *err)
{
    const char *role = NULL, *path = NULL;
    size_t n = 0;
    int rc = 0;
    pingo__buffer_format(b,
                         "#!/bin/sh\n# Repeats action %" PRId64 " of workflow %" PRId64
                         " in a fresh directory: sh SCRIPT [DIRECTORY [WRAPPER...]]\n%s",
                         r->named.action.node.user_id, r->named.workflow.id, head);
    pingo_description_parents(r->d, &n);
    if (n > 0)
        pingo__buffer_text(b, parent);
    for (size_t i = 0; !rc && i < n; i++) {
        rc = find_parent(r, i, &role, &path, err);
        if (!rc)
            put_call(b, "parent", path, role);
    }
    put_originals(r, b);
    put_command(r, b);
    return rc;
}

int pingo_store_script(struct pingo_store *store, const struct pingo_action_name *of, char **script,
                       struct pingo_error *err)
{
    struct repeat r;
    int rc = open_repeat(&r, store, of, err);
    *script = NULL;
    if (rc)
        return rc;
    struct pingo__buffer b = {0};
    rc = write_script(&r, &b, err);
    if (!rc) {
        *script = pingo__buffer_take(&b);
        rc = *script ? 0 : pingo__fail_memory(err);
    }
    pingo__buffer_clear(&b);
    close_repeat(&r);
    return rc;
}

/* ---- what it may read ------------------------------------------------------------------------ */

struct paths {
    struct pingo__buffer text; /* each with a NUL */
    size_t n;
};

static void add_path(struct paths *p, const char *path)
{
    pingo__buffer_append(&p->text, path, strlen(path) + 1);
    p->n++;
}

/* A tool that is gone fails the command by itself. */
static int add_tools(struct repeat *r, struct paths *p, struct pingo_error *err)
{
    size_t n = 0;
    const struct pingo_field *fields = pingo_description_fields(r->d, &n);
    const char *search = pingo__workflow_command_path(fields, n);
    int rc = 0;
    for (size_t i = 0; !rc && i < r->ninputs; i++) {
        struct pingo__digest_original tool = {.kind = PINGO__ORIGINAL_TOOL};
        if (r->inputs[i].kind != PINGO__ORIGINAL_TOOL)
            continue;
        rc = pingo__digest_tool_find(pingo__world_real(), &tool, r->inputs[i].name, search, err);
        if (!rc && tool.path)
            add_path(p, tool.path);
        free((char *)(uintptr_t)tool.path);
        free((char *)(uintptr_t)tool.message);
    }
    return rc;
}

/* All that are missing are told at once. */
static int add_inputs(struct repeat *r, struct paths *p, struct pingo_error *err)
{
    struct pingo__buffer missing = {0};
    const char *role = NULL, *path = NULL;
    size_t n = 0;
    int rc = 0;
    pingo_description_parents(r->d, &n);
    for (size_t i = 0; !rc && i < n; i++) {
        rc = find_parent(r, i, &role, &path, err);
        if (!rc)
            add_path(p, path);
    }
    for (size_t i = 0; !rc && i < r->ninputs; i++) {
        path = r->inputs[i].path;
        if (path && access(path, F_OK) != 0 && errno == ENOENT)
            pingo__buffer_format(&missing, "%s%s", missing.length ? ", " : "", path);
        if (path)
            add_path(p, path);
    }
    if (!rc && missing.length)
        rc = pingo__fail(err, PINGO_EINPUT, "of its inputs are not there: %.300s",
                         pingo__buffer_cstr(&missing));
    pingo__buffer_clear(&missing);
    return rc;
}

static int add_settings(struct repeat *r, struct paths *p, struct pingo_error *err)
{
    const char **listed = NULL;
    int rc = pingo__engine_setting_sandbox_read(r->store, &listed, err);
    for (size_t i = 0; !rc && listed && listed[i]; i++)
        add_path(p, listed[i]);
    for (size_t i = 0; !rc && pingo__sandbox_places[i]; i++)
        add_path(p, pingo__sandbox_places[i]);
    free(listed);
    return rc;
}

/* One block: the pointers, then the texts. */
static char **pack(const struct paths *p, struct pingo_error *err)
{
    char **list = p->text.failed ? NULL : malloc((p->n + 1) * sizeof(char *) + p->text.length + 1);
    if (!list) {
        pingo__fail_memory(err);
        return NULL;
    }
    char *at = memcpy(list + p->n + 1, p->text.data ? p->text.data : "", p->text.length);
    for (size_t i = 0; i < p->n; i++, at += strlen(at) + 1)
        list[i] = at;
    list[p->n] = NULL;
    return list;
}

int pingo_store_readable(struct pingo_store *store, const struct pingo_action_name *of,
                         char ***paths, struct pingo_error *err)
{
    struct paths p = {.n = 0};
    struct repeat r;
    int rc = open_repeat(&r, store, of, err);
    *paths = NULL;
    if (rc)
        return rc;
    rc = add_inputs(&r, &p, err);
    if (!rc)
        rc = add_tools(&r, &p, err);
    if (!rc)
        rc = add_settings(&r, &p, err);
    if (!rc) {
        *paths = pack(&p, err);
        rc = *paths ? 0 : PINGO_ENOMEM;
    }
    pingo__buffer_clear(&p.text);
    close_repeat(&r);
    return rc;
}
