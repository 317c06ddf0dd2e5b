/* fields.c - a type's own keys: kinds, defaults, the merging of env.
 *
 * What always holds: the fields of an action stand in byte order of their keys,
 * and each has the form that its kind promises. */
#include <string.h>

#include "base/array.h"
#include "workflow/draft.h"
#include "workflow/kinds.h"

const char *pingo__workflow_kind_words(struct pingo__workflow_draft *d, unsigned kinds)
{
    const struct pingo__workflow_kind *kind;
    const char *words = NULL;
    for (unsigned i = 1; (kind = pingo__workflow_kind_find((enum pingo_field_kind)i)); i++)
        if (kinds & 1u << i)
            words = words ? pingo__workflow_pointer(d, "%s or %s", words, kind->words) : kind->words;
    return words ? words : "of another kind";
}

/* ---- env ------------------------------------------------------------------------ */

static void check_env_name(struct pingo_problem_sink *sink, const char *pointer, const char *name)
{
    static const char *const reserved[] = {"HOME", "PINGO_CPUS", "PINGO_GPUS", "PINGO_MEMORY_MB"};
    if (name[0] == '\0')
        pingo__workflow_report_key(sink, pointer, "a variable of env has an empty name");
    else if (strchr(name, '='))
        pingo__workflow_report_key(sink, pointer, "the variable \"%.*s\" has '=' in its name",
                                   pingo__workflow_quoted(name), name);
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcmp(name, reserved[i]) == 0)
            pingo__workflow_report_key(
                sink, pointer, "the variable %s is set by Pingo for each run: leave it out", name);
}

void pingo__workflow_check_env(struct pingo_problem_sink *sink, const char *prefix,
                               const char *const *pairs, size_t npairs)
{
    for (size_t i = 0; i + 1 < npairs; i += 2) {
        const char *name = pairs[i];
        bool suspect = name[0] == '\0' || strchr(name, '=') || name[0] == 'H' || name[0] == 'P';
        if (suspect && pairs[i] != pingo__workflow_reported)
            check_env_name(sink, pingo__workflow_pointer_to_key(sink->draft, prefix, name), name);
    }
}

static void merge_env(struct pingo__workflow_draft *d, struct pingo_field *field)
{
    const struct pingo__workflow_pairs own = {(const char **)field->values, field->nvalues};
    struct pingo__workflow_pairs merged = pingo__workflow_merge_pairs(d, &own, &d->env);
    field->values = merged.list;
    field->nvalues = merged.n;
}

/* ---- shell ---------------------------------------------------------------------- */

void pingo__workflow_check_shell(struct pingo_problem_sink *sink, const char *pointer,
                                 const struct pingo_field *shell)
{
    const char *first = shell->nvalues == 0 ? "" : shell->values[0];
    if (shell->kind == PINGO_FIELD_TEXT) {
        if (strcmp(first, "bash") != 0 && strcmp(first, "sh") != 0)
            pingo__workflow_report(
                sink, pointer,
                "unknown shell \"%.*s\": write \"bash\" (which is /bin/bash -euo pipefail "
                "-c), \"sh\" (/bin/sh -c), or an array of a program and its arguments",
                pingo__workflow_quoted(first), first);
    } else if (first[0] == '\0') {
        pingo__workflow_report(
            sink, pointer,
            "\"shell\" names no program: write a program and its arguments, such as "
            "[\"/bin/sh\", \"-c\"]; the command comes behind them");
    }
}

/* ---- one field -------------------------------------------------------------------- */

/* A name that stands twice; the strict pass finds it in text. */
static void check_pairs_differ(struct pingo_problem_sink *sink, const struct pingo_field *field)
{
    for (size_t i = 2; i < field->nvalues; i += 2)
        if (strcmp(field->values[i - 2], field->values[i]) == 0)
            pingo__workflow_report(sink, pingo__workflow_pointer(sink->draft, "/%s", field->key),
                                   "the name \"%.*s\" stands twice: remove one",
                                   pingo__workflow_quoted(field->values[i]), field->values[i]);
}

static void copy_values(struct pingo_problem_sink *sink, const struct pingo_key *key,
                        const struct pingo_field *given, struct pingo_field *field)
{
    struct pingo__workflow_draft *d = sink->draft;
    const char *pointer = d->source ? "" : pingo__workflow_pointer(d, "/%s", key->key);
    const char **values = pingo__workflow_copy_texts(sink, given->values, given->nvalues, pointer);
    field->values = values;
    field->nvalues = values ? given->nvalues : 0;
    if (field->kind != PINGO_FIELD_PAIRS)
        return;
    pingo__workflow_sort_pairs(values, field->nvalues);
    if (!d->source)
        check_pairs_differ(sink, field);
}

