/* apply_originals.c - the originals and tools of an action that computes -> rows.
 *
 * At submission their identities are those just found; when an action is planned again
 * they are those of its description, or of who was planned with its hash before, so that what
 * changed since is seen at its start. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "digest/originals_list.h"
#include "digest/sha256.h"
#include "manager/submission/apply.h"
#include "store/submission/graph.h"
#include "store/submission/workflows.h"
#include "workflow/types/command_line.h"

static const struct pingo_described_input *described(const struct pingo_description *d,
                                                     const char *name)
{
    size_t n = 0;
    const struct pingo_described_input *inputs = pingo_description_inputs(d, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(inputs[i].name, name) == 0)
            return &inputs[i];
    return NULL;
}

int pingo__manager_declared_check(const struct pingo__world *w, const struct pingo_action *action,
                                  struct pingo_error *err)
{
    for (size_t k = 0; k < action->ninputs; k++) {
        const struct pingo_input *input = &action->inputs[k];
        struct stat st;
        if (input->path && input->sha256 && w->stat(w->context, AT_FDCWD, input->path, 0, &st) != 0)
            return pingo__fail(err, PINGO_EINPUT,
                               "%s: input \"%s\" of action %lld (%s) is not there, and the action "
                               "must be computed",
                               input->path, input->name, (long long)action->id, action->name);
    }
    return 0;
}

/* As one was found: hash and stamp. */
static void fill(struct pingo__store_action_original *row, const struct pingo__digest_original *o)
{
    row->hash = o->kind == PINGO__ORIGINAL_VERSION ? o->program : o->hash;
    row->stamp = o->stamp;
    row->has_stamp = !o->stamp_is_young;
}

static int input_row(const struct pingo__manager_apply *a, const struct pingo_action *action,
                     size_t k, struct pingo__store_action_original *row)
{
    const struct pingo_input *input = &action->inputs[k];
    const struct pingo__digest_original *o =
        pingo__digest_originals_of(a->originals, action, PINGO__PART_INPUT, k);
    *row = (struct pingo__store_action_original){.name = input->name,
                                                 .path = input->path,
                                                 .kind = (int)pingo__digest_original_kind_of(input)};
    if (input->sha256)
        return pingo_hash_from_hex(input->sha256, &row->hash);
    if (o)
        fill(row, o);
    return 0;
}

static int tool_row(struct pingo__manager_apply *a, const struct pingo_action *action, size_t k,
                    struct pingo__store_action_original *row, struct pingo_error *err)
{
    const struct pingo__digest_original *o =
        pingo__digest_originals_of(a->originals, action, PINGO__PART_TOOL, k);
    if (!o || !o->path)
        return pingo__fail(err, PINGO_EINPUT, "tool \"%s\" was not found", action->tools[k]);
    *row = (struct pingo__store_action_original){
        .kind = PINGO__ORIGINAL_TOOL, .name = action->tools[k], .path = o->path};
    fill(row, o);
    return 0;
}

/* Is that the program of one of the first n tools or versions? */
static bool is_of_any(const struct pingo__manager_apply *a, const struct pingo_action *action,
                      enum pingo__workflow_part part, size_t n, const char *program)
{
    for (size_t i = 0; i < n; i++) {
        const struct pingo__digest_original *o =
            pingo__digest_originals_of(a->originals, action, part, i);
        if (o && o->path && strcmp(o->path, program) == 0)
            return true;
    }
    return false;
}

/* The program of a version is compared at the start of an attempt as a tool is, where it is no tool
 * and no other version's.  false: it needs no row. */
static bool version_row(const struct pingo__manager_apply *a, const struct pingo_action *action,
                        size_t k, struct pingo__store_action_original *row)
{
    const struct pingo__digest_original *o =
        pingo__digest_originals_of(a->originals, action, PINGO__PART_VERSION, k);
    if (!o || !o->path || is_of_any(a, action, PINGO__PART_TOOL, action->ntools, o->path) ||
        is_of_any(a, action, PINGO__PART_VERSION, k, o->path))
        return false;
    *row = (struct pingo__store_action_original){
        .kind = PINGO__ORIGINAL_TOOL, .name = action->more->versions[k].argv[0], .path = o->path};
    fill(row, o);
    return true;
}

/* ---- planned again ----------------------------------------------------------------------- */

/* Looks a tool up anew, on the PATH of its command, without reading it: that is the attempt's, and so is to find out
 * that it is gone. */
static int find_tool(struct pingo__manager_apply *a, const struct pingo_description *d,
                     struct pingo__store_action_original *row, struct pingo_error *err)
{
    struct pingo__digest_original tool = {.kind = PINGO__ORIGINAL_TOOL};
    size_t n = 0;
    const struct pingo_field *fields = pingo_description_fields(d, &n);
    int rc = pingo__digest_tool_find(a->c->world, &tool, row->name,
                                     pingo__workflow_command_path(fields, n), err);
    row->path = tool.path ? pingo__arena_text(a->arena, tool.path, strlen(tool.path)) : row->name;
    free((char *)(uintptr_t)tool.path);
    free((char *)(uintptr_t)tool.message);
    return rc || row->path ? rc : pingo__fail_memory(err);
}

