/* builder.c - C structures -> workflow.
 *
 * What is handed in is copied and kept until the end, because env may still come;
 * then it goes the same way as what was read from text. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "workflow/draft.h"
#include "workflow/kinds.h"

struct pingo_workflow_builder {
    struct pingo__workflow_draft draft;
    struct pingo__arena arena; /* copies of what was handed in */
    const char *name;
    struct pingo_action_spec *specs;
    size_t nspecs, capacity;
    const char **env; /* n1,v1,... */
    size_t nenv, env_capacity;
    const char **labels; /* the same */
    size_t nlabels, labels_capacity;
    bool is_finished;
};

void pingo_workflow_builder_free(struct pingo_workflow_builder *builder)
{
    if (!builder)
        return;
    pingo__workflow_draft_clear(&builder->draft);
    pingo__arena_clear(&builder->arena);
    free(builder->specs);
    free(builder->env);
    free(builder->labels);
    free(builder);
}

/* A copy in the arena; NULL of NULL.  *failed is set where memory runs out. */
static const char *copy_text(struct pingo__arena *arena, const char *text, bool *failed)
{
    const char *copy = NULL;
    if (text) {
        copy = pingo__arena_text(arena, text, strlen(text));
        *failed = *failed || !copy;
    }
    return copy;
}

