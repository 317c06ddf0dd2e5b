/* draft.c - beginning, filling and finishing a workflow that is being made. */
#include "workflow/draft.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "workflow/workflow.h"

/* The built-in types, and those of the options. */
static int set_types(struct pingo__workflow_draft *d, struct pingo_error *err)
{
    const struct pingo_workflow_options *o = &d->options;
    size_t nbuiltin = 0;
    while (pingo__workflow_type_builtin(nbuiltin))
        nbuiltin++;
    d->types = calloc(o->ntypes + nbuiltin, sizeof(struct pingo_action_type *));
    if (!d->types)
        return pingo__fail_memory(err);
    while (d->ntypes < nbuiltin) {
        d->types[d->ntypes] = pingo__workflow_type_builtin(d->ntypes);
        d->ntypes++;
    }
    for (size_t i = 0; i < o->ntypes; i++) {
        if (!o->types[i] || !o->types[i]->name)
            return pingo__fail(err, PINGO_EINVAL, "the action type %zu has no name", i);
        if (o->types[i]->abi_version < 1 || o->types[i]->abi_version > PINGO_ACTION_TYPE_ABI)
            return pingo__fail(err, PINGO_EVERSION,
                               "the action type \"%s\" was made for version %u, not 1 to %d",
                               o->types[i]->name, o->types[i]->abi_version, PINGO_ACTION_TYPE_ABI);
        if (pingo__workflow_draft_type(d, o->types[i]->name))
            return pingo__fail(err, PINGO_EINVAL, "two action types are named \"%s\"",
                               o->types[i]->name);
        d->types[d->ntypes++] = o->types[i];
    }
    d->options.types =
        d->types + nbuiltin; /* the caller's list need not live as long as a builder */
    return 0;
}

int pingo__workflow_draft_init(struct pingo__workflow_draft *d,
                               const struct pingo_workflow_options *options, struct pingo_error *err)
{
    *d = (struct pingo__workflow_draft){.document = {d, PINGO__NO_ACTION}};
    if (PINGO__OPTIONS_TAKE(pingo_workflow_options, options, &d->options, err))
        return PINGO_EINVAL;
    if (d->options.base_dir && d->options.base_dir[0] != '/')
        return pingo__fail(err, PINGO_EINVAL, "base_dir is \"%s\": it must be an absolute path",
                           d->options.base_dir);
    d->problems = calloc(1, sizeof *d->problems);
    d->workflow = calloc(1, sizeof *d->workflow);
    if (!d->problems || !d->workflow)
        return pingo__fail_memory(err);
    const char *dir = d->options.base_dir;
    d->options.base_dir = dir ? pingo__arena_text(&d->workflow->arena, dir, strlen(dir)) : NULL;
    if (dir && !d->options.base_dir)
        return pingo__fail_memory(err);
    d->workflow->start_id = d->workflow->end_id = PINGO__NO_ID;
    return set_types(d, err);
}

void pingo__workflow_draft_clear(struct pingo__workflow_draft *d)
{
    pingo_workflow_free(d->workflow);
    pingo_problems_free(d->problems);
    free(d->types);
    free(d->keys);
    pingo__map_clear(&d->output_paths);
    pingo__arena_clear(&d->scratch);
    memset(d, 0, sizeof *d);
}

bool pingo__workflow_draft_reserve(struct pingo__workflow_draft *d, size_t n)
{
    if (n <= d->capacity)
        return true;
    struct pingo_action *bigger =
        n > SIZE_MAX / sizeof *bigger ? NULL : realloc(d->workflow->actions, n * sizeof *bigger);
    if (!bigger) {
        d->no_memory = true;
        return false;
    }
    d->workflow->actions = bigger;
    d->capacity = n;
    return true;
}