static int described_row(struct pingo__manager_apply *a, const struct pingo__store_node_input *input,
                         const struct pingo_description *d,
                         struct pingo__store_action_original *row, struct pingo_error *err)
{
    size_t n = 0;
    const struct pingo_described_tool *tools = pingo_description_tools(d, &n);
    *row = (struct pingo__store_action_original){
        .kind = input->kind, .name = input->name, .path = input->path};
    if (row->kind == PINGO__ORIGINAL_TOOL) {
        for (size_t i = 0; i < n; i++)
            if (strcmp(tools[i].name, row->name) == 0)
                row->hash = tools[i].content;
        return find_tool(a, d, row, err);
    }
    const struct pingo_described_input *in = described(d, input->name);
    if (!in)
        return pingo__fail(err, PINGO_ECORRUPT, "input \"%s\" is not described", input->name);
    if (row->kind != PINGO__ORIGINAL_STAT)
        return pingo_hash_from_hex(in->identity, &row->hash);
    pingo__digest_sha256(in->identity, strlen(in->identity), &row->hash);
    return 0;
}

static bool is_tool(const struct pingo__store_node_input_list *inputs, const char *name)
{
    for (size_t i = 0; i < inputs->n; i++)
        if (inputs->rows[i].kind == PINGO__ORIGINAL_TOOL && strcmp(inputs->rows[i].name, name) == 0)
            return true;
    return false;
}

/* Of the programs of versions no description has the content; but who was planned with this hash before was so with
 * one that said the same. */
static int apply_programs(struct pingo__manager_apply *a, int64_t id,
                          const struct pingo__store_node_input_list *inputs,
                          const struct pingo__store_action_original_list *before,
                          struct pingo_error *err)
{
    size_t ordinal = inputs->n;
    int rc = 0;
    for (size_t i = 0; !rc && i < before->n; i++)
        if (before->rows[i].kind == PINGO__ORIGINAL_TOOL && !is_tool(inputs, before->rows[i].name))
            rc = pingo__store_action_original_insert(a->c->db, id, ordinal++, &before->rows[i], err);
    return rc;
}

static int apply_described(struct pingo__manager_apply *a, size_t i, int64_t id,
                           struct pingo_error *err)
{
    const struct pingo_hash *hash = pingo_digests_hash(a->digests, i);
    struct pingo_description *d = NULL;
    struct pingo__store_node_input_list inputs = {.arena = a->arena};
    struct pingo__store_action_original_list before = {.arena = a->arena};
    int rc = pingo__store_node_inputs(
        a->c->db, &(struct pingo__store_at){a->graph, a->members[i].node.position}, &inputs, err);
    if (!rc)
        rc = pingo__store_action_original_list_of_hash(a->c->db, hash, &before, err);
    if (!rc && inputs.n)
        rc = pingo__store_definition_decoded(a->c->db, hash, &d, err);
    if (!rc && inputs.n && !d)
        rc = pingo__fail(err, PINGO_ECORRUPT, "an action has no description in the store");
    for (size_t k = 0; !rc && k < inputs.n; k++) {
        struct pingo__store_action_original row;
        rc = described_row(a, &inputs.rows[k], d, &row, err);
        if (!rc)
            rc = pingo__store_action_original_insert(a->c->db, id, k, &row, err);
    }
    pingo_description_free(d);
    return rc ? rc : apply_programs(a, id, &inputs, &before, err);
}

/* ---- both -------------------------------------------------------------------------------------- */

int pingo__manager_apply_originals(struct pingo__manager_apply *a, size_t i, int64_t id,
                                   struct pingo_error *err)
{
    const struct pingo_action *action = pingo_workflow_action(a->workflow, i);
    struct pingo__store_action_original row;
    size_t ordinal = 0;
    if (a->members)
        return apply_described(a, i, id, err);
    int rc = pingo__manager_declared_check(a->c->world, action, err);
    for (size_t k = 0; !rc && k < action->ninputs; k++) {
        if (!action->inputs[k].path)
            continue; /* a URI is the command's business */
        rc = input_row(a, action, k, &row);
        if (!rc)
            rc = pingo__store_action_original_insert(a->c->db, id, ordinal++, &row, err);
    }
    for (size_t k = 0; !rc && k < action->ntools; k++) {
        rc = tool_row(a, action, k, &row, err);
        if (!rc)
            rc = pingo__store_action_original_insert(a->c->db, id, ordinal++, &row, err);
    }
    for (size_t k = 0; !rc && k < action->more->nversions; k++)
        if (version_row(a, action, k, &row))
            rc = pingo__store_action_original_insert(a->c->db, id, ordinal++, &row, err);
    return rc;
}
