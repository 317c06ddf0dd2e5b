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

/* Into the arena.  What goes wrong on the way is noted. */
struct copies {
    struct pingo__arena *arena;
    bool failed; /* memory ran out */
    bool lacks;  /* a list was NULL, and its number was not 0 */
};

/* NULL of NULL. */
static const char *copy_text(struct copies *c, const char *text)
{
    const char *copy = text ? pingo__arena_text(c->arena, text, strlen(text)) : NULL;
    c->failed = c->failed || (text && !copy);
    return copy;
}

/* NULL of none. */
static void *copy_list(struct copies *c, const void *list, size_t n, size_t size)
{
    void *copy = list && n > 0 ? pingo__arena_array(c->arena, n, size) : NULL;
    c->lacks = c->lacks || (n > 0 && !list);
    c->failed = c->failed || (list && n > 0 && !copy);
    if (copy)
        memcpy(copy, list, n * size);
    return copy;
}

static const char *const *copy_texts(struct copies *c, const char *const *texts, size_t n)
{
    const char **copy = copy_list(c, texts, n, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        copy[i] = copy_text(c, texts[i]);
    return copy;
}

/* What marks an id as reported may not come from outside. */
static int64_t own_id(int64_t id)
{
    return id == PINGO__REPORTED_ID ? PINGO__NO_ID : id;
}

/* The lists of a spec, and what hangs on them. */
static void copy_lists(struct copies *c, struct pingo_action_spec *s)
{
    struct pingo_parent_spec *parents = copy_list(c, s->parents, s->nparents, sizeof *parents);
    struct pingo_input *inputs = copy_list(c, s->inputs, s->ninputs, sizeof *inputs);
    struct pingo_field *fields = copy_list(c, s->fields, s->nfields, sizeof *fields);
    struct pingo_version_command *versions =
        copy_list(c, s->versions, s->nversions, sizeof *versions);
    struct pingo_counter *licences = copy_list(c, s->licences, s->nlicences, sizeof *licences);
    struct pingo_by_try *const by_try[] = {&s->cpus_by_try, &s->memory_mb_by_try,
                                           &s->time_limit_seconds_by_try, &s->gpus_by_try};
    for (size_t i = 0; i < sizeof by_try / sizeof *by_try; i++)
        by_try[i]->values = copy_list(c, by_try[i]->values, by_try[i]->n, sizeof *by_try[i]->values);
    for (size_t i = 0; licences && i < s->nlicences; i++)
        licences[i].name = copy_text(c, licences[i].name);
    for (size_t i = 0; parents && i < s->nparents; i++) {
        parents[i].id = own_id(parents[i].id);
        parents[i].as = copy_text(c, parents[i].as);
    }
    for (size_t i = 0; inputs && i < s->ninputs; i++) {
        const char **const texts[] = {&inputs[i].name, &inputs[i].path, &inputs[i].uri,
                                      &inputs[i].version, &inputs[i].sha256};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            *texts[k] = copy_text(c, *texts[k]);
    }
    for (size_t i = 0; fields && i < s->nfields; i++) {
        if (!pingo__workflow_kind_find(fields[i].kind))
            fields[i].kind = (enum pingo_field_kind)0; /* of no kind: an error in the end */
        fields[i].key = copy_text(c, fields[i].key);
        fields[i].values = copy_texts(c, fields[i].values, fields[i].values ? fields[i].nvalues : 0);
    }
    for (size_t i = 0; versions && i < s->nversions; i++)
        versions[i].argv = copy_texts(c, versions[i].argv, versions[i].argv ? versions[i].nargv : 0);
    s->parents = parents;
    s->inputs = inputs;
    s->fields = fields;
    s->versions = versions;
    s->licences = licences;
    s->tools = copy_texts(c, s->tools, s->ntools);
    s->labels = copy_texts(c, s->labels, s->nlabels);
}

int pingo_workflow_builder_new(const char *name, const struct pingo_workflow_options *options,
                               struct pingo_workflow_builder **builder, struct pingo_error *err)
{
    *builder = NULL;
    if (!name)
        return pingo__fail(err, PINGO_EINVAL, "a workflow needs a name");
    struct pingo_workflow_builder *b = calloc(1, sizeof *b);
    if (!b)
        return pingo__fail_memory(err);
    int rc = pingo__workflow_draft_init(&b->draft, options, err);
    if (rc == 0 && !(b->name = pingo__arena_text(&b->arena, name, strlen(name))))
        rc = pingo__fail_memory(err);
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
    struct copies c = {.arena = &b->arena};
    if (b->is_finished)
        return pingo__fail(err, PINGO_EINVAL, "the builder is finished");
    if (!pair[0] || !pair[1])
        return pingo__fail(err, PINGO_EINVAL, "a %s needs a name and a value", what);
    size_t at = 0;
    while (at < to->pairs.n && strcmp(to->pairs.list[at], pair[0]) != 0)
        at += 2;
    const char *name = copy_text(&c, pair[0]);
    const char *value = copy_text(&c, pair[1]);
    if (c.failed || !PINGO__ARRAY_ROOM(to->pairs.list, to->capacity, at, 2))
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

int pingo_workflow_builder_add(struct pingo_workflow_builder *builder,
                               const struct pingo_action_spec *given, struct pingo_error *err)
{
    struct pingo_workflow_builder *b = builder;
    struct pingo_action_spec copy, *spec = &copy;
    struct copies c = {.arena = &b->arena};
    if (b->is_finished)
        return pingo__fail(err, PINGO_EINVAL, "the builder is finished");
    if (!given)
        return pingo__fail(err, PINGO_EINVAL, "a spec is needed");
    static const struct pingo__growing_options_type type = {
        "pingo_action_spec",
        {offsetof(struct pingo_action_spec, gpus), sizeof(struct pingo_action_spec)}};
    if (pingo__growing_options_take(&type, given, &copy, err))
        return PINGO_EINVAL;
    const char **const texts[] = {&spec->name,        &spec->type,     &spec->salt,
                                  &spec->output_path, &spec->executor, &spec->executor_options};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = copy_text(&c, *texts[i]);
    spec->id = own_id(spec->id);
    copy_lists(&c, spec);
    if (c.lacks)
        return pingo__fail(err, PINGO_EINVAL, "a spec with a number of things but no things");
    if (c.failed || !PINGO__ARRAY_ROOM(b->specs, b->capacity, b->nspecs, 1))
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
