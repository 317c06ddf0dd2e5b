/* print.c - workflow -> JSON text that parses to an equal workflow.
 *
 * Paths are absolute, roles are written out and env is merged, so the text means
 * the same in every directory.  What has its default is left out. */

#include <pingo/action_type.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/writer.h"
#include "workflow/kinds.h"
#include "workflow/resources.h"
#include "workflow/workflow.h"

static void print_key(struct pingo__buffer *b, const char *key)
{
    pingo__buffer_text(b, ", ");
    pingo__writer_quote(b, key);
    pingo__buffer_text(b, ": ");
}

/* Nothing where value is NULL. */
static void print_text(struct pingo__buffer *b, const char *key, const char *value)
{
    if (!value)
        return;
    print_key(b, key);
    pingo__writer_quote(b, value);
}

static void print_integer(struct pingo__buffer *b, const char *key, int64_t value)
{
    print_key(b, key);
    pingo__buffer_format(b, "%lld", (long long)value);
}

static void print_parents(struct pingo__buffer *b, const struct pingo_workflow *w,
                          const struct pingo_action *a)
{
    if (a->nparents == 0)
        return;
    print_key(b, "parentActions");
    for (size_t i = 0; i < a->nparents; i++) {
        pingo__buffer_format(b, "%s{\"id\": %lld", i == 0 ? "[" : ", ",
                             (long long)w->actions[a->parents[i].index].id);
        print_text(b, "as", a->parents[i].role);
        pingo__buffer_char(b, '}');
    }
    pingo__buffer_char(b, ']');
}

static void print_inputs(struct pingo__buffer *b, const struct pingo_action *a)
{
    if (a->ninputs == 0)
        return;
    print_key(b, "inputs");
    for (size_t i = 0; i < a->ninputs; i++) {
        const struct pingo_input *input = &a->inputs[i];
        pingo__buffer_text(b, i == 0 ? "[{\"name\": " : ", {\"name\": ");
        pingo__writer_quote(b, input->name);
        print_text(b, "path", input->path);
        print_text(b, "uri", input->uri);
        print_text(b, "version", input->version);
        print_text(b, "sha256", input->sha256);
        if (input->identity == PINGO_IDENTITY_STAT)
            print_text(b, "identity", "stat");
        pingo__buffer_char(b, '}');
    }
    pingo__buffer_char(b, ']');
}

static void print_list(struct pingo__buffer *b, const char *const *texts, size_t n)
{
    pingo__buffer_char(b, '[');
    for (size_t i = 0; i < n; i++) {
        pingo__buffer_text(b, i == 0 ? "" : ", ");
        pingo__writer_quote(b, texts[i]);
    }
    pingo__buffer_char(b, ']');
}

static void print_pairs(struct pingo__buffer *b, const char *const *pairs, size_t n)
{
    for (size_t i = 0; i < n; i += 2) {
        pingo__buffer_text(b, i == 0 ? "{" : ", ");
        pingo__writer_quote(b, pairs[i]);
        pingo__buffer_text(b, ": ");
        pingo__writer_quote(b, pairs[i + 1]);
    }
    pingo__buffer_text(b, n == 0 ? "{}" : "}");
}

static void print_field(struct pingo__buffer *b, const struct pingo_field *f)
{
    const struct pingo__workflow_kind *kind = pingo__workflow_kind_find(f->kind);
    if (f->kind == PINGO_FIELD_PAIRS && f->nvalues == 0)
        return;
    print_key(b, f->key);
    if (kind->is_bare)
        pingo__buffer_text(b, f->values[0]);
    else if (kind->is_single)
        pingo__writer_quote(b, f->values[0]);
    else if (f->kind == PINGO_FIELD_PAIRS)
        print_pairs(b, f->values, f->nvalues);
    else
        print_list(b, f->values, f->nvalues);
}