/* Fills in a field from what was given.  false: there is none. */
static bool fill_given(struct pingo_problem_sink *sink, const struct pingo_key *key,
                       const struct pingo_field *given, struct pingo_field *field)
{
    const char *pointer;
    if (given->kind == PINGO__REPORTED_KIND)
        return false;
    /* What comes from text has the form. */
    if (!pingo__workflow_kind_has_form(given) || (key->kinds & 1u << given->kind) == 0) {
        pointer = pingo__workflow_pointer(sink->draft, "/%s", key->key);
        pingo__workflow_report(sink, pointer, "\"%s\" must be %s", key->key,
                               pingo__workflow_kind_words(sink->draft, key->kinds));
        return false;
    }
    field->kind = given->kind;
    if (key->merges_env) {
        pointer = pingo__workflow_pointer(sink->draft, "/%s", key->key);
        pingo__workflow_check_env(sink, pointer, given->values, given->nvalues);
    }
    if (key->takes_shell)
        pingo__workflow_check_shell(sink, pingo__workflow_pointer(sink->draft, "/%s", key->key),
                                    given);
    copy_values(sink, key, given, field);
    return true;
}

/* Fills in a field that was not given.  false: there is none. */
static bool fill_default(const struct pingo__workflow_draft *d, const struct pingo_key *key,
                         struct pingo_field *field)
{
    if (key->takes_shell && d->shell.nvalues > 0) {
        field->kind = d->shell.kind;
        field->values = d->shell.values;
        field->nvalues = d->shell.nvalues;
        return true;
    }
    if ((key->kinds & PINGO_KEY_PAIRS) != 0) {
        field->kind = PINGO_FIELD_PAIRS;
        return true;
    }
    if (!key->default_text)
        return false;
    field->kind = (key->kinds & PINGO_KEY_FLAG) != 0     ? PINGO_FIELD_FLAG
                  : (key->kinds & PINGO_KEY_NUMBER) != 0 ? PINGO_FIELD_NUMBER
                                                         : PINGO_FIELD_TEXT;
    field->values = &key->default_text; /* types are constant and outlive workflows */
    field->nvalues = 1;
    return true;
}

static const struct pingo_field *find_given(struct pingo_problem_sink *sink,
                                            const struct pingo_action_spec *spec, const char *key)
{
    const struct pingo_field *found = NULL;
    for (size_t i = 0; i < spec->nfields; i++) {
        if (!spec->fields[i].key || strcmp(spec->fields[i].key, key) != 0)
            continue;
        if (found)
            pingo__workflow_report(sink, pingo__workflow_pointer(sink->draft, "/%s", key),
                                   "the key \"%s\" stands twice: remove one", key);
        found = &spec->fields[i];
    }
    return found;
}

/* Is there no field of this key, because another one is no string?  Then it may not be given. */
static bool is_out_of_place(struct pingo_problem_sink *sink, const struct pingo_action_spec *spec,
                            const struct pingo_key *key, const struct pingo_field *given)
{
    const struct pingo_field *other = NULL;
    for (size_t i = 0; key->with_text && i < spec->nfields && !other; i++)
        if (spec->fields[i].key && strcmp(spec->fields[i].key, key->with_text) == 0)
            other = &spec->fields[i];
    if (!other || other->kind == PINGO_FIELD_TEXT)
        return false;
    if (given && other->kind == PINGO_FIELD_TEXTS)
        pingo__workflow_report(
            sink, pingo__workflow_pointer(sink->draft, "/%s", key->key),
            "\"%s\" goes with a \"%s\" that is a string: an array is executed as it is, "
            "leave \"%s\" out",
            key->key, key->with_text, key->key);
    return true;
}

/* ---- keys that nobody knows ---------------------------------------------------------- */

const struct pingo_key *pingo__workflow_type_key(const struct pingo_action_type *type,
                                                 const char *key)
{
    for (size_t i = 0; type && i < type->nkeys; i++)
        if (strcmp(type->keys[i].key, key) == 0)
            return &type->keys[i];
    return NULL;
}