void pingo__workflow_draft_set_name(struct pingo__workflow_draft *d, const char *name)
{
    d->workflow->name = "";
    if (name == pingo__workflow_reported)
        return;
    if (!name) {
        pingo__workflow_report(&d->document, "", "\"name\" is missing: a workflow needs a name");
        return;
    }
    if (name[0] == '\0')
        pingo__workflow_report(&d->document, "/name", "\"name\" is empty: a workflow needs a name");
    d->workflow->name = pingo__workflow_copy_text(&d->document, name, "/name");
}

void pingo__workflow_sort_pairs(const char **pairs, size_t npairs)
{
    if (npairs > 2)
        qsort(pairs, npairs / 2, 2 * sizeof *pairs, pingo__array_by_text);
}

const char **pingo__workflow_copy_texts(struct pingo_problem_sink *sink, const char *const *texts,
                                        size_t n, const char *pointer)
{
    struct pingo__workflow_draft *d = sink->draft;
    const char **copy = pingo__workflow_draft_array(d, &d->workflow->arena, n, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        copy[i] = pingo__workflow_copy_text(sink, texts[i], pointer);
    return copy;
}

struct pingo__workflow_pairs pingo__workflow_merge_pairs(struct pingo__workflow_draft *d,
                                                         const struct pingo__workflow_pairs *own,
                                                         const struct pingo__workflow_pairs *other)
{
    struct pingo__workflow_pairs merged = {.n = 0};
    size_t i = 0, j = 0;
    if (!own->n || !other->n) /* nearly always: then they share the list */
        return own->n ? *own : *other;
    merged.list =
        pingo__workflow_draft_array(d, &d->workflow->arena, own->n + other->n, sizeof *merged.list);
    while (merged.list && (i < own->n || j < other->n)) {
        int order = i == own->n ? 1 : j == other->n ? -1 : strcmp(own->list[i], other->list[j]);
        merged.list[merged.n++] = order <= 0 ? own->list[i] : other->list[j];
        merged.list[merged.n++] = order <= 0 ? own->list[i + 1] : other->list[j + 1];
        i += order <= 0 ? 2 : 0;
        j += order >= 0 ? 2 : 0;
    }
    return merged;
}

void pingo__workflow_draft_set_env(struct pingo__workflow_draft *d, const char *const *pairs,
                                   size_t npairs)
{
    pingo__workflow_check_env(&d->document, "/env", pairs, npairs);
    d->env.list = pingo__workflow_copy_texts(&d->document, pairs, npairs, "/env");
    d->env.n = d->env.list ? npairs : 0;
    pingo__workflow_sort_pairs(d->env.list, d->env.n);
}

void pingo__workflow_draft_set_shell(struct pingo__workflow_draft *d,
                                     const struct pingo_field *shell)
{
    pingo__workflow_check_shell(&d->document, "/shell", shell);
    d->shell = *shell;
    d->shell.values =
        pingo__workflow_copy_texts(&d->document, shell->values, shell->nvalues, "/shell");
}

const struct pingo_action_type *pingo__workflow_draft_type(const struct pingo__workflow_draft *d,
                                                           const char *name)
{
    for (size_t i = 0; i < d->ntypes; i++)
        if (strcmp(d->types[i]->name, name) == 0)
            return d->types[i];
    return NULL;
}

int pingo__workflow_draft_finish(struct pingo__workflow_draft *d, struct pingo_workflow **workflow,
                                 struct pingo_problems **problems, struct pingo_error *err)
{
    int rc = 0;
    if (!d->no_memory)
        pingo__workflow_draft_connect(d);
    if (d->no_memory)
        return pingo__fail_memory(err);
    pingo__workflow_problems_sort(d->problems, d->source ? &d->source->document : NULL);
    if (d->problems->nerrors > 0) {
        rc = pingo__workflow_problems_fail(d->problems, err);
    } else {
        *workflow = d->workflow;
        d->workflow = NULL;
    }
    if (problems && d->problems->count > 0) {
        *problems = d->problems;
        d->problems = NULL;
    }
    return rc;
}