static void print_resources(struct pingo__buffer *b, const struct pingo_action *a)
{
    size_t before = b->length;
    print_key(b, "resources");
    size_t start = b->length;
    pingo__workflow_resources_print(b, a, false);
    if (b->length == start)
        b->length = before;
}

static void print_flag(struct pingo__buffer *b, const char *key, bool value)
{
    print_key(b, key);
    pingo__buffer_text(b, value ? "true" : "false");
}

static void print_versions(struct pingo__buffer *b, const struct pingo_action *a)
{
    if (a->more->nversions == 0)
        return;
    print_key(b, "versions");
    for (size_t i = 0; i < a->more->nversions; i++) {
        pingo__buffer_text(b, i == 0 ? "[" : ", ");
        print_list(b, a->more->versions[i].argv, a->more->versions[i].nargv);
    }
    pingo__buffer_char(b, ']');
}

/* What enters no hash and is no resource. */
static void print_placing(struct pingo__buffer *b, const struct pingo_action *a)
{
    print_text(b, "executor", a->more->executor);
    if (a->more->executor_options) {
        print_key(b, "executorOptions");
        pingo__buffer_text(b, a->more->executor_options);
    }
    if (a->more->sandbox != PINGO_SANDBOX_DEFAULT)
        print_flag(b, "sandbox", a->more->sandbox == PINGO_SANDBOX_ON);
    if (a->more->nlabels > 0) {
        print_key(b, "labels");
        print_pairs(b, a->more->labels, a->more->nlabels);
    }
}

static void print_action(struct pingo__buffer *b, const struct pingo_workflow *w,
                         const struct pingo_action *a)
{
    pingo__buffer_format(b, "    {\"id\": %lld", (long long)a->id);
    print_text(b, "name", a->name);
    print_text(b, "type", a->type->name);
    print_parents(b, w, a);
    print_inputs(b, a);
    if (a->ntools > 0) {
        print_key(b, "tools");
        print_list(b, a->tools, a->ntools);
    }
    print_versions(b, a);
    for (size_t i = 0; i < a->nfields; i++)
        print_field(b, &a->fields[i]);
    print_text(b, "salt", a->salt);
    if (!a->is_managed)
        print_flag(b, "isManaged", false);
    print_text(b, "outputPath", a->output_path);
    if (a->force_computation)
        print_flag(b, "forceComputation", true);
    if (a->keep != PINGO_KEEP_DEFAULT)
        print_flag(b, "keep", a->keep == PINGO_KEEP_ALWAYS);
    print_resources(b, a);
    if (a->retries != 0)
        print_integer(b, "retries", a->retries);
    print_placing(b, a);
    pingo__buffer_char(b, '}');
}

int pingo_workflow_print(const struct pingo_workflow *workflow, char **text, size_t *length,
                         struct pingo_error *err)
{
    struct pingo__buffer b = {0};
    pingo__buffer_text(&b, "{\n  \"name\": ");
    pingo__writer_quote(&b, workflow->name);
    if (workflow->start_id != PINGO__NO_ID)
        pingo__buffer_format(&b, ",\n  \"startActionId\": %lld", (long long)workflow->start_id);
    if (workflow->end_id != PINGO__NO_ID)
        pingo__buffer_format(&b, ",\n  \"endActionId\": %lld", (long long)workflow->end_id);
    if (workflow->nlabels > 0) {
        pingo__buffer_text(&b, ",\n  \"labels\": ");
        print_pairs(&b, workflow->labels, workflow->nlabels);
    }
    pingo__buffer_text(&b, ",\n  \"actions\": [\n");
    for (size_t i = 0; i < workflow->nactions; i++) {
        pingo__buffer_text(&b, i == 0 ? "" : ",\n");
        print_action(&b, workflow, &workflow->actions[i]);
    }
    pingo__buffer_text(&b, "\n  ]\n}\n");
    *length = b.length;
    *text = pingo__buffer_take(&b);
    pingo__buffer_clear(&b);
    return *text ? 0 : pingo__fail_memory(err);
}
