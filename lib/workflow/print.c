/* print.c - workflow -> JSON text that parses to an equal workflow.
 *
 * Paths are absolute, roles are written out and env is merged, so the text means
 * the same in every directory.  What has its default is left out. */

#include <pingo/action_type.h>

#include "base/error.h"
#include "base/writer.h"
#include "workflow/kinds.h"
#include "workflow/resources.h"
#include "workflow/workflow.h"

/* Nothing where value is NULL. */
static void print_text(struct pingo__writer *w, const char *key, const char *value)
{
    if (value)
        pingo__writer_text(w, key, value);
}

static void print_list(struct pingo__writer *w, const char *key, const char *const *texts, size_t n)
{
    pingo__writer_open(w, key, PINGO__WRITER_ARRAY);
    for (size_t i = 0; i < n; i++)
        pingo__writer_text(w, NULL, texts[i]);
    pingo__writer_close(w);
}

/* Nothing where there are none. */
static void print_pairs(struct pingo__writer *w, const char *key, const char *const *pairs, size_t n)
{
    if (n == 0)
        return;
    pingo__writer_open(w, key, PINGO__WRITER_OBJECT);
    for (size_t i = 0; i < n; i += 2)
        pingo__writer_text(w, pairs[i], pairs[i + 1]);
    pingo__writer_close(w);
}

static void print_parents(struct pingo__writer *w, const struct pingo_workflow *of,
                          const struct pingo_action *a)
{
    if (a->nparents == 0)
        return;
    pingo__writer_open(w, "parentActions", PINGO__WRITER_ARRAY);
    for (size_t i = 0; i < a->nparents; i++) {
        pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
        pingo__writer_int(w, "id", of->actions[a->parents[i].index].id);
        pingo__writer_text(w, "as", a->parents[i].role);
        pingo__writer_close(w);
    }
    pingo__writer_close(w);
}

static void print_inputs(struct pingo__writer *w, const struct pingo_action *a)
{
    if (a->ninputs == 0)
        return;
    pingo__writer_open(w, "inputs", PINGO__WRITER_ARRAY);
    for (size_t i = 0; i < a->ninputs; i++) {
        const struct pingo_input *input = &a->inputs[i];
        pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
        pingo__writer_text(w, "name", input->name);
        print_text(w, "path", input->path);
        print_text(w, "uri", input->uri);
        print_text(w, "version", input->version);
        print_text(w, "sha256", input->sha256);
        print_text(w, "identity", input->identity == PINGO_IDENTITY_STAT ? "stat" : NULL);
        pingo__writer_close(w);
    }
    pingo__writer_close(w);
}

static void print_versions(struct pingo__writer *w, const struct pingo_action *a)
{
    if (a->more->nversions == 0)
        return;
    pingo__writer_open(w, "versions", PINGO__WRITER_ARRAY);
    for (size_t i = 0; i < a->more->nversions; i++)
        print_list(w, NULL, a->more->versions[i].argv, a->more->versions[i].nargv);
    pingo__writer_close(w);
}

static void print_field(struct pingo__writer *w, const struct pingo_field *f)
{
    const struct pingo__workflow_kind *kind = pingo__workflow_kind_find(f->kind);
    if (kind->is_bare)
        pingo__writer_raw(w, f->key, f->values[0]);
    else if (kind->is_single)
        pingo__writer_text(w, f->key, f->values[0]);
    else if (f->kind == PINGO_FIELD_PAIRS)
        print_pairs(w, f->key, f->values, f->nvalues);
    else
        print_list(w, f->key, f->values, f->nvalues);
}

static void print_resources(struct pingo__writer *w, const struct pingo_action *a)
{
    struct pingo__buffer text = {0};
    pingo__workflow_resources_print(&text, a, false);
    w->out.failed = w->out.failed || text.failed;
    if (text.length > 0 && pingo__buffer_cstr(&text))
        pingo__writer_raw(w, "resources", text.data);
    pingo__buffer_clear(&text);
}

/* What enters no hash and is no resource. */
static void print_placing(struct pingo__writer *w, const struct pingo_action *a)
{
    print_text(w, "executor", a->more->executor);
    if (a->more->executor_options)
        pingo__writer_raw(w, "executorOptions", a->more->executor_options);
    if (a->more->sandbox != PINGO_SANDBOX_DEFAULT)
        pingo__writer_flag(w, "sandbox", a->more->sandbox == PINGO_SANDBOX_ON);
    print_pairs(w, "labels", a->more->labels, a->more->nlabels);
}

static void print_action(struct pingo__writer *w, const struct pingo_workflow *of,
                         const struct pingo_action *a)
{
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_int(w, "id", a->id);
    print_text(w, "name", a->name);
    print_text(w, "type", a->type->name);
    print_parents(w, of, a);
    print_inputs(w, a);
    if (a->ntools > 0)
        print_list(w, "tools", a->tools, a->ntools);
    print_versions(w, a);
    for (size_t i = 0; i < a->nfields; i++)
        print_field(w, &a->fields[i]);
    print_text(w, "salt", a->salt);
    if (!a->is_managed)
        pingo__writer_flag(w, "isManaged", false);
    print_text(w, "outputPath", a->output_path);
    if (a->force_computation)
        pingo__writer_flag(w, "forceComputation", true);
    if (a->keep != PINGO_KEEP_DEFAULT)
        pingo__writer_flag(w, "keep", a->keep == PINGO_KEEP_ALWAYS);
    print_resources(w, a);
    if (a->retries != 0)
        pingo__writer_int(w, "retries", a->retries);
    print_placing(w, a);
    pingo__writer_close(w);
}

int pingo_workflow_print(const struct pingo_workflow *workflow, char **text, size_t *length,
                         struct pingo_error *err)
{
    struct pingo__writer w = {0};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&w, "name", workflow->name);
    if (workflow->start_id != PINGO__NO_ID)
        pingo__writer_int(&w, "startActionId", workflow->start_id);
    if (workflow->end_id != PINGO__NO_ID)
        pingo__writer_int(&w, "endActionId", workflow->end_id);
    print_pairs(&w, "labels", workflow->labels, workflow->nlabels);
    pingo__writer_open(&w, "actions", PINGO__WRITER_LINES);
    for (size_t i = 0; i < workflow->nactions; i++)
        print_action(&w, workflow, &workflow->actions[i]);
    pingo__writer_close(&w);
    pingo__writer_close(&w);
    *length = w.out.length;
    *text = pingo__buffer_take(&w.out);
    pingo__writer_clear(&w);
    return *text ? 0 : pingo__fail_memory(err);
}