static bool is_one_of(const char *const *keys, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

/* Says it, with what an action of this type may have; of any known type, where the type is NULL. */
static void report_unknown(struct pingo_problem_sink *sink, const struct pingo_action_type *type,
                           const char *pointer, const char *key)
{
    struct pingo__workflow_draft *d = sink->draft;
    size_t most = 0, n = 0;
    while (pingo__workflow_action_key(most))
        most++;
    for (size_t i = 0; i < d->ntypes; i++)
        most += d->types[i]->nkeys;
    const char **known = pingo__workflow_draft_array(d, &d->scratch, most, sizeof *known);
    if (!known)
        return;
    for (const char *common; (common = pingo__workflow_action_key(n)); n++)
        known[n] = common;
    for (size_t i = 0; i < d->ntypes; i++)
        for (size_t k = 0; k < d->types[i]->nkeys; k++)
            if ((!type || type == d->types[i]) &&
                !is_one_of(known, n, d->types[i]->keys[k].key)) /* types may have keys alike */
                known[n++] = d->types[i]->keys[k].key;
    pingo__workflow_report_unknown_key(sink, pointer, key, known, n);
}

static bool is_common_key(const char *key)
{
    const char *common;
    for (size_t i = 0; (common = pingo__workflow_action_key(i)); i++)
        if (strcmp(common, key) == 0)
            return true;
    return false;
}

static void check_known(struct pingo_problem_sink *sink, const struct pingo_action *action,
                        const char *key)
{
    struct pingo__workflow_draft *d = sink->draft;
    const struct pingo_action_type *owner = NULL;
    if (pingo__workflow_type_key(action->type, key))
        return;
    for (size_t i = 0; i < d->ntypes && !owner; i++)
        owner = pingo__workflow_type_key(d->types[i], key) ? d->types[i] : NULL;
    if (!action->type && (owner || is_common_key(key)))
        return;
    if (action->type && !pingo__workflow_draft_type(d, action->type->name))
        return; /* options.any_type: its keys are not known */
    const char *pointer = pingo__workflow_pointer_to_key(d, "", key);
    if (owner)
        pingo__workflow_report_key(
            sink, pointer,
            "the key \"%s\" belongs to actions of type \"%s\": this one is of type "
            "\"%s\"",
            key, owner->name, action->type->name);
    else if (is_common_key(key)) /* a text's are never fields */
        pingo__workflow_report_key(
            sink, pointer, "the key \"%s\" is no field of a type: set it in the spec itself", key);
    else
        report_unknown(sink, action->type, pointer, key);
}

/* Puts the keys of a type into byte order; mostly they are those of the action before. */
static bool order_keys(struct pingo__workflow_draft *d, const struct pingo_action_type *type)
{
    if (d->ordered == type)
        return true;
    d->ordered = NULL;
    if (!PINGO__ARRAY_ROOM(d->keys, d->keys_capacity, 0, type->nkeys)) {
        d->no_memory = true;
        return false;
    }
    for (size_t i = 0; i < type->nkeys; i++) {
        size_t at = i;
        for (; at > 0 && strcmp(d->keys[at - 1]->key, type->keys[i].key) > 0; at--)
            d->keys[at] = d->keys[at - 1];
        d->keys[at] = &type->keys[i];
    }
    d->ordered = type;
    return true;
}

void pingo__workflow_add_fields(struct pingo_problem_sink *sink,
                                const struct pingo_action_spec *spec, struct pingo_action *action)
{
    struct pingo__workflow_draft *d = sink->draft;
    const struct pingo_action_type *type = action->type;
    size_t n = 0;
    for (size_t i = 0; i < spec->nfields; i++)
        check_known(sink, action, spec->fields[i].key ? spec->fields[i].key : "");
    if (!type || !order_keys(d, type))
        return;
    struct pingo_field *fields =
        pingo__workflow_draft_array(d, &d->workflow->arena, type->nkeys, sizeof *fields);
    if (!fields)
        return;
    for (size_t i = 0; i < type->nkeys; i++) {
        const struct pingo_key *key = d->keys[i];
        const struct pingo_field *given = find_given(sink, spec, key->key);
        struct pingo_field *field = &fields[n];
        memset(field, 0, sizeof *field);
        field->key = key->key;
        if (is_out_of_place(sink, spec, key, given))
            continue;
        if (!given && key->required)
            pingo__workflow_report(sink, "", "\"%s\" is missing: %s actions need it, %s", key->key,
                                   type->name, pingo__workflow_kind_words(d, key->kinds));
        else if (given ? fill_given(sink, key, given, field) : fill_default(d, key, field))
            n++;
        if (field->kind == PINGO_FIELD_PAIRS && key->merges_env)
            merge_env(d, field);
    }
    action->fields = fields;
    action->nfields = n;
}
