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
    struct pairs {
        struct pingo__workflow_pairs pairs;
        size_t capacity;
    } env, labels;
    bool is_finished;
};

void pingo_workflow_builder_free(struct pingo_workflow_builder *builder)
{
    if (!builder)
        return;
    pingo__workflow_draft_clear(&builder->draft);
    pingo__arena_clear(&builder->arena);
    free(builder->specs);
    free(builder->env.pairs.list);
    free(builder->labels.pairs.list);
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

/* A copy of n elements; NULL of none. */
static void *copy_list(struct pingo__arena *arena, const void *list, size_t n, size_t size,
                       bool *failed)
{
    void *copy = n > 0 ? pingo__arena_array(arena, n, size) : NULL;
    *failed = *failed || (n > 0 && !copy);
    if (copy)
        memcpy(copy, list, n * size);
    return copy;
}

static const char *const *copy_texts(struct pingo__arena *arena, const char *const *texts, size_t n,
                                     bool *failed)
{
    const char **copy = copy_list(arena, texts, texts ? n : 0, sizeof *copy, failed);
    for (size_t i = 0; copy && i < n; i++)
        copy[i] = copy_text(arena, texts[i], failed);
    return copy;
}

/* What marks an id as reported may not come from outside. */
static int64_t own_id(int64_t id)
{
    return id == PINGO__REPORTED_ID ? PINGO__NO_ID : id;
}

/* The lists of a spec, and what hangs on them. */
static void copy_lists(struct pingo__arena *arena, struct pingo_action_spec *s, bool *failed)
{
    struct pingo_parent_spec *parents =
        copy_list(arena, s->parents, s->nparents, sizeof *parents, failed);
    struct pingo_input *inputs = copy_list(arena, s->inputs, s->ninputs, sizeof *inputs, failed);
    struct pingo_field *fields = copy_list(arena, s->fields, s->nfields, sizeof *fields, failed);
    struct pingo_version_command *versions =
        copy_list(arena, s->versions, s->nversions, sizeof *versions, failed);
    struct pingo_counter *licences =
        copy_list(arena, s->licences, s->nlicences, sizeof *licences, failed);
    struct pingo_by_try *const by_try[] = {&s->cpus_by_try, &s->memory_mb_by_try,
                                           &s->time_limit_seconds_by_try, &s->gpus_by_try};
    for (size_t i = 0; i < sizeof by_try / sizeof *by_try; i++)
        by_try[i]->values =
            copy_list(arena, by_try[i]->values, by_try[i]->n, sizeof *by_try[i]->values, failed);
    for (size_t i = 0; licences && i < s->nlicences; i++)
        licences[i].name = copy_text(arena, licences[i].name, failed);
    for (size_t i = 0; parents && i < s->nparents; i++) {
        parents[i].id = own_id(parents[i].id);
        parents[i].as = copy_text(arena, parents[i].as, failed);
    }
    for (size_t i = 0; inputs && i < s->ninputs; i++) {
        const char **const texts[] = {&inputs[i].name, &inputs[i].path, &inputs[i].uri,
                                      &inputs[i].version, &inputs[i].sha256};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            *texts[k] = copy_text(arena, *texts[k], failed);
    }
    for (size_t i = 0; fields && i < s->nfields; i++) {
        if (!pingo__workflow_kind_find(fields[i].kind))
            fields[i].kind = (enum pingo_field_kind)0; /* of no kind: an error in the end */
        fields[i].key = copy_text(arena, fields[i].key, failed);
        fields[i].values = copy_texts(arena, fields[i].values, fields[i].nvalues, failed);
    }
    for (size_t i = 0; versions && i < s->nversions; i++)
        versions[i].argv = copy_texts(arena, versions[i].argv, versions[i].nargv, failed);
    s->parents = parents;
    s->inputs = inputs;
    s->fields = fields;
    s->versions = versions;
    s->licences = licences;
    s->tools = copy_texts(arena, s->tools, s->ntools, failed);
    s->labels = copy_texts(arena, s->labels, s->nlabels, failed);
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

/* A name given twice takes the later value.  what: of a message. */
static int add_pair(struct pingo_workflow_builder *b, struct pairs *to, const char *what,
                    const char *const pair[2], struct pingo_error *err)
{
    bool failed = false;
    if (b->is_finished)
        return pingo__fail(err, PINGO_EINVAL, "the builder is finished");
    if (!pair[0] || !pair[1])
        return pingo__fail(err, PINGO_EINVAL, "a %s needs a name and a value", what);
    size_t at = 0;
    while (at < to->pairs.n && strcmp(to->pairs.list[at], pair[0]) != 0)
        at += 2;
    const char *name = copy_text(&b->arena, pair[0], &failed);
    const char *value = copy_text(&b->arena, pair[1], &failed);
    if (failed || !PINGO__ARRAY_ROOM(to->pairs.list, to->capacity, at, 2))
        return pingo__fail_memory(err);
    to->pairs.list[at] = name;
    to->pairs.list[at + 1] = value;
    to->pairs.n = at < to->pairs.n ? to->pairs.n : at + 2;
    return 0;
}

int pingo_workflow_builder_env(struct pingo_workflow_builder *builder, const char *name,
                               const char *value, struct pingo_error *err)
{
    const char *pair[] = {name, value};
    return add_pair(builder, &builder->env, "variable", pair, err);
}

int pingo_workflow_builder_label(struct pingo_workflow_builder *builder, const char *name,
                                 const char *value, struct pingo_error *err)
{
    const char *pair[] = {name, value};
    return add_pair(builder, &builder->labels, "label", pair, err);
}

static bool lacks_values(const struct pingo_action_spec *s)
{
    const struct pingo_by_try *const lists[] = {&s->cpus_by_try, &s->memory_mb_by_try,
                                                &s->time_limit_seconds_by_try, &s->gpus_by_try};
    bool lacks = false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        lacks = lacks || (lists[i]->n > 0 && !lists[i]->values);
    return lacks;
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
    static const struct pingo__growing_options_type type = {
        "pingo_action_spec",
        {offsetof(struct pingo_action_spec, gpus), sizeof(struct pingo_action_spec)}};
    if (pingo__growing_options_take(&type, given, &copy, err))
        return PINGO_EINVAL;
    if ((spec->nparents > 0 && !spec->parents) || (spec->ninputs > 0 && !spec->inputs) ||
        (spec->ntools > 0 && !spec->tools) || (spec->nfields > 0 && !spec->fields) ||
        (spec->nversions > 0 && !spec->versions) || (spec->nlabels > 0 && !spec->labels) ||
        (spec->nlicences > 0 && !spec->licences) || lacks_values(spec))
        return pingo__fail(err, PINGO_EINVAL, "a spec with a number of things but no things");
    const char **const texts[] = {&spec->name,        &spec->type,     &spec->salt,
                                  &spec->output_path, &spec->executor, &spec->executor_options};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = copy_text(&b->arena, *texts[i], &failed);
    spec->id = own_id(spec->id);
    copy_lists(&b->arena, spec, &failed);
    failed = failed || !PINGO__ARRAY_ROOM(b->specs, b->capacity, b->nspecs, 1);
    if (failed)
        return pingo__fail_memory(err);
    b->specs[b->nspecs++] = copy;
    return 0;
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
    if (b->env.pairs.n > 0)
        pingo__workflow_draft_set_env(d, b->env.pairs.list, b->env.pairs.n);
    if (b->labels.pairs.n > 0)
        pingo__workflow_draft_set_labels(d, b->labels.pairs.list, b->labels.pairs.n);
    if (!pingo__workflow_draft_reserve(d, b->nspecs))
        return pingo__fail_memory(err);
    for (size_t i = 0; i < b->nspecs && !d->no_memory; i++) {
        pingo__arena_reset(&d->scratch);
        pingo__workflow_draft_add(d, &b->specs[i]);
    }
    return pingo__workflow_draft_finish(d, workflow, problems, err);
}