static const char *const *copy_texts(struct pingo__arena *arena, const char *const *texts, size_t n,
                                     bool *failed)
{
    const char **copy = pingo__arena_array(arena, n, sizeof *copy);
    if (!copy) {
        *failed = true;
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        copy[i] = copy_text(arena, texts[i], failed);
    return copy;
}

/* What marks an id as reported may not come from outside. */
static int64_t own_id(int64_t id)
{
    return id == PINGO__REPORTED_ID ? PINGO__NO_ID : id;
}

static void copy_parents(struct pingo__arena *arena, struct pingo_action_spec *spec, bool *failed)
{
    struct pingo_parent_spec *parents = pingo__arena_array(arena, spec->nparents, sizeof *parents);
    *failed = *failed || !parents;
    for (size_t i = 0; parents && i < spec->nparents; i++) {
        parents[i].id = own_id(spec->parents[i].id);
        parents[i].as = copy_text(arena, spec->parents[i].as, failed);
    }
    spec->parents = parents;
}

static void copy_inputs(struct pingo__arena *arena, struct pingo_action_spec *spec, bool *failed)
{
    struct pingo_input *inputs = pingo__arena_array(arena, spec->ninputs, sizeof *inputs);
    *failed = *failed || !inputs;
    for (size_t i = 0; inputs && i < spec->ninputs; i++) {
        const struct pingo_input *given = &spec->inputs[i];
        inputs[i].name = copy_text(arena, given->name, failed);
        inputs[i].path = copy_text(arena, given->path, failed);
        inputs[i].uri = copy_text(arena, given->uri, failed);
        inputs[i].version = copy_text(arena, given->version, failed);
        inputs[i].sha256 = copy_text(arena, given->sha256, failed);
        inputs[i].identity = given->identity;
    }
    spec->inputs = inputs;
}

static void copy_fields(struct pingo__arena *arena, struct pingo_action_spec *spec, bool *failed)
{
    struct pingo_field *fields = pingo__arena_array(arena, spec->nfields, sizeof *fields);
    *failed = *failed || !fields;
    for (size_t i = 0; fields && i < spec->nfields; i++) {
        fields[i] = spec->fields[i];
        if (!pingo__workflow_kind_find(fields[i].kind))
            fields[i].kind = (enum pingo_field_kind)0; /* of no kind: an error in the end */
        fields[i].key = copy_text(arena, spec->fields[i].key, failed);
        if (fields[i].values)
            fields[i].values = copy_texts(arena, spec->fields[i].values, fields[i].nvalues, failed);
    }
    spec->fields = fields;
}

static void copy_versions(struct pingo__arena *arena, struct pingo_action_spec *spec, bool *failed)
{
    struct pingo_version_command *versions =
        pingo__arena_array(arena, spec->nversions, sizeof *versions);
    *failed = *failed || !versions;
    for (size_t i = 0; versions && i < spec->nversions; i++) {
        versions[i].nargv = spec->versions[i].nargv;
        if (spec->versions[i].argv)
            versions[i].argv = copy_texts(arena, spec->versions[i].argv, versions[i].nargv, failed);
    }
    spec->versions = versions;
}

int pingo_workflow_builder_new(const char *name, const struct pingo_workflow_options *options,
                               struct pingo_workflow_builder **builder, struct pingo_error *err)
{
    bool failed = false;
    *builder = NULL;
    if (!name)
        return pingo__fail(err, PINGO_EINVAL, "a workflow needs a name");
    struct pingo_workflow_builder *b = calloc(1, sizeof *b);
    if (!b)
        return pingo__fail_memory(err);
    int rc = pingo__workflow_draft_init(&b->draft, options, err);
    if (rc == 0) {
        b->name = copy_text(&b->arena, name, &failed);
        rc = failed ? pingo__fail_memory(err) : 0;
    }
    if (rc != 0) {
        pingo_workflow_builder_free(b);
        return rc;
    }
    *builder = b;
    return 0;
}

/* A list of pairs: where it is, how long, and for how many there is room. */
struct pairs {
    const char ***list;
    size_t *n, *capacity;
};

static int add_pair(struct pingo_workflow_builder *b, const struct pairs *pairs, const char *name,
                    const char *value, struct pingo_error *err)
{
    bool failed = false;
    if (!pingo__array_room((void **)pairs->list, pairs->capacity, *pairs->n, 2, sizeof **pairs->list))
        return pingo__fail_memory(err);
    const char **pair = *pairs->list + *pairs->n;
    pair[0] = copy_text(&b->arena, name, &failed);
    pair[1] = copy_text(&b->arena, value, &failed);
    if (failed)
        return pingo__fail_memory(err);
    *pairs->n += 2;
    return 0;
}

int pingo_workflow_builder_env(struct pingo_workflow_builder *builder, const char *name,
                               const char *value, struct pingo_error *err)
{
    struct pingo_workflow_builder *b = builder;
    if (b->is_finished)
        return pingo__fail(err, PINGO_EINVAL, "the builder is finished");
    if (!name || !value)
        return pingo__fail(err, PINGO_EINVAL, "a variable needs a name and a value");
    return add_pair(b, &(struct pairs){&b->env, &b->nenv, &b->env_capacity}, name, value, err);
}

int pingo_workflow_builder_label(struct pingo_workflow_builder *builder, const char *name,
                                 const char *value, struct pingo_error *err)
{
    struct pingo_workflow_builder *b = builder;
    if (b->is_finished)
        return pingo__fail(err, PINGO_EINVAL, "the builder is finished");
    if (!name || !value)
        return pingo__fail(err, PINGO_EINVAL, "a label needs a name and a value");
    return add_pair(b, &(struct pairs){&b->labels, &b->nlabels, &b->labels_capacity}, name, value,
                    err);
}

int pingo_workflow_builder_add(struct pingo_workflow_builder *builder,
                               const struct pingo_action_spec *given, struct pingo_error *err)
{
    struct pingo_workflow_builder *b = builder;
    struct pingo_action_spec copy, *spec = &copy;
    bool failed = false;
    if (b->is_finished)
        return pingo__fail(err, PINGO_EINVAL, "the builder is finished");
    if (!given)
        return pingo__fail(err, PINGO_EINVAL, "a spec is needed");
    if (PINGO__OPTIONS_TAKE(pingo_action_spec, given, &copy, err))
        return PINGO_EINVAL;
    if ((spec->nparents > 0 && !spec->parents) || (spec->ninputs > 0 && !spec->inputs) ||
        (spec->ntools > 0 && !spec->tools) || (spec->nfields > 0 && !spec->fields) ||
        (spec->nversions > 0 && !spec->versions) || (spec->nlabels > 0 && !spec->labels))
        return pingo__fail(err, PINGO_EINVAL, "a spec with a number of things but no things");
    copy.id = own_id(spec->id);
    copy.name = copy_text(&b->arena, spec->name, &failed);
    copy.type = copy_text(&b->arena, spec->type, &failed);
    copy.salt = copy_text(&b->arena, spec->salt, &failed);
    copy.output_path = copy_text(&b->arena, spec->output_path, &failed);
    copy.tools = copy_texts(&b->arena, spec->tools, spec->ntools, &failed);
    copy_parents(&b->arena, &copy, &failed);
    copy_inputs(&b->arena, &copy, &failed);
    copy_fields(&b->arena, &copy, &failed);
    copy_versions(&b->arena, &copy, &failed);
    copy.labels = copy_texts(&b->arena, spec->labels, spec->nlabels, &failed);
    copy.executor = copy_text(&b->arena, spec->executor, &failed);
    copy.executor_options = copy_text(&b->arena, spec->executor_options, &failed);
    failed = failed ||
             !pingo__array_room((void **)&b->specs, &b->capacity, b->nspecs, 1, sizeof *b->specs);
    if (failed)
        return pingo__fail_memory(err);
    b->specs[b->nspecs++] = copy;
    return 0;
}

/* Sorts what was given for the whole workflow; a name given twice takes the later value.  Returns how
 * many strings are left. */
static size_t sort_latest(struct pingo__workflow_draft *d, const char **pairs, size_t npairs)
{
    size_t n = 0;
    if (!pingo__workflow_sort_pairs(pairs, npairs)) {
        d->no_memory = true;
        return 0;
    }
    for (size_t i = 0; i < npairs; i += 2) {
        if (n > 0 && strcmp(pairs[n - 2], pairs[i]) == 0)
            n -= 2;
        pairs[n] = pairs[i];
        pairs[n + 1] = pairs[i + 1];
        n += 2;
    }
    return n;
}

int pingo_workflow_builder_finish(struct pingo_workflow_builder *builder,
                                  struct pingo_workflow **workflow,
                                  struct pingo_problems **problems, struct pingo_error *err)
{
    struct pingo_workflow_builder *b = builder;
    struct pingo__workflow_draft *d = &b->draft;
    *workflow = NULL;
    if (problems)
        *problems = NULL;
    if (b->is_finished)
        return pingo__fail(err, PINGO_EINVAL, "the builder is finished");
    b->is_finished = true;
    pingo__workflow_draft_set_name(d, b->name);
    if (b->nenv > 0)
        pingo__workflow_draft_set_env(d, b->env, sort_latest(d, b->env, b->nenv));
    if (b->nlabels > 0)
        pingo__workflow_draft_set_labels(d, b->labels, sort_latest(d, b->labels, b->nlabels));
    if (!pingo__workflow_draft_reserve(d, b->nspecs))
        return pingo__fail_memory(err);
    for (size_t i = 0; i < b->nspecs && !d->no_memory && !d->problems->is_full; i++) {
        pingo__arena_reset(&d->scratch);
        pingo__workflow_draft_add(d, &b->specs[i]);
    }
    return pingo__workflow_draft_finish(d, workflow, problems, err);
}
