/* script.c - a shell script that repeats an attempt by hand. */
#include <inttypes.h>
#include <string.h>

#include <pingo/action_type.h>

#include "base/buffer.h"
#include "base/error.h"
#include "engine/engine.h"
#include "store/datasets.h"

static void quote(struct pingo__buffer *b, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,@%";

    if (*text && strspn(text, plain) == strlen(text)) {
        pingo__buffer_text(b, text);
        return;
    }
    pingo__buffer_char(b, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            pingo__buffer_text(b, "'\\''");
        else
            pingo__buffer_char(b, *text);
    }
    pingo__buffer_char(b, '\'');
}

static void link_line(struct pingo__buffer *b, const char *target, const char *name)
{
    const char *slash = strrchr(name, '/');

    if (slash)
        pingo__buffer_format(b, "mkdir -p in/%.*s\n", (int)(slash - name), name);
    pingo__buffer_text(b, "ln -s -- ");
    quote(b, target);
    pingo__buffer_text(b, " in/");
    quote(b, name);
    pingo__buffer_char(b, '\n');
}

static int link_parents(struct pingo_store *store, const struct pingo_description *d,
                        struct pingo__arena *arena, struct pingo__buffer *b, struct pingo_error *err)
{
    size_t n = 0;
    const struct pingo_described_parent *parents = pingo_description_parents(d, &n);
    int rc = 0;

    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo__dataset_row row;
        const char *role = parents[i].role ? parents[i].role : pingo__text(arena, "%zu", i + 1);
        const char *path;

        rc = pingo__dataset_newest(&store->db, &parents[i].hash, arena, &row, err);
        if (rc < 0)
            break;
        if (rc == 0 || !row.path || row.state < PINGO_DATASET_STORED)
            return pingo__fail(
                err, PINGO_ESTATE,
                "the input in/%s is not in the pool now; run the workflow again to have it back",
                role ? role : "?");
        path = pingo__pool_full_path(&store->pool, arena, row.path);
        rc = path && role ? 0 : pingo__fail_memory(err);
        if (!rc)
            link_line(b, path, role);
    }
    return rc;
}

static void command_line(struct pingo__buffer *b, const struct pingo_job *job)
{
    pingo__buffer_text(b, "umask 022\nexec env -i HOME=\"$dir\"");
    for (const char *const *e = job->env; e && *e; e++) {
        pingo__buffer_char(b, ' ');
        quote(b, *e);
    }
    for (const char *const *a = job->argv; a && *a; a++) {
        pingo__buffer_char(b, ' ');
        quote(b, *a);
    }
    pingo__buffer_text(b, job->output ? " </dev/null\n" : " </dev/null >output\n");
}

static int write_script(struct pingo_store *store, const struct pingo__loaded *l, size_t position,
                        const struct pingo_description *d, struct pingo__arena *arena,
                        struct pingo__buffer *b, struct pingo_error *err)
{
    const struct pingo_action *a = pingo_workflow_action(l->workflow, position);
    struct pingo_job job = {.arena = arena};
    const struct pingo_field *fields;
    size_t n = 0;
    int rc;

    fields = pingo_description_fields(d, &n);
    rc = a->type->render(fields, n, &job, err);
    if (!rc && !job.argv)
        rc = pingo__fail(err, PINGO_ESTATE,
                         "action %" PRId64 " is %s: there is no command to repeat", a->id,
                         pingo_action_type_name(a));
    if (rc)
        return rc;
    pingo__buffer_format(b,
                         "#!/bin/sh\n# Repeats action %" PRId64 " of workflow %" PRId64
                         " in a fresh directory.\nset -eu\n"
                         "dir=$(mktemp -d)\necho \"running in $dir\" >&2\ncd \"$dir\"\nmkdir in\n",
                         a->id, l->row.id);
    rc = link_parents(store, d, arena, b, err);
    for (size_t i = 0; !rc && i < a->ninputs; i++)
        if (a->inputs[i].path)
            link_line(b, a->inputs[i].path, a->inputs[i].name);
    if (!rc)
        command_line(b, &job);
    return rc;
}

int pingo_store_script(struct pingo_store *store, int64_t workflow, const char *action,
                       char **script, struct pingo_error *err)
{
    struct pingo__loaded l;
    struct pingo__buffer b;
    struct pingo_description *d = NULL;
    const void *bytes = NULL;
    size_t length = 0, position = 0;
    int rc = pingo__loaded_open(store, workflow, &l, err);

    *script = NULL;
    if (rc)
        return rc;
    pingo__buffer_init(&b);
    rc = pingo_workflow_resolve(l.workflow, action, &position, err);
    if (!rc)
        rc = pingo__definition_get(&store->db, &l.graph.hashes[position], &l.arena, &bytes, &length,
                                   err);
    if (rc == 1)
        rc = pingo_description_decode(bytes, length, &d, err);
    if (!rc)
        rc = write_script(store, &l, position, d, &l.arena, &b, err);
    if (!rc) {
        *script = pingo__buffer_take(&b);
        rc = *script ? 0 : pingo__fail_memory(err);
    }
    pingo_description_free(d);
    pingo__buffer_clear(&b);
    pingo__loaded_close(&l);
    return rc;
}
